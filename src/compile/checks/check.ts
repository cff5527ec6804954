import { authenticationPlaces, loginContexts, loginOf } from "../../authentication/index.ts";
import { literalPaths } from "../../authentication/literal-paths.ts";
import { allJobs, jobLabel } from "../../config/jobs.ts";
import type { LoadedIteration } from "../../config/loaded.ts";
import type { Bases } from "../../config/sections.ts";
import type { Settings } from "../../config/settings.ts";
import type { Fault } from "../../core/errors.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { pointerTo } from "../../core/values/path.ts";
import { isObject, type ValueObject } from "../../core/values/value.ts";
import { checkExpressions, constantOf } from "../../expression/check.ts";
import { type ExpressionPlace, placeAt } from "../../expression/place.ts";
import { strayEnvironment } from "../../expression/stray-environment.ts";
import { checkMappings } from "../../extract/check-mappings.ts";
import type { Api, Configuration, Job, RunConfig } from "../../generated/configuration.ts";
import { checkResponses } from "../../http/exchange/check-responses.ts";
import { checkRateLimit } from "../../http/pacing/check-rate-limit.ts";
import { checkBaseUrl, checkOrigins } from "../../http/requests/check-addresses.ts";
import { checkHeaders, checkRequiredHeaders } from "../../http/requests/check-headers.ts";
import { checkJobPaging, checkPagination, paginationPlaces } from "../../pagination/check.ts";
import { stepPlaces } from "../../steps/check-steps.ts";
import { iterationKeys } from "../iteration-keys.ts";
import {
  authenticationFaults,
  authenticationsOf,
  logsIn,
  nameFaults,
  unusedAuthentications,
} from "../sending/authentications.ts";
import { jobFaults } from "./job-faults.ts";
import { unfilled } from "./unfilled.ts";

/** An iteration and its place in the file. */
export interface CheckedIteration extends LoadedIteration {
  /** Returns the pointer of a key of `config`, which may be in `config` or in the iteration. */
  keyAt(key: string): string;
  readonly pointers: ReadonlyMap<Job, string>;
}

interface Found {
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/**
 * Returns the faults and warnings that the schema cannot find, for example about expressions, headers, and names that must exist
 * elsewhere. Most rules are in the folders of their subjects; this function collects their results.
 */
export function checkConfiguration(
  configuration: Configuration,
  iterations: readonly CheckedIteration[],
  bases: Bases,
  secrets: Secrets,
): Found {
  const api = configuration.api ?? {};
  const pointer = pointerTo(bases.sections, "api");
  const paging = checkPagination(api.pagination, pointerTo(pointer, "pagination"));
  const isLogin = authenticationsOf(api, pointer).some(({ authentication }) => loginOf(authentication) !== undefined);
  const found = iterations.map((iteration) => checkIteration(configuration, iteration, bases, secrets));
  return {
    faults: distinct([
      ...paging.faults,
      ...checkResponses(api.http?.responses, pointerTo(pointer, "http", "responses"), isLogin),
      ...checkRateLimit(api.http?.rateLimit, pointerTo(pointer, "http", "rateLimit")),
      ...checkOrigins(api.allowedOrigins, pointerTo(pointer, "allowedOrigins")),
      ...unsupported(configuration, bases),
      ...likeIterations(configuration, iterations, bases, secrets),
      ...found.flatMap(({ faults }) => faults),
    ]),
    warnings: distinct([
      ...paging.warnings,
      ...unusedAuthentications(
        api,
        iterations.map(({ config }) => config.jobs ?? []),
        pointer,
      ),
      ...found.flatMap(({ warnings }) => warnings),
    ]),
  };
}

function checkIteration(
  configuration: Configuration,
  { config, settings, keyAt, pointers }: CheckedIteration,
  bases: Bases,
  secrets: Secrets,
): Found {
  const api = configuration.api ?? {};
  const apiAt = pointerTo(bases.sections, "api");
  const paging = checkJobPaging(config.jobs ?? [], api.pagination, pointers);
  const jobFindings = jobFaults(
    config.jobs ?? [],
    pointers,
    (job, ancestors) => logsIn(api, job, ancestors),
    api.pagination,
  );
  const datasets = new Set([...allJobs(config.jobs ?? [])].map(({ job }) => jobLabel(job)));
  const mappings = checkMappings(config.mappings, keyAt("mappings"), datasets);
  const places = [...apiPlaces(api, apiAt), ...iterationPlaces(config, keyAt, pointers)];
  const options = {
    configPointer: pointerTo(bases.sections, "config"),
    authorizationPointer: bases.authorization,
    settings,
    oauth: configuration.authorization?.oauth_api?.credentials,
  };
  return {
    faults: [
      ...places.flatMap((place) => checkPlace(place, settings)),
      ...checkBaseUrl(api.baseUrl, pointerTo(apiAt, "baseUrl"), settings, secrets),
      ...checkRequiredHeaders(api.http?.requiredHeaders, config.http?.headers, pointerTo(keyAt("http"), "headers")),
      ...authenticationFaults(authenticationsOf(api, apiAt), options),
      ...nameFaults(api, config.jobs ?? [], pointers),
      ...jobFindings.faults,
      ...paging.faults,
      ...mappings.faults,
    ],
    warnings: [
      ...jobFindings.warnings,
      ...paging.warnings,
      ...mappings.warnings,
      ...places.flatMap((place) => strayEnvironment(place.value, place.pointer)),
      ...places.flatMap(({ value, pointer: here, contexts }) => unfilled(value, here, contexts)),
      ...places.flatMap(({ value, pointer: here, kind }) => (kind === "paths" ? literalPaths(value, here) : [])),
    ],
  };
}

function unsupported({ sshProxy, aws, api }: Configuration, { sections }: Bases): Fault[] {
  const faults: Fault[] = [];
  if (sshProxy !== undefined) {
    const message = 'spile does not open SSH tunnels: open one with "ssh -L" and point "baseUrl" at it';
    faults.push({ pointer: pointerTo(sections, "sshProxy"), message });
  }
  const type = api?.authentication?.type;
  if (aws?.signature !== undefined && type !== undefined && type !== "aws.signature") {
    const message = `cannot be combined with "api.authentication" of the type ${JSON.stringify(type)}: remove one of the two`;
    faults.push({ pointer: pointerTo(sections, "aws", "signature"), message });
  }
  return faults;
}

/**
 * If jobs have increments, returns a fault for each iteration with the same settings as an earlier one, except for secrets: the
 * increments of both would share an entry in the state.
 */
function likeIterations(
  configuration: Configuration,
  iterations: readonly CheckedIteration[],
  { sections }: Bases,
  secrets: Secrets,
): Fault[] {
  const jobs = iterations.flatMap(({ config }) => [...allJobs(config.jobs ?? [])]);
  if (jobs.every(({ job }) => job.incremental === undefined)) return [];
  const firsts = new Map<string, number>();
  return iterationKeys(configuration, secrets).flatMap((key, index) => {
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, index);
    if (first === undefined) return [];
    const message = `has the settings of ${pointerTo(sections, "iterations", first)}, apart from secrets, so the state cannot distinguish their increments: give each its own setting, for example "name"`;
    return [{ pointer: pointerTo(sections, "iterations", index), message }];
  });
}

function checkPlace({ pointer, value, contexts, kind }: ExpressionPlace, settings: Settings): Fault[] {
  const scope = { settings, contexts };
  if (kind === "expression" || !isObject(value)) return checkExpressions(value, pointer, scope);
  // The map itself is never an expression, but its values may be (contract C-4.1).
  return Object.entries(value).flatMap(([name, inner]) => {
    const faults = checkExpressions(inner, pointerTo(pointer, name), scope);
    if (kind !== "headers" || faults.length > 0) return faults;
    return checkHeaders({ [name]: constantOf(inner, scope) ?? inner }, pointer, contexts);
  });
}

function distinct(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.pointer} ${fault.message}`, fault])).values()];
}

/** Yields the places of all expressions in `api`. */
function* apiPlaces(api: Api, pointer: string): Iterable<ExpressionPlace> {
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

/** Yields the places of all expressions in the `config` of an iteration. */
function* iterationPlaces(
  config: RunConfig,
  keyAt: (key: string) => string,
  pointers: ReadonlyMap<Job, string>,
): Iterable<ExpressionPlace> {
  yield* placeAt(pointerTo(keyAt("http"), "headers"), config.http?.headers, [], "headers");
  yield* placeAt(keyAt("userData"), config.userData);
  for (const { job, ancestors } of allJobs(config.jobs ?? [])) {
    const jobPointer = pointers.get(job) ?? "";
    const { endpoint, windows, steps, incremental } = job;
    const increments = incremental === undefined ? [] : ["incremental"];
    const before = windows === undefined ? increments : [...increments, "window"];
    const jobContexts = steps === undefined ? before : [...before, "step"];
    const parents = ancestors.length === 0 ? [] : ["placeholder"];
    if (typeof endpoint === "object")
      yield* placeAt(pointerTo(jobPointer, "endpoint"), endpoint, jobContexts, "expression");
    const contexts = [...parents, ...jobContexts];
    yield* placeAt(pointerTo(jobPointer, "params"), job.params, contexts);
    yield* placeAt(pointerTo(jobPointer, "query"), job.query, contexts);
    yield* placeAt(pointerTo(jobPointer, "headers"), job.headers, contexts, "headers");
    yield* placeAt(pointerTo(jobPointer, "userData"), job.userData, contexts);
    yield* stepPlaces(steps, pointerTo(jobPointer, "steps"), before, parents);
    yield* placeAt(pointerTo(jobPointer, "windows", "from"), windows?.from, increments, "expression");
    yield* placeAt(pointerTo(jobPointer, "windows", "to"), windows?.to, increments, "expression");
    yield* placeAt(pointerTo(jobPointer, "incremental", "initial"), incremental?.initial, [], "expression");
    for (const [name, placeholder] of Object.entries(job.placeholders ?? {})) {
      if (typeof placeholder !== "object") continue;
      const { path: _, batch: __, separator: ___, as: ____, key: _____, ...expression } = placeholder;
      const value = Object.keys(expression).length === 0 ? undefined : (expression as ValueObject);
      yield* placeAt(pointerTo(jobPointer, "placeholders", name), value, ["placeholder"], "expression");
    }
  }
}
