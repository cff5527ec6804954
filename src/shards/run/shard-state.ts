import { unlink } from "node:fs/promises";
import { messageOf, SpileError } from "../../core/errors.ts";
import { replaceFile } from "../../core/files/pending-file.ts";
import { readWhole } from "../../core/files/read-whole.ts";
import type { JobResult } from "../../core/runs/run.ts";
import { parseValue, type Value, valueText } from "../../core/values/value.ts";
import type { Standing } from "../../resume/progress.ts";
import type { ManifestLine, PieceLine } from "../manifest/manifest.ts";

/**
 * The progress of an attempt of a shard, from which a later attempt continues. Plain JSON. It refers to a part that no other attempt
 * writes, and to its number of valid bytes, so the state is valid no matter which attempt saved it.
 */
export interface ShardState {
  readonly version: 1;
  /** Digest of the plan. */
  readonly plan: string;
  readonly index: number;
  readonly attempt: string;
  /** Number of valid bytes of its part. */
  readonly bytes: number;
  /** Time of the paging's clock in milliseconds. The clock continues from it when the shard is resumed. */
  readonly clock: number;
  readonly standing: Standing;
  /** Results of the jobs that have ended. */
  readonly results: readonly JobResult[];
  /** Units of the shard in the iterations that it has begun, in order. */
  readonly units: readonly BegunUnit[];
}

/** A unit of a shard, in an iteration that the shard has begun. */
export interface BegunUnit {
  /** Number of the unit in the plan. */
  readonly unit: number;
  /** Number of results of its job and of the jobs below it. */
  readonly results: number;
  /** Empty if no page of the unit has ended. */
  readonly lines: readonly PieceLine[];
}

/** Yields the lines of a manifest about the units so far, without results. */
export function* linesBefore({ units }: ShardState): Generator<ManifestLine> {
  for (const { unit, lines } of units) {
    yield { unit };
    yield* lines;
  }
}

/** Reads a shard's state. Undefined if there is none for this plan. Rejects with SpileError `configuration` for an invalid one. */
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

/** Minimum time between two saves, in milliseconds. */
const minPause = 1000;
/** Maximum share of the time that saves may take. */
const maxShare = 0.05;

/** Keeps a shard's state in a file. */
export class ShardStateFile {
  readonly #path: string;
  readonly #sync: () => Promise<void>;
  #due = 0;
  #isWritten = false;
  #latest: (() => ShardState) | undefined;
  /** The latest save, which may still be running when the shard ends. */
  #last: Promise<void> = Promise.resolve();

  /** `sync` flushes the part to the disk, so that the state never counts bytes that are not there. */
  constructor(path: string, sync: () => Promise<void>) {
    this.#path = path;
    this.#sync = sync;
  }

  /** True if the file contains progress of this attempt. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** Saves a place from which the shard can be resumed, unless another one was saved just before. Rejects with SpileError `output`. */
  async reached(state: () => ShardState): Promise<void> {
    this.#latest = state;
    if (performance.now() >= this.#due) await this.keep();
  }

  /** Saves the last place from which the shard can be resumed. */
  keep(): Promise<void> {
    const save = this.#last.then(() => this.#save());
    this.#last = save.catch(() => undefined);
    return save;
  }

  async #save(): Promise<void> {
    const state = this.#latest?.();
    if (state === undefined) return;
    this.#latest = undefined;
    const startedAt = performance.now();
    // The state is serialised before the first wait, since its lists may grow.
    const text = `${valueText(state as unknown as Value)}\n`;
    await this.#sync();
    await replaceFile(this.#path, text);
    this.#isWritten = true;
    const now = performance.now();
    this.#due = now + Math.max(minPause, (now - startedAt) / maxShare);
  }

  /** Removes the file of a finished shard. Never rejects. */
  async remove(): Promise<void> {
    this.#latest = undefined;
    await this.#last;
    await unlink(this.#path).catch(() => undefined);
  }
}
