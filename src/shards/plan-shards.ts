import { Writable } from "node:stream";
import { loginOf } from "../authentication/index.ts";
import { allPlans } from "../compile/compile.ts";
import type { Increment } from "../compile/jobs/increment.ts";
import { type JobPlan, withChildren } from "../compile/plan.ts";
import { authenticationsOf } from "../compile/sending/authentications.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { ConfigurationError, type SpileError } from "../core/errors.ts";
import { contextText, digestedContext, Partitions, partitionsOf } from "../core/runs/partitions.ts";
import type { RunOptions, RunTime } from "../core/runs/run.ts";
import { WatermarkTexts } from "../core/runs/watermark-texts.ts";
import { newFingerprintKey } from "../core/values/fingerprint.ts";
import { type IncrementTypeName, incrementTypes } from "../core/values/increment-types.ts";
import { pointerTo } from "../core/values/path.ts";
import type { Job } from "../generated/configuration.ts";
import { ratesOf } from "../http/pacing/rates.ts";
import type { Position, Scroll } from "../pagination/scroll.ts";
import { run } from "../pipeline/run.ts";
import { configurationDigest } from "../resume/identity.ts";
import { version } from "../version.ts";
import { byParents, type DivisionOptions, dividesIterations, divisionOf, scrollerOf } from "./plan/division.ts";
import type { ShardPlan, Unit, UnitIncrement, UnitPlace } from "./plan/plan-document.ts";
import { frozenJournal } from "./run/frozen-journal.ts";

/** The facts that a job's first page shows. */
interface FirstPage {
  readonly start: Position;
  readonly records: number;
  readonly total: number | undefined;
  /** True if the page after the first one begins where it is expected to begin. */
  readonly isDivisible: boolean;
}

export interface PlanningOptions {
  readonly count: number;
  readonly time: RunTime;
}

/**
 * Divides a configuration among `count` shards. Logs in, and requests the first page of each job that pages by counting. Returns
 * the plan, or the failure of a request, which an event has reported. Rejects with SpileError `configuration` if something cannot
 * be divided.
 */
export async function planShards(
  loaded: LoadedConfiguration,
  runOptions: RunOptions,
  { count, time }: PlanningOptions,
): Promise<ShardPlan | SpileError> {
  refuse(loaded);
  const configuration = await configurationDigest(loaded, runOptions);
  const fingerprintKey = newFingerprintKey();
  const nowhere = new Writable({ write: (_chunk, _encoding, callback) => callback() });
  const jobs: (readonly JobPlan[])[] = [];
  const firstPages: FirstPages = new Map();
  const dividing: DivisionOptions = { count, unique: runOptions.unique !== undefined };
  const { failure } = await run(
    loaded,
    { ...runOptions, target: { kind: "stream", stream: nowhere } },
    {
      openJournal: frozenJournal({ time, fingerprintKey }),
      async jobs(compiled, iteration) {
        const plans = await allPlans(compiled.jobs, runOptions.signal);
        jobs.push(plans.map((job) => ({ ...job, label: runOptions.secrets.mask(job.label) })));
        return { ...compiled, jobs: firstPageJobs(plans, loaded, iteration, dividing, firstPages) };
      },
    },
  );
  if (failure !== undefined) return failure;
  return {
    version: 1,
    spile: version,
    configuration,
    time: withoutContexts(time),
    count,
    rate: runOptions.rate ?? configuredRate(loaded),
    unique: runOptions.unique,
    uniqueLimit: runOptions.uniqueLimit,
    fingerprintKey,
    units: unitsOf(jobs, loaded, dividing, firstPages),
  };
}

/** Throws ConfigurationError for parts of a configuration that shards cannot run side by side, or that a merge cannot join. */
function refuse({ configuration: { api }, iterations }: LoadedConfiguration): void {
  const changing = authenticationsOf(api, "/api").filter(({ authentication }) => loginOf(authentication)?.remember);
  if (changing.length > 0) {
    const message =
      "credentials that a login changes (remember) cannot be shared: each shard would lock out the others";
    throw new ConfigurationError(changing.map(({ pointer }) => ({ pointer: pointerTo(pointer, "remember"), message })));
  }
  if (!iterations.some(({ config }) => Object.keys(config.mappings ?? {}).length > 0)) return;
  throw new ConfigurationError([
    { pointer: "/config/mappings", message: "a configuration with mappings cannot be divided among shards" },
  ]);
}

/** Returns the jobs whose pages may be divided, each limited to its first page. */
function firstPageJobs(
  jobs: readonly JobPlan[],
  loaded: LoadedConfiguration,
  iteration: number,
  dividing: DivisionOptions,
  found: FirstPages,
): readonly JobPlan[] {
  if (dividesIterations(loaded, dividing)) return [];
  return jobs.flatMap((plan, job) => {
    const scroller = scrollerOf(loaded, iteration, job);
    if (divisionOf({ plan, scroller }, dividing) !== "pages") return [];
    const scroll = firstPageOnly(plan.scroll, (page) => found.set(placeKey(iteration, job), page));
    return [{ ...plan, children: [], scroll }];
  });
}

type FirstPages = Map<string, FirstPage>;

function placeKey(iteration: number, job: number): string {
  return `${iteration}/${job}`;
}

/** Returns a scroll that requests one page. */
function firstPageOnly(scroll: Scroll, onFirstPage: (page: FirstPage) => void): Scroll {
  return {
    ...scroll,
    ahead: () => undefined,
    advance(position, summary, now) {
      const step = scroll.advance(position, summary, now);
      const { failure, next, verdict, expected } = step;
      if (failure !== undefined) return step;
      const assumed = scroll.ahead(position);
      const isDivisible = next !== undefined && assumed !== undefined && scroll.same(next, assumed);
      onFirstPage({ start: position, records: summary.records, total: expected ?? verdict?.expected, isDivisible });
      const reason = isDivisible ? "its pages are divided among the shards" : "one shard runs it";
      return { next: undefined, verdict: { kind: "limited", reason }, repeated: false, warnings: [] };
    },
  };
}

/**
 * Returns the units in the order of the output. Units for a single shard are dealt to the shards in turn. A job that turned out
 * to be short goes to the first shard.
 */
function unitsOf(
  iterations: readonly (readonly JobPlan[])[],
  loaded: LoadedConfiguration,
  dividing: DivisionOptions,
  firstPages: FirstPages,
): Unit[] {
  let dealtUnits = 0;
  const next = (): number => {
    dealtUnits += 1;
    return (dealtUnits - 1) % dividing.count;
  };
  const unitOf = (plan: JobPlan, place: UnitPlace): Unit => {
    const { iteration, job } = place;
    const divided = { plan, scroller: scrollerOf(loaded, iteration, job) };
    const division = divisionOf(divided, dividing);
    if (division === "runs") return { kind: "runs", ...place, evidence: plan.scroll.evidence };
    if (division === "parents") return { kind: "shared", ...place, shard: next() };
    const first = firstPages.get(placeKey(iteration, job));
    if (division === "none" || first === undefined) return { kind: "whole", ...place, shard: next() };
    if (first.isDivisible) return stridedUnit(place, { first, plan }, loaded);
    // Even a single page of parents is worth dividing.
    const hasParents = first.records > 1 && byParents(divided, dividing);
    return { kind: hasParents ? "shared" : "whole", ...place, shard: 0 };
  };
  const isByIteration = dividesIterations(loaded, dividing);
  return iterations.flatMap((jobs, iteration) => {
    const shard = isByIteration ? next() : 0;
    return jobs.map((plan, job): Unit => {
      const place = {
        iteration,
        job,
        name: plan.label,
        increment: incrementOf(plan, loaded.iterations[iteration]?.config.jobs[job]),
        ...partitionedOf(plan),
      };
      return isByIteration ? { kind: "whole", ...place, shard } : unitOf(plan, place);
    });
  });
}

function stridedUnit(
  place: UnitPlace,
  { first: { start, records, total }, plan }: { readonly first: FirstPage; readonly plan: JobPlan },
  loaded: LoadedConfiguration,
): Unit {
  const { iteration, job } = place;
  const configuredJob = loaded.iterations[iteration]?.config.jobs[job];
  return {
    kind: "strides",
    ...place,
    scroller: scrollerOf(loaded, iteration, job),
    evidence: configuredJob?.evidence,
    dataField: dataFieldName(configuredJob?.dataField),
    doubt: plan.doubt,
    start,
    pageRecords: records,
    total,
  };
}

function incrementOf({ increment, windows }: JobPlan, job: Job | undefined): UnitIncrement | undefined {
  if (increment === undefined) return undefined;
  const { key, described, before, isByWindow } = increment;
  const end = isByWindow ? [...(windows ?? [])].at(-1)?.to : undefined;
  return { key, described, type: job?.incremental?.type ?? "time", before, end };
}

function partitionedOf({ children }: JobPlan): Pick<UnitPlace, "partitioned"> {
  const partitioned = children
    .flatMap((child) => withChildren(child.plan))
    .flatMap(({ increment }) => (increment === undefined ? [] : [increment]))
    .map(({ key, described, type }) => ({ key, described, type: typeName(type) }));
  return partitioned.length === 0 ? {} : { partitioned };
}

/** Replaces the contexts of parents by digests, since a plan contains no values of records. */
function withoutContexts({ watermarks, ...times }: RunTime): RunTime {
  if (watermarks === undefined) return times;
  const entries = Object.entries(watermarks).map(([key, watermark]) => {
    const partitions = partitionsOf(watermark);
    if (partitions === undefined) return [key, watermark] as const;
    const texts = new WatermarkTexts();
    for (const [context, value] of partitions) texts.set(contextText(digestedContext(context)), value);
    return [key, { ...watermark, partitions: new Partitions(undefined, texts) }] as const;
  });
  return { ...times, watermarks: Object.fromEntries(entries) };
}

function typeName(type: Increment["type"]): IncrementTypeName {
  const names = Object.keys(incrementTypes) as IncrementTypeName[];
  return names.find((name) => incrementTypes[name] === type) ?? "time";
}

function dataFieldName(field: unknown): string | undefined {
  const path = typeof field === "object" && field !== null && "path" in field ? field.path : field;
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** Returns the lowest configured rate, in requests per second: all shards together must keep every rate. */
function configuredRate({ configuration: { api } }: LoadedConfiguration): number | undefined {
  const rates = ratesOf(api.http?.rateLimit).map(({ requests, period }) => (requests * 1000) / period);
  return rates.length === 0 ? undefined : Math.min(...rates);
}
