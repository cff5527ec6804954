import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { contextText } from "../../src/core/runs/partitions.ts";
import type { ValueObject } from "../../src/core/values/value.ts";
import { json } from "../helpers/answers.ts";
import { type Received, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import type { Random } from "../helpers/random.ts";
import { runHere } from "../helpers/run.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { interruptibleRun } from "./interruptible-run.ts";

/*
 * Groups with items and events, which have an increment for each group, and notes below the items. Before each run that starts
 * over, rows are added and changed, and groups come and go. Runs fail, are stopped or killed, are resumed or start over. Whatever
 * happens, no watermark is ahead of the delivered rows, and in the end the last version of every row has been delivered.
 */

interface Row {
  readonly id: string;
  readonly group: number;
  version: number;
  at: number;
}

const kinds = ["items", "events"] as const;
type Kind = (typeof kinds)[number];

/** The API's rows, and those that were delivered. */
class World {
  readonly rows: Record<Kind, Row[]> = { items: [], events: [] };
  readonly delivered = new Set<string>();
  groups: number[] = [];
  readonly #random: Random;
  #clock = 1000;

  constructor(random: Random) {
    this.#random = random;
  }

  change(): void {
    const random = this.#random;
    this.groups = Array.from({ length: random.between(1, 7) }, () => random.between(1, 6));
    // Two of three lists have no parent twice, as is usual.
    if (!random.oneIn(3)) this.groups = [...new Set(this.groups)];
    for (let count = random.between(0, 25); count > 0; count -= 1) {
      this.#clock += random.between(0, 2);
      const kind = random.pick(kinds);
      const rows = this.rows[kind];
      const old = random.oneIn(3) ? rows[random.below(rows.length + 1)] : undefined;
      if (old !== undefined) Object.assign(old, { version: old.version + 1, at: this.#clock });
      else rows.push({ id: `${kind[0]}${rows.length}`, group: random.between(1, 6), version: 1, at: this.#clock });
    }
  }

  answer({ path, params }: Received): readonly object[] {
    const offset = Number(params.get("offset"));
    const [, first, group, kind] = path.split("/");
    if (first === "groups" && group === undefined) {
      return this.groups.slice(offset, offset + 2).map((id) => ({ id, of: "group" }));
    }
    if (first === "notes") return offset === 0 ? [{ note: group }] : [];
    const rows = this.rows[kind as Kind].filter((row) => row.group === Number(group));
    // The API filters items and returns them in ascending order. It does not filter events, and returns the newest first.
    const found =
      kind === "items"
        ? rows.filter(({ at }) => at >= Number(params.get("since"))).sort((a, b) => a.at - b.at)
        : rows.sort((a, b) => b.at - a.at);
    return found.slice(offset, offset + 2).map((row) => ({ ...row, key: `${row.id}.${row.version}` }));
  }

  deliver(text: string): void {
    for (const line of text.split("\n").slice(0, -1)) {
      const { key, note } = JSON.parse(line) as { key?: string; note?: string };
      if (key !== undefined) this.delivered.add(key);
      if (note !== undefined) this.delivered.add(`note ${note}`);
    }
  }

  has({ id, version }: Row, kind: Kind): boolean {
    const key = `${id}.${version}`;
    return this.delivered.has(key) && (kind === "events" || this.delivered.has(`note ${key}`));
  }
}

type Marks = Record<Kind, ReadonlyMap<number, number>>;

/** Returns the watermark of each group in the state, without those that move only when the files of a run appear. */
function marksOf(path: string): Marks {
  const { incremental = {} } = JSON.parse(existsSync(path) ? readFileSync(path, "utf8") : "{}") as {
    incremental?: Partial<Record<Kind, { partitions: readonly { context: ValueObject; value: number }[] }>>;
  };
  const of = (kind: Kind): ReadonlyMap<number, number> => {
    const partitions = incremental[kind]?.partitions ?? [];
    const contexts = partitions.map(({ context }) => contextText(context));
    assert.equal(new Set(contexts).size, contexts.length, "the state has a parent twice");
    return new Map(partitions.map(({ context, value }) => [Number(context.id), value]));
  };
  return { items: of("items"), events: of("events") };
}

function configurationOf(url: string, random: Random): object {
  const increment = { path: "at", type: "number", initial: 0 };
  const items = {
    endpoint: "groups/{id}/items",
    dataType: "items",
    placeholders: { id: "id" },
    params: { since: { incremental: "from" } },
    incremental: { ...increment, lookback: random.pick([0, 0, 1]) },
    children: [{ endpoint: "notes/{key}", dataType: "notes", placeholders: { key: "key" } }],
  };
  const events = {
    endpoint: "groups/{id}/events",
    dataType: "events",
    placeholders: { id: "id" },
    incremental: { ...increment, ...random.pick([{ filter: true }, { order: "descending" }]) },
  };
  return {
    api: { baseUrl: url, pagination: { method: "offset", limit: 2 }, retryConfig: { maxRetries: 0 } },
    config: { jobs: [{ endpoint: "groups", children: random.oneIn(3) ? [items] : [items, events] }] },
  };
}

async function round(random: Random): Promise<void> {
  const world = new World(random);
  await using folder = await temporaryFolder();
  await using aside = await temporaryFolder();
  const state = `${folder.path}/state.json`;
  const log = `${state}.log`;
  let faulty = false;
  /** Number of requests until the run is stopped or killed. */
  let left = Number.POSITIVE_INFINITY;
  let interrupt = (): void => undefined;
  await using api = await startApi((request) => {
    left -= 1;
    if (left === 0) interrupt();
    if (faulty && random.oneIn(12)) return json({}, { status: random.pick([403, 503]) });
    return world.answer(request);
  });
  const configuration = configurationOf(api.url, random);
  const isFile = random.oneIn(2);
  const file = isFile ? `${folder.path}/out` : undefined;
  let resume = false;
  let expected = "";
  for (let run = 0; run < 9; run += 1) {
    const isLast = run === 8;
    if (!resume) {
      if (!isLast || random.oneIn(2)) world.change();
      // A copy of the state gives the lines of the same run without an interruption, which a file must have in the end.
      const text = existsSync(state) ? readFileSync(state, "utf8") : "";
      await aside.write("state.json", text);
      [faulty, left] = [false, Number.POSITIVE_INFINITY];
      if (isFile) expected = (await runHere(configuration, { state: `${aside.path}/state.json` })).output;
    }
    faulty = !isLast && random.oneIn(3);
    left = !isLast && !random.oneIn(3) ? random.between(1, 30) : Number.POSITIVE_INFINITY;
    const before = marksOf(state);
    const running = interruptibleRun(state, { file, isKill: random.oneIn(2) });
    interrupt = running.interrupt;
    const { result } = await runHere(configuration, {
      ...running.options,
      resume,
      keepGoing: random.oneIn(3),
      concurrency: random.pick([1, 3, 5]),
    });
    const isWhole = result.exitCode === 0;
    const output = await running.delivered(isWhole);
    if (isFile && isWhole)
      assert.equal(output, expected, `run ${run}: the file is that of a run that was never interrupted`);
    world.deliver(output);
    assert.ok(!isLast || isWhole, `the last run: ${result.failure?.message}`);
    if (existsSync(log) && !running.wasKilled()) assert.fail(`run ${run} has left a log`);
    resume = !isWhole && (random.oneIn(2) || (isFile && random.oneIn(2)));
    const marks = marksOf(state);
    for (const kind of kinds) {
      for (const row of world.rows[kind]) {
        const mark = marks[kind].get(row.group) ?? 0;
        // If the watermark has not moved, a row with its value may have arrived since.
        const isBelow = before[kind].get(row.group) === mark ? row.at < mark : row.at <= mark;
        assert.ok(
          !isBelow || world.has(row, kind),
          `run ${run}: ${row.id}.${row.version} at ${row.at} is not delivered, and the watermark of its group is ${mark}`,
        );
        const isAsked = isLast && world.groups.includes(row.group) && (kind === "items" || hasEvents(configuration));
        assert.ok(!isAsked || world.has(row, kind), `${row.id}.${row.version} is missing in the end`);
        assert.ok(!isAsked || mark >= row.at, `the last watermark of group ${row.group} is ${mark}, not ${row.at}`);
      }
    }
  }
}

function hasEvents(configuration: object): boolean {
  return JSON.stringify(configuration).includes('"events"');
}

test("after any sequence of complete and interrupted runs, nothing is missing, and files have no line twice", async () => {
  await forSeeds(10, round);
});
