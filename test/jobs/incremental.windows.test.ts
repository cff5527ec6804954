import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunOptions } from "../../src/core/runs/run.ts";
import { documentOf, readState } from "../../src/resume/state-file.ts";
import { json } from "../helpers/answers.ts";
import { type Api, startApi } from "../helpers/api.ts";
import { type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";
import { readSinger } from "../helpers/singer.ts";
import { planned } from "../shards/sharded.ts";

/* Tests of an increment that moves with each window, since the windows of its job begin at it (contract C-17.10). */

const now = Date.parse("2024-01-05T12:00:00Z");
const windows = { from: { incremental: "from" }, step: "1 day" };

const jobOf = (job: object = {}) => ({
  endpoint: "events",
  dataField: "items",
  windows,
  incremental: { path: "at", initial: "2024-01-01T00:00:00Z" },
  params: { from: { window: "from" }, to: { window: "to" } },
  ...job,
});
const configurationOf = ({ url }: Api, job: object = {}) => ({
  api: { baseUrl: url, pagination: { method: "offset", limit: 2 }, retryConfig: { maxRetries: 0 } },
  config: { jobs: [jobOf(job)] },
});

interface World {
  times: readonly string[];
  /** Day of the window that does not end well, and its status. With 200, the answer says that there are more records. */
  fault?: readonly [day: string, status: number] | undefined;
}

/** Starts an API that returns records from `from` up to `to`. */
function start(world: World): Promise<Api> {
  return startApi(({ path, params }) => {
    if (path === "/groups") return { items: [{ id: 1 }, { id: 2 }] };
    if (path.startsWith("/notes")) return { items: [{ path }] };
    const [from, to] = [Number(params.get("from")), Number(params.get("to"))];
    const [day, status = 200] = world.fault ?? [];
    const isFault = new Date(from * 1000).toISOString().slice(0, 10) === day;
    if (isFault && status !== 200) return json({}, { status });
    const inside = world.times.filter((at) => {
      const seconds = Date.parse(at) / 1000;
      return seconds >= from && seconds < to;
    });
    const offset = Number(params.get("offset"));
    return { items: inside.slice(offset, offset + 2).map((at) => ({ at })), ...(isFault ? { total: 99 } : {}) };
  });
}

const inFolder = ({ path }: TemporaryFolder, more: Partial<RunOptions> = {}): Partial<RunOptions> => ({
  state: `${path}/state.json`,
  resume: false,
  now: () => now,
  ...more,
});

async function valueIn({ path }: TemporaryFolder): Promise<unknown> {
  const { incremental } = documentOf(await readState(`${path}/state.json`)) as {
    incremental?: { events?: { value?: unknown } };
  };
  return incremental?.events?.value;
}

const times = ["2024-01-01T08:00:00Z", "2024-01-02T08:00:00Z", "2024-01-03T08:00:00Z", "2024-01-04T08:00:00Z"];

test("a complete window moves the watermark although a later one fails, with one request at a time or several", async () => {
  for (const status of [403, 503, 200]) {
    for (const concurrency of [1, 4]) {
      const world: World = { times, fault: ["2024-01-03", status] };
      await using api = await start(world);
      await using folder = await temporaryFolder();
      const { result } = await runHere(configurationOf(api), inFolder(folder, { concurrency }));
      assert.equal(result.jobs[0]?.verdict, status === 200 ? "suspect" : "failed");
      assert.equal(await valueIn(folder), times[1], `${status}, ${concurrency} in parallel`);
      world.fault = undefined;
      const again = await runHere(configurationOf(api), inFolder(folder, { concurrency }));
      assert.equal(again.result.jobs[0]?.windows, 4);
      assert.equal(await valueIn(folder), times[3]);
    }
  }
});

test("with a file, the watermark moves only when the file appears, and then as far as without a file", async () => {
  const world: World = { times, fault: ["2024-01-03", 403] };
  await using api = await start(world);
  await using folder = await temporaryFolder();
  const target = { kind: "file", path: `${folder.path}/out` } as const;
  await runHere(configurationOf(api), inFolder(folder, { target }));
  assert.equal(await valueIn(folder), undefined);
  world.fault = undefined;
  await runHere(configurationOf(api), inFolder(folder, { target, resume: true }));
  assert.equal(await valueIn(folder), times[3]);
});

test("the watermark never passes the end of the window, and has the form of the values", async () => {
  const late = { "2024-01-02T00:00:00Z": "2024-01-09T10:00:00.50+02:00" };
  for (const [values, first, last] of [
    [late, "2024-01-02T00:00:00Z", "2024-01-05T12:00:00Z"],
    [{ "2024-01-02T00:00:00Z": "2024-01-09" }, "2024-01-02", "2024-01-05"],
  ] as const) {
    let fails = true;
    await using api = await startApi(({ params }) => {
      const from = new Date(Number(params.get("from")) * 1000).toISOString().replace(".000", "");
      if (fails && from.startsWith("2024-01-02")) return json({}, { status: 403 });
      return { items: from.startsWith("2024-01-01") ? [{ at: Object.values(values)[0] }] : [] };
    });
    await using folder = await temporaryFolder();
    await runHere(configurationOf(api), inFolder(folder));
    assert.equal(await valueIn(folder), first);
    fails = false;
    await using whole = await temporaryFolder();
    await runHere(configurationOf(api), inFolder(whole, { target: { kind: "file", path: `${whole.path}/out` } }));
    assert.equal(await valueIn(whole), last);
  }
});

test("a resumed run keeps the windows of the interrupted run, although its watermark has moved", async () => {
  const at = ["2024-01-01T08:00:00Z", "2024-01-02T08:00:00Z", "2024-01-02T09:00:00Z", "2024-01-02T10:00:00Z"];
  const world: World = { times: at, fault: ["2024-01-03", 503] };
  await using api = await start(world);
  await using folder = await temporaryFolder();
  const first = await runHere(configurationOf(api), inFolder(folder));
  assert.equal(await valueIn(folder), at[3]);
  const log = api.log.length;
  world.fault = undefined;
  const second = await runHere(configurationOf(api), inFolder(folder, { resume: true, now: () => now + 9e7 }));
  const from = api.log.slice(log).map(({ params }) => new Date(Number(params.get("from")) * 1000).toISOString());
  assert.deepEqual(from, ["2024-01-03T00:00:00.000Z", "2024-01-04T00:00:00.000Z", "2024-01-05T00:00:00.000Z"]);
  assert.equal(first.output + second.output, at.map((one) => `{"at":"${one}"}\n`).join(""));
  assert.equal(second.result.jobs[0]?.windows, 5);
  assert.deepEqual(JSON.parse(await folder.read("state.json")).incremental, { events: { path: "at", value: at[3] } });
});

test("a resumed run does not move the watermark past a window that was suspect before", async () => {
  let fails = true;
  await using api = await startApi(({ params }) => {
    const day = new Date(Number(params.get("from")) * 1000).toISOString().slice(0, 10);
    if (fails && day === "2024-01-04") return json({}, { status: 503 });
    const items = times.filter((at) => at.startsWith(day)).map((at) => ({ at }));
    return { items, ...(day === "2024-01-02" ? { total: 99 } : {}) };
  });
  await using folder = await temporaryFolder();
  await runHere(configurationOf(api), inFolder(folder));
  assert.equal(await valueIn(folder), times[0]);
  fails = false;
  const log = api.log.length;
  const { result } = await runHere(configurationOf(api), inFolder(folder, { resume: true }));
  assert.equal(api.log[log]?.params.get("from"), String(Date.parse("2024-01-04") / 1000));
  assert.equal(result.jobs[0]?.verdict, "suspect");
  assert.equal(await valueIn(folder), times[0]);
});

test("a window is complete only if the children of its records are, and each parent has its own windows", async () => {
  const world: World = { times, fault: ["2024-01-03", 403] };
  await using api = await start(world);
  const note = { endpoint: "notes/{at}", dataType: "notes", dataField: "items", placeholders: { at: "at" } };
  await using folder = await temporaryFolder();
  const job = { endpoint: "groups", dataField: "items", incremental: undefined, windows: undefined, params: {} };
  const child = jobOf({ endpoint: "groups/{id}", placeholders: { id: "id" }, dataType: "events", children: [note] });
  const configuration = configurationOf(api, { ...job, children: [child] });
  await runHere(configuration, inFolder(folder, { keepGoing: true }));
  const state = JSON.parse(await folder.read("state.json")) as { incremental: object };
  const moved = [1, 2].map((id) => ({ context: { id }, value: times[1] }));
  assert.deepEqual(state.incremental, { events: { path: "at", partitions: moved } });
  await using refusing = await startApi(({ path, params }) => {
    if (path.startsWith("/notes")) return path.includes("01-02") ? json({}, { status: 403 }) : { items: [] };
    const day = new Date(Number(params.get("from")) * 1000).toISOString().slice(0, 10);
    return { items: times.filter((one) => one.startsWith(day)).map((at) => ({ at })) };
  });
  await using below = await temporaryFolder();
  await runHere(configurationOf(refusing, { children: [note] }), inFolder(below, { keepGoing: true }));
  assert.equal(await valueIn(below), times[0]);
});

test("the watermark moves only at the end of the job if its values are texts, or if a function computes the first window", async () => {
  for (const job of [
    { incremental: { path: "at", type: "text", initial: "2024-01-01" } },
    { windows: { ...windows, from: { function: "strtotime", args: [{ incremental: "from" }] } } },
  ]) {
    await using api = await start({ times, fault: ["2024-01-03", 403] });
    await using folder = await temporaryFolder();
    await runHere(configurationOf(api, job), inFolder(folder));
    assert.equal(await valueIn(folder), undefined);
  }
});

test("a Singer target gets a bookmark after the records of each window", async () => {
  await using api = await start({ times, fault: ["2024-01-04", 403] });
  await using folder = await temporaryFolder();
  await folder.write("config.json", configurationOf(api, { windows: { ...windows, to: "2024-01-05" } }));
  const { code, stdout } = await spileHere([`${folder.path}/config.json`, "--singer"]);
  assert.equal(code, 69);
  const bookmarks = readSinger(stdout).states.map(({ value, before }) => {
    const { events } = value.bookmarks as { events?: { value: string } };
    return [before, events?.value];
  });
  assert.deepEqual(bookmarks.at(-1), [3, times[2]]);
  for (const [before, value] of bookmarks) assert.ok(value === undefined || Number(before) > times.indexOf(`${value}`));
});

test("the merge of shards moves the watermark at most to the end of the last window", async () => {
  const end = { windows: { ...windows, to: "2024-01-05" }, incremental: { path: "at", initial: "2024-01-01" } };
  await using api = await startApi(() => ({ items: [{ at: "2024-02-01" }] }));
  const configuration = configurationOf(api, { ...end, evidence: false });
  await using folder = await temporaryFolder();
  await runHere(configuration, inFolder(folder));
  const alone = await valueIn(folder);
  await using shards = await planned(configuration, 2);
  for (const index of [0, 1]) await shards.run(index);
  const { moved } = await shards.merge();
  assert.deepEqual([alone, moved[0]?.value], ["2024-01-05", "2024-01-05"]);
});
