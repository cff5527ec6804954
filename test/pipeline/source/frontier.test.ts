import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobPlan } from "../../../src/compile/plan.ts";
import type { Advance, Position, Scroll } from "../../../src/pagination/scroll.ts";
import { fixedInFlight } from "../../../src/pipeline/in-flight.ts";
import type { JobRun, Slot } from "../../../src/pipeline/job-run.ts";
import { Frontier, type Upcoming } from "../../../src/pipeline/source/frontier.ts";
import type { Random } from "../../helpers/random.ts";
import { forSeeds } from "../../helpers/seeds.ts";

/** A job of a random tree: its pages and, for each page, the runs of child jobs that its records cause. */
interface Tree {
  readonly name: string;
  readonly pages: readonly (readonly Tree[])[];
  /** True if its paging allows guesses. */
  readonly guesses: boolean;
}

function randomTree(random: Random, depth: number, name: string): Tree {
  const pages = Array.from({ length: random.between(1, 5) }, (_, page) =>
    depth === 0 || random.oneIn(2)
      ? []
      : Array.from({ length: random.below(4) }, (_, child) =>
          randomTree(random, depth - 1, `${name}.${page}.${child}`),
        ),
  );
  return { name, pages, guesses: !random.oneIn(3) };
}

/** Yields the expected order: depth first, the lines of a page, then its children, then the next page. */
function* inOrder(tree: Tree): Generator<string> {
  for (const [page, children] of tree.pages.entries()) {
    yield `${tree.name}#${page}`;
    for (const child of children) yield* inOrder(child);
  }
}

const step = (next: Position | undefined): Advance => ({ next, verdict: undefined, repeated: false, warnings: [] });

function runOf(tree: Tree): JobRun & { tree: Tree } {
  const scroll: Partial<Scroll> = {
    ahead: (position) => (tree.guesses ? Number(position) + 1 : undefined),
    same: (a, b) => a === b,
  };
  const children = tree.pages.some((page) => page.length > 0) ? [{}] : [];
  const plan = { scroll, children } as unknown as JobPlan;
  return {
    plan,
    parents: [],
    index: 0,
    start: {} as JobRun["start"],
    pages: [],
    knownPosition: 0,
    settled: 0,
    partitions: [],
    tree,
  };
}

function upcomingOf(trees: readonly Tree[]): Upcoming {
  return { plan: {} as JobPlan, runs: trees.map(runOf).values() };
}

test("each page comes once and in depth-first order, however many are in flight", async () => {
  await forSeeds(1000, (random, seed) => {
    const tree = randomTree(random, random.below(4), "t");
    const concurrency = random.between(1, 6);
    let size = concurrency;
    const changing = { allows: (count: number) => count < size, guesses: () => random.oneIn(2) };
    const frontier = new Frontier(random.oneIn(2) ? fixedInFlight(concurrency) : changing);
    frontier.push(upcomingOf([tree]));
    const open = new Set<Slot>();
    const settled: string[] = [];
    let asked = 0;
    while (!frontier.idle) {
      const mostToTake = random.between(1, concurrency);
      for (let taken = 0; taken < mostToTake; taken += 1) {
        const slot = frontier.take();
        if (slot === undefined) break;
        open.add(slot);
        asked += 1;
      }
      for (const slot of open) if (slot.abort.aborted) open.delete(slot);
      assert.ok(open.size <= concurrency, `seed ${seed}: ${open.size} in flight of ${concurrency}`);
      const { head } = frontier;
      assert.ok(head !== undefined, `seed ${seed}: the page that all wait for was not requested`);
      size = random.between(1, concurrency);
      assert.ok(open.delete(head), `seed ${seed}: the head was taken`);
      const { tree: job } = head.run as JobRun & { tree: Tree };
      const page = Number(head.position);
      settled.push(`${job.name}#${page}`);
      assert.equal(head.number, page + 1, `seed ${seed}: number of ${job.name}`);
      const children = [upcomingOf(job.pages[page] ?? [])];
      frontier.settle(head, step(page + 1 < job.pages.length ? page + 1 : undefined), children);
    }
    assert.deepEqual(settled, [...inOrder(tree)], `seed ${seed}`);
    for (const slot of open) assert.ok(slot.abort.aborted, `seed ${seed}: a page was left open`);
    if (concurrency === 1)
      assert.equal(asked, settled.length, `seed ${seed}: with one in flight no request is unnecessary`);
  });
});

test("a wrong guess is aborted, and the right position is requested", () => {
  const frontier = new Frontier(fixedInFlight(3));
  frontier.push(upcomingOf([{ name: "t", pages: [[], [], []], guesses: true }]));
  const slots = [frontier.take(), frontier.take(), frontier.take()] as Slot[];
  assert.deepEqual(
    slots.map((slot) => slot.position),
    [0, 1, 2],
  );
  assert.equal(frontier.take(), undefined);
  frontier.settle(slots[0] as Slot, step(7), []);
  assert.deepEqual(
    slots.map((slot) => slot.abort.aborted),
    [false, true, true],
  );
  const again = [frontier.take(), frontier.take()] as Slot[];
  assert.deepEqual(
    again.map((slot) => [slot.position, slot.number]),
    [
      [7, 2],
      [8, 3],
    ],
  );
});

test("a run with children does not guess, and requests its children in parallel", () => {
  const leaf = (name: string): Tree => ({ name, pages: [[]], guesses: true });
  const frontier = new Frontier(fixedInFlight(4));
  frontier.push(upcomingOf([{ name: "t", pages: [[leaf("a"), leaf("b"), leaf("c")], []], guesses: true }]));
  const first = frontier.take() as Slot;
  assert.equal(frontier.take(), undefined);
  frontier.settle(first, step(1), [upcomingOf([leaf("a"), leaf("b"), leaf("c")])]);
  const names = [0, 1, 2, 3].map(() => {
    const slot = frontier.take() as Slot;
    return `${(slot.run as JobRun & { tree: Tree }).tree.name}#${slot.position}`;
  });
  assert.deepEqual(names, ["a#0", "b#0", "c#0", "t#1"]);
});
