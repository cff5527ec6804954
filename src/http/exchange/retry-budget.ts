import type { Cancellation } from "../../core/cancellation.ts";
import { SpileError } from "../../core/errors.ts";
import type { WireRequest } from "../../core/requests/request.ts";
import type { Outlook } from "../connection/fault.ts";
import { inSeconds, wait } from "../pacing/retry.ts";
import type { AnswerPolicy } from "./answer-policy.ts";
import type { SessionContext } from "./context.ts";
import type { ExchangeLog } from "./exchange-log.ts";

/** Number of attempts for faults that further attempts hardly ever solve; see `RetryBudget`. */
const fewAttempts = 3;

/** Waits longer than this many ms are reported even without `-v`: otherwise the run would seem to hang. */
const longWait = 10_000;

/** The reason to repeat a request. */
export interface RetryCause {
  /** Text for the user about what happened instead of a good answer. */
  readonly reason: string;
  readonly status?: number;
  /** The wait in ms that `origin` asked for. */
  readonly askedWaitMs?: number | undefined;
  readonly origin?: string;
  readonly outlook?: Outlook | undefined;
}

/**
 * Limits the retries of one exchange, whatever their causes. Two causes get only three attempts: a host that cannot be reached
 * before the session's first response, and a host whose answers are not HTTP.
 */
export class RetryBudget {
  readonly #policy: AnswerPolicy;
  readonly #context: SessionContext;
  readonly #log: ExchangeLog;
  readonly #signal: Cancellation;
  #spent = 0;
  #garbled = 0;

  constructor(policy: AnswerPolicy, context: SessionContext, log: ExchangeLog, signal: Cancellation) {
    this.#policy = policy;
    this.#context = context;
    this.#log = log;
    this.#signal = signal;
  }

  /** Number of retries so far. */
  get spent(): number {
    return this.#spent;
  }

  get isUsedUp(): boolean {
    return this.#spent >= this.#policy.maxRetries;
  }

  /**
   * Counts a retry and waits. Rejects with SpileError (temporary) after the last attempt, or if the wait would be longer than
   * `--max-wait`.
   */
  async spend(wire: WireRequest, cause: RetryCause): Promise<void> {
    const { maxWait, gate, account, waits } = this.#context;
    const { reason, status, askedWaitMs, origin } = cause;
    const name = this.#log.nameOf(wire);
    const most = this.#mostFor(cause.outlook);
    if (this.#spent >= most) throw new SpileError("temporary", `${name}: ${reason}; ${givenUp(most)}`);
    const ms = askedWaitMs ?? this.#context.backoff(this.#spent + 1);
    if (ms > maxWait) {
      const text = `${name}: ${reason}; the wait before the next try would be ${inSeconds(ms)}, longer than --max-wait of ${inSeconds(maxWait)}`;
      throw new SpileError("temporary", text);
    }
    this.#spent += 1;
    if (askedWaitMs !== undefined && origin !== undefined) gate.hold(origin, askedWaitMs);
    const next = `retry ${this.#spent} of ${most} in ${inSeconds(ms)}`;
    this.#log.retrying(wire, `${name}: ${reason}; ${next}`, {
      level: ms > longWait ? "warning" : "info",
      waitMs: ms,
      status,
      reason: `${status ?? reason}, ${next}`,
    });
    if (waits) await account.during("retry", wait(ms, this.#signal), this.#log.dataset);
  }

  /** Returns how many retries the exchange may have in total after a fault with this outlook. Counts answers that are not HTTP. */
  #mostFor(outlook: Outlook | undefined): number {
    const { answered } = this.#context;
    const { maxRetries } = this.#policy;
    if (outlook === "garbled") {
      this.#garbled += 1;
      return Math.min(maxRetries, this.#spent + fewAttempts - this.#garbled);
    }
    return outlook === "unreachable" && !answered ? Math.min(maxRetries, fewAttempts - 1) : maxRetries;
  }
}

function givenUp(retries: number): string {
  if (retries === 0) return "retries are off (maxRetries 0)";
  return `given up after ${retries} ${retries === 1 ? "retry" : "retries"}`;
}
