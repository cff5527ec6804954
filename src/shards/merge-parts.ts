import { once } from "node:events";
import { finished } from "node:stream/promises";
import { exitCodes } from "../core/errors.ts";
import type { JobResult, Target } from "../core/run.ts";
import { tagRecords } from "../extract/records.ts";
import { openSink } from "../output/open-sink.ts";
import type { Manifest, UnitPart } from "./manifest.ts";
import { MergedLines } from "./merged-lines.ts";
import type { Dropped } from "./merged-results.ts";
import type { ReadPlan } from "./plan-document.ts";
import { type Range, type Union, unionOf } from "./union.ts";
import { verifiedParts } from "./verify-parts.ts";

export interface MergeOptions {
  readonly target: Target;
  readonly tag: boolean;
  /** A suspect union is an error. */
  readonly strict: boolean;
  readonly signal: AbortSignal;
  /** Told of the size of every piece that is written. */
  readonly received?: ((bytes: number) => void) | undefined;
  /** Told of what one run would have warned of. */
  warn(message: string, job: string): void;
}

/** What the parts came to. */
export interface Merged {
  readonly jobs: readonly JobResult[];
  readonly records: number;
  readonly exitCode: number;
  readonly manifests: readonly Manifest[];
}

/**
 * Proves that the parts of a plan are all there and whole, and writes their records in the order of one run. Rejects with
 * SpileError `temporary` for missing shards, `data` for parts that cannot be brought together; nothing is written then.
 */
export async function mergeParts(read: ReadPlan, folder: string, options: MergeOptions): Promise<Merged> {
  const manifests = await verifiedParts(read, folder, options.signal);
  const lines = new MergedLines({ folder, manifests, plan: read.plan, received: options.received });
  const unions: Union[] = [];
  for (const [number, unit] of read.plan.units.entries()) {
    const parts = manifests.flatMap(({ index, units }): UnitPart[] => {
      const part = units.find((one) => one.unit === number);
      return part === undefined ? [] : [{ shard: index, part }];
    });
    const union = unionOf(unit, parts);
    // How a job ended depends on how many of its records were the same.
    unions.push(
      read.plan.unique === undefined ? union : unionOf(unit, parts, await sift(lines, union, options.signal)),
    );
    for (const warning of unions.at(-1)?.warnings ?? []) options.warn(warning, unit.name);
  }
  const jobs = unions.flatMap(({ results }) => results);
  const records = await write(lines, unions, options);
  const suspect = options.strict && jobs.some(({ verdict }) => verdict === "suspect");
  return { jobs, records, manifests, exitCode: suspect ? exitCodes.suspect : exitCodes.success };
}

async function sift(lines: MergedLines, { ranges }: Union, signal: AbortSignal): Promise<Dropped> {
  const dropped = new Map<string, number>();
  const count = ({ sifting }: Range, records: number): void => {
    if (sifting !== undefined) dropped.set(sifting.count, (dropped.get(sifting.count) ?? 0) + records);
  };
  for await (const _ of lines.of(ranges, count)) signal.throwIfAborted();
  return dropped;
}

/** Answers the lines written. */
async function write(
  lines: MergedLines,
  unions: readonly Union[],
  { target, tag, signal }: MergeOptions,
): Promise<number> {
  const names = unions.flatMap(({ results }) => results.map(({ dataType }) => dataType));
  const sink = await openSink(target, new Map(names.map((name) => [name, { name }])));
  try {
    for (const { ranges } of unions) {
      for await (const some of lines.of(ranges)) {
        signal.throwIfAborted();
        const out = tag ? { ...some, bytes: tagRecords(some.bytes, some.dataset) } : some;
        if (!sink.stream.write(out)) await once(sink.stream, "drain", { signal });
      }
    }
    sink.stream.end();
    await finished(sink.stream);
    await sink.commit();
    return sink.records();
  } catch (error) {
    await sink.discard();
    throw signal.aborted ? signal.reason : (sink.stream.errored ?? error);
  }
}
