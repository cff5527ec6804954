import { createHash } from "node:crypto";
import type { ChildPlan, JobPlan, Lineage, Parent, Start, StepsStart } from "../../compile/plan.ts";
import type { Lines } from "../../core/runs/lines.ts";
import { type Value, valueText } from "../../core/values/value.ts";
import { addColumns, type Columns, columnsAt, mapRecords } from "../../extract/records.ts";
import { countLines } from "../../pipeline/extract/hold.ts";
import type { LineGroup, PieceLine } from "../manifest/manifest.ts";
import { unwritten } from "./part.ts";
import type { Share } from "./strides.ts";

/** A parent on the current page of the listing. */
interface ListedParent {
  readonly key: string;
  /** Lines of its children; empty for a parent of another shard. */
  readonly datasets: LineGroup[];
}

/**
 * A job whose pages every shard reads. A hash of each parent decides which shard runs the parent's children. `isOwner`: the shard
 * writes the records of the listing, too.
 */
export class SharedListing {
  readonly plan: JobPlan;
  readonly isOwner: boolean;
  /** Parents of the current page, in the order of the output: those of the first child job, then those of the second, and so on. */
  #page: ListedParent[] = [];
  readonly #ownParents = new WeakMap<Parent, ListedParent>();

  constructor(plan: JobPlan, share: Share, isOwner: boolean) {
    this.isOwner = isOwner;
    const children = plan.children.map((child, place) => this.#shared(child, place, share));
    const isLeftOut = !isOwner && plan.datasets.length > 0;
    this.plan = { ...plan, children, ...(isLeftOut ? { map: toUnwritten } : {}) };
  }

  /**
   * Returns the list to which a page of a child's run adds its lines. Undefined for pages of the listing itself. `parents`: the
   * records above the run, the nearest first.
   */
  linesOf(parents: readonly Parent[]): LineGroup[] | undefined {
    const top = parents.at(-1);
    return top && this.#ownParents.get(top)?.datasets;
  }

  /** Ends the page. Returns a function to be called when the children's runs have ended: it returns the parents with their lines. */
  take(): () => readonly PieceLine[] {
    const page = this.#page;
    this.#page = [];
    return () => page.flatMap(({ key, datasets }): PieceLine[] => [[key], ...datasets]);
  }

  #shared(child: ChildPlan, place: number, share: Share): ChildPlan {
    const addParent = (parent: Parent): boolean => {
      const listedParent: ListedParent = { key: `${place}:${hashOf(parent)}`, datasets: [] };
      const isOwn = shardOf(listedParent.key, share.count) === share.index;
      if (isOwn || this.isOwner) this.#page.push(listedParent);
      if (isOwn) this.#ownParents.set(parent, listedParent);
      return isOwn;
    };
    return { ...child, plan: { ...child.plan, runs: (lineage) => ownRuns(child.plan, lineage, addParent) } };
  }
}

/**
 * Moves records of the listing to a dataset that is not written, because another shard writes them. They pass through the same
 * stages as written ones, so that `--unique` drops the same records in each shard.
 */
function toUnwritten(lines: Buffer, columns: Columns): readonly Lines[] {
  const bytes = mapRecords(lines, (record, place) => addColumns(record, columnsAt(columns, place)));
  return [{ dataset: unwritten, bytes, records: countLines(bytes) }];
}

function* ownRuns(
  plan: JobPlan,
  lineage: Lineage,
  addParent: (parent: Parent) => boolean,
): Generator<Start | StepsStart> {
  const parent = lineage.parents.at(-1);
  if (parent !== undefined && addParent(parent)) yield* plan.runs(lineage);
}

/** Returns a hash (64 bits, in hexadecimal) of the values that the child jobs need from a parent. */
function hashOf(parent: Parent): string {
  const values = [...parent].map(([name, value]): Value => [name, value]);
  return createHash("sha256").update(valueText(values)).digest("hex").slice(0, 16);
}

/** Returns the shard that runs the children of a parent. */
export function shardOf(key: string, count: number): number {
  return Number.parseInt(hashIn(key).slice(0, 12), 16) % count;
}

/** Returns the number of the child job among its siblings, as a text. */
export function placeOf(key: string): string {
  return key.slice(0, key.indexOf(":"));
}

function hashIn(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}
