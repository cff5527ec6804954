import assert from "node:assert/strict";
import { test } from "node:test";
import { dataset, records, startApi } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";
import { planned } from "./sharded.ts";

const job = { endpoint: "e", dataField: "items" };

test("pages are divided at the cost of at most n-1 requests beyond the plan's", async () => {
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

test("whole jobs and iterations go round the shards; a short one is the first's", async () => {
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
});

test("a list of endpoints is not divided by its pages", async () => {
  await using api = await startApi(dataset(records(30)));
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 10 } },
    config: { jobs: [{ ...job, endpoint: ["a", "b"] }, job] },
  };
  const one = await runHere(configuration);
  await using sharded = await planned(configuration, 3);
  for (let index = 0; index < 3; index += 1) await sharded.run(index);
  assert.equal((await sharded.merge()).output, one.output);
});

test("what cannot be shared is refused", async () => {
  const api = { baseUrl: "http://127.0.0.1:9/" };
  const mapped = { api, config: { jobs: [job], mappings: { e: { id: "id" } } } };
  await assert.rejects(planned(mapped, 2), {
    exitCode: 78,
    message: "/config/mappings: mappings cannot be run in shards yet",
  });
});

test("a plan holds no secret and no record", async () => {
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
