import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunOptions } from "../../src/core/runs/run.ts";
import { json } from "../helpers/answers.ts";
import { type Api, linesOf, startApi } from "../helpers/api.ts";
import { type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";
import { planned } from "../shards/sharded.ts";

/* Tests of records that come before the increment's start: `filter`, and `order: "descending"` (contract C-17.6, C-17.7). */

interface Row {
  readonly id: number;
  readonly at: number | null;
}

const byNumber = { path: "at", type: "number", initial: 0 };

const configurationOf = (url: string, job: object) => ({
  api: { baseUrl: url, pagination: { method: "offset", limit: 2 }, retryConfig: { maxRetries: 0 } },
  config: { jobs: [{ endpoint: "orders", dataField: "items", incremental: byNumber, ...job }] },
});

/** Starts an API that returns the rows in pages of two, without filtering. */
function feed(rows: () => readonly object[], more: object = {}): Promise<Api> {
  return startApi(({ params }) => {
    const offset = Number(params.get("offset"));
    return { items: rows().slice(offset, offset + 2), ...more };
  });
}

const row = (at: number | null, id = at ?? 0): Row => ({ id, at });

/** Returns the job's watermark in the state; undefined if there is none. */
async function watermark(folder: TemporaryFolder): Promise<unknown> {
  const text = await folder.read("state.json").catch(() => "{}");
  return (JSON.parse(text) as { incremental?: { orders?: { value: unknown } } }).incremental?.orders?.value;
}

async function stateAt(value: number): Promise<TemporaryFolder & { readonly options: Partial<RunOptions> }> {
  const folder = await temporaryFolder();
  await folder.write("state.json", { incremental: { orders: { path: "at", value } } });
  return { ...folder, options: { state: `${folder.path}/state.json`, resume: false } };
}

test("`filter` leaves out older records, counts them for paging, and keeps records with an equal value or without a value", async () => {
  const rows = [row(3), row(2), row(1), row(4), row(null, 9), row(5), row(7)];
  await using api = await feed(() => rows);
  await using folder = await stateAt(4);
  const configuration = configurationOf(api.url, { incremental: { ...byNumber, filter: true } });
  const { output, result, events } = await runHere(configuration, folder.options);
  assert.equal(output, linesOf([row(4), row(null, 9), row(5), row(7)]));
  assert.equal(api.log.length, 4);
  const [job] = result.jobs;
  assert.deepEqual([job?.verdict, job?.records, job?.filtered], ["complete", 4, 3]);
  assert.match(job?.reason ?? "", /; 3 before the increment's start left out$/);
  assert.ok(events.every(({ message }) => !message.includes("no request reads it")));
  assert.equal(await watermark(folder), 7);
});

test("`filter` begins at the watermark less `lookback`, and at `initial` on the first run", async () => {
  const rows = [row(1), row(2), row(5), row(6)];
  await using api = await feed(() => rows);
  await using folder = await stateAt(7);
  const incremental = { ...byNumber, filter: true, lookback: 2 };
  const { output } = await runHere(configurationOf(api.url, { incremental }), folder.options);
  assert.equal(output, linesOf([row(5), row(6)]));
  assert.equal(await watermark(folder), 7);
  await using fresh = await temporaryFolder();
  const options = { state: `${fresh.path}/state.json`, resume: false };
  const first = { ...byNumber, filter: true, initial: 10 };
  const { output: nothing } = await runHere(configurationOf(api.url, { incremental: first }), options);
  assert.equal(nothing, "");
  assert.equal(await watermark(fresh), undefined);
});

test("a record that is left out causes no child requests, and keys of a map stay with their records", async () => {
  const items = { a: row(1), b: row(5), c: row(2), d: row(6) };
  await using api = await startApi(({ path }) => (path === "/orders" ? { items } : [{ path }]));
  await using folder = await stateAt(5);
  const { pagination: _, ...unpaged } = configurationOf(api.url, {}).api;
  const jobs = [
    {
      endpoint: "orders",
      dataField: { path: "items", values: true, key: "name" },
      incremental: { ...byNumber, filter: true },
      children: [{ endpoint: "of/{id}", dataType: "child", placeholders: { id: "id" } }],
    },
  ];
  const { output } = await runHere({ api: unpaged, config: { jobs } }, folder.options);
  const own = [
    { ...row(5), name: "b" },
    { ...row(6), name: "d" },
  ];
  const children = [5, 6].map((id) => ({ path: `/of/${id}`, parent_id: id }));
  assert.equal(output, linesOf([...own, ...children]));
  assert.deepEqual(api.targets().slice(1), ["/of/5", "/of/6"]);
});

test("pages with only older records do not count as repeated, and keys of records that are left out are not remembered", async () => {
  const rows = [row(1, 1), row(1, 2), row(1, 3), row(1, 4), row(8, 1), row(9, 5)];
  await using api = await feed(() => rows);
  for (const options of [{ unique: "id" }, { hold: 0 }, { unique: "id", hold: 0 }]) {
    await using folder = await stateAt(5);
    const configuration = configurationOf(api.url, { incremental: { ...byNumber, filter: true } });
    const { output, result } = await runHere(configuration, { ...folder.options, ...options });
    assert.equal(output, linesOf([row(8, 1), row(9, 5)]));
    assert.equal(result.jobs[0]?.verdict, "complete");
    assert.equal(await watermark(folder), 9);
  }
});

test("a feed with the newest records first ends at the first page of only older records, even if the API reports more", async () => {
  const rows = [row(9), row(8), row(5, 51), row(3), row(5, 52), row(4), row(3, 31), row(2), row(1)];
  await using api = await feed(() => rows, { total: 9, has_more: true });
  await using folder = await stateAt(5);
  const configuration = configurationOf(api.url, { incremental: { ...byNumber, order: "descending" } });
  const { output, result } = await runHere(configuration, folder.options);
  // The second record with exactly the watermark's value follows an older one, and is written all the same.
  assert.equal(output, linesOf([row(9), row(8), row(5, 51), row(5, 52)]));
  assert.equal(api.log.length, 4);
  const [job] = result.jobs;
  assert.deepEqual([job?.verdict, job?.filtered], ["complete", 4]);
  assert.equal(
    job?.reason,
    "ended at a page of records that all come before the increment's start; 4 before the increment's start left out",
  );
  assert.equal(await watermark(folder), 9);
});

test("a record without a value does not count as older, and the first run reads everything", async () => {
  const rows = [row(9), row(8), row(null, 70), row(2), row(1), row(1, 11), row(0), row(0, 1)];
  await using api = await feed(() => rows);
  await using folder = await stateAt(8);
  const configuration = configurationOf(api.url, { incremental: { ...byNumber, order: "descending" } });
  const { output } = await runHere(configuration, folder.options);
  assert.equal(output, linesOf([row(9), row(8), row(null, 70)]));
  assert.equal(api.log.length, 3);
  await using fresh = await temporaryFolder();
  const first = await runHere(configuration, { state: `${fresh.path}/state.json`, resume: false });
  assert.equal(first.output, linesOf(rows));
});

test("new records that shift the pages do not break the order, but a greater value does: the job is suspect, and its watermark stays", async () => {
  const rows = [row(9), row(8), row(7), row(6), row(3), row(2), row(1), row(0)];
  let arrived = 0;
  await using shifting = await startApi(({ params }) => {
    const all = [...Array.from({ length: arrived }, (_, index) => row(20 - index)), ...rows];
    arrived += 1;
    const offset = Number(params.get("offset"));
    return { items: all.slice(offset, offset + 2) };
  });
  await using folder = await stateAt(5);
  const incremental = { ...byNumber, order: "descending" };
  const shifted = await runHere(configurationOf(shifting.url, { incremental }), folder.options);
  assert.equal(shifted.result.jobs[0]?.verdict, "complete");
  assert.equal(await watermark(folder), 9);
  for (const unsorted of [
    [row(9), row(8), row(10), row(6), row(3), row(2), row(1)],
    [row(1), row(2), row(6), row(7), row(8), row(9)],
  ]) {
    await using api = await feed(() => unsorted);
    await using other = await stateAt(unsorted[0]?.at === 1 ? 0 : 5);
    const { result, output } = await runHere(configurationOf(api.url, { incremental }), other.options);
    assert.equal(result.jobs[0]?.verdict, "suspect");
    assert.match(
      result.jobs[0]?.reason ?? "",
      /greater than the first value of the page before: "order": "descending"/,
    );
    assert.ok(output.includes(JSON.stringify(unsorted[2])));
    assert.equal(await watermark(other), unsorted[0]?.at === 1 ? 0 : 5);
  }
});

test("the order of the pages before an interruption is remembered", async () => {
  const rows = [row(9), row(8), row(10), row(6), row(3), row(2)];
  for (const failing of [2, 4]) {
    let trouble = true;
    await using api = await startApi(({ params }) => {
      const offset = Number(params.get("offset"));
      return trouble && offset === failing ? json({}, { status: 503 }) : { items: rows.slice(offset, offset + 2) };
    });
    await using folder = await stateAt(5);
    const configuration = configurationOf(api.url, { incremental: { ...byNumber, order: "descending" } });
    await runHere(configuration, folder.options);
    trouble = false;
    const { result } = await runHere(configuration, { ...folder.options, resume: true });
    assert.deepEqual([result.exitCode, result.jobs[0]?.verdict], [0, "suspect"]);
    assert.equal(await watermark(folder), 5);
  }
});

test("in a descending job with several endpoints, each endpoint ends at its own first page of only older records", async () => {
  await using api = await startApi(({ path, params }) => {
    const rows = path === "/a" ? [row(6), row(5), row(1), row(0)] : [row(9), row(8), row(2), row(1)];
    const offset = Number(params.get("offset"));
    return { items: rows.slice(offset, offset + 2) };
  });
  await using folder = await stateAt(5);
  const incremental = { ...byNumber, order: "descending" };
  const { api: client, config } = configurationOf(api.url, { endpoint: { attr: "paths" }, incremental });
  const [job] = config.jobs;
  const configuration = {
    api: client,
    config: { paths: ["a", "b"], jobs: [{ ...job, dataType: "orders" }] },
  };
  const { result, output } = await runHere(configuration, folder.options);
  assert.equal(result.jobs[0]?.verdict, "complete");
  assert.equal(output, linesOf([row(6), row(5), row(9), row(8)]));
  assert.equal(api.log.length, 4);
});

test("shards of a job with `filter` give the lines and the count of one run, and a descending job is not divided", async () => {
  const rows = Array.from({ length: 12 }, (_, index) => row(11 - index));
  await using api = await feed(() => rows);
  for (const [incremental, kind] of [
    [{ ...byNumber, initial: 5, filter: true }, "strides"],
    [{ ...byNumber, initial: 5, order: "descending" }, "whole"],
  ] as const) {
    const configuration = configurationOf(api.url, { incremental });
    const whole = await runHere(configuration, {});
    await using sharded = await planned(configuration, 3);
    assert.equal(sharded.read.plan.units[0]?.kind, kind);
    for (const index of [0, 1, 2]) await sharded.run(index);
    const merged = await sharded.merge();
    assert.equal(merged.output, whole.output);
    assert.equal(merged.jobs[0]?.filtered, whole.result.jobs[0]?.filtered);
    assert.equal(merged.jobs[0]?.reason, whole.result.jobs[0]?.reason);
    assert.equal(merged.moved[0]?.value?.toString(), "11");
  }
});

test("`filter` and `order` need values of the records, and `order` may only be descending", async () => {
  const rejected = async (incremental: object, message: RegExp): Promise<void> => {
    await assert.rejects(runHere(configurationOf("http://127.0.0.1:1", { incremental }), {}), message);
  };
  await rejected({ response: "x", filter: true }, /incremental\/filter.*cannot be combined with "response"/);
  await rejected({ response: "x", order: "descending" }, /incremental\/order.*cannot be combined with "response"/);
  await rejected({ ...byNumber, order: "ascending" }, /incremental\/order/);
});
