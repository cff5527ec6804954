import { allJobs } from "../../config/jobs.ts";
import type { Bases } from "../../config/sections.ts";
import type { Fault } from "../../core/errors.ts";
import { parsePath, pointerTo } from "../../core/values/path.ts";
import type { Value } from "../../core/values/value.ts";
import { constantOf } from "../../expression/check.ts";
import type { Api, Configuration, Job, ResponseRule } from "../../generated/configuration.ts";
import type { RetryOptions } from "../../http/exchange/answer-policy.ts";
import { hintResponses } from "../../http/exchange/check-responses.ts";
import { retriesOf } from "../jobs/answer-policies.ts";
import { replacedHeaders } from "../sending/authentications.ts";
import type { CheckedIteration } from "./check.ts";

/** Returns hints about fields that are allowed but may be a mistake. `check` reports them, a run does not. */
export function hintsOf(
  configuration: Configuration,
  iterations: readonly CheckedIteration[],
  { sections }: Bases,
): Fault[] {
  const api = configuration.api ?? {};
  const responses = pointerTo(sections, "api", "http", "responses");
  const found = [
    ...hintResponses(api.http?.responses, responses, retriesOf(api)),
    ...iterations.flatMap((iteration) => ruleHints(api, iteration)),
    ...iterations.flatMap(({ config, pointers }) => replacedHeaders(api, config.jobs ?? [], pointers)),
    ...iterations.flatMap((iteration) => graphqlHints(api, iteration, responses)),
  ];
  return [...new Map(found.map((hint) => [hint.pointer, hint])).values()];
}

/** Returns hints about the rules of jobs, which depend on the retries of each job. */
function ruleHints(api: Partial<Api>, { config, pointers }: CheckedIteration): Fault[] {
  return [...allJobs(config.jobs ?? [])].flatMap(({ job, ancestors }) => {
    if (job.responses === undefined) return [];
    const levels = [job, ...ancestors, api].map(({ retryConfig }) => retriesOf({ retryConfig }));
    const { maxRetries, codes }: RetryOptions = Object.assign({}, ...levels.reverse());
    return hintResponses(job.responses, pointerTo(pointers.get(job) ?? "", "responses"), { maxRetries, codes });
  });
}

/** Returns hints for jobs that query GraphQL without a rule for errors, which come with status 200 (contract C-14.1). */
function graphqlHints(api: Partial<Api>, { config, settings, pointers }: CheckedIteration, responses: string): Fault[] {
  const global = api.http?.responses ?? [];
  return [...allJobs(config.jobs ?? [])].flatMap(({ job, ancestors }) => {
    const rules = [job, ...ancestors].flatMap(({ responses = [] }) => responses);
    if ([...rules, ...global].some(isRuleForErrors)) return [];
    const query = postedQuery(job, api);
    const text = query === undefined ? undefined : constantOf(query, { settings, contexts: [] });
    // A GraphQL query selects fields in braces. A text without braces under this name is a search term.
    if (typeof text !== "string" || !text.includes("{")) return [];
    const rule = '{"when": {"status": 200, "path": "errors"}, "then": "fail", "message": "errors.0.message"}';
    const message = `a GraphQL API reports its errors with status 200: a rule ${rule} in ${responses} makes them failures`;
    return [{ pointer: pointerTo(pointers.get(job) ?? "", "params", "query"), message }];
  });
}

function postedQuery({ method, params }: Job, { http }: Partial<Api>): Value | undefined {
  const defaults = http?.defaultOptions;
  return (method ?? defaults?.method) === "POST" ? (params?.query ?? defaults?.params?.query) : undefined;
}

function isRuleForErrors({ when }: ResponseRule): boolean {
  return when?.path !== undefined && parsePath(when.path, when.delimiter)[0] === "errors";
}
