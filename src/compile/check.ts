import { checkCredentials } from "../authentication/check-credentials.ts";
import { foundText } from "../config/found.ts";
import { registerUserinfo } from "../config/secrets.ts";
import type { Bases } from "../config/sections.ts";
import type { Settings } from "../config/settings.ts";
import { type Fault, messageOf } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import type { Secrets } from "../core/redact.ts";
import { isObject, type Value } from "../core/value.ts";
import { checkExpressions, constantOf } from "../expression/check.ts";
import { evaluate } from "../expression/evaluate.ts";
import { isExpression } from "../expression/shape.ts";
import { strayEnvironment } from "../expression/stray-environment.ts";
import { checkMappings } from "../extract/check-mappings.ts";
import type { Configuration, Job, RunConfig } from "../generated/configuration.ts";
import { checkHeaders } from "../http/check-headers.ts";
import { checkJobPaging, checkPagination, ignoredScrollers } from "../pagination/check.ts";
import { checkEndpoint, checkJobs } from "./check-jobs.ts";
import { apiPlaces, type Place, runPlaces } from "./expression-places.ts";

/** One run of the configuration: `config` with an iteration's keys in it. */
export interface Run {
  readonly config: RunConfig;
  readonly settings: Settings;
  /** Pointer of `config`, or of the iteration, for messages. */
  readonly at: string;
  readonly pointers: ReadonlyMap<Job, string>;
}

/** What no schema can tell: names that must exist elsewhere, expressions, headers, values of each run. */
export function checkConfiguration(
  configuration: Configuration,
  runs: readonly Run[],
  bases: Bases,
  secrets: Secrets,
): { readonly faults: readonly Fault[]; readonly warnings: readonly Fault[] } {
  const api = configuration.api ?? {};
  const at = pointer(bases.sections, "api");
  const faults: Fault[] = [
    ...checkPagination(api, at),
    ...checkOrigins(api.allowedOrigins, pointer(at, "allowedOrigins")),
  ];
  const warnings: Fault[] = [];
  if (configuration.sshProxy !== undefined) {
    const message = 'spile opens no SSH tunnel yet: open one with "ssh -L" and point "baseUrl" at it';
    faults.push({ pointer: pointer(bases.sections, "sshProxy"), message });
  }
  const authentication = api.authentication;
  if (configuration.aws?.signature !== undefined && authentication?.type !== "aws.signature") {
    const message = 'requests cannot be signed beside "api.authentication" of another type: leave one of them out';
    faults.push({ pointer: pointer(bases.sections, "aws", "signature"), message });
  }
  if (authentication !== undefined && "loginRequest" in authentication) {
    faults.push(
      ...checkEndpoint(
        authentication.loginRequest?.endpoint,
        pointer(at, "authentication", "loginRequest", "endpoint"),
      ),
    );
  }
  for (const run of runs) {
    const jobs = checkJobs(run.config.jobs ?? [], run.pointers);
    const places = [...apiPlaces(api, at), ...runPlaces(run.config, run.at, run.pointers)];
    warnings.push(
      ...jobs.warnings,
      ...ignoredScrollers(run.config.jobs ?? [], api.pagination, run.pointers),
      ...places.flatMap((place) => strayEnvironment(place.value, place.at)),
    );
    faults.push(
      ...places.flatMap((place) => checkPlace(place, run.settings)),
      ...checkBaseUrl(api.baseUrl, pointer(at, "baseUrl"), run.settings, secrets),
      ...checkRequiredHeaders(api.http?.requiredHeaders, run),
      ...checkCredentials(configuration, run.settings, bases.sections, bases.authorization),
      ...jobs.faults,
      ...checkJobPaging(run.config.jobs ?? [], api.pagination, run.pointers),
      ...checkMappings(run.config.mappings, pointer(run.at, "mappings")),
    );
  }
  return { faults: distinct(faults), warnings: distinct(warnings) };
}

function checkPlace({ at, value, contexts, kind }: Place, settings: Settings): Fault[] {
  const scope = { settings, contexts };
  if (kind === "expression" || !isObject(value)) return checkExpressions(value, at, scope);
  // The map itself is never an expression, its values are (contract C-4.1).
  return Object.entries(value).flatMap(([name, inner]) => {
    const faults = checkExpressions(inner, pointer(at, name), scope);
    if (kind !== "headers" || faults.length > 0) return faults;
    return checkHeaders({ [name]: constantOf(inner, scope) ?? inner }, at, contexts);
  });
}

/** The address as it will be: http or https, whatever expression makes it. */
function checkBaseUrl(baseUrl: Value | undefined, at: string, settings: Settings, secrets: Secrets): Fault[] {
  if (baseUrl === undefined) return [];
  let address = baseUrl;
  if (isExpression(baseUrl, [])) {
    // Its own faults are told by the check of expressions.
    if (checkExpressions(baseUrl, at, { settings, contexts: [] }).length > 0) return [];
    try {
      address = evaluate(baseUrl, { settings, time: { currentStart: 0, previousStart: 0 }, secrets });
    } catch (error) {
      return [{ pointer: at, message: messageOf(error) }];
    }
  }
  if (typeof address === "string") registerUserinfo(address, secrets);
  const protocol = typeof address === "string" && URL.canParse(address) ? new URL(address).protocol : "";
  if (protocol === "http:" || protocol === "https:") return [];
  return [{ pointer: at, message: `must be an address with http or https, not ${foundText(address, [])}` }];
}

function checkOrigins(origins: readonly string[] | undefined, at: string): Fault[] {
  return (origins ?? []).flatMap((origin, index) => {
    // A faulty one has been told.
    if (typeof origin !== "string") return [];
    if (/^https?:\/\//i.test(origin) && URL.canParse(origin)) return [];
    return [
      {
        pointer: pointer(at, index),
        message: `must be an origin such as "https://files.example.com", not ${foundText(origin, [])}`,
      },
    ];
  });
}

function checkRequiredHeaders(required: readonly string[] | undefined, run: Run): Fault[] {
  const given = new Set(Object.keys(run.config.http?.headers ?? {}).map((name) => name.toLowerCase()));
  return (required ?? [])
    .filter((name) => typeof name === "string" && !given.has(name.toLowerCase()))
    .map((name) => ({
      pointer: pointer(run.at, "http", "headers"),
      message: `the header ${JSON.stringify(name)} is missing, which "requiredHeaders" asks for`,
    }));
}

function distinct(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [`${fault.pointer} ${fault.message}`, fault])).values()];
}
