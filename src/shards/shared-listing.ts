import { createHash } from "node:crypto";
import type { ChildPlan, JobPlan, Lineage, Parent, Start, StepsStart } from "../compile/plan.ts";
import type { Lines } from "../core/lines.ts";
import { type Value, valueText } from "../core/value.ts";
import { addColumns, type Columns, columnsAt, mapRecords } from "../extract/records.ts";
import { countLines } from "../pipeline/extract/hold.ts";
import type { LineRun } from "./manifest.ts";
import { unwritten } from "./part.ts";
import type { Share } from "./strides.ts";

/** What the children of one parent wrote, while a shard runs. */
export interface OwnParent {
  readonly key: string;
  readonly datasets: LineRun[];
}

/** The parents of one page of a listing, in the order of the output: those of the first child job, then of the second. */
export interface PageParents {
  /** Of all shards. */
  readonly all: string[];
  /** Of this shard. */
  readonly own: OwnParent[];
}

/**
 * A job whose pages every shard reads: each runs the children of those parents alone whose values, hashed, are its own.
 * `isOwner`: the shard writes the records of the listing itself.
 */
export class SharedListing {
  readonly plan: JobPlan;
  readonly isOwner: boolean;
  #page: PageParents = { all: [], own: [] };
  readonly #own = new WeakMap<Parent, OwnParent>();

  constructor(plan: JobPlan, share: Share, isOwner: boolean) {
    this.isOwner = isOwner;
    const children = plan.children.map((child, place) => this.#shared(child, place, share));
    this.plan = { ...plan, children, ...(isOwner ? {} : { map: leftOut }) };
  }

  /** Whose lines a run's page are; undefined for the listing itself. `parents`: the records above it, the nearest first. */
  parentOf(parents: readonly Parent[]): OwnParent | undefined {
    const top = parents.at(-1);
    return top && this.#own.get(top);
  }

  /** The parents of the page that has ended. */
  take(): PageParents {
    const page = this.#page;
    this.#page = { all: [], own: [] };
    return page;
  }

  #shared(child: ChildPlan, place: number, share: Share): ChildPlan {
    const see = (parent: Parent): boolean => {
      const hash = hashOf(parent);
      const key = `${place}:${hash}`;
      this.#page.all.push(key);
      if (shardOf(hash, share.count) !== share.index) return false;
      const own: OwnParent = { key, datasets: [] };
      this.#page.own.push(own);
      this.#own.set(parent, own);
      return true;
    };
    return { ...child, plan: { ...child.plan, runs: (lineage) => ownRuns(child.plan, lineage, see) } };
  }
}

/** The records of a listing that another shard writes: they go the same way, so that the same of them are dropped by their keys. */
function leftOut(lines: Buffer, columns: Columns): readonly Lines[] {
  const bytes = mapRecords(lines, (record, place) => addColumns(record, columnsAt(columns, place)));
  return [{ dataset: unwritten, bytes, records: countLines(bytes) }];
}

function* ownRuns(plan: JobPlan, lineage: Lineage, see: (parent: Parent) => boolean): Generator<Start | StepsStart> {
  const parent = lineage.parents.at(-1);
  if (parent !== undefined && see(parent)) yield* plan.runs(lineage);
}

/** 64 bits of the values that the jobs below want of a parent. */
function hashOf(parent: Parent): string {
  const values = [...parent].map(([name, value]): Value => [name, value]);
  return createHash("sha256").update(valueText(values)).digest("hex").slice(0, 16);
}

function shardOf(hash: string, count: number): number {
  return Number.parseInt(hash.slice(0, 12), 16) % count;
}
