import { finished } from "node:stream/promises";
import { exitCodes } from "../core/errors.ts";
import type { Lines } from "../core/runs/lines.ts";
import { type JobResult, type RunResult, separatesDatasets, type Target } from "../core/runs/run.ts";
import { tagRecords } from "../extract/records.ts";
import { openSink } from "../output/open-sink.ts";
import type { Sink } from "../output/sink.ts";
import { usesSuspectFiles } from "../output/suspect-files.ts";
import type { ManifestHead, MovedParent } from "./manifest/manifest.ts";
import { OpenFiles } from "./manifest/open-files.ts";
import { type Range, readUnits } from "./manifest/unit-reader.ts";
import { verifiedParts } from "./manifest/verify-parts.ts";
import type { MovedIncrement } from "./merge/merged-increment.ts";
import { MergedLines } from "./merge/merged-lines.ts";
import type { Dropped, Union } from "./merge/merged-results.ts";
import { unionOf } from "./merge/union.ts";
import type { ReadPlan } from "./plan/plan-document.ts";

export interface MergeOptions {
  /** Target of the lines. A stream must not use a buffer after its callback. */
  readonly target: Target;
  readonly tag: boolean;
  /** True if a suspect result is an error. */
  readonly strict: boolean;
  readonly signal: AbortSignal;
  /** Called with the number of bytes of every block that is read from a part. */
  readonly received?: ((bytes: number) => void) | undefined;
  /** Called with the warnings that a single run would have given. */
  warn(message: string, job: string): void;
}

/** The result of a merge. */
export interface Merged {
  readonly jobs: readonly JobResult[];
  readonly records: number;
  readonly exitCode: number;
  /** Heads of the manifests, by index. */
  readonly heads: readonly ManifestHead[];
  /** New values of the increments of complete jobs. */
  readonly moved: readonly MovedIncrement[];
  /** Increments of child jobs that have moved for a parent. */
  readonly movedParents: readonly MovedParent[];
  /** Paths of the files that hold the lines of a suspect result; undefined if there are none. */
  readonly suspectFiles: RunResult["suspectFiles"];
}

/**
 * Verifies that all parts of a plan are there and whole, and writes their records in the order of a single run. Rejects with
 * SpileError `temporary` for missing shards, `data` for parts that do not fit together; then nothing is written. Each step reads
 * the manifests again, so that they need not be kept in memory.
 */
export async function mergeParts(read: ReadPlan, folder: string, options: MergeOptions): Promise<Merged> {
  const heads = await verifiedParts(read, folder, options.signal);
  const files = new OpenFiles();
  try {
    const merge = new Merge(read, { folder, files, heads }, options);
    await merge.judge();
    // Verdicts depend on the numbers of duplicates, which only sifting shows. Sifting needs the result of `judge`.
    if (read.plan.unique !== undefined) {
      await merge.sift();
      await merge.judge();
    }
    merge.warn();
    const { jobs } = merge;
    const isApart = usesSuspectFiles(jobs, options);
    const { records, suspectFiles } = await merge.write(isApart);
    const isSuspect = options.strict && jobs.some(({ verdict }) => verdict === "suspect");
    const exitCode = isSuspect ? exitCodes.suspect : exitCodes.success;
    return {
      jobs,
      records,
      heads,
      moved: isApart ? [] : merge.moved,
      movedParents: isApart ? [] : merge.movedParents,
      exitCode,
      suspectFiles: isApart ? suspectFiles : undefined,
    };
  } finally {
    await files.close();
  }
}

interface Parts {
  readonly folder: string;
  readonly files: OpenFiles;
  readonly heads: readonly ManifestHead[];
}

class Merge {
  readonly #read: ReadPlan;
  readonly #parts: Parts;
  readonly #options: MergeOptions;
  readonly #lines: MergedLines;
  /** The judged unions, one for each unit. */
  #unions: readonly Union[] = [];
  #dropped: readonly Dropped[] = [];

  constructor(read: ReadPlan, parts: Parts, options: MergeOptions) {
    this.#read = read;
    this.#parts = parts;
    this.#options = options;
    const { target, tag, received } = options;
    this.#lines = new MergedLines({
      ...parts,
      plan: read.plan,
      received,
      separatesDatasets: tag || separatesDatasets(target),
    });
  }

  get jobs(): readonly JobResult[] {
    return this.#unions.flatMap(({ results }) => results);
  }

  get movedParents(): readonly MovedParent[] {
    return this.#unions.flatMap(({ movedParents }) => movedParents);
  }

  get moved(): readonly MovedIncrement[] {
    return this.#unions.flatMap(({ moved }) => moved ?? []);
  }

  async judge(): Promise<void> {
    this.#unions = await this.#each(async (ranges) => {
      for (;;) {
        const { done, value } = await ranges.next();
        this.#options.signal.throwIfAborted();
        if (done) return value;
      }
    });
  }

  async sift(): Promise<void> {
    this.#dropped = await this.#each(async (ranges) => {
      const dropped = new Map<string, number>();
      const count = ({ sifting }: Range, records: number): void => {
        if (sifting !== undefined && records > 0)
          dropped.set(sifting.count, (dropped.get(sifting.count) ?? 0) + records);
      };
      for await (const _ of this.#lines.of(ranges, count)) this.#options.signal.throwIfAborted();
      return dropped;
    });
  }

  warn(): void {
    for (const [number, { warnings }] of this.#unions.entries()) {
      const { name = "" } = this.#read.plan.units[number] ?? {};
      for (const warning of warnings) this.#options.warn(warning, name);
    }
  }

  /** Writes the lines of all units. Returns their number, and the paths of the files that hold the lines of a suspect result. */
  async write(isSuspect: boolean): Promise<{ readonly records: number; readonly suspectFiles: readonly string[] }> {
    const { target, tag, signal } = this.#options;
    const names = this.jobs.map(({ dataType }) => dataType);
    const sink = await openSink(target, new Map(names.map((name) => [name, { name }])));
    // A failed write is reported to its caller. The event that follows would end the process before the summary is written.
    sink.stream.on("error", () => undefined);
    try {
      await this.#each(async (ranges) => {
        for await (const some of this.#lines.of(ranges)) {
          signal.throwIfAborted();
          // The sink of a folder keeps its input for a while, so it gets a copy.
          const bytes = tag
            ? tagRecords(some.bytes, some.dataset)
            : target.kind === "folder"
              ? Buffer.from(some.bytes)
              : some.bytes;
          await writeLines(sink, { ...some, bytes }, signal);
        }
      });
      sink.stream.end();
      await finished(sink.stream);
      const suspectFiles = await sink.commit({ isSuspect });
      return { records: sink.records(), suspectFiles };
    } catch (error) {
      await sink.discard();
      throw signal.aborted ? signal.reason : (sink.stream.errored ?? error);
    }
  }

  /** Reads all units once. Returns the results of `act`, one for each unit. */
  async #each<T>(act: (ranges: AsyncGenerator<Range, Union>) => Promise<T>): Promise<T[]> {
    const all: T[] = [];
    for await (const parts of readUnits(this.#read.plan, this.#parts.heads, this.#parts)) {
      const sharedWork = { union: this.#unions[all.length], dropped: this.#dropped[all.length] };
      all.push(await act(unionOf(parts, sharedWork)));
    }
    return all;
  }
}

/** Resolves when the bytes of lines can be reused. */
function writeLines({ stream }: Sink, lines: Lines, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (error?: Error | null): void => {
      signal.removeEventListener("abort", stop);
      stream.off("error", end);
      if (error == null) resolve();
      else reject(error);
    };
    const stop = (): void => end(signal.reason);
    signal.addEventListener("abort", stop);
    stream.once("error", end);
    stream.write(lines, end);
  });
}
