import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfiguration } from "../../src/compile/read.ts";
import { SpileError } from "../../src/core/errors.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { planShards } from "../../src/shards/plan-shards.ts";
import { dataset, type Handler, records, startApi } from "../helpers/api.ts";
import { collector, runHere } from "../helpers/run.ts";
import { planned } from "./sharded.ts";

const job = { endpoint: "e", dataField: "items" };

test("dividing pages among four shards costs at most three requests beside the one of the plan", async () => {
  await using api = await startApi(dataset(records(100)));
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 10 } },
    config: { jobs: [job] },
  };
  const one = await runHere(configuration);
  const alone = api.log.length;
  await using sharded = await planned(configuration, 4);
  assert.equal(api.log.length, alone + 1);
  assert.deepEqual(
    sharded.read.plan.units.map((unit) => [unit.kind, unit.kind === "strides" && unit.pageRecords]),
    [["strides", 10]],
  );
  const before = api.log.length;
  for (let index = 0; index < 4; index += 1) await sharded.run(index);
  assert.ok(api.log.length - before <= alone + 3);
  assert.equal((await sharded.merge()).output, one.output);
});

test("whole jobs and iterations are distributed among the shards in turn, and a short job goes to the first", async () => {
  await using api = await startApi({ "/short": dataset(records(5)), "*": dataset(records(30)) });
  const pagination = { method: "offset", limit: 10 };
  const stopped = { method: "offset", limit: 10, limitStop: { count: 20 } };
  const configuration = (api_: object, more: object = {}) => ({
    api: { baseUrl: `${api.url}/`, ...api_ },
    config: { jobs: [job, { ...job, endpoint: "short" }, { ...job, endpoint: "third" }] },
    ...more,
  });
  const shards = async (value: unknown): Promise<unknown[]> => {
    await using sharded = await planned(value, 2);
    return sharded.read.plan.units.map((unit) => (unit.kind === "whole" ? unit.shard : "all"));
  };
  assert.deepEqual(await shards(configuration({ pagination })), ["all", 0, "all"]);
  assert.deepEqual(await shards(configuration({ pagination: stopped })), [0, 1, 0]);
  assert.deepEqual(await shards(configuration({})), [0, 1, 0]);
  const iterations = { iterations: [{ a: 1 }, { a: 2 }] };
  assert.deepEqual(await shards(configuration({ pagination }, iterations)), [0, 0, 0, 1, 1, 1]);
  const single = { iterations: [{ a: 1 }, { a: 2 }, { a: 3 }] };
  assert.deepEqual(await shards(configuration({ pagination }, single)), [0, 0, 0, 1, 1, 1, 0, 0, 0]);
});

const parents = Array.from({ length: 12 }, (_, id) => ({ id, name: `n${id}` }));
const child = { endpoint: "child/{id}", dataType: "child", dataField: "items", placeholders: { id: "id" } };

/** Returns a handler that answers with a listing of one page, whose records have children. */
function listing(): Handler {
  return ({ path }) => (path === "/e" ? { items: parents } : { items: [{ path }] });
}

test("if pages cannot be divided, every shard reads them and runs the children of its own parents", async () => {
  await using api = await startApi(listing());
  const configuration = { api: { baseUrl: `${api.url}/` }, config: { jobs: [{ ...job, children: [child] }] } };
  const one = await runHere(configuration);
  const alone = api.log.length;
  await using sharded = await planned(configuration, 4);
  assert.deepEqual(
    sharded.read.plan.units.map(({ kind }) => kind),
    ["shared"],
  );
  assert.equal(api.log.length, alone);
  for (const index of [2, 0, 3, 1]) await sharded.run(index);
  assert.equal(api.log.length, alone * 2 + 3);
  const merged = await sharded.merge();
  assert.equal(merged.output, one.output);
  assert.deepEqual(
    merged.jobs.map(({ verdict, records: written, pages }) => [verdict, written, pages]),
    [
      ["complete", 12, 1],
      ["complete", 12, 12],
    ],
  );
});

test("the merge reports parents that differ between shards", async () => {
  let values = parents;
  await using api = await startApi(({ path }) => (path === "/e" ? { items: values } : { items: [{ path }] }));
  const configuration = { api: { baseUrl: `${api.url}/` }, config: { jobs: [{ ...job, children: [child] }] } };
  await using sharded = await planned(configuration, 3);
  await sharded.run(0);
  await sharded.run(1);
  // A change of the order alone changes nothing: a parent stays with its shard.
  values = parents.toReversed();
  await sharded.run(2);
  assert.deepEqual(
    (await sharded.merge()).jobs.map(({ verdict }) => verdict),
    ["complete", "complete"],
  );

  await using moved = await planned(configuration, 3);
  await moved.run(0);
  await moved.run(1);
  values = [...parents.map(({ id }) => ({ id: id + 100, name: "new" }))];
  await moved.run(2);
  const { jobs, output } = await moved.merge();
  const [own] = jobs;
  assert.equal(own?.verdict, "suspect");
  assert.match(own?.reason ?? "", /, but \d+ parent records were not the same for all shards: the data changed while/);
  // The received records are written nevertheless.
  const children = (jobs[1]?.records ?? 0) + parents.length;
  assert.equal(output.trimEnd().split("\n").length, children);
  assert.equal((await moved.merge({ strict: true })).exitCode, 1);
});

test("a list of endpoints is divided by its elements", async () => {
  await using api = await startApi(({ path, params }) => {
    const from = Number(params.get("offset"));
    return {
      items: records(5)
        .slice(from, from + 2)
        .map((record) => ({ ...record, path })),
    };
  });
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 2 } },
    config: { jobs: [{ ...job, endpoint: ["a", "b", "c", "d", "e"], dataType: "all" }] },
  };
  const one = await runHere(configuration);
  const alone = api.log.length;
  await using sharded = await planned(configuration, 2);
  for (let index = 0; index < 2; index += 1) await sharded.run(index);
  assert.equal(api.log.length, 2 * alone);
  assert.equal((await sharded.merge()).output, one.output);
});

test("a list of endpoints is not divided by its pages", async () => {
  await using api = await startApi(dataset(records(30)));
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 10 } },
    config: { jobs: [{ ...job, endpoint: ["a", "b"] }, job] },
  };
  const one = await runHere(configuration);
  await using sharded = await planned(configuration, 3);
  assert.deepEqual(
    sharded.read.plan.units.map(({ kind }) => kind),
    ["runs", "strides"],
  );
  for (let index = 0; index < 3; index += 1) await sharded.run(index);
  assert.equal((await sharded.merge()).output, one.output);
});

test("a configuration that cannot be divided is refused", async () => {
  const api = { baseUrl: "http://127.0.0.1:9/" };
  const mapped = { api, config: { jobs: [job], mappings: { e: { id: "id" } } } };
  await assert.rejects(planned(mapped, 2), {
    exitCode: 78,
    message: "/config/mappings: a configuration with mappings cannot be divided among shards",
  });
});

test("a plan contains no secret and no record", async () => {
  await using api = await startApi(dataset(records(30)));
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 10 }, http: { rateLimit: 8 } },
    config: {
      "#token": "very-secret-token",
      http: { headers: { Authorization: { attr: "#token" } } },
      jobs: [job],
    },
  };
  await using sharded = await planned(configuration, 2);
  assert.ok(api.log.some(({ headers }) => headers.authorization === "very-secret-token"));
  assert.doesNotMatch(sharded.planText, /very-secret|record 1/);
  assert.equal(sharded.read.plan.rate, 8);
});

const windows = { from: "2024-01-01", to: "2024-01-08", step: "1 day" };

test("windows are divided, and equal first pages of neighbouring windows are noticed across shards", async () => {
  let ignores = false;
  await using api = await startApi(({ params }) => {
    const day = ignores ? "2024-01-01" : params.get("since");
    return { items: [{ day }, { day, more: true }] };
  });
  const since = { function: "date", args: ["Y-m-d", { window: "from" }] };
  const configuration = {
    api: { baseUrl: `${api.url}/` },
    config: { jobs: [{ ...job, windows, params: { since } }] },
  };
  const one = await runHere(configuration);
  assert.equal(one.result.jobs[0]?.windows, 7);
  const alone = api.log.length;
  await using sharded = await planned(configuration, 3);
  assert.equal(sharded.read.plan.units[0]?.kind, "runs");
  for (const index of [2, 1, 0]) await sharded.run(index);
  assert.equal(api.log.length, 2 * alone);
  const merged = await sharded.merge();
  assert.equal(merged.output, one.output);
  const [own] = merged.jobs;
  assert.deepEqual([own?.verdict, own?.windows, own?.pages], ["complete", 7, 7]);

  ignores = true;
  assert.equal((await runHere(configuration)).result.jobs[0]?.verdict, "suspect");
  await using ignoring = await planned(configuration, 3);
  for (let index = 0; index < 3; index += 1) await ignoring.run(index);
  const doubted = (await ignoring.merge()).jobs[0];
  assert.equal(doubted?.verdict, "suspect");
  assert.match(
    doubted?.reason ?? "",
    /^6 windows, the first, 2024-01-02.*: its first page is the same as in the window before it/,
  );
});

test("a signal ends the planning of thousands of jobs", async () => {
  const jobs = Array.from({ length: 5000 }, (_, index) => ({ endpoint: `e${index}` }));
  const text = JSON.stringify({ api: { baseUrl: "http://127.0.0.1:1/" }, config: { jobs } });
  const secrets = new Secrets();
  const loaded = readConfiguration(text, { name: "test", set: new Map(), environment: {}, strict: false, secrets });
  const controller = new AbortController();
  const failure = new SpileError("terminated", "stopped by SIGTERM");
  const result = await planShards(
    loaded,
    {
      target: { kind: "stream", stream: collector().stream },
      signal: controller.signal,
      secrets,
      emit({ event }) {
        // The plans of the jobs are made after this event.
        if (event === "run.start") setImmediate(() => setImmediate(() => controller.abort(failure)));
      },
    },
    { count: 2, time: { currentStart: 1, previousStart: 0 } },
  );
  assert.equal(result, failure);
});
