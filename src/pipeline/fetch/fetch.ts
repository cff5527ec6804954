import { Transform, type TransformCallback } from "node:stream";
import type { Cancellation } from "../../core/cancellation.ts";
import { SpileError } from "../../core/errors.ts";
import type { Request } from "../../core/requests/request.ts";
import type { StepAnswer } from "../../core/runs/step-answer.ts";
import { charsetOf } from "../../extract/format/format.ts";
import type { Answer, Exchange } from "../../http/exchange/session.ts";
import type { Regulator } from "../../http/pacing/regulator.ts";
import { originOf } from "../../http/requests/origin.ts";
import { type AskOptions, askSteps } from "../../steps/ask-steps.ts";
import { type JobRun, windowName } from "../job-run.ts";
import type { Opened, OpenedSteps, Page, StepsToSend } from "../page.ts";
import { type Budget, readAhead } from "./look-ahead.ts";

export interface FetchOptions extends SendingOptions {
  /** Maximum number of pages that may be in flight. */
  readonly maxPageCount: number;
}

/** Maximum number of bytes that all pages that wait for their turn may hold together. */
const lookAheadBytes = 16 * 1024 * 1024;

/** Returns whether the run's address came from the answer to a step, and the request goes to the origin of that address. */
function isDownload({ start }: JobRun, { url }: Request): boolean {
  return "isFromAnswers" in start && start.isFromAnswers && originOf(url) === originOf(start.request.url);
}

/** Sends each page's request when the page arrives. Emits the opened pages in order, without those that are already aborted. */
export class Fetch extends Transform {
  readonly #options: FetchOptions;
  readonly #budget: Budget = { free: lookAheadBytes };

  constructor(options: FetchOptions) {
    super({ objectMode: true, highWaterMark: options.maxPageCount });
    this.#options = options;
  }

  override _transform(page: Page, _encoding: BufferEncoding, callback: TransformCallback): void {
    if (page.signal.aborted) callback();
    else callback(null, this.#open(page));
  }

  #open(page: Page): Opened {
    const { request } = page;
    if ("steps" in request) return openSteps(page, request, this.#options);
    if (request instanceof SpileError) {
      return { page, open: () => Promise.reject(request), counts: () => ({ requests: 0, retries: 0 }) };
    }
    const { session, authenticator } = page.client.senderOf(page.run.plan);
    const { regulator } = this.#options;
    const exchange = session.exchange(request, {
      signal: page.signal,
      authenticator,
      regulator,
      policy: page.run.plan.policy,
      charset: charsetOf(page.run.plan.format),
      rates: page.run.plan.rates,
      download: isDownload(page.run, request),
      job: page.run.plan.label,
      dataType: page.run.plan.dataType,
      window: windowName(page.run),
      page: page.number,
    });
    const first = page.inTurn() ? exchange.open() : this.#ahead(exchange, page.signal);
    // A failure before the page's turn is handled when the turn comes. If the turn does not come, the failure does not matter.
    first.catch(() => undefined);
    let opened = false;
    return {
      page,
      open: (fault) => {
        if (opened) return exchange.open(fault);
        opened = true;
        return first;
      },
      counts: () => ({ requests: exchange.requests, retries: exchange.retries }),
    };
  }

  async #ahead(exchange: Exchange, signal: Cancellation): Promise<Answer> {
    const answer = await exchange.open();
    return { ...answer, body: readAhead(answer.body, this.#budget, signal) };
  }
}

/** Objects for sending requests. All iterations share them. */
interface SendingOptions {
  readonly regulator: Regulator | undefined;
  readonly stepping: AskOptions;
}

/** Sends the requests of steps, even before the page's turn, since the API may need much time for an export. */
function openSteps(page: Page, { steps, run, knownAnswers }: StepsToSend, options: SendingOptions): OpenedSteps {
  const { session, authenticator } = page.client.senderOf(page.run.plan);
  const { regulator, stepping } = options;
  const { label, dataType, policy, rates } = page.run.plan;
  const owner = { job: label, dataType, window: windowName(page.run) };
  const counts = { requests: 0, retries: 0 };
  const answers = askSteps(steps, knownAnswers, run, {
    ...stepping,
    owner,
    policy,
    login: false,
    signal: page.signal,
    exchange: ({ request }, step) =>
      session.exchange(request, { signal: page.signal, authenticator, regulator, rates, ...owner, ...step }),
    ended({ requests, retries }) {
      counts.requests += requests;
      counts.retries += retries;
    },
  });
  return { page, answers: eager(answers, steps.length - knownAnswers.length + 1), counts: () => counts };
}

/** Requests all values of a generator at once, so that it runs before its values are read. */
function eager(
  source: AsyncGenerator<StepAnswer, string | undefined>,
  count: number,
): AsyncGenerator<StepAnswer, string | undefined> {
  const nextAnswers = Array.from({ length: count }, () => source.next());
  // A failure before the page's turn is handled when the turn comes. If the turn does not come, the failure does not matter.
  for (const one of nextAnswers) one.catch(() => undefined);
  return (async function* () {
    for (const one of nextAnswers) {
      const { done, value } = await one;
      if (done === true) return value;
      yield value;
    }
    return undefined;
  })();
}
