import { retryCodes } from "../pacing/retry.ts";
import type { ResponseRule } from "./response-rules.ts";

/** The rules by which spile judges the answers to a job's requests and repeats the requests. */
export interface AnswerPolicy {
  /** Rules in the order in which they are tried. */
  readonly rules: readonly ResponseRule[];
  /** Error statuses that are tolerated. */
  readonly ignoreErrors: ReadonlySet<number>;
  readonly maxRetries: number;
  /** Statuses after which a request is repeated. */
  readonly codes: ReadonlySet<number>;
  /** Name of the header that says how long to wait. */
  readonly retryHeader: string;
}

/** The fields of `retryConfig`. */
export interface RetryOptions {
  readonly maxRetries?: number | undefined;
  readonly codes?: readonly number[] | undefined;
  readonly retryHeader?: string | undefined;
}

export interface AnswerOptions {
  readonly rules?: readonly ResponseRule[] | undefined;
  readonly ignoreErrors?: readonly number[] | undefined;
  /** Default: 10 retries, the statuses in `retryCodes`, and Retry-After. */
  readonly retry?: RetryOptions | undefined;
}

export const defaultRetryHeader = "Retry-After";

export function answerPolicy({ rules = [], ignoreErrors = [], retry = {} }: AnswerOptions): AnswerPolicy {
  const { maxRetries = 10, codes = retryCodes, retryHeader = defaultRetryHeader } = retry;
  return { rules, maxRetries, retryHeader, codes: new Set(codes), ignoreErrors: new Set(ignoreErrors) };
}

/** Returns these rules, changed so that they match no answer with one of these statuses. */
export function withoutStatuses(rules: readonly ResponseRule[], statuses: readonly number[]): readonly ResponseRule[] {
  if (statuses.length === 0) return rules;
  return rules.map((rule) => ({
    ...rule,
    mayMatch: (status) => !statuses.includes(status) && rule.mayMatch(status),
    matches: (response) => !statuses.includes(response.status) && rule.matches(response),
  }));
}
