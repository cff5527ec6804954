import assert from "node:assert/strict";
import { join } from "node:path";
import { Writable } from "node:stream";
import { test } from "node:test";
import { SpileError } from "../../src/core/errors.ts";
import { summaryOf } from "../../src/report/summary.ts";
import { type Api, fin, json, raw, records, stall, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";

/* Tests of messages and state of a run that did not get everything. */

const rows = records(12);
const pages = (api: Api, ...endpoints: string[]) => ({
  api: { baseUrl: api.url, pagination: { method: "offset", limit: 3 }, retryConfig: { maxRetries: 0 } },
  config: { jobs: endpoints.map((endpoint) => ({ endpoint })) },
});
const startShop = () =>
  startApi(({ path, params }) => {
    const offset = Number(params.get("offset"));
    return path === "/items" ? rows.slice(offset, offset + 3) : json({}, { status: path === "/gone" ? 404 : 403 });
  });

test("a run that is stopped counts exactly the lines that its reader got", async () => {
  await using api = await startShop();
  const stop = new AbortController();
  let taken = "";
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer) {
      taken += chunk.toString();
      // It never finishes the first chunk, so the chunks of later pages wait.
      void api.received(4).then(() => setImmediate(() => stop.abort(new Error("enough"))));
    },
  });
  const target = { kind: "stream", stream } as const;
  const { result } = await runHere(pages(api, "items"), { target, signal: stop.signal });
  const lines = taken.split("\n").length - 1;
  assert.equal(lines, 3);
  assert.deepEqual([result.records, result.jobs.map((job) => job.records)], [lines, [lines]]);
  assert.equal(result.jobs[0]?.verdict, "failed");
});

for (const [code, exitCode, verdict] of [
  ["EPIPE", 141, "limited"],
  ["ENOSPC", 74, "failed"],
] as const) {
  test(`a run whose output fails with ${code} counts the lines that its reader got`, async () => {
    await using api = await startShop();
    let writes = 0;
    const stream = new Writable({
      write(_chunk, _encoding, callback) {
        writes += 1;
        callback(writes <= 2 ? null : Object.assign(new Error(code), { code }));
      },
    });
    stream.on("error", () => undefined);
    const target = { kind: "stream", stream } as const;
    const { result } = await runHere(pages(api, "items"), { target });
    const jobs = result.jobs.map((job) => [job.job, job.verdict, job.records]);
    assert.deepEqual([result.exitCode, result.records, jobs], [exitCode, 6, [["items", verdict, 6]]]);
  });
}

test("a page that ends early reports the bytes that arrived", async () => {
  const list = records(400);
  const beginning = `[${list.map((record) => JSON.stringify(record)).join(",")}`;
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n";
  for (const [ending, options] of [
    [stall, { stops: true }],
    [fin, {}],
  ] as const) {
    await using api = await startApi(() => raw(head, beginning, ending));
    const stop = new AbortController();
    const { stops, ...given } = { stops: false, ...options };
    let bytes = 0;
    const received = (size: number): void => {
      bytes += size;
      if (stops && bytes === beginning.length) stop.abort(new Error("enough"));
    };
    const job = { endpoint: "items", dataField: "." };
    const configuration = { api: { baseUrl: api.url, retryConfig: { maxRetries: 0 } }, config: { jobs: [job] } };
    const { result } = await runHere(configuration, { hold: 0, received, signal: stop.signal, ...given });
    assert.ok(bytes > 0);
    assert.equal(result.jobs[0]?.bytes, bytes);
  }
});

test("the time of a state moves only if all jobs were read to their ends", async () => {
  await using api = await startShop();
  await using folder = await temporaryFolder();
  const state = join(folder.path, "state.json");
  const previous = async () => {
    const { time } = JSON.parse(await folder.read("state.json")) as { time: { previousStart: number } };
    return time.previousStart;
  };
  await folder.write("state.json", { time: { previousStart: 7 } });
  for (const options of [{ jobs: ["items"] }, { maxRecords: 5 }, { maxRecords: 12 }, { maxPages: 2 }]) {
    const { result } = await runHere(pages(api, "items"), { state, ...options });
    assert.equal(result.exitCode, 0);
    assert.equal(await previous(), 7, JSON.stringify(options));
  }
  await runHere(pages(api, "items"), { state });
  assert.ok((await previous()) > 7);
});

test("the first of several failures is that of the run", async () => {
  await using api = await startShop();
  const { result } = await runHere(pages(api, "gone", "items", "denied"), { keepGoing: true });
  assert.match(String(result.failure?.message), /404/);
  assert.deepEqual(
    result.jobs.map(({ verdict }) => verdict),
    ["failed", "complete", "failed"],
  );
});

for (const { title, options } of [
  { title: "is stopped", options: {} },
  { title: "fails", options: {} },
  { title: "reaches --max-records", options: { maxRecords: 1 } },
]) {
  test(`a run that ${title} lists a thousand of the jobs that it did not begin, and counts the others`, async () => {
    const controller = new AbortController();
    await using api = await startApi(() => {
      if (title === "is stopped") controller.abort(new SpileError("terminated", "stopped by SIGTERM"));
      return title === "fails" ? json({}, { status: 404 }) : [{ id: 1 }];
    });
    const jobs = Array.from({ length: 3000 }, (_, index) => ({ endpoint: `e${index}`, dataType: `d${index}` }));
    const configuration = { api: { baseUrl: api.url }, config: { jobs } };
    const { result, events } = await runHere(configuration, { signal: controller.signal, ...options });
    const names = result.jobs.map(({ dataType }) => dataType);
    assert.deepEqual(
      names,
      jobs.slice(0, 1001).map(({ dataType }) => dataType),
    );
    assert.equal(result.unlistedJobs, 1999);
    assert.equal(summaryOf(result).unlistedJobs, 1999);
    assert.equal(events.filter(({ event }) => event === "job.end").length, 1001);
  });
}

test("an iteration that is not begun lists a thousand of its jobs, and counts the others", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const jobs = Array.from({ length: 1500 }, (_, index) => ({ endpoint: `e${index}` }));
  const configuration = {
    api: { baseUrl: api.url },
    config: { jobs },
    iterations: [{ jobs: [{ endpoint: "a" }] }, { jobs }],
  };
  const { result } = await runHere(configuration, { maxRecords: 1 });
  assert.deepEqual([result.jobs.length, result.unlistedJobs], [1001, 500]);
});
