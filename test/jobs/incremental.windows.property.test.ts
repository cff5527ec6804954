import assert from "node:assert/strict";
import { test } from "node:test";
import { valueText } from "../../src/core/values/value.ts";
import { documentOf, readState } from "../../src/resume/state-file.ts";
import { json } from "../helpers/answers.ts";
import { type Received, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import type { Random } from "../helpers/random.ts";
import { runHere } from "../helpers/run.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { interruptibleRun } from "./interruptible-run.ts";

/*
 * Rows with a note below each, in windows that begin at the increment. They belong to one job, or to a child job for
 * each group. The API filters by the time at which a row was created, and the increment uses a time that may be later. Runs fail,
 * end suspect, are stopped or killed, are resumed or start over. Whatever happens, every row before a watermark was
 * delivered, and if nothing was stopped the watermark has passed all windows before the first one that failed.
 */

const step = 10;

interface Row {
  readonly id: number;
  readonly group: number;
  readonly created: number;
  readonly at: number;
}

class World {
  readonly rows: Row[] = [];
  readonly delivered = new Set<number>();
  readonly noted = new Set<number>();
  /** The present time in Unix seconds. */
  now = 1000;
  readonly #random: Random;
  readonly groups: readonly number[];

  constructor(random: Random, groups: readonly number[]) {
    this.#random = random;
    this.groups = groups;
  }

  change(): void {
    const random = this.#random;
    const before = this.now;
    this.now += random.between(0, 60);
    for (let count = random.between(0, 12); count > 0 && this.now > before; count -= 1) {
      const created = random.between(before, this.now - 1);
      const at = created + random.pick([0, 0, 3, 25]);
      this.rows.push({ id: this.rows.length, group: random.pick(this.groups), created, at });
    }
  }

  deliver(text: string): void {
    for (const line of text.split("\n").slice(0, -1)) {
      const { id, note } = JSON.parse(line) as { id?: number; note?: number };
      if (id !== undefined) this.delivered.add(id);
      if (note !== undefined) this.noted.add(note);
    }
  }

  /** Returns the rows of a group in a period. */
  between(group: number, from: number, to: number): readonly Row[] {
    return this.rows.filter((row) => row.group === group && row.created >= from && row.created < to);
  }

  /** Returns the watermark of a group after complete windows up to `to`. */
  markAfter(group: number, { from, to, before }: { from: number; to: number; before: number }): number {
    const greatest = Math.max(0, ...this.between(group, from, to).map(({ at }) => at));
    return Math.max(before, Math.min(greatest, to));
  }
}

type Marks = ReadonlyMap<number, number>;

/** Returns the watermarks of a state, including those in its log. */
async function marksOf(path: string): Promise<Marks> {
  const { incremental = {} } = (await readState(path)).document;
  const { rows = {} } = JSON.parse(valueText(incremental)) as {
    rows?: {
      value?: number;
      began?: number;
      partitions?: { context: { id: number }; value: number }[];
    };
  };
  assert.equal(rows.began, undefined, "the start of a run is no part of a watermark");
  if (rows.value !== undefined) return new Map([[0, rows.value]]);
  return new Map((rows.partitions ?? []).map(({ context, value }) => [context.id, value]));
}

function configurationOf(url: string, isChild: boolean): object {
  const job = {
    endpoint: isChild ? "groups/{id}/rows" : "groups/0/rows",
    dataType: "rows",
    dataField: "items",
    ...(isChild ? { placeholders: { id: "id" } } : {}),
    params: { from: { window: "from" }, to: { window: "to" } },
    windows: { from: { incremental: "from" }, step: `${step} seconds` },
    incremental: { path: "at", type: "number", initial: 1000 },
    children: [{ endpoint: "notes/{row}", dataType: "notes", placeholders: { row: "id" } }],
  };
  return {
    api: { baseUrl: url, pagination: { method: "offset", limit: 2 }, retryConfig: { maxRetries: 0 } },
    config: { jobs: isChild ? [{ endpoint: "groups", children: [job] }] : [job] },
  };
}

async function round(random: Random): Promise<void> {
  const isChild = random.oneIn(2);
  const world = new World(random, isChild ? [1, 2, 3] : [0]);
  await using folder = await temporaryFolder();
  await using aside = await temporaryFolder();
  const state = `${folder.path}/state.json`;
  let faults = 0;
  /** Starts of the windows with a fault in an answer, by group. */
  let bad: (readonly [group: number, from: number])[] = [];
  /** True if an answer has ended the whole run, even with `--keep-going`. */
  let isEnded = false;
  /** Number of requests until the run is stopped or killed. */
  let left = Number.POSITIVE_INFINITY;
  let interrupt = (): void => undefined;
  /** Beginning of the first window of each group. */
  let starts: Marks = new Map();
  const answer = ({ path, params }: Received): unknown => {
    const [, first, number, kind] = path.split("/");
    const offset = Number(params.get("offset"));
    if (first === "groups" && kind === undefined) return world.groups.slice(offset, offset + 2).map((id) => ({ id }));
    const row = first === "notes" ? world.rows[Number(number)] : undefined;
    // The second page of notes is only guessed, so a fault in it does not count.
    const isFault = faults > 0 && random.oneIn(faults) && (row === undefined || offset === 0);
    const group = row?.group ?? Number(number);
    const from = starts.get(group) ?? 1000;
    const start = row === undefined ? Number(params.get("from")) : row.created - ((row.created - from) % step);
    if (isFault) bad.push([group, start]);
    if (isFault && random.oneIn(2)) {
      const status = random.pick([403, 503]);
      isEnded ||= status === 503;
      return json({}, { status });
    }
    if (row !== undefined) return isFault ? { data: [{ note: row.id }], total: 9 } : [{ note: row.id }];
    const found = world.between(group, start, Number(params.get("to")));
    return { items: found.slice(offset, offset + 2), ...(isFault ? { total: 999 } : {}) };
  };
  await using api = await startApi((request) => {
    left -= 1;
    if (left === 0) interrupt();
    return answer(request);
  });
  const configuration = configurationOf(api.url, isChild);
  const isFile = random.oneIn(4);
  const file = isFile ? `${folder.path}/out` : undefined;
  let resume = false;
  let expected = "";
  for (let run = 0; run < 9; run += 1) {
    const isLast = run === 8;
    if (!resume) {
      world.change();
      starts = await marksOf(state);
      await aside.write("state.json", valueText(documentOf(await readState(state))));
      [faults, left] = [0, Number.POSITIVE_INFINITY];
      const options = { state: `${aside.path}/state.json`, now: () => world.now * 1000 };
      if (isFile) expected = (await runHere(configuration, options)).output;
    }
    bad = [];
    isEnded = false;
    faults = !isLast && random.oneIn(2) ? 15 : 0;
    left = !isLast && random.oneIn(3) ? random.between(1, 40) : Number.POSITIVE_INFINITY;
    const before = await marksOf(state);
    const running = interruptibleRun(state, { file, isKill: random.oneIn(2) });
    interrupt = running.interrupt;
    const keepGoing = random.oneIn(3);
    const { result } = await runHere(configuration, {
      ...running.options,
      resume,
      keepGoing,
      concurrency: random.pick([1, 3, 5]),
      now: () => world.now * 1000,
    });
    const isDone = result.exitCode === 0;
    const output = await running.delivered(isDone);
    if (isFile && isDone)
      assert.equal(output, expected, `run ${run}: the file is that of a run that was never interrupted`);
    world.deliver(output);
    assert.ok(!isLast || isDone, `the last run: ${result.failure?.message}`);
    const marks = await marksOf(state);
    for (const group of world.groups) {
      const mark = marks.get(group) ?? 0;
      const name = `run ${run}: group ${group}`;
      for (const { id, created } of world.between(group, 0, mark)) {
        assert.ok(
          world.delivered.has(id) && world.noted.has(id),
          `${name} is at ${mark}, and ${id} of ${created} is missing`,
        );
      }
      const there = before.get(group) ?? 0;
      assert.ok(mark >= there, `${name} moves back from ${there} to ${mark}`);
      if (isFile && !isDone) assert.equal(mark, there, `${name} moves before the file appears`);
      // If a resumed run requests a group again, the group begins at its watermark, which the interrupted run may have
      // moved.
      const isWhole =
        (!resume || !isChild) &&
        isDone &&
        bad.length === 0 &&
        left > 0 &&
        result.jobs.every(({ verdict }) => verdict === "complete");
      const from = starts.get(group) ?? 1000;
      if (isWhole) {
        assert.equal(mark, world.markAfter(group, { from, to: world.now, before: there }), `${name} in the end`);
      } else if (!resume && !isFile && left > 0 && (!isChild || isDone || keepGoing)) {
        const failed = bad.filter(([one]) => one === group).map(([, start]) => start);
        const to = Math.min(world.now, ...failed);
        const passed = world.markAfter(group, { from, to, before: there });
        if (!isChild || !isEnded) assert.equal(mark, passed, `${name}: windows up to ${to} are complete`);
      }
    }
    resume = !isDone && (random.oneIn(2) || (isFile && random.oneIn(2)));
  }
}

test("after any sequence of runs, every row before a watermark was delivered, and the watermark is as far as the complete windows allow", async () => {
  await forSeeds(6, round);
});
