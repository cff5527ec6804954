import type { JobResult } from "../../core/runs/run.ts";
import {
  isLineGroup,
  isParentLine,
  isPiece,
  type LineGroup,
  type MovedParent,
  type ParentLine,
} from "../manifest/manifest.ts";
import { type Range, resultsOf, type UnitReader } from "../manifest/unit-reader.ts";
import type { SharedUnit } from "../plan/plan-document.ts";
import { placeOf, shardOf } from "../run/shared-listing.ts";
import { MergedIncrement } from "./merged-increment.ts";
import { addMoved, type EarlierResults, LineCount, mergedResults, type Union, worst } from "./merged-results.ts";

/**
 * Yields the records of the shard that writes the listing, each page followed by the lines that other shards wrote for its
 * parents.
 */
export async function* sharedUnion(
  unit: SharedUnit,
  parts: readonly UnitReader[],
  { dropped }: EarlierResults,
): AsyncGenerator<Range, Union> {
  const owner = parts.filter(({ shard }) => shard === unit.shard);
  const others = parts.filter(({ shard }) => shard !== unit.shard);
  const writtenParents = new Map(others.map((part) => [part.shard, new WrittenParents(part)]));
  const increment = new MergedIncrement(unit.increment);
  const movedParents: MovedParent[] = [];
  const lines = new LineCount();
  let differingParents = 0;
  const countLines = (range: Range): Range => {
    lines.add(range.lines);
    return range;
  };
  for (const part of owner) {
    for (let line = await part.take(); line !== undefined; line = await part.take()) {
      // Other shards have read the listing, too, but records that only they have seen are not written, and move no increment.
      if (isPiece(line)) {
        increment.add(line);
        addMoved(movedParents, line);
      }
      if (!isParentLine(line)) {
        for await (const range of part.ranges()) yield countLines(range);
        continue;
      }
      const otherParents = writtenParents.get(shardOf(line[0], parts.length));
      const found = otherParents === undefined ? rangesOf(line, part) : await otherParents.find(line);
      if (found === undefined) differingParents += 1;
      else for await (const range of found) yield countLines(range);
    }
  }
  let readPages = 0;
  for (const parents of writtenParents.values()) {
    for await (const found of parents.rest()) {
      differingParents += 1;
      for await (const range of found) yield countLines(range);
    }
    readPages += parents.pages;
    addMoved(movedParents, parents);
  }
  const results = mergedResults(await resultsOf([...owner, ...others]), {
    lines,
    dropped: dropped && ((dataset) => dropped.get(dataset) ?? 0),
    ownFields: ({ pages }, each) => ({ ...listingEnd(each, differingParents), pages: pages - readPages }),
  });
  return { results, warnings: [], writesAfterEnd: false, moved: increment.movedIncrement(results), movedParents };
}

/**
 * Returns fields for the result of the listing. `each`: the results of all shards, the one that writes the listing first. The
 * verdict is that of this shard, unless another one has a worse verdict or parents differ. The numbers of dropped records are also
 * those of this shard, since all shards have read and dropped the same records of the listing.
 */
function listingEnd(each: readonly JobResult[], differingParents: number): Partial<JobResult> {
  const worstEnd = worst(each);
  const [{ verdict, reason, expected, duplicates, filtered } = worstEnd as JobResult] = each;
  const end = worstEnd.verdict === verdict ? { verdict, reason } : worstEnd;
  const listing = { expected, duplicates, filtered, ...end };
  if (differingParents === 0) return listing;
  const doubt = `${differingParents} parent records were not the same for all shards`;
  const suspicion = `${end.reason}, but ${doubt}: the data changed while the shards ran; run them again`;
  return { ...listing, verdict: "suspect", reason: suspicion };
}

type Ranges = AsyncIterable<Range> | Iterable<Range>;

/**
 * The lines that a shard wrote for its parents, in the order in which it read the listing. If the shard that writes the listing
 * read it in another order, the lines of parents that are passed over are remembered.
 */
class WrittenParents {
  readonly #part: UnitReader;
  readonly #passed = new Map<string, Range[][]>();
  /** Number of the listing's pages so far. */
  pages = 0;
  /** Increments of child jobs that have moved for its parents. */
  readonly moved: MovedParent[] = [];

  constructor(part: UnitReader) {
    this.#part = part;
  }

  /** Takes the lines of a parent's next occurrence; undefined if it does not occur again. */
  async find([key]: ParentLine): Promise<Ranges | undefined> {
    const ranges = this.#passed.get(key);
    const passed = ranges?.shift();
    if (ranges?.length === 0) this.#passed.delete(key);
    if (passed !== undefined) return passed;
    for (let line = await this.#next(); line !== undefined; line = await this.#next()) {
      if (line[0] === key) return rangesOf(line, this.#part);
      const ranges: Range[] = [];
      for await (const range of rangesOf(line, this.#part)) ranges.push(range);
      const others = this.#passed.get(line[0]);
      if (others === undefined) this.#passed.set(line[0], [ranges]);
      else others.push(ranges);
    }
    return undefined;
  }

  /** Yields the lines that `find` has not returned. */
  async *rest(): AsyncGenerator<Ranges> {
    for (const all of this.#passed.values()) yield* all;
    for (let line = await this.#next(); line !== undefined; line = await this.#next()) {
      yield rangesOf(line, this.#part);
    }
  }

  async #next(): Promise<ParentLine | undefined> {
    for (let line = await this.#part.take(); line !== undefined; line = await this.#part.take()) {
      if (isParentLine(line)) return line;
      if (!isPiece(line)) continue;
      this.pages += 1;
      addMoved(this.moved, line);
    }
    return undefined;
  }
}

/** Yields the lines of a parent that was taken. */
async function* rangesOf([key]: ParentLine, part: UnitReader): AsyncGenerator<Range> {
  const next = await part.peek();
  const [dataset]: LineGroup = next !== undefined && isLineGroup(next) ? next : ["", 0, 0];
  yield* part.ranges({ group: placeOf(key), count: dataset });
}
