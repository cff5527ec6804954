import assert from "node:assert/strict";
import { appendFile, chmod, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { test } from "node:test";
import type { RunOptions } from "../../src/core/runs/run.ts";
import type { Value } from "../../src/core/values/value.ts";
import type { LogEntry } from "../../src/resume/log-entry.ts";
import { beginningOf } from "../../src/resume/progress.ts";
import { noState, readState, type State } from "../../src/resume/state-file.ts";
import { openStatePlace, type StatePlace } from "../../src/resume/state-place.ts";
import { json, startApi } from "../helpers/api.ts";
import { type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";
import { forSeeds } from "../helpers/seeds.ts";

/* Tests of the log beside a state file (contract C-11.15). */

const held: State = { ...noState, progress: { results: [], watermarks: {} } };

async function placeIn(folder: TemporaryFolder): Promise<StatePlace> {
  const target = { kind: "file", path: "out" } as const;
  const place = await openStatePlace({ state: `${folder.path}/state.json`, target } as RunOptions);
  assert.ok(place !== undefined);
  return place;
}

const entry = (number: number, held = false): LogEntry => ({
  progress: { clock: number, checkpoint: beginningOf(0, number), failed: [], lengths: {} },
  results: [{ job: `job ${number}` }],
  moved: [["orders", { path: "at", value: number }]],
  held,
});

const notDurable = { durable: false };

async function add(place: StatePlace, ...entries: readonly LogEntry[]): Promise<void> {
  for (const one of entries) assert.equal(await place.append(JSON.stringify(one), notDurable), true);
}

/** Returns the results in a state, one for each entry that applies. */
async function resultsIn(folder: TemporaryFolder): Promise<unknown> {
  const { progress } = await readState(`${folder.path}/state.json`);
  return (progress as { results: Value } | undefined)?.results;
}

const jobs = (count: number): object[] => Array.from({ length: count }, (_, index) => ({ job: `job ${index}` }));

test("entries apply only to the document to which they were added", async () => {
  await using folder = await temporaryFolder();
  const place = await placeIn(folder);
  assert.equal(await place.append("{}", notDurable), false);
  await place.write(held);
  const document = await folder.read("state.json");
  await add(place, entry(0), entry(1));
  assert.equal(await folder.read("state.json"), document);
  const { document: after, progress } = await readState(`${folder.path}/state.json`);
  assert.deepEqual(after.incremental, { orders: { path: "at", value: 1 } });
  assert.deepEqual((progress as { checkpoint: object }).checkpoint, beginningOf(0, 1));
  assert.deepEqual(await resultsIn(folder), jobs(2));
  await place.write({ ...held, progress: undefined });
  await assert.rejects(folder.read("state.json.log"), /ENOENT/);
  place.close();
});

test("lines in unfinished files move no increment", async () => {
  await using folder = await temporaryFolder();
  const place = await placeIn(folder);
  await place.write(held);
  await add(place, entry(0, true));
  place.close();
  const { document, progress } = await readState(`${folder.path}/state.json`);
  assert.equal(document.incremental, undefined);
  assert.deepEqual((progress as { watermarks: object }).watermarks, { orders: { path: "at", value: 0 } });
});

test("a log of another document is ignored, and so is everything after a damaged line", async () => {
  await using folder = await temporaryFolder();
  const place = await placeIn(folder);
  await place.write(held);
  await add(place, ...[0, 1, 2, 3].map((number) => entry(number)));
  place.close();
  const path = `${folder.path}/state.json.log`;
  const log = await readFile(path);
  const ends = [...log.toString().matchAll(/\n/g)].map(({ index }) => index + 1);
  for (let length = 0; length <= log.length; length += 7) {
    await writeFile(path, log);
    await truncate(path, length);
    assert.deepEqual(await resultsIn(folder), jobs(ends.filter((end) => end <= length).length), `${length} bytes`);
    // After a loss of power, a file may have its length but zeros at its end.
    await appendFile(path, Buffer.alloc(log.length - length));
    assert.deepEqual(await resultsIn(folder), jobs(ends.filter((end) => end <= length).length), `${length} bytes`);
  }
  const line = log.toString().split("\n");
  await writeFile(path, [line[0], line[2], line[3], ""].join("\n"));
  assert.deepEqual(await resultsIn(folder), jobs(1));
  await writeFile(path, log);
  await writeFile(`${folder.path}/state.json`, `${await folder.read("state.json")}\n`);
  assert.deepEqual(await resultsIn(folder), []);
});

test("a log that is longer than its document takes no further entry, and has the permissions of the document", async () => {
  await using folder = await temporaryFolder();
  const place = await placeIn(folder);
  await place.write(held);
  await chmod(`${folder.path}/state.json`, 0o600);
  const large = { ...entry(0), results: [{ reason: "x".repeat(70_000) }] };
  await add(place, large);
  assert.equal((await stat(`${folder.path}/state.json.log`)).mode & 0o777, 0o600);
  assert.equal(await place.append("{}", notDurable), false);
  place.close();
});

test("a run that ends leaves no log, and a resumed run reads that of a killed run", async () => {
  await forSeeds(12, async (random) => {
    const jobs = random.between(2, 30);
    let fails = random.between(1, jobs * 2);
    const stop = new AbortController();
    const kills = random.oneIn(2);
    await using folder = await temporaryFolder();
    let log = "";
    await using api = await startApi(async ({ path }) => {
      fails -= 1;
      if (fails === 0) {
        // kill -9 leaves the document and the log, which only the end of a run merges.
        log = await folder.read("state.json.log").catch(() => "");
        document = await folder.read("state.json").catch(() => "");
        if (kills) stop.abort(new Error("killed"));
        return json({}, { status: 403 });
      }
      return [{ at: "2024-01-01T00:00:00Z", path }];
    });
    let document = "";
    const configuration = {
      api: { baseUrl: api.url, pagination: { method: "none" } },
      config: {
        jobs: Array.from({ length: jobs }, (_, index) => ({
          endpoint: `job-${index}`,
          incremental: { path: "at" },
          params: { from: { incremental: "from" } },
        })),
      },
    };
    const options = { state: `${folder.path}/state.json`, concurrency: random.pick([1, 3]) };
    const first = await runHere(configuration, { ...options, resume: false, signal: stop.signal });
    await assert.rejects(folder.read("state.json.log"), /ENOENT/);
    let written = first.output;
    if (first.result.exitCode !== 0) {
      if (document !== "" && random.oneIn(2)) {
        await folder.write("state.json", document);
        if (log !== "") await folder.write("state.json.log", log);
      }
      const second = await runHere(configuration, { ...options, resume: true });
      assert.equal(second.result.exitCode, 0);
      assert.equal(second.result.jobs.length, jobs);
      written += second.output;
    }
    const paths = written
      .split("\n")
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { path: string }).path);
    assert.deepEqual(
      [...new Set(paths)],
      Array.from({ length: jobs }, (_, index) => `/job-${index}`),
    );
    const state = JSON.parse(await folder.read("state.json")) as { incremental: object; progress?: object };
    assert.deepEqual([Object.keys(state.incremental).length, state.progress], [jobs, undefined]);
    await assert.rejects(folder.read("state.json.log"), /ENOENT/);
  });
});

test("a run that fails before any progress moves a killed run's log into the state, unless the log is stale", async () => {
  await using api = await startApi(() => json({}, { status: 403 }));
  const configuration = { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "orders" }] } };
  for (const isStale of [true, false]) {
    await using folder = await temporaryFolder();
    const place = await placeIn(folder);
    await place.write(noState);
    const { progress: _, ...moves } = entry(0);
    await add(place, moves);
    place.close();
    const killed = await folder.read("state.json.log");
    if (isStale) await folder.write("state.json", { incremental: { orders: { path: "at", value: 7 } } });
    const { result } = await runHere(configuration, { state: `${folder.path}/state.json`, resume: false });
    assert.equal(result.exitCode, 69);
    await assert.rejects(folder.read("state.json.log"), /ENOENT/);
    const { incremental } = JSON.parse(await folder.read("state.json")) as { incremental: object };
    assert.deepEqual(incremental, { orders: { path: "at", value: isStale ? 7 : 0 } }, killed);
  }
});

test("a file of the user that has the log's name is not changed", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "orders" }] },
  });
  const state = `${folder.path}/state.json`;
  await writeFile(`${state}.log`, "notes of the night\n");
  const foreign = await spileHere([config, "--state", state]);
  assert.equal(foreign.code, 64);
  assert.match(foreign.stderr, /state\.json\.log must be the log of the state, but it is another file/);
  assert.equal(await readFile(`${state}.log`, "utf8"), "notes of the night\n");
  const named = await spileHere([config, "--state", state, "--summary", `${state}.log`]);
  assert.equal(named.code, 64);
  assert.match(named.stderr, /are the same file/);
  assert.equal(api.log.length, 0);
});

test("STATE messages of many jobs have together hardly more bytes than the other messages, also with names outside ASCII", async () => {
  await using api = await startApi(() => [{ at: "2024-01-01T00:00:00Z", text: "x".repeat(1500) }]);
  const configurationOf = (count: number): object => ({
    api: { baseUrl: api.url, pagination: { method: "none" } },
    config: {
      jobs: Array.from({ length: count }, (_, index) => ({
        endpoint: `job-${index}`,
        dataType: `${"注文".repeat(60)}${index}`,
        incremental: { path: "at" },
        params: { from: { incremental: "from" } },
      })),
    },
  });
  const { stdout } = await spileHere(["-", "--singer", "-q"], { stdin: JSON.stringify(configurationOf(300)) });
  const lines = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { type: string });
  const bytes = (type: string): number =>
    lines.filter((line) => line.type === type).reduce((sum, line) => sum + Buffer.byteLength(JSON.stringify(line)), 0);
  const states = lines.filter(({ type }) => type === "STATE");
  const last = Buffer.byteLength(JSON.stringify(states.at(-1)));
  assert.ok(bytes("STATE") - 2 * last <= bytes("RECORD") + bytes("SCHEMA"), `${states.length} states`);
  assert.ok(states.length > 2, `${states.length} states`);
});
