import { createAuthenticator } from "../authentication/index.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import type { Authenticator } from "../core/authenticator.ts";
import { ConfigurationError, SpileError } from "../core/errors.ts";
import type { Emit } from "../core/event.ts";
import type { RunOptions, RunTime } from "../core/run.ts";
import { scalarText, type Value } from "../core/value.ts";
import { type Context, evaluate } from "../expression/evaluate.ts";
import { defaultLimits } from "../extract/document.ts";
import type { Pagination, RunConfig } from "../generated/configuration.ts";
import { parseBaseUrl, serialize } from "../http/request.ts";
import { createSession, type Session } from "../http/session.ts";
import { buildWith, ownAddresses, sessionOptions } from "./client.ts";
import { compileJob } from "./job.ts";
import type { JobPlan } from "./plan.ts";
import type { Settings } from "./read.ts";
import type { ReadingPlan } from "./reading.ts";
import { refuseMappings, uniqueOf } from "./unique.ts";

/** One run (one iteration) made ready: nothing has been sent yet. */
export interface Compiled {
  readonly jobs: readonly JobPlan[];
  readonly session: Session;
  readonly authenticator: Authenticator | undefined;
  readonly reading: ReadingPlan;
  readonly concurrency: number;
  /** Logins so far. */
  logins(): number;
}

/** `config` of one run, the keys of its iteration in it, and its settings. */
export interface RunPart {
  readonly config: RunConfig;
  readonly settings: Settings;
}

/**
 * Makes one run of a configuration ready. What its values turn out to be is checked here, so that every fault is found
 * before the first request. Rejects with SpileError `configuration`, or `usage` for an unknown `--job`.
 */
export async function compile(
  { configuration, pointers }: LoadedConfiguration,
  { config, settings }: RunPart,
  time: RunTime,
  options: RunOptions,
): Promise<Compiled> {
  const { api, aws, authorization } = configuration;
  const { secrets } = options;
  const context: Context = { settings, time, secrets };
  const evaluated = (value: Value, contexts?: Readonly<Record<string, Value>>): Value =>
    evaluate(value, contexts === undefined ? context : { ...context, contexts });
  let logins = 0;
  const emit: Emit = (event) => {
    if (event.event === "login") logins += 1;
    options.emit(event);
  };
  const baseUrl = at("/api/baseUrl", () => parseBaseUrl(scalarText(evaluated(api.baseUrl)) ?? ""));
  for (const warning of baseUrl.warnings) {
    emit({ event: "warning", level: "warning", message: `/api/baseUrl: ${warning}` });
  }
  const build = at("/api/http", () => buildWith(baseUrl.url, { api, config, secrets, evaluate: evaluated }));
  const session = createSession({
    ...sessionOptions(api, config, options),
    emit,
    trusted: [baseUrl.url.href, ...(api.allowedOrigins ?? []), ...ownAddresses(config.jobs)],
  });
  const environment = {
    api,
    config,
    pointers,
    build,
    evaluate: evaluated,
    probeEnd: options.probeEnd ?? false,
    maxPages: options.maxPages,
    datasets: options.tag === true || options.target.kind === "folder",
    warn: (message: string) => emit({ event: "warning", level: "warning", message }),
  };
  const jobs = config.jobs.map((job) => at(pointers.get(job) ?? "", () => compileJob(job, environment)));
  for (const job of jobs) at(job.pointer, () => begin(job));
  const wanted = selected(jobs, options.jobs);
  const unique = uniqueOf(options.unique, options.uniqueLimit);
  if (unique !== undefined) refuseMappings(wanted);
  return {
    jobs: wanted,
    session,
    authenticator: await createAuthenticator(api.authentication, {
      settings,
      // Servers check signatures against their clocks.
      evaluate: (value, contexts = {}) => evaluate(value, { ...context, contexts, now: Math.floor(Date.now() / 1000) }),
      build,
      send: session.send,
      serialize,
      secrets,
      emit,
      now: Date.now,
      query: api.query,
      oauth: authorization?.oauth_api?.credentials,
      aws: aws?.signature?.credentials,
    }),
    reading: {
      maxDepth: options.maxDepth ?? defaultLimits.maxDepth,
      maxRecordBytes: options.maxRecordBytes ?? defaultLimits.maxRecordBytes,
      maxStringBytes: options.maxStringBytes ?? defaultLimits.maxStringBytes,
      strict: options.strict ?? false,
      tag: options.tag ?? false,
      unique,
      split: options.target.kind === "folder",
      hold: options.hold ?? 8 * 1024 * 1024,
      mask: (text) => secrets.mask(text),
      received: options.received,
    },
    concurrency: options.concurrency ?? concurrencyOf(api.pagination) ?? 1,
    logins: () => logins,
  };
}

/** Finds what is wrong with a job's first request before any is sent. A top-level job knows all that it is made of. */
function begin({ runs, scroll }: JobPlan): void {
  for (const { request, parameters } of runs({ parents: [], inherited: [] })) {
    scroll.request(request, scroll.start(parameters, 0));
  }
}

/** The jobs that `--job` names, by data type, endpoint or id. */
function selected(jobs: readonly JobPlan[], names: readonly string[] | undefined): readonly JobPlan[] {
  if (names === undefined || names.length === 0) return jobs;
  const namesOf = ({ dataType, endpoint, id }: JobPlan): (string | undefined)[] => [dataType, endpoint, id];
  for (const name of names) {
    if (jobs.some((job) => namesOf(job).includes(name))) continue;
    const known = [...new Set(jobs.map(({ label }) => JSON.stringify(label)))].join(", ");
    throw new SpileError("usage", `--job ${JSON.stringify(name)}: there is no such job; there are ${known}`);
  }
  return jobs.filter((job) => namesOf(job).some((name) => name !== undefined && names.includes(name)));
}

function concurrencyOf(pagination: Pagination | undefined): number | undefined {
  return pagination !== undefined && "concurrency" in pagination ? pagination.concurrency : undefined;
}

/** What goes wrong in `make` is told with its place in the configuration. */
function at<T>(pointer: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SpileError) || error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([{ pointer, message: error.message }]);
  }
}
