import { allJobs } from "../config/jobs.ts";
import type { LoadedConfiguration, LoadedIteration } from "../config/loaded.ts";
import { withSignalTurns } from "../core/blocking-work.ts";
import { ConfigurationError, SpileError } from "../core/errors.ts";
import { addDataset, type Dataset, type Datasets } from "../core/runs/dataset.ts";
import { warningEvent } from "../core/runs/event.ts";
import { type RememberedSettings, type RunOptions, type RunTime, separatesDatasets } from "../core/runs/run.ts";
import { scalarText } from "../core/values/value.ts";
import { type Context, evaluate } from "../expression/evaluate.ts";
import type { Concurrency, Job, Pagination } from "../generated/configuration.ts";
import { type Connections, createConnections } from "../http/connection/connections.ts";
import type { AnswerPolicy } from "../http/exchange/answer-policy.ts";
import { parseBaseUrl } from "../http/requests/request.ts";
import type { AskOptions } from "../steps/ask-steps.ts";
import type { JobEnvironment } from "./environment.ts";
import { iterationKey } from "./iteration-keys.ts";
import { apiPolicy } from "./jobs/answer-policies.ts";
import { checkJobNames, createChoice } from "./jobs/choice.ts";
import { compileJob } from "./jobs/job.ts";
import { type JobPlans, PlansToMake } from "./jobs/job-plans.ts";
import { type ReadingPlan, readingPlan } from "./jobs/reading-plan.ts";
import { sampled } from "./jobs/sample.ts";
import { startDoubt } from "./jobs/start-doubt.ts";
import { refuseMappings } from "./jobs/unique.ts";
import { type JobPlan, openingRuns, withChildren } from "./plan.ts";
import { askOptions, buildWith, connectionsOptions, ownAddresses } from "./sending/client.ts";
import { type Client, createClient } from "./sending/senders.ts";

/** A compiled iteration. Nothing has been sent for it yet. */
export interface Compiled extends Client {
  /** The iteration's number, from 0. */
  readonly iteration: number;
  readonly jobs: JobPlans;
  /** The datasets of the lines that the jobs write. */
  readonly datasets: Datasets;
  /** Labels of the jobs that have an increment. */
  readonly increments: ReadonlySet<string>;
  /** True if jobs or datasets of the configuration are left out. */
  readonly isPartial: boolean;
  /** Warnings that are reported before the first request. */
  readonly warnings: readonly string[];
}

/** Compiles the iterations of a configuration, and holds everything that they share. */
export interface Compiler {
  readonly reading: ReadingPlan;
  readonly stepping: AskOptions;
  /** Number of concurrent pages; "auto" to find it during the run. */
  readonly concurrency: Concurrency;
  /**
   * Compiles one iteration, by its number from 0. Checks evaluated values as well, so that a fault in them is found before the first
   * request. Rejects with SpileError `configuration`, or `usage` for an unknown `--job`.
   */
  compile(iteration: number): Promise<Compiled>;
  /** Compiles all iterations in turn and reports their warnings. Rejects as `compile` does, at the first iteration with a fault. */
  compileAll(): AsyncGenerator<Compiled>;
  /** Closes idle connections after an iteration, to free their memory. */
  freeMemory(): void;
  close(): void;
}

export function createCompiler(
  loaded: LoadedConfiguration,
  time: RunTime,
  options: RunOptions,
  remembered?: RememberedSettings,
): Compiler {
  const { api } = loaded.configuration;
  const reading = readingPlan(options);
  const policy = apiPolicy(api);
  const stepping = askOptions(options);
  let openedConnections: Connections | undefined;
  const connect = (): Connections => {
    openedConnections ??= createConnections(connectionsOptions(api, options));
    return openedConnections;
  };
  const parts: CompilerParts = {
    time,
    options,
    remembered,
    reading,
    stepping,
    policy,
    connect,
    partitions: new Map(),
  };
  const compileOne = (iteration: number): Promise<Compiled> => compile(loaded, iteration, parts);
  return {
    reading,
    stepping,
    concurrency: options.concurrency ?? concurrencyOf(api.pagination) ?? 1,
    compile: compileOne,
    async *compileAll() {
      for (const iteration of loaded.iterations.keys()) {
        const compiled = await compileOne(iteration);
        for (const message of compiled.warnings) options.emit(warningEvent(message));
        yield compiled;
      }
    },
    freeMemory: () => openedConnections?.agents.closeIdle(),
    close: () => openedConnections?.close(),
  };
}

interface CompilerParts extends Pick<Compiler, "reading" | "stepping">, Pick<JobEnvironment, "partitions"> {
  readonly time: RunTime;
  readonly options: RunOptions;
  readonly remembered: RememberedSettings | undefined;
  readonly policy: AnswerPolicy;
  connect(): Connections;
}

async function compile(loaded: LoadedConfiguration, iteration: number, parts: CompilerParts): Promise<Compiled> {
  const { time, options, remembered } = parts;
  checkJobNames(options.jobs ?? [], loaded);
  const { api } = loaded.configuration;
  const { config, settings: given } = loaded.iterations[iteration] as LoadedIteration;
  const settings = new Map([...given, ...(remembered?.settings ?? [])]);
  const { hasStandIns } = loaded;
  const context: Context = { settings, time, secrets: options.secrets, hasStandIns };
  const evaluateIn: JobEnvironment["evaluate"] = (value, contexts) =>
    evaluate(value, contexts === undefined ? context : { contexts, ...context });
  const warnings: string[] = [];
  const baseUrl = withPointer("/api/baseUrl", () => parseBaseUrl(scalarText(evaluateIn(api.baseUrl)) ?? ""));
  warnings.push(...baseUrl.warnings.map((warning) => `/api/baseUrl: ${warning}`));
  const { secrets, headers } = options;
  const build = withPointer("/api/http", () =>
    buildWith(baseUrl.url, { api, config, secrets, headers, evaluate: evaluateIn }),
  );
  const environment: JobEnvironment = {
    api,
    config,
    pointers: loaded.pointers,
    scrolls: new Map(),
    build,
    secrets,
    evaluate: evaluateIn,
    watermarks: time.watermarks,
    partitions: parts.partitions,
    iterationKey: anyJobHas(config.jobs, "incremental")
      ? iterationKey(loaded.configuration.iterations?.[iteration], secrets)
      : "",
    currentStart: time.currentStart,
    startDoubt: startDoubt(time),
    calendar: anyJobHas(config.jobs, "windows") ? await import("./jobs/windows.ts") : undefined,
    policy: parts.policy,
    processes: options.processes ?? 1,
    probeEnd: options.probeEnd ?? false,
    maxPages: options.maxPages,
    remedies: options.remedies,
    separatesDatasets: options.tag === true || separatesDatasets(options.target),
    warn: (message) => warnings.push(message),
  };
  const found = await survey(config.jobs, environment, parts);
  if (options.datasets?.size === 0) warnings.push("the catalog selects no stream, so nothing is fetched");
  const trusted = [baseUrl.url.href, ...(api.allowedOrigins ?? []), ...found.addresses];
  const connections = parts.connect();
  const client = await createClient(found.authentications, {
    ...{ loaded, config, context, settings, build, trusted, options, remembered, connections },
    stepping: parts.stepping,
  });
  return {
    iteration,
    jobs: options.sample ? sampled(await allPlans(found.jobs, options.signal)) : found.jobs,
    isPartial: found.isPartial,
    datasets: found.datasets,
    increments: found.increments,
    warnings,
    ...client,
  };
}

/** Returns whether a job, or one below it, has this field. */
function anyJobHas(jobs: readonly Job[], field: keyof Job): boolean {
  for (const { job } of allJobs(jobs)) if (job[field] !== undefined) return true;
  return false;
}

interface Survey extends Pick<Compiled, "jobs" | "isPartial" | "datasets" | "increments"> {
  /** Addresses in the configuration of the jobs. */
  readonly addresses: readonly string[];
  /** The authentications that jobs name. */
  readonly authentications: ReadonlySet<string | false>;
}

/** Makes the plan of every job once, to find faults. Returns facts about the chosen jobs, and the addresses of all jobs. */
async function survey(
  jobs: readonly Job[],
  environment: JobEnvironment,
  { options, reading }: CompilerParts,
): Promise<Survey> {
  const { pointers, secrets } = environment;
  const choice = createChoice({
    jobs: options.jobs ?? [],
    datasets: options.datasets,
    nameOf: (name) => secrets.mask(name),
  });
  const knownDatasets = new Map<string, Dataset>();
  const datasets = new Map<string, Dataset>();
  const increments = new Set<string>();
  const addresses: string[] = [];
  const authentications = new Set<string | false>();
  const wantedJobs: Job[] = [];
  for await (const job of withSignalTurns(jobs, options.signal)) {
    const plan = withPointer(pointers.get(job) ?? "", () => compileJob(job, environment));
    withPointer(plan.pointer, () => checkFirstRequests(plan));
    addDatasets(plan, knownDatasets);
    addresses.push(...ownAddresses([plan]));
    const chosenPlan = choice.of(plan);
    if (chosenPlan === undefined) continue;
    wantedJobs.push(job);
    addDatasets(chosenPlan, datasets);
    for (const { authentication } of withChildren(chosenPlan)) {
      if (authentication !== undefined) authentications.add(authentication);
    }
    for (const { increment, label } of withChildren(chosenPlan)) if (increment !== undefined) increments.add(label);
    if (reading.unique !== undefined) refuseMappings([chosenPlan]);
  }
  const isPartial = choice.end();
  const silentEnvironment: JobEnvironment = { ...environment, warn: () => undefined };
  const plans = new PlansToMake(wantedJobs, (job) => choice.of(compileJob(job, silentEnvironment)));
  return { jobs: plans, isPartial, datasets, increments, addresses, authentications };
}

/** Makes the plans of all jobs, with pauses in which signal handlers can run. */
export async function allPlans(jobs: JobPlans, signal: AbortSignal): Promise<readonly JobPlan[]> {
  const plans: JobPlan[] = [];
  for await (const plan of withSignalTurns(jobs, signal)) plans.push(plan);
  return plans;
}

/** Adds the datasets of a job and of the jobs below it. Throws SpileError if another job describes one differently. */
function addDatasets(plan: JobPlan, datasets: Map<string, Dataset>): void {
  for (const job of withChildren(plan)) {
    withPointer(job.pointer, () => {
      for (const dataset of job.datasets) addDataset(datasets, dataset);
    });
  }
}

/** Builds the first requests of a top-level job, which need no parent, to find faults before anything is sent. */
function checkFirstRequests(plan: JobPlan): void {
  const { scroll } = plan;
  for (const start of openingRuns(plan)) {
    if ("steps" in start) start.steps[0]?.request(start.run);
    else scroll.request(start.request, scroll.start(start.parameters, 0));
  }
}

function concurrencyOf(pagination: Pagination | undefined): Concurrency | undefined {
  return pagination !== undefined && "concurrency" in pagination ? pagination.concurrency : undefined;
}

/** Runs `make`. If it throws a SpileError without pointers, throws a ConfigurationError at `pointer` instead. */
function withPointer<T>(pointer: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SpileError) || error instanceof ConfigurationError) throw error;
    throw new ConfigurationError([{ pointer, message: error.message }]);
  }
}
