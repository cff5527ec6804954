import { STATUS_CODES } from "node:http";
import type { Cancellation } from "../../core/cancellation.ts";
import { SpileError } from "../../core/errors.ts";
import type { Request } from "../../core/requests/request.ts";
import { readBody } from "../body/body.ts";
import { isCompressed } from "../body/decode.ts";
import { discard, excerpt, noBody } from "../body/unread-body.ts";
import { longestJudged, replayable } from "../body/whole-response.ts";
import type { RawResponse } from "../connection/client.ts";
import { TransportFault } from "../connection/fault.ts";
import type { Regulator } from "../pacing/regulator.ts";
import { retryAfter } from "../pacing/retry.ts";
import { type UsedUpLimit, usedUpLimit } from "../pacing/used-up-limit.ts";
import { originOf, securedRequest } from "../requests/origin.ts";
import { serialize } from "../requests/request.ts";
import type { AnswerPolicy } from "./answer-policy.ts";
import { type AttemptOptions, Attempts, type Reply } from "./attempt.ts";
import type { SessionContext } from "./context.ts";
import { ExchangeLog, type RequestOwner } from "./exchange-log.ts";
import { documentOf, type JudgedResponse, type ResponseRule, valuesOf } from "./response-rules.ts";
import { RetryBudget, type RetryCause } from "./retry-budget.ts";
import { statusHint } from "./status-hint.ts";

export interface ExchangeOptions extends RequestOwner, AttemptOptions {
  /** Charset of a successful answer. It overrides the charset of the Content-Type. */
  readonly charset?: string | undefined;
}

export interface Answer {
  readonly status: number;
  /** The address that answered, after redirects; not masked. */
  readonly url: string;
  /** The address that was requested, if redirects led from it to another path or host; not masked. */
  readonly redirectedFrom: string | undefined;
  /** Time at which the answer came, in Unix milliseconds. */
  readonly receivedAt: number;
  readonly contentType: string | undefined;
  /** Names of the answer's headers. */
  readonly headerNames: readonly string[];
  /** Returns a header by its name in any case. Several with one name are joined by ", ". */
  header(name: string): string | undefined;
  /** `empty`: 204, 205 or `Content-Length: 0`. `tolerated`: an error status in ignoreErrors. */
  readonly kind: "body" | "empty" | "tolerated";
  /** The `empty` or `end` rule that has matched, for an answer that was judged by its status and its whole body. */
  readonly rule: ResponseRule | undefined;
  /**
   * True if the message marks its own end. False if it ends with the connection. If the document in it is then incomplete, the
   * document's reader must throw a TransportFault.
   */
  readonly framed: boolean;
  /**
   * Returns whether the message does not mark its own end and the connection was reset instead of closed. Must be called after the
   * body was read.
   */
  isReset(): boolean;
  /** True if the body is compressed. Only its end then shows whether the decoded bytes are right. */
  readonly compressed: boolean;
  /** The body in UTF-8, to be read once. Throws TransportFault if the message is incomplete (see `readBody`). */
  readonly body: AsyncIterable<Buffer>;
}

/** Statuses that count as too many requests if the answer is retried. A 403 is among them because it may report a rate limit. */
const tooMany: ReadonlySet<number> = new Set([403, 420, 429]);

const tooLongToJudge = `and its body is longer than ${longestJudged} bytes, the longest body that a rule of "responses" reads`;

/** The requests for one page, step or login. They share one retry budget. */
export class Exchange {
  readonly #request: Request;
  readonly #context: SessionContext;
  readonly #page: number | undefined;
  readonly #download: boolean;
  readonly #policy: AnswerPolicy;
  readonly #charset: string | undefined;
  readonly #signal: Cancellation;
  readonly #log: ExchangeLog;
  readonly #attempts: Attempts;
  readonly #regulator: Regulator | undefined;
  readonly #budget: RetryBudget;
  /** True if the last answer was a 401 for which credentials were renewed. */
  #renewed = false;
  /** True if a rule has caused a renewal of credentials. */
  #hasRenewedByRule = false;
  #last: Reply | undefined;

  constructor(request: Request, options: ExchangeOptions, context: SessionContext) {
    const { signal, regulator, download, policy = context.policy } = options;
    this.#request = securedRequest(request, context.isTrusted);
    this.#context = context;
    this.#page = options.page;
    this.#download = download === true;
    this.#policy = policy;
    this.#charset = options.charset;
    this.#signal = signal;
    this.#log = new ExchangeLog(context, options);
    this.#attempts = new Attempts(context, this.#log, options);
    this.#regulator = regulator;
    this.#budget = new RetryBudget(policy, context, this.#log, signal);
  }

  /** Number of requests sent, including redirects and retries. */
  get requests(): number {
    return this.#attempts.sent;
  }

  get retries(): number {
    return this.#budget.spent;
  }

  /**
   * Sends the request until it is answered. `fault`: the fault of the last answer's body, if any. It counts as a failed attempt, so
   * a wait comes first. Rejects with SpileError (temporary, refused, authentication, data) or the signal's reason.
   */
  async open(fault?: TransportFault): Promise<Answer> {
    for (let lastFault = fault; ; ) {
      this.#signal.throwIfAborted();
      if (lastFault !== undefined) {
        await this.#handleFault(lastFault);
        lastFault = undefined;
      }
      try {
        const answer = await this.#judge(await this.#attempts.make(this.#request));
        if (answer !== undefined) return answer;
      } catch (error) {
        if (!(error instanceof TransportFault)) throw error;
        this.#renewed = false;
        lastFault = error;
      }
    }
  }

  async #handleFault(fault: TransportFault): Promise<void> {
    const { message, outlook, askedWaitMs, unauthorized } = fault;
    const reason = this.#log.display(message);
    if (unauthorized) return this.#logInAnew(reason);
    const origin = this.#last === undefined ? undefined : originOf(this.#last.hop.wire.url);
    await this.#retry({ reason, outlook, askedWaitMs, ...(origin === undefined ? {} : { origin }) });
  }

  /** Renews the login because a rule says that it has expired. Throws if a rule has done so before, or if nothing can be renewed. */
  #logInAnew(reason: string): void {
    const { hop, authorized } = this.#last ?? {};
    if (!this.#hasRenewedByRule && hop?.trusted === true && authorized?.refused?.() === true) {
      this.#hasRenewedByRule = true;
      return;
    }
    const name = this.#log.nameOf(hop?.wire ?? serialize(this.#request));
    throw new SpileError(
      "authentication",
      `${name}: ${reason}${this.#hasRenewedByRule ? ", after a new login too" : ""}`,
    );
  }

  #retry(cause: RetryCause): Promise<void> {
    return this.#budget.spend(serialize(this.#request), cause);
  }

  /** Returns the answer, or undefined if the request is to be repeated. */
  async #judge(received: Reply): Promise<Answer | undefined> {
    this.#last = received;
    const { reply, rule, judged } = await this.#findRule(received);
    const { status } = reply.response;
    if (rule !== undefined && judged !== undefined) return this.#applyRule(rule, judged, reply);
    if (this.#renews(reply)) {
      this.#renewed = true;
      await discard(reply.response, this.#context.timeouts);
      return undefined;
    }
    const isFine = status >= 200 && status < 300;
    const tolerated = this.#policy.ignoreErrors.has(status);
    if (isFine) this.#regulate(reply);
    // A configured code may mean success ("202, not ready yet"). When the retries are used up, such an answer is accepted.
    if (this.#isRetried(reply.response) && !(this.#budget.isUsedUp && (isFine || tolerated))) {
      this.#renewed = false;
      await this.#repeat(reply);
      return undefined;
    }
    if (isFine) this.#renewed = false;
    else if (!tolerated) throw await this.#refusal(reply);
    return this.#answer(reply, { tolerated });
  }

  /**
   * Finds the rule that matches an answer whose status is a failure or is retried. Reads the whole body if the status may match a
   * rule.
   */
  async #findRule(reply: Reply): Promise<{ reply: Reply; rule?: ResponseRule | undefined; judged?: JudgedResponse }> {
    const { timeouts, maxResponseBytes } = this.#context;
    const { rules, codes } = this.#policy;
    const { status } = reply.response;
    const isFine = status >= 200 && status < 300 && !codes.has(status);
    if (isFine || !rules.some((rule) => rule.mayMatch(status))) return { reply };
    const where = (): string => this.#log.nameOf(reply.hop.wire);
    const replay = await replayable(reply.response, timeouts.idle);
    const chunks: Buffer[] = [];
    const body = readBody(replay(), { idle: timeouts.idle, maxBytes: maxResponseBytes, where, clock: reply.clock });
    let bytes = 0;
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > longestJudged) throw new SpileError("data", `${where()}: ${answeredText(status)}, ${tooLongToJudge}`);
    }
    const response = replay();
    const value = valuesOf(documentOf(Buffer.concat(chunks).toString()));
    const judged: JudgedResponse = { status, header: (name) => response.header(name), value };
    // An API that reports a rate limit has not reached the end of its pages.
    const isRateLimited = this.#isRateLimited403(response);
    const rule = rules.find((one) => !(isRateLimited && endsPages(one)) && one.matches(judged));
    return { reply: { ...reply, response }, rule, judged };
  }

  async #applyRule(rule: ResponseRule, judged: JudgedResponse, reply: Reply): Promise<Answer | undefined> {
    if (rule.then === "fail") throw rule.failure(judged, this.#log.nameOf(reply.hop.wire));
    // The stage that reads this answer ends the job's pages.
    if (rule.then === "empty" || rule.then === "end") return this.#answer(reply, { rule });
    const askedWaitMs = rule.wait(judged, Date.now());
    await this.#handleFault(
      new TransportFault(rule.text(judged), { askedWaitMs, unauthorized: rule.then === "login" }),
    );
    return undefined;
  }

  /** Renews the credentials after a 401, but not after a second one in a row. Returns whether to repeat the request. */
  #renews({ response, hop, authorized }: Reply): boolean {
    return response.status === 401 && hop.trusted && !this.#renewed && authorized?.refused?.() === true;
  }

  #isRetried(response: RawResponse): boolean {
    return this.#policy.codes.has(response.status) || this.#isRateLimited403(response);
  }

  /**
   * Returns whether a response is a 403 that reports a rate limit: it asks for a wait, or says that the limit is used up. Such a
   * 403 is retried like a 429, unless rate limits or retries of a 429 are switched off.
   */
  #isRateLimited403(response: RawResponse): boolean {
    const isHeeded = this.#context.limitHeaders !== undefined && this.#policy.codes.has(429);
    if (response.status !== 403 || !isHeeded) return false;
    return this.#askedWait(response) !== undefined || this.#usedUp(response) !== undefined;
  }

  #usedUp(response: RawResponse): UsedUpLimit | undefined {
    const { limitHeaders = [] } = this.#context;
    return usedUpLimit((name) => response.header(name), limitHeaders, Date.now());
  }

  #regulate({ response, began }: Reply): void {
    if (this.#regulator === undefined) return;
    this.#regulator.answered(began);
    if (this.#usedUp(response) !== undefined) this.#regulator.usedUp(began);
  }

  /** Returns the wait (ms) that the server asks for. */
  #askedWait(response: RawResponse): number | undefined {
    return retryAfter(response.header(this.#policy.retryHeader), Date.now());
  }

  async #repeat({ response, hop, began }: Reply): Promise<void> {
    const { status } = response;
    const answered = answeredText(status);
    const reason = this.#budget.isUsedUp ? answered + (await this.#excerpt(response)) : answered;
    void discard(response, this.#context.timeouts);
    const askedWaitMs = this.#askedWait(response) ?? this.#usedUp(response)?.ms;
    if (tooMany.has(status) || (status === 503 && askedWaitMs !== undefined))
      this.#regulator?.refused(began, askedWaitMs);
    await this.#retry({ reason, status, askedWaitMs, origin: originOf(hop.wire.url) });
  }

  async #refusal({ response, hop }: Reply): Promise<SpileError> {
    const { status } = response;
    const kind = status === 401 || this.#context.login ? "authentication" : "refused";
    const name = this.#log.nameOf(hop.wire);
    const excerpt = await this.#excerpt(response);
    const stranger = this.#download && !hop.trusted ? originOf(hop.wire.url) : undefined;
    const { text, isAdvice } = statusHint(status, { page: this.#page, excerpt, stranger });
    const refusal = { status, ...(isAdvice ? { advice: text } : {}) };
    return new SpileError(kind, `${name}: ${answeredText(status)}${text}${excerpt}`, { refusal });
  }

  #answer(
    { response, hop, clock }: Reply,
    { tolerated = false, rule }: { readonly tolerated?: boolean; readonly rule?: ResponseRule },
  ): Answer {
    const { status, framed } = response;
    const header = (name: string): string | undefined => response.header(name);
    const { timeouts, maxResponseBytes } = this.#context;
    const empty = status === 204 || status === 205 || (response.length === 0 && framed);
    const kind = tolerated ? "tolerated" : empty ? "empty" : "body";
    const where = (): string => this.#log.nameOf(hop.wire);
    const charset = status < 300 ? this.#charset : undefined;
    const body =
      kind === "empty"
        ? noBody(discard(response, timeouts))
        : readBody(response, { idle: timeouts.idle, maxBytes: maxResponseBytes, where, clock, charset });
    const compressed = isCompressed(response.header("content-encoding"));
    const { url } = hop.wire;
    const contentType = header("content-type");
    const headerNames = response.headers.map(([name]) => name);
    const isReset = (): boolean => response.isReset();
    const redirectedFrom = this.#redirectedFrom(url);
    return {
      status,
      url,
      redirectedFrom,
      receivedAt: Date.now(),
      contentType,
      headerNames,
      header,
      kind,
      rule,
      framed,
      isReset,
      compressed,
      body,
    };
  }

  /** Returns the requested address, if `url` has another path or host. Authentication changes only the query. */
  #redirectedFrom(url: string): string | undefined {
    const placeIn = (address: string): string => address.split(/[?#]/, 1)[0] ?? "";
    return placeIn(this.#request.url) === placeIn(url) ? undefined : serialize(this.#request).url;
  }

  /** Returns ": " and the first 300 characters of the body at most; "" if the body is empty. */
  async #excerpt(response: RawResponse): Promise<string> {
    const { text: beginning, isCut } = await excerpt(response, this.#context.timeouts);
    const text = this.#log.display(beginning.trim(), { isCut });
    this.#signal.throwIfAborted();
    const characters = [...text];
    return text === "" ? "" : `: ${characters.slice(0, 300).join("")}${characters.length > 300 ? "..." : ""}`;
  }
}

function endsPages({ then }: ResponseRule): boolean {
  return then === "empty" || then === "end";
}

function answeredText(status: number): string {
  return `answered ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();
}
