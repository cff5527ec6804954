import type { Cancellation } from "../core/cancellation.ts";
import { SpileError } from "../core/errors.ts";
import type { SmallResponse } from "../core/requests/request.ts";
import type { Account } from "../core/runs/account.ts";
import type { RunEvent } from "../core/runs/event.ts";
import { sourceName } from "../core/runs/response-source.ts";
import type { StepAnswer } from "../core/runs/step-answer.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { beginningOf, briefAddress, printable } from "../core/text/printable.ts";
import type { Value } from "../core/values/value.ts";
import type { AnswerPolicy } from "../http/exchange/answer-policy.ts";
import type { RequestOwner } from "../http/exchange/exchange-log.ts";
import { documentOf, type JudgedResponse, type ResponseRule, valuesOf } from "../http/exchange/response-rules.ts";
import { type Exchange, TransportFault } from "../http/exchange/session.ts";
import { wholeAnswer } from "../http/exchange/whole-answer.ts";
import { inSeconds, retryAfter, wait } from "../http/pacing/retry.ts";
import { answerOf, concealAnswer, contextOf } from "./answer.ts";
import type { Step, StepRequest, StepRun } from "./step.ts";

/** Options that the steps of all jobs of a run share. */
export interface AskOptions {
  readonly secrets: Secrets;
  emit(event: RunEvent): void;
  readonly account: Account;
  /** Returns the time in Unix milliseconds. */
  now(): number;
  /** Returns how long to wait in ms: at most `ms`, the wait of the step. `count`: number of the wait, from 1. */
  pause(ms: number, count: number): number;
}

/** Sends the steps of one run of a job, or of a login. */
export interface StepClient extends AskOptions {
  readonly policy: AnswerPolicy;
  /** Creates the exchange of a step's request; `policy` judges its answers. */
  exchange(request: StepRequest, options: { readonly step: string; readonly policy: AnswerPolicy }): Exchange;
  /** Called with every exchange that has ended. */
  ended?(exchange: Exchange): void;
  readonly owner: RequestOwner;
  /** True for a login: every value that is read from an answer is then a secret. */
  readonly login: boolean;
  readonly signal: Cancellation;
}

/** Maximum number of bytes of an answer that are read. */
const maxAnswerBytes = 16 * 1024 * 1024;

/**
 * Sends the requests of steps in order. `knownAnswers`: answers to the first steps, whose requests are not sent again. Yields each answer
 * as it arrives. Returns the reason why the job ends here, if a rule for answers ends it. Rejects with SpileError, or the
 * signal's reason.
 */
export async function* askSteps(
  steps: readonly Step[],
  knownAnswers: readonly StepAnswer[],
  run: StepRun,
  client: StepClient,
): AsyncGenerator<StepAnswer, string | undefined> {
  const answers = [...knownAnswers];
  for (const step of steps.slice(knownAnswers.length)) {
    const asking = new Asking(step, client);
    try {
      const { request } = step;
      const stepRequest = request({ ...run, contexts: { ...run.contexts, step: contextOf(answers) } });
      const ended = await asking.answer(stepRequest);
      if (typeof ended === "string") return ended;
      answers.push(ended);
      yield ended;
    } catch (error) {
      client.signal.throwIfAborted();
      throw withStepName(error, step);
    }
  }
  return undefined;
}

function withStepName(error: unknown, { name }: Step): unknown {
  if (!(error instanceof SpileError)) return error;
  const stepError = new SpileError(error.kind, `step ${JSON.stringify(name)}: ${error.message}`, {
    cause: error,
    ...(error.pointer === undefined ? {} : { pointer: error.pointer }),
    ...(error.refusal === undefined ? {} : { refusal: error.refusal }),
  });
  stepError.step = name;
  return stepError;
}

/** An answer, its body as JSON (undefined if it is not JSON), and the first rule that matches it. */
interface JudgedAnswer {
  readonly response: SmallResponse;
  readonly document: Value | undefined;
  readonly judged: JudgedResponse;
  readonly rule: ResponseRule | undefined;
}

/** Repeats the request of one step until its condition is met. */
class Asking {
  readonly #step: Step;
  readonly #client: StepClient;

  constructor(step: Step, client: StepClient) {
    this.#step = step;
    this.#client = client;
  }

  /** Returns the answer, or the reason why the job ends here. */
  async answer(stepRequest: StepRequest): Promise<StepAnswer | string> {
    const step = this.#step;
    const pace = paceOf(step);
    for (;;) {
      const beginning = performance.now();
      const received = await this.#ask(stepRequest);
      const { rule } = received;
      const isPending = rule !== undefined && rule === step.pending;
      if (rule !== undefined && rule !== step.until && !isPending) return rule.text(received.judged);
      if (!isPending && (step.until === undefined || rule === step.until)) return this.#finish(received);
      pace.spend(performance.now() - beginning);
      await this.#wait(received, stepRequest, pace);
    }
  }

  async #ask(stepRequest: StepRequest): Promise<JudgedAnswer> {
    const { name, failWhen, until, pending } = this.#step;
    // The first rule that matches decides. The order is: the step's condition for a failure, the rules for all answers, and the
    // step's conditions for the end and for waiting.
    const { policy } = this.#client;
    const rules = [failWhen, ...policy.rules, until, pending].filter((rule) => rule !== undefined);
    const exchange = this.#client.exchange(stepRequest, { step: name, policy: { ...policy, rules } });
    let judgedAnswer: JudgedAnswer | undefined;
    try {
      await wholeAnswer(exchange, {
        most: maxAnswerBytes,
        tooLong: () =>
          new SpileError(
            "data",
            `the answer is longer than ${maxAnswerBytes} bytes, the maximum for the answer to a step`,
          ),
        judge: (response) => {
          judgedAnswer = this.#judge(response, stepRequest, rules);
        },
      });
    } finally {
      this.#client.ended?.(exchange);
    }
    if (judgedAnswer === undefined) throw new Error("an answer was not judged");
    return judgedAnswer;
  }

  #judge(response: SmallResponse, stepRequest: StepRequest, rules: readonly ResponseRule[]): JudgedAnswer {
    const { status, header, body } = response;
    const document = documentOf(body);
    const judged: JudgedResponse = { status, header, value: valuesOf(document) };
    const rule = rules.find((one) => one.matches(judged));
    const where = (): string => this.#nameOf(stepRequest, response);
    if (rule?.then === "fail") throw rule.failure(judged, where());
    if (rule?.then === "retry" || rule?.then === "login") {
      throw new TransportFault(rule.text(judged), {
        askedWaitMs: rule.wait(judged, Date.now()),
        unauthorized: rule.then === "login",
      });
    }
    if (rule === undefined && document === undefined && body.trim() !== "" && !this.#step.anyBody) {
      const type = response.contentType === undefined ? "no content type" : `content type ${response.contentType}`;
      throw new SpileError("data", `${where()}: answered ${status}, ${printable(type)}, with a body that is not JSON`);
    }
    return { response, document, judged, rule };
  }

  #finish({ response, document }: JudgedAnswer): StepAnswer {
    const { owner, secrets, login, emit, now } = this.#client;
    const step = this.#step;
    const answer = answerOf(step, response, document, now());
    concealAnswer(answer, step.wantedValues, secrets, login);
    const { status, url } = response;
    const message = `step ${JSON.stringify(step.name)}: answered ${status}`;
    emit({ event: "step", level: "info", message, ...owner, step: step.name, status, url: this.#display(url) });
    return answer;
  }

  async #wait(received: JudgedAnswer, stepRequest: StepRequest, pace: Pace): Promise<void> {
    const { owner, emit, account, pause, policy, signal } = this.#client;
    const { name } = this.#step;
    const { url, status, header } = received.response;
    const examined = this.#examined(received);
    const ms = pace.next(retryAfter(header(policy.retryHeader), Date.now()));
    if (ms === undefined) {
      const text = `${this.#nameOf(stepRequest, received.response)}: not done after ${inSeconds(pace.timeout)}${examined}; a longer "timeout" waits longer`;
      throw new SpileError("temporary", text);
    }
    const next = `asked again in ${inSeconds(ms)}`;
    const message = `step ${JSON.stringify(name)}: not done yet${examined}, ${next}`;
    const reason = `step ${JSON.stringify(name)} is not done yet${examined}, ${next}`;
    emit({
      event: "wait",
      level: "info",
      message,
      ...owner,
      step: name,
      url: this.#display(url),
      status,
      waitMs: ms,
      reason,
    });
    await account.during("answer", wait(pause(ms, pace.count), signal), owner.dataType);
  }

  /**
   * Returns a clause with the value that the condition has examined, ` ("status" is "running")`, or with the status of a pending answer;
   * "" if there is neither.
   */
  #examined({ judged, rule }: JudgedAnswer): string {
    const { subject, pending } = this.#step;
    if (rule !== undefined && rule === pending) return ` (answered ${judged.status})`;
    if (subject === undefined || "lastRecord" in subject) return "";
    const text = "path" in subject ? judged.value(subject.path)?.text : judged.header(subject.header);
    if (text === undefined || text === "") return "";
    return ` (${sourceName(subject)} is ${JSON.stringify(beginningOf(this.#display(text), 100))})`;
  }

  #nameOf({ request: { method } }: StepRequest, { url }: SmallResponse): string {
    return `${method === "GET" ? "GET" : "POST"} ${briefAddress(this.#display(url))}`;
  }

  #display(text: string): string {
    return printable(this.#client.secrets.mask(text));
  }
}

/** Waits grow up to this time in ms. */
const maxGrownWait = 60_000;

/** The pace at which the request of a step is repeated; times in milliseconds. */
interface Pace {
  readonly timeout: number;
  /** Number of waits so far. */
  readonly count: number;
  /** Counts time that was spent on requests. The limit of a step includes it. */
  spend(ms: number): void;
  /**
   * Returns the time of the next wait: at least `askedWaitMs`, but at most the remaining time of the step. Undefined if no time
   * remains.
   */
  next(askedWaitMs: number | undefined): number | undefined;
}

/**
 * Returns the pace of a step. Each wait is one and a half times as long as the one before, up to a minute (contract C-18.2). If
 * the first wait is longer than a minute, all waits are the same.
 */
export function paceOf({ every, timeout }: Pick<Step, "every" | "timeout">): Pace {
  let spent = 0;
  let wait = every;
  let count = 0;
  return {
    timeout,
    get count() {
      return count;
    },
    spend(ms) {
      spent += ms;
    },
    next(askedWaitMs = 0) {
      const remaining = timeout - spent;
      if (remaining <= 0) return undefined;
      const ms = Math.min(Math.max(wait, askedWaitMs), remaining);
      wait = Math.min(wait * 1.5, Math.max(maxGrownWait, every));
      spent += ms;
      count += 1;
      return ms;
    },
  };
}
