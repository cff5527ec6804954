import { SpileError } from "../../core/errors.ts";
import { type Build, phpStyle } from "../../core/requests/request.ts";
import { noAccount } from "../../core/runs/account.ts";
import type { RunOptions } from "../../core/runs/run.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import type { Value, ValueObject } from "../../core/values/value.ts";
import type { Api, RunConfig } from "../../generated/configuration.ts";
import type { ConnectionsOptions } from "../../http/connection/connections.ts";
import type { SessionOptions } from "../../http/exchange/session.ts";
import { evenRate, ratesOf } from "../../http/pacing/rates.ts";
import { limitHeadersOf } from "../../http/pacing/used-up-limit.ts";
import { headerMap } from "../../http/requests/headers.ts";
import { buildRequest } from "../../http/requests/request.ts";
import type { AskOptions } from "../../steps/ask-steps.ts";
import { retriesOf } from "../jobs/answer-policies.ts";
import type { JobPlan } from "../plan.ts";

/** The values that all requests of an iteration have in common. */
export interface SharedRequestParts {
  readonly api: Api;
  readonly config: RunConfig;
  readonly secrets: Secrets;
  /** Headers from a program that uses the library. They replace those of the configuration. */
  readonly headers?: RunOptions["headers"];
  evaluate(value: Value): Value;
}

/**
 * Returns a function that builds requests. The function resolves endpoints against the base address, and adds the headers for all
 * requests, unless a request replaces them (contract C-3.5).
 */
export function buildWith(
  baseUrl: URL,
  { api, config, secrets, headers: programHeaders = {}, evaluate }: SharedRequestParts,
): Build {
  const clientHeaders = [...entriesOf(config.http?.headers, evaluate), ...Object.entries(programHeaders)];
  const present = new Set(clientHeaders.map(([name]) => name.toLowerCase()));
  const missingNames = (api.http?.requiredHeaders ?? []).filter((name) => !present.has(name.toLowerCase()));
  if (missingNames.length > 0) {
    const names = missingNames.map((name) => JSON.stringify(name)).join(", ");
    throw new SpileError("configuration", `requiredHeaders: "config.http.headers" must give ${names}`);
  }
  const headers = headerMap([...entriesOf(api.http?.headers, evaluate), ...clientHeaders]);
  const { lists = phpStyle.lists, booleans = phpStyle.booleans } = api.http ?? {};
  return (parts) => buildRequest(parts, { baseUrl, headers, style: { lists, booleans }, secrets });
}

function entriesOf(headers: ValueObject | undefined, evaluate: SharedRequestParts["evaluate"]): [string, Value][] {
  return Object.entries(headers ?? {}).map(([name, value]) => [name, evaluate(value)]);
}

/** Returns the options for connections and rates, from the configuration and the command line (contract C-8). */
export function connectionsOptions(api: Api, options: RunOptions): ConnectionsOptions {
  const { rate } = options;
  return {
    caCertificate: api.caCertificate,
    clientCertificate: api["#clientCertificate"],
    rates: rate === undefined ? ratesOf(api.http?.rateLimit) : [evenRate(rate)],
    ...options,
  };
}

/** Returns the options of sessions: those of the run, and those in `api`. `retry` is for requests without a policy (logins). */
export function sessionOptions(
  api: Api,
  config: RunConfig,
  options: RunOptions,
): Omit<SessionOptions, "connections" | "trusted"> {
  const { http } = api;
  return {
    retry: retriesOf(api),
    timeouts: { connect: http?.connectTimeout, request: http?.requestTimeout, idle: http?.idleTimeout },
    limitHeaders: limitHeadersOf(http?.rateLimit),
    keepCookies: http?.cookies,
    lenientParser: http?.lenientParser,
    ...options,
    debug: options.debug === true || config.debug === true,
  };
}

/** Returns the options for steps. `backoff` shortens their waits, too. */
export function askOptions({
  secrets,
  emit,
  account = noAccount,
  now = Date.now,
  backoff,
  waits = true,
}: RunOptions): AskOptions {
  const pause = (ms: number, count: number): number => (waits ? Math.min(ms, backoff?.(count) ?? ms) : 0);
  return { secrets, emit, account, now, pause };
}

/** Returns the full addresses without placeholders among the endpoints of jobs and steps: they are trusted (contract C-5.8). */
export function ownAddresses(jobs: readonly JobPlan[]): readonly string[] {
  return jobs.flatMap(({ endpoints, steps = [], children }) => [
    ...steps.flatMap(({ address }) => address ?? []),
    ...endpoints.filter((text) => /^https?:\/\//i.test(text) && !text.includes("{") && URL.canParse(text)),
    ...ownAddresses(children.map(({ plan }) => plan)),
  ]);
}
