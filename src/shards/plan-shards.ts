import { Writable } from "node:stream";
import type { Compiled } from "../compile/compile.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { ConfigurationError, type SpileError } from "../core/errors.ts";
import { newFingerprintKey } from "../core/fingerprint.ts";
import type { RunOptions, RunTime } from "../core/run.ts";
import { type Value, valueText } from "../core/value.ts";
import type { RunConfig, Scroller } from "../generated/configuration.ts";
import { ratesOf } from "../http/rates.ts";
import { select } from "../pagination/multiple.ts";
import type { Position, Scroll } from "../pagination/scroll.ts";
import { run } from "../pipeline/run.ts";
import { identityOf } from "../resume/identity.ts";
import { version } from "../version.ts";
import { frozenJournal } from "./frozen-journal.ts";
import type { ShardPlan, Unit } from "./plan-document.ts";

/** What the first page of a job has shown. */
interface FirstPage {
  readonly start: Position;
  readonly records: number;
  readonly total: number | undefined;
  /** Does the page that follows begin where one would foresee it? */
  readonly divides: boolean;
}

export interface PlanningOptions {
  readonly count: number;
  readonly time: RunTime;
}

/**
 * Divides a configuration among `count` shards: logs in, and asks for the first page of each job that pages by counting.
 * Answers the plan, or the failure of a request, of which an event has told. Rejects with SpileError `configuration` for what
 * cannot be shared.
 */
export async function planShards(
  loaded: LoadedConfiguration,
  given: RunOptions,
  { count, time }: PlanningOptions,
): Promise<ShardPlan | SpileError> {
  refuse(loaded);
  const { configuration } = identityOf(loaded, given);
  const fingerprintKey = newFingerprintKey();
  const nowhere = new Writable({ write: (_chunk, _encoding, callback) => callback() });
  const names: string[][] = [];
  const firstPages = new Map<number, FirstPage>();
  const { failure } = await run(
    loaded,
    { ...given, target: { kind: "stream", stream: nowhere } },
    {
      openJournal: frozenJournal({ time, fingerprintKey }),
      jobs(compiled, iteration) {
        names.push(compiled.jobs.map(({ label }) => given.secrets.mask(label)));
        return { ...compiled, jobs: firstLooks(compiled, loaded, iteration, firstPages) };
      },
    },
  );
  if (failure !== undefined) return failure;
  return {
    version: 1,
    spile: version,
    configuration,
    time,
    count,
    rate: given.rate ?? configuredRate(loaded),
    fingerprintKey,
    units: unitsOf(names, count, loaded, firstPages),
  };
}

/** What the shards could not do each by itself, or what merging could not bring together. */
function refuse({ configuration: { api }, configs }: LoadedConfiguration): void {
  const { authentication } = api;
  if (authentication !== undefined && "remember" in authentication && authentication.remember !== undefined) {
    const message =
      "credentials that a login changes (remember) cannot be shared: each shard would lock out the others";
    throw new ConfigurationError([{ pointer: "/api/authentication/remember", message }]);
  }
  if (!configs.some(({ mappings }) => Object.keys(mappings ?? {}).length > 0)) return;
  throw new ConfigurationError([{ pointer: "/config/mappings", message: "mappings cannot be run in shards yet" }]);
}

/** The jobs whose pages may be divided, each cut down to its first page. Iterations, lists of endpoints and exports are not divided. */
function firstLooks(
  { jobs }: Compiled,
  loaded: LoadedConfiguration,
  iteration: number,
  found: Map<number, FirstPage>,
): Compiled["jobs"] {
  if (loaded.configs.length > 1) return [];
  return jobs.flatMap((plan, job) => {
    if (plan.endpoints.length > 1 || plan.steps !== undefined || !isCounting(scrollerOf(loaded, iteration, job)))
      return [];
    const scroll = firstPageOnly(plan.scroll, (page) => found.set(job, page));
    return [{ ...plan, children: [], scroll }];
  });
}

function scrollerOf(loaded: LoadedConfiguration, iteration: number, job: number): Scroller {
  const { jobs } = loaded.configs[iteration] as RunConfig;
  return select(loaded.configuration.api.pagination, jobs[job]?.scroller);
}

/** Pages by counting, without a rule that ends the job elsewhere than its pages do. */
function isCounting(scroller: Scroller): boolean {
  if (scroller.method !== "offset" && scroller.method !== "pagenum") return false;
  const { limitStop, forceStop, nextPageFlag, probeEnd } = scroller;
  if (limitStop !== undefined || forceStop !== undefined || nextPageFlag !== undefined || probeEnd === true) {
    return false;
  }
  // It stands in the plan, from which it must come back as it was.
  const text = valueText(scroller as unknown as Value);
  return JSON.stringify(JSON.parse(text)) === text;
}

/** One page is asked for, and no more. */
function firstPageOnly(scroll: Scroll, seen: (page: FirstPage) => void): Scroll {
  return {
    ...scroll,
    ahead: () => undefined,
    advance(position, summary, now) {
      const step = scroll.advance(position, summary, now);
      const { failure, next, verdict, expected } = step;
      if (failure !== undefined) return step;
      const assumed = scroll.ahead(position);
      const divides = next !== undefined && assumed !== undefined && scroll.same(next, assumed);
      seen({ start: position, records: summary.records, total: expected ?? verdict?.expected, divides });
      const reason = divides ? "its pages are divided among the shards" : "one shard runs it";
      return { next: undefined, verdict: { kind: "limited", reason }, repeated: false, warnings: [] };
    },
  };
}

/** In the order of the output. Whole units go round the shards; of a job that was found to be short, to the first. */
function unitsOf(
  names: readonly (readonly string[])[],
  count: number,
  loaded: LoadedConfiguration,
  firstPages: ReadonlyMap<number, FirstPage>,
): Unit[] {
  let whole = 0;
  const next = (): number => {
    whole += 1;
    return (whole - 1) % count;
  };
  const iterates = names.length > 1;
  return names.flatMap((jobs, iteration) => {
    const shard = iterates ? next() : 0;
    return jobs.map((name, job): Unit => {
      const place = { iteration, job, name };
      if (iterates) return { kind: "whole", ...place, shard };
      const first = firstPages.get(job);
      if (first === undefined) return { kind: "whole", ...place, shard: next() };
      if (!first.divides) return { kind: "whole", ...place, shard: 0 };
      const own = loaded.configs[iteration]?.jobs[job];
      return {
        kind: "strides",
        ...place,
        scroller: scrollerOf(loaded, iteration, job),
        evidence: own?.evidence,
        dataField: dataFieldName(own?.dataField),
        start: first.start,
        pageRecords: first.records,
        total: first.total,
      };
    });
  });
}

function dataFieldName(field: unknown): string | undefined {
  const path = typeof field === "object" && field !== null && "path" in field ? field.path : field;
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** Of several rates the lowest: all shards together keep every one of them. */
function configuredRate({ configuration: { api } }: LoadedConfiguration): number | undefined {
  const rates = ratesOf(api.http?.rateLimit).map(({ requests, period }) => (requests * 1000) / period);
  return rates.length === 0 ? undefined : Math.min(...rates);
}
