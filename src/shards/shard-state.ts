import { readFile, unlink } from "node:fs/promises";
import { messageOf, SpileError } from "../core/errors.ts";
import { replaceFile } from "../core/pending-file.ts";
import type { JobResult } from "../core/run.ts";
import { parseValue, type Value, valueText } from "../core/value.ts";
import type { Standing } from "../resume/progress.ts";
import type { ManifestLine, PieceLine } from "./manifest.ts";

/**
 * How far an attempt of a shard has come: what a later one needs to go on. Plain JSON. It names a file that only its own
 * attempt writes, and tells every byte of it that counts: whichever attempt wrote it last, it can be gone on from.
 */
export interface ShardState {
  readonly version: 1;
  /** Digest of the plan. */
  readonly plan: string;
  readonly index: number;
  readonly attempt: string;
  /** Bytes of its part that count. */
  readonly bytes: number;
  /** The paging's clock in milliseconds: it stands still until the shard is taken up. */
  readonly clock: number;
  readonly standing: Standing;
  /** Of the jobs that have ended. */
  readonly results: readonly JobResult[];
  /** Those begun, in order; the last one's results are still to come. */
  readonly units: readonly BegunUnit[];
}

/** A unit that a shard has begun. */
export interface BegunUnit {
  /** Its number in the plan. */
  readonly unit: number;
  /** How many results its job has. */
  readonly results: number;
  readonly lines: readonly PieceLine[];
}

/** What a manifest would tell of the units so far. */
export function* linesBefore({ units }: ShardState): Generator<ManifestLine> {
  for (const { unit, lines } of units) {
    yield { unit };
    yield* lines;
  }
}

/** Reads a shard's state; undefined where there is none of this plan. Rejects with SpileError `configuration` for what is none. */
export async function readShardState(path: string, plan: string, index: number): Promise<ShardState | undefined> {
  let state: ShardState;
  try {
    state = parseValue(await readFile(path, "utf8")) as unknown as ShardState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SpileError("configuration", `cannot read the shard's state ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (state?.version !== 1 || !Array.isArray(state.units)) {
    throw new SpileError("configuration", `${path} is no state of a shard; remove it, or name another file`);
  }
  if (state.plan !== plan) return undefined;
  if (state.index === index) return state;
  throw new SpileError("configuration", `${path} is the state of shard ${state.index}: each shard needs its own`);
}

/** At least a second between two saves, which take at most this share of the time. */
const pause = 1000;
const share = 0.05;

/** Keeps a shard's state in a file. */
export class ShardStateFile {
  readonly #path: string;
  readonly #sync: () => Promise<void>;
  #due = 0;
  #isWritten = false;
  #latest: (() => ShardState) | undefined;
  /** A place may be at work still when the shard is ended. */
  #last: Promise<void> = Promise.resolve();

  /** `sync` brings the part on the disk, so that the state is never ahead of it. */
  constructor(path: string, sync: () => Promise<void>) {
    this.#path = path;
    this.#sync = sync;
  }

  /** Does the file hold progress of this attempt? */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  /** A place from which the shard could be taken up. Rejects with SpileError `output`. */
  async reached(state: () => ShardState): Promise<void> {
    this.#latest = state;
    if (performance.now() >= this.#due) await this.keep();
  }

  /** Brings the last such place on the disk. */
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
    // Before the first wait: its lists may grow.
    const text = `${valueText(state as unknown as Value)}\n`;
    await this.#sync();
    await replaceFile(this.#path, text);
    this.#isWritten = true;
    const now = performance.now();
    this.#due = now + Math.max(pause, (now - begun) / share);
  }

  /** The shard is done. Never rejects. */
  async remove(): Promise<void> {
    this.#latest = undefined;
    await this.#last;
    await unlink(this.#path).catch(() => undefined);
  }
}
