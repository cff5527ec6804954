import { pointerTo } from "../../core/values/path.ts";
import type { Value, ValueObject } from "../../core/values/value.ts";
import { readsSteps } from "../../expression/step-references.ts";
import type { Job } from "../../generated/configuration.ts";
import type { AnswerPolicy } from "../../http/exchange/answer-policy.ts";
import { compileSteps, type Step } from "../../steps/step.ts";
import type { JobEnvironment } from "../environment.ts";
import { type Contexts, mergeParameters, objectOf, parametersOf } from "./job-parts.ts";

/**
 * Compiles the steps of a job. Their requests get the default headers and parameters. `jobContexts`: contexts that their expressions
 * may read in addition to those of each step.
 */
export function compileJobSteps(
  job: Job,
  { api, build, evaluate, pointers }: JobEnvironment,
  { jobContexts, policy }: { readonly jobContexts: Contexts | undefined; readonly policy: AnswerPolicy },
): readonly Step[] {
  const { endpoint, params = {}, query = {}, headers = {}, userData = {} } = job;
  const defaults = api.http?.defaultOptions;
  return compileSteps(job.steps ?? [], {
    pointer: pointerTo(pointers.get(job) ?? "", "steps"),
    evaluate: (value, contexts) => evaluate(value, { ...jobContexts, ...contexts }),
    build: (parts) =>
      build({
        method: parts.method ?? defaults?.method,
        endpoint: parts.endpoint,
        params: mergeParameters(parametersOf(defaults?.params, evaluate), parts.params),
        headers: Object.entries({ ...objectOf(defaults?.headers, evaluate), ...parts.headers }),
        style: { lists: job.lists, booleans: job.booleans },
      }),
    readers: [{ endpoint, params, query, headers, userData }],
    retryHeader: policy.retryHeader,
  });
}

/** Returns a job without the values that come from its steps, so that it can be evaluated before the steps are answered. */
export function withoutAnswers(job: Job): Job {
  const only = (values: ValueObject): ValueObject =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => !readsSteps(value)));
  const { endpoint, params, query, headers, userData } = job;
  return {
    ...job,
    endpoint: readsSteps(endpoint) ? "" : endpoint,
    ...(params === undefined ? {} : { params: only(params) }),
    ...(query === undefined ? {} : { query: only(query) }),
    ...(headers === undefined ? {} : { headers: only(headers) }),
    ...(readsSteps(userData) ? { userData: {} as Value } : {}),
  };
}
