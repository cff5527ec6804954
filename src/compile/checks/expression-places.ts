import { authenticationPlaces, loginContexts, loginOf } from "../../authentication/index.ts";
import { allJobs } from "../../config/jobs.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { ValueObject } from "../../core/values/value.ts";
import { type ExpressionPlace, placeAt } from "../../expression/place.ts";
import type { Api, Job, RunConfig } from "../../generated/configuration.ts";
import { paginationPlaces } from "../../pagination/check.ts";
import { stepPlaces } from "../../steps/check-steps.ts";
import { authenticationsOf } from "../sending/authentications.ts";

/** All places of `api`. */
export function* apiPlaces(api: Api, pointer: string): Iterable<ExpressionPlace> {
  const { baseUrl, http, pagination } = api;
  const defaults = pointerTo(pointer, "http", "defaultOptions");
  yield* placeAt(pointerTo(pointer, "baseUrl"), baseUrl, [], "expression");
  yield* placeAt(pointerTo(pointer, "http", "headers"), http?.headers, [], "headers");
  yield* placeAt(pointerTo(defaults, "headers"), http?.defaultOptions?.headers, [], "headers");
  yield* placeAt(pointerTo(defaults, "params"), http?.defaultOptions?.params);
  for (const { authentication, pointer: here } of authenticationsOf(api, pointer)) {
    yield* authenticationPlaces(authentication, here);
    yield* stepPlaces(loginOf(authentication)?.steps, pointerTo(here, "steps"), loginContexts(authentication));
  }
  if (pagination !== undefined) yield* paginationPlaces(pagination, pointerTo(pointer, "pagination"));
}

/** All places of a run's `config`. */
export function* iterationPlaces(
  config: RunConfig,
  keyAt: (key: string) => string,
  pointers: ReadonlyMap<Job, string>,
): Iterable<ExpressionPlace> {
  yield* placeAt(pointerTo(keyAt("http"), "headers"), config.http?.headers, [], "headers");
  yield* placeAt(keyAt("userData"), config.userData);
  for (const { job, ancestors } of allJobs(config.jobs ?? [])) {
    const here = pointers.get(job) ?? "";
    const { endpoint, windows, steps, incremental } = job;
    const increments = incremental === undefined ? [] : ["incremental"];
    const before = windows === undefined ? increments : [...increments, "window"];
    const jobContexts = steps === undefined ? before : [...before, "step"];
    const parents = ancestors.length === 0 ? [] : ["placeholder"];
    if (typeof endpoint === "object") yield* placeAt(pointerTo(here, "endpoint"), endpoint, jobContexts, "expression");
    const contexts = [...parents, ...jobContexts];
    yield* placeAt(pointerTo(here, "params"), job.params, contexts);
    yield* placeAt(pointerTo(here, "query"), job.query, contexts);
    yield* placeAt(pointerTo(here, "headers"), job.headers, contexts, "headers");
    yield* placeAt(pointerTo(here, "userData"), job.userData, contexts);
    yield* stepPlaces(steps, pointerTo(here, "steps"), before, parents);
    yield* placeAt(pointerTo(here, "windows", "from"), windows?.from, increments, "expression");
    yield* placeAt(pointerTo(here, "windows", "to"), windows?.to, increments, "expression");
    yield* placeAt(pointerTo(here, "incremental", "initial"), incremental?.initial, [], "expression");
    for (const [name, placeholder] of Object.entries(job.placeholders ?? {})) {
      if (typeof placeholder !== "object") continue;
      const { path: _, batch: __, separator: ___, as: ____, key: _____, ...expression } = placeholder;
      const value = Object.keys(expression).length === 0 ? undefined : (expression as ValueObject);
      yield* placeAt(pointerTo(here, "placeholders", name), value, ["placeholder"], "expression");
    }
  }
}
