import { noAccount } from "../../core/runs/account.ts";
import type { RunOptions } from "../../core/runs/run.ts";
import type { LimitHeaders } from "../../knowledge/limits.ts";
import type { Agents } from "../connection/agents.ts";
import type { Timeouts } from "../connection/client.ts";
import type { Connections } from "../connection/connections.ts";
import type { Gate } from "../pacing/gate.ts";
import { backoff, jittered } from "../pacing/retry.ts";
import { type Cookies, createCookies } from "../requests/cookies.ts";
import { originOf } from "../requests/origin.ts";
import { type AnswerOptions, type AnswerPolicy, answerPolicy } from "./answer-policy.ts";

/** The options of a run that its sessions use unchanged. */
type FromRun =
  | "secrets"
  | "emit"
  | "signal"
  | "account"
  | "debug"
  | "maxWait"
  | "maxResponseBytes"
  | "backoff"
  | "waits"
  | "transport";

/** Options of a session. They contain the answer policy for requests without a policy, such as logins. */
export interface SessionOptions extends Pick<RunOptions, FromRun>, AnswerOptions {
  /** The connections of the run. */
  readonly connections: Connections;
  /** Origins that get headers, cookies, authentication and secrets. */
  readonly trusted: Iterable<string>;
  /** Time-outs in seconds; 0 means none. */
  readonly timeouts?: { readonly [Name in keyof Timeouts]?: number | undefined };
  /** Headers in which the API reports its rate limit; absent to ignore it. */
  readonly limitHeaders?: readonly LimitHeaders[] | undefined;
  /** True to keep the cookies from all answers of trusted origins, not only from those to logins. */
  readonly keepCookies?: boolean | undefined;
  /** Node's `insecureHTTPParser`. */
  readonly lenientParser?: boolean | undefined;
}

/** Values of absent options. The wait before the n-th retry is 1, 2, 4, ... 512 s and up to 10 % more. */
const defaults = {
  account: noAccount,
  debug: false,
  waits: true,
  maxWait: 900_000,
  backoff: (retry: number): number => jittered(backoff(retry)),
  keepCookies: false,
  lenientParser: false,
};

const defaultTimeouts: Timeouts = { connect: 30, request: 300, idle: 60 };

type Defaulted = { readonly [Name in keyof typeof defaults]: NonNullable<SessionOptions[Name]> };

/** Values that all requests of a session share. Times are in milliseconds. */
export interface SessionContext
  extends Defaulted,
    Pick<SessionOptions, "secrets" | "emit" | "maxResponseBytes" | "limitHeaders" | "transport"> {
  readonly agents: Agents;
  readonly cookies: Cookies;
  readonly gate: Gate;
  readonly isTrusted: (origin: string) => boolean;
  readonly timeouts: Timeouts;
  /** Policy for requests without one. */
  readonly policy: AnswerPolicy;
  /** Origins about which the user has been warned. */
  readonly warned: Set<string>;
  /** True if any response has come in this run. */
  answered: boolean;
  /** True for logins: cookies are kept, and no redirect leaves the trusted origins. */
  readonly login?: boolean;
}

export function contextOf(options: SessionOptions): SessionContext {
  const { secrets, emit, maxResponseBytes, limitHeaders, transport, timeouts, connections } = options;
  const trusted = new Set([...options.trusted].map(originOf));
  const { connect, request, idle } = withDefaults(defaultTimeouts, timeouts ?? {});
  return {
    secrets,
    emit,
    maxResponseBytes,
    limitHeaders,
    transport,
    agents: connections.agents,
    gate: connections.gate,
    cookies: createCookies(secrets),
    isTrusted: (origin) => trusted.has(origin),
    timeouts: { connect: connect * 1000, request: request * 1000, idle: idle * 1000 },
    policy: answerPolicy(options),
    warned: new Set(),
    answered: false,
    ...withDefaults<Defaulted>(defaults, options),
  };
}

/** Returns the members that have a default, each with its value in `values` or else the default. */
function withDefaults<T extends object>(byDefault: T, values: { readonly [Name in keyof T]?: T[Name] | undefined }): T {
  const names = Object.keys(byDefault) as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, values[name] ?? byDefault[name]])) as T;
}

/** Returns a copy of a context with some members replaced. If either context gets a response, both have `answered` set. */
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
