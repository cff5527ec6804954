import { unlink } from "node:fs/promises";
import { messageOf, SpileError } from "../../core/errors.ts";
import { replaceFile } from "../../core/files/pending-file.ts";
import { readWhole } from "../../core/files/read-whole.ts";
import type { JobResult } from "../../core/runs/run.ts";
import { parseValue, type Value, valueText } from "../../core/values/value.ts";
import type { Standing } from "../../resume/progress.ts";
import type { ManifestLine, PieceLine } from "../manifest/manifest.ts";

/**
 * The progress of an attempt of a shard, from which a later one continues. Plain JSON. It names a file that only its own attempt
 * writes, and counts that file's valid bytes, so it is valid whichever attempt wrote it last.
 */
export interface ShardState {
  readonly version: 1;
  /** Digest of the plan. */
  readonly plan: string;
  readonly index: number;
  readonly attempt: string;
  /** Number of valid bytes of its part. */
  readonly bytes: number;
  /** The paging's clock in milliseconds. It stands still until the shard is resumed. */
  readonly clock: number;
  readonly standing: Standing;
  /** Results of the jobs that have ended. */
  readonly results: readonly JobResult[];
  /** Units that were begun, in order; the last one's results are still to come. */
  readonly units: readonly BegunUnit[];
}

/** A unit that a shard has begun. */
export interface BegunUnit {
  /** Its number in the plan. */
  readonly unit: number;
  /** Number of its job's results. */
  readonly results: number;
  readonly lines: readonly PieceLine[];
}

/** Yields the lines that a manifest would hold of the units so far. */
export function* linesBefore({ units }: ShardState): Generator<ManifestLine> {
  for (const { unit, lines } of units) {
    yield { unit };
    yield* lines;
  }
}

/** Reads a shard's state. Undefined: there is none of this plan. Rejects with SpileError `configuration` for an invalid one. */
export async function readShardState(
  path: string,
  { plan, index, signal }: { readonly plan: string; readonly index: number; readonly signal?: AbortSignal },
): Promise<ShardState | undefined> {
  let state: ShardState;
  try {
    state = parseValue((await readWhole(path, signal)).toString()) as unknown as ShardState;
  } catch (error) {
    if (error === signal?.reason) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SpileError("configuration", `cannot read the shard's state ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (state?.version !== 1 || !Array.isArray(state.units)) {
    throw new SpileError("configuration", `${path} is not a state of a shard; remove it, or name another file`);
  }
  if (state.plan !== plan) return undefined;
  if (state.index === index) return state;
  throw new SpileError("configuration", `${path} is the state of shard ${state.index}: each shard needs its own`);
}

/** Least time between two saves in ms. Saves take at most the given share of the time. */
const pause = 1000;
const share = 0.05;

/** Keeps a shard's state in a file. */
export class ShardStateFile {
  readonly #path: string;
  readonly #sync: () => Promise<void>;
  #due = 0;
  #isWritten = false;
  #latest: (() => ShardState) | undefined;
  /** A save may still be running when the shard ends. */
  #last: Promise<void> = Promise.resolve();

  /** `sync` brings the part to the disk, so that the state is never ahead of it. */
  constructor(path: string, sync: () => Promise<void>) {
    this.#path = path;
    this.#sync = sync;
  }

  /** Whether the file holds progress of this attempt. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** Saves a place from which the shard can be resumed, unless one was just saved. Rejects with SpileError `output`. */
  async reached(state: () => ShardState): Promise<void> {
    this.#latest = state;
    if (performance.now() >= this.#due) await this.keep();
  }

  /** Brings the last such place to the disk. */
  keep(): Promise<void> {
    const saved = this.#last.then(() => this.#save());
    this.#last = saved.catch(() => undefined);
    return saved;
  }

  async #save(): Promise<void> {
    const state = this.#latest?.();
    if (state === undefined) return;
    this.#latest = undefined;
    const begun = performance.now();
    // Serialised before the first wait: its lists may grow.
    const text = `${valueText(state as unknown as Value)}\n`;
    await this.#sync();
    await replaceFile(this.#path, text);
    this.#isWritten = true;
    const now = performance.now();
    this.#due = now + Math.max(pause, (now - begun) / share);
  }

  /** Removes the file of a finished shard. Never rejects. */
  async remove(): Promise<void> {
    this.#latest = undefined;
    await this.#last;
    await unlink(this.#path).catch(() => undefined);
  }
}
