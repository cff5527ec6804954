import { currentRetries } from "../../config/sections.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { Api, Job, Responses, RetryConfig } from "../../generated/configuration.ts";
import {
  type AnswerPolicy,
  answerPolicy,
  defaultRetryHeader,
  type RetryOptions,
  withoutStatuses,
} from "../../http/exchange/answer-policy.ts";
import { compileRules } from "../../http/exchange/response-rules.ts";
import type { JobEnvironment } from "../environment.ts";

/** The rules for answers in `api`, or in a job. */
interface Level {
  readonly responses?: Responses | undefined;
  readonly ignoreErrors?: readonly number[] | undefined;
  readonly retryConfig?: RetryConfig | undefined;
  /** Pointer of `responses`. */
  readonly pointer: string;
}

/** Returns the policy for the requests of all jobs without a policy of their own. */
export function apiPolicy(api: Api): AnswerPolicy {
  return policyOf([levelOf(api)]);
}

/** Returns the policy of a job: `ancestors` are the jobs above it, the nearest first. */
export function jobPolicy(
  job: Job,
  ancestors: readonly Job[],
  { api, policy, pointers }: Pick<JobEnvironment, "api" | "policy" | "pointers">,
): AnswerPolicy {
  const jobsWithRules = [job, ...ancestors].filter(hasAnswerRules);
  if (jobsWithRules.length === 0) return policy;
  const levels = jobsWithRules.map((one) => ({ ...one, pointer: pointerTo(pointers.get(one) ?? "", "responses") }));
  return policyOf([...levels, levelOf(api)]);
}

/** Returns whether a job itself has rules for answers. */
export function hasAnswerRules({ responses, ignoreErrors, retryConfig }: Job): boolean {
  return [responses, ignoreErrors, retryConfig].some((field) => field !== undefined);
}

function levelOf({ http = {}, retryConfig }: Api): Level {
  return { responses: http.responses, ignoreErrors: http.ignoreErrors, retryConfig, pointer: "/api/http/responses" };
}

/**
 * Returns the policy of several levels, the nearest first (contract C-14.5). Only the nearest level that names tolerated statuses
 * decides which statuses are tolerated. Rules of levels further up do not apply to these statuses.
 */
function policyOf(levels: readonly Level[]): AnswerPolicy {
  const tolerating = levels.findIndex(({ ignoreErrors }) => ignoreErrors !== undefined);
  const ignoreErrors = levels[tolerating]?.ignoreErrors ?? [];
  const retry: RetryOptions = Object.assign({}, ...levels.map(retriesOf).reverse());
  const { retryHeader = defaultRetryHeader } = retry;
  const rules = levels.flatMap(({ responses = [], pointer }, index) => {
    const levelRules = compileRules(responses, pointer, retryHeader);
    return tolerating >= 0 && index > tolerating ? withoutStatuses(levelRules, ignoreErrors) : levelRules;
  });
  return answerPolicy({ rules, ignoreErrors, retry });
}

/** Returns the configured values of retries; others are absent. */
export function retriesOf({ retryConfig = {} }: Pick<Level, "retryConfig">): RetryOptions {
  const { maxRetries, http } = currentRetries(retryConfig);
  return { ...(maxRetries === undefined ? {} : { maxRetries }), ...http };
}
