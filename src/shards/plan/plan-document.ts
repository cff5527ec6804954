import { createHash } from "node:crypto";
import type { Increment } from "../../compile/jobs/increment.ts";
import { messageOf, SpileError } from "../../core/errors.ts";
import { withPartitions } from "../../core/runs/partitions.ts";
import type { RunTime } from "../../core/runs/run.ts";
import type { Watermarks } from "../../core/runs/watermark.ts";
import type { IncrementTypeName } from "../../core/values/increment-types.ts";
import { isObject, parseValue, type Value } from "../../core/values/value.ts";
import type { Scroller } from "../../generated/configuration.ts";
import type { Position } from "../../pagination/scroll.ts";
import { version } from "../../version.ts";

/** A piece of work. Units are in the order of the output. */
export type Unit = WholeUnit | StridedUnit | RunsUnit | SharedUnit;

/** The place of a unit in the configuration. */
export interface UnitPlace {
  /** Number of the iteration, from 0. */
  readonly iteration: number;
  /** Number of the job among the iteration's top-level jobs, from 0. */
  readonly job: number;
  /** The job's data type, for people. */
  readonly name: string;
  readonly increment?: UnitIncrement | undefined;
  /** Increments of the jobs below it that have a value for each parent; absent if there are none. */
  readonly partitioned?: readonly UnitIncrement[] | undefined;
}

/** The properties of a job's increment that a merge needs for moving it. */
export interface UnitIncrement extends Pick<Increment, "key" | "described"> {
  readonly type: IncrementTypeName;
  /** Value that earlier runs have stored; absent on the first run. */
  readonly before?: Value | undefined;
  /** End of the last window in Unix seconds, beyond which the increment does not move; absent without such a limit. */
  readonly end?: Value | undefined;
}

/** A job that one shard runs alone. */
export interface WholeUnit extends UnitPlace {
  readonly kind: "whole";
  readonly shard: number;
}

/** A job whose runs are divided among the shards. A shard reads all pages of its runs. */
export interface RunsUnit extends UnitPlace {
  readonly kind: "runs";
  /** True if the run is suspect when a window begins with the same page as the previous window. */
  readonly evidence: boolean;
}

/** A job whose pages every shard reads. Each shard runs the children of its own parents. */
export interface SharedUnit extends UnitPlace {
  readonly kind: "shared";
  /** The shard that writes the job's own records. */
  readonly shard: number;
}

/** A job whose pages are divided among the shards, with the facts that a merge needs to judge its end. */
export interface StridedUnit extends UnitPlace {
  readonly kind: "strides";
  readonly scroller: Scroller;
  /** The job's own `evidence`. */
  readonly evidence: boolean | undefined;
  /** The data field as written, for messages. */
  readonly dataField: string | undefined;
  /** The reason why every end of the job is suspect, no matter what its answers say; absent if there is none. */
  readonly doubt?: string | undefined;
  /** The position of the first page. */
  readonly start: Position;
  /** Number of records on the first page, before any filter. */
  readonly pageRecords: number;
  /** Total that the first page states. */
  readonly total: number | undefined;
}

/** The output of `spile shard plan`. It contains no secret and no record. */
export interface ShardPlan {
  readonly version: 1;
  /** The version of spile that made it. */
  readonly spile: string;
  /** Digest of the configuration and its settings, without secrets. */
  readonly configuration: string;
  readonly time: RunTime;
  /** Number of shards. */
  readonly count: number;
  /** Number of requests per second of all shards together. */
  readonly rate?: number | undefined;
  /** `--unique` and its limit. */
  readonly unique?: string | undefined;
  readonly uniqueLimit?: number | undefined;
  /** Key of the pages' digests, so that those of different shards can be compared. */
  readonly fingerprintKey: string;
  readonly units: readonly Unit[];
}

export function worksOn(shard: number, unit: Unit): boolean {
  return unit.kind === "whole" ? unit.shard === shard : true;
}

/** A plan that was read, and its digest, which the manifests repeat. */
export interface ReadPlan {
  readonly plan: ShardPlan;
  readonly digest: string;
}

/** Reads a plan. Throws SpileError `configuration` if the text is not a plan, or is one of another version of spile. */
export function readPlan(text: string, name: string): ReadPlan {
  const wrong = (what: string): SpileError => new SpileError("configuration", `${name} ${what}`);
  let value: Value;
  try {
    value = parseValue(text);
  } catch (error) {
    throw wrong(`is not a plan made by spile shard plan: ${messageOf(error)}`);
  }
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.units)) {
    throw wrong("is not a plan made by spile shard plan");
  }
  if (value.spile !== version) {
    throw wrong(`was made by spile ${String(value.spile)}, but this is ${version}: all steps need the same version`);
  }
  const plan = value as unknown as ShardPlan;
  const digest = createHash("sha256").update(JSON.stringify(plan)).digest("hex");
  const { watermarks } = plan.time;
  if (watermarks === undefined) return { plan, digest };
  const compact = withPartitions(watermarks) as Watermarks;
  return { plan: { ...plan, time: { ...plan.time, watermarks: compact } }, digest };
}
