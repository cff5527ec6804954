import type { Transport } from "../../core/requests/transport.ts";
import type { Account } from "../../core/runs/account.ts";
import type { Emit } from "../../core/runs/event.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import type { LimitHeaders } from "../../knowledge/limits.ts";
import type { Agents } from "../connection/agents.ts";
import type { Timeouts } from "../connection/client.ts";
import type { Gate } from "../pacing/gate.ts";
import type { Cookies } from "../requests/cookies.ts";
import type { AnswerPolicy } from "./answer-policy.ts";

/** Values that all requests of a session share; see `SessionOptions`. Times are in milliseconds. */
export interface SessionContext {
  readonly secrets: Secrets;
  readonly emit: Emit;
  readonly account: Account;
  readonly debug: boolean;
  readonly agents: Agents;
  readonly cookies: Cookies;
  readonly gate: Gate;
  /** Headers in which an API tells its rate limit; undefined: they are not heeded. */
  readonly limitHeaders: readonly LimitHeaders[] | undefined;
  readonly isTrusted: (origin: string) => boolean;
  readonly timeouts: Timeouts;
  readonly lenientParser: boolean;
  /** Policy of requests that have none of their own. */
  readonly policy: AnswerPolicy;
  readonly maxWait: number;
  readonly maxResponseBytes: number | undefined;
  readonly backoff: (retry: number) => number;
  /** Whether to wait before retries. */
  readonly waits: boolean;
  readonly transport: Transport | undefined;
  /** Origins about which the user has been warned. */
  readonly warned: Set<string>;
  /** Whether any response has come in this run. */
  answered: boolean;
  /** Keep the cookies of all trusted origins' answers. */
  readonly keepCookies: boolean;
  /** For logins: cookies are kept, and no redirect leaves the trusted origins. */
  readonly login?: boolean;
}

/** Returns a context that differs in some members. Whether a response has come is known to both. */
export function contextWith(context: SessionContext, changes: Partial<SessionContext>): SessionContext {
  return {
    ...context,
    ...changes,
    get answered() {
      return context.answered;
    },
    set answered(value) {
      context.answered = value;
    },
  };
}
