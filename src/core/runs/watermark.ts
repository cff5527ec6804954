import { isObject, type Value } from "../values/value.ts";
import { partitionsOf } from "./partitions.ts";

/** Progress of an increment, as a state keeps it under the increment's key. Plain JSON, except for `partitions`. */
export type Watermark = {
  /** Place of the increment's value: a path in the records, or a source in the job's last response. */
  readonly path?: string;
  readonly response?: Value;
  readonly value?: Value;
  /**
   * Value at the beginning of the run; null if there was none. Present only in the progress of a run that moves the increment
   * window by window.
   */
  readonly began?: Value;
  /** Replaces `value` in a child job: the watermark for each parent, see `partitionsOf`. */
  readonly partitions?: Value;
};

/** Watermarks by the keys of their increments. A key is made of the dataset and, with iterations, the settings of the iteration. */
export type Watermarks = { readonly [key: string]: Watermark };

/** An increment that moves: its key, its progress and, for a child job, the text of the parent's context. */
export type Moved = readonly [key: string, watermark: Watermark, context?: string];

/** Returns whether a value from a state consists of watermarks by their keys. */
export function isWatermarks(value: Value | undefined): value is Watermarks {
  return isObject(value) && Object.values(value).every(isWatermark);
}

function isWatermark(one: Value): boolean {
  if (!isObject(one) || typeof (one.path ?? "") !== "string") return false;
  const { value, partitions } = one;
  if (partitions !== undefined) return partitionsOf({ partitions }) !== undefined;
  return value !== undefined && value !== null;
}

/**
 * Increments that have moved. The list grows only at its end. Moves at its beginning can be released when they have been handled.
 */
export interface MovedList {
  /** Number of all moves so far, including those that were released. */
  readonly length: number;
  /** Returns moves by their numbers. Released moves are no longer available. */
  slice(from: number, to?: number): readonly Moved[];
  /** Forgets the moves before a number. */
  release?(to: number): void;
}

export class Moves implements MovedList {
  #list: Moved[];
  #released = 0;

  constructor(moved: readonly Moved[]) {
    this.#list = [...moved];
  }

  get length(): number {
    return this.#released + this.#list.length;
  }

  push(...moved: readonly Moved[]): void {
    this.#list.push(...moved);
  }

  slice(from: number, to = this.length): readonly Moved[] {
    return this.#list.slice(from - this.#released, to - this.#released);
  }

  release(to: number): void {
    this.#list = this.#list.slice(to - this.#released);
    this.#released = to;
  }
}
