import { authenticationPlaces, loginContexts, loginOf } from "../../authentication/index.ts";
import { allJobs } from "../../config/jobs.ts";
import { pointer } from "../../core/values/path.ts";
import type { ValueObject } from "../../core/values/value.ts";
import { type ExpressionPlace, placeAt } from "../../expression/place.ts";
import type { Api, Job, RunConfig } from "../../generated/configuration.ts";
import { paginationPlaces } from "../../pagination/check.ts";
import { stepPlaces } from "../../steps/check-steps.ts";
import { authenticationsOf } from "../sending/authentications.ts";

/** All places of `api`. */
export function* apiPlaces(api: Api, at: string): Iterable<ExpressionPlace> {
  const { baseUrl, http, pagination } = api;
  const defaults = pointer(at, "http", "defaultOptions");
  yield* placeAt(pointer(at, "baseUrl"), baseUrl, [], "expression");
  yield* placeAt(pointer(at, "http", "headers"), http?.headers, [], "headers");
  yield* placeAt(pointer(defaults, "headers"), http?.defaultOptions?.headers, [], "headers");
  yield* placeAt(pointer(defaults, "params"), http?.defaultOptions?.params);
  for (const { authentication, at: here } of authenticationsOf(api, at)) {
    yield* authenticationPlaces(authentication, here);
    yield* stepPlaces(loginOf(authentication)?.steps, pointer(here, "steps"), loginContexts(authentication));
  }
  if (pagination !== undefined) yield* paginationPlaces(pagination, pointer(at, "pagination"));
}

/** All places of a run's `config`. */
export function* iterationPlaces(
  config: RunConfig,
  keyAt: (key: string) => string,
  pointers: ReadonlyMap<Job, string>,
): Iterable<ExpressionPlace> {
  yield* placeAt(pointer(keyAt("http"), "headers"), config.http?.headers, [], "headers");
  yield* placeAt(keyAt("userData"), config.userData);
  for (const { job, ancestors } of allJobs(config.jobs ?? [])) {
    const here = pointers.get(job) ?? "";
    const { endpoint, windows, steps, incremental } = job;
    const increments = incremental === undefined ? [] : ["incremental"];
    const before = windows === undefined ? increments : [...increments, "window"];
    const own = steps === undefined ? before : [...before, "step"];
    const parents = ancestors.length === 0 ? [] : ["placeholder"];
    if (typeof endpoint === "object") yield* placeAt(pointer(here, "endpoint"), endpoint, own, "expression");
    const contexts = [...parents, ...own];
    yield* placeAt(pointer(here, "params"), job.params, contexts);
    yield* placeAt(pointer(here, "query"), job.query, contexts);
    yield* placeAt(pointer(here, "headers"), job.headers, contexts, "headers");
    yield* placeAt(pointer(here, "userData"), job.userData, contexts);
    yield* stepPlaces(steps, pointer(here, "steps"), before, parents);
    yield* placeAt(pointer(here, "windows", "from"), windows?.from, increments, "expression");
    yield* placeAt(pointer(here, "windows", "to"), windows?.to, increments, "expression");
    yield* placeAt(pointer(here, "incremental", "initial"), incremental?.initial, [], "expression");
    for (const [name, placeholder] of Object.entries(job.placeholders ?? {})) {
      if (typeof placeholder !== "object") continue;
      const { path: _, batch: __, separator: ___, as: ____, key: _____, ...expression } = placeholder;
      const value = Object.keys(expression).length === 0 ? undefined : (expression as ValueObject);
      yield* placeAt(pointer(here, "placeholders", name), value, ["placeholder"], "expression");
    }
  }
}
