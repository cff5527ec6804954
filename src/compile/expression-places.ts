import { allJobs } from "../config/jobs.ts";
import { pointer } from "../core/path.ts";
import { isObject, type Value, type ValueObject } from "../core/value.ts";
import type { Api, Authentication, Job, Pagination, RunConfig, Scroller } from "../generated/configuration.ts";

/** A value in which expressions are evaluated, and what they may read there beside settings and times (contract C-4.1, C-4.2). */
export interface Place {
  readonly at: string;
  readonly value: Value;
  readonly contexts: readonly string[];
  /**
   * `expression`: the value itself may be one; otherwise it is a map, whose members may be. `headers`: names and values of
   * headers. `paths`: plain strings are paths into the login response.
   */
  readonly kind?: "headers" | "paths" | "expression";
}

const none: readonly string[] = [];

/** All places of `api`. */
export function* apiPlaces(api: Api, at: string): Iterable<Place> {
  yield* place(pointer(at, "baseUrl"), api.baseUrl, none, "expression");
  yield* place(pointer(at, "http", "headers"), api.http?.headers, none, "headers");
  yield* place(pointer(at, "http", "defaultOptions", "headers"), api.http?.defaultOptions?.headers, none, "headers");
  yield* place(pointer(at, "http", "defaultOptions", "params"), api.http?.defaultOptions?.params);
  if (api.authentication !== undefined) yield* authenticationPlaces(api.authentication, pointer(at, "authentication"));
  if (api.pagination !== undefined) yield* paginationPlaces(api.pagination, pointer(at, "pagination"));
}

function* authenticationPlaces(authentication: Authentication, at: string): Iterable<Place> {
  switch (authentication.type) {
    case "login":
    case "oauth20.login": {
      const { loginRequest, apiRequest } = authentication;
      const contexts = authentication.type === "login" ? none : ["consumer", "user"];
      yield* place(pointer(at, "loginRequest", "params"), loginRequest?.params, contexts);
      yield* place(pointer(at, "loginRequest", "headers"), loginRequest?.headers, contexts, "headers");
      yield* place(pointer(at, "apiRequest", "headers"), apiRequest?.headers, ["response"], "paths");
      yield* place(pointer(at, "apiRequest", "query"), apiRequest?.query, ["response"], "paths");
      return;
    }
    case "query":
    case "url.query":
      yield* place(pointer(at, "query"), authentication.query, ["query", "request"]);
      return;
    case "oauth20":
      yield* place(pointer(at, "headers"), authentication.headers, ["authorization", "query", "request"], "headers");
      yield* place(pointer(at, "query"), authentication.query, ["authorization", "query", "request"]);
  }
}

function* paginationPlaces(pagination: Pagination | Scroller, at: string): Iterable<Place> {
  if (pagination.method === "multiple") {
    for (const [name, scroller] of Object.entries(pagination.scrollers ?? {})) {
      yield* paginationPlaces(scroller, pointer(at, "scrollers", name));
    }
  }
  if (pagination.method !== "response.param") return;
  yield* place(pointer(at, "scrollRequest", "params"), pagination.scrollRequest?.params);
  yield* place(pointer(at, "scrollRequest", "headers"), pagination.scrollRequest?.headers, none, "headers");
}

/** All places of a run's `config`. */
export function* runPlaces(config: RunConfig, at: string, pointers: ReadonlyMap<Job, string>): Iterable<Place> {
  yield* place(pointer(at, "http", "headers"), config.http?.headers, none, "headers");
  yield* place(pointer(at, "userData"), config.userData);
  for (const { job } of allJobs(config.jobs ?? [])) {
    const here = pointers.get(job) ?? "";
    yield* place(pointer(here, "params"), job.params);
    yield* place(pointer(here, "headers"), job.headers, none, "headers");
    yield* place(pointer(here, "userData"), job.userData);
    for (const [name, placeholder] of Object.entries(job.placeholders ?? {})) {
      if (typeof placeholder !== "object") continue;
      const { path: _, ...expression } = placeholder;
      const value = Object.keys(expression).length === 0 ? undefined : (expression as ValueObject);
      yield* place(pointer(here, "placeholders", name), value, ["placeholder"], "expression");
    }
  }
}

function* place(at: string, value: Value | undefined, contexts = none, kind?: Place["kind"]): Iterable<Place> {
  if (value === undefined) return;
  if (kind !== undefined && kind !== "expression" && !isObject(value)) return;
  yield kind === undefined ? { at, value, contexts } : { at, value, contexts, kind };
}
