import assert from "node:assert/strict";
import { finished } from "node:stream/promises";
import { test } from "node:test";
import { type Extraction, extract, extractRecords, type RunEvent, SpileError } from "../src/index.ts";
import { type Api, broken, json, startApi } from "./helpers/api.ts";

function configuration(api: Api, ...endpoints: string[]): string {
  return JSON.stringify({
    api: { baseUrl: api.url, pagination: { method: "pagenum" } },
    config: { jobs: endpoints.map((endpoint) => ({ endpoint, dataField: "." })) },
  });
}

/** Starts an API with endless pages of three records. The third one contains the number of the page. */
function endlessApi(): Promise<Api> {
  return startApi(({ params }) => [1, null, { page: Number(params.get("page")) }]);
}

test("a record is what the parser returns, even null", async () => {
  await using api = await startApi({ "/a": () => [null, 1, { b: [2] }], "/b": () => ['"x"'] });
  const read = (stream: Extraction): Promise<unknown[]> => stream.toArray();
  const text = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] } });
  assert.deepEqual(await read(extractRecords(text)), [
    { dataType: "a", record: null },
    { dataType: "a", record: 1 },
    { dataType: "a", record: { b: [2] } },
    { dataType: "b", record: '"x"' },
  ]);
  const asText = await read(extractRecords(text, { parse: (record) => record }));
  assert.deepEqual(
    asText.map((one) => (one as { record: string }).record),
    ["null", "1", '{"b":[2]}', '"\\"x\\""'],
  );
  assert.equal((await read(extractRecords(text, { parse: () => null }))).length, 4);
});

test("a parser that throws ends the run, and the stream fails with its error", async () => {
  await using api = await endlessApi();
  const stream = extractRecords(configuration(api, "a"), {
    parse: () => {
      throw new RangeError("no");
    },
  });
  await assert.rejects(finished(stream.resume()), RangeError);
  assert.equal((await stream.result).failure?.code, "ERR_ABORTED");
});

test("leaving a loop early or destroying the stream ends the run without a failure", async () => {
  await using api = await endlessApi();
  const left = extractRecords(configuration(api, "a"));
  for await (const { record } of left) if (record === null) break;
  const destroyed = extract(configuration(api, "b"));
  destroyed.once("data", () => destroyed.destroy());
  for (const stream of [left, destroyed]) {
    const { failure, exitCode, jobs } = await stream.result;
    assert.deepEqual([failure, exitCode], [undefined, 0]);
    assert.deepEqual(
      jobs.map(({ verdict, reason }) => [verdict, reason]),
      [["limited", "the reader has stopped reading"]],
    );
  }
  const asked = api.log.length;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(api.log.length, asked, "a request was sent after the end");
});

test("an error in onEvent reaches the caller and ends the run", async () => {
  await using api = await endlessApi();
  const own = new TypeError("mine");
  let calls = 0;
  const stream = extract(configuration(api, "a"), {
    onEvent: ({ event }: RunEvent) => {
      calls += 1;
      if (event === "page") throw own;
    },
  });
  await assert.rejects(finished(stream.resume()), (error) => error === own);
  const before = calls;
  const { failure } = await stream.result;
  assert.deepEqual([failure?.code, failure?.cause], ["ERR_ABORTED", own]);
  assert.equal(calls, before, "onEvent was called after its error");
});

test("a run that is aborted fails with the reason of the abort: before the start, by a time-out, or with any value", async () => {
  await using api = await startApi(() => broken.stalledBeforeHeaders());
  const controller = new AbortController();
  const signals: [AbortSignal, unknown][] = [
    [AbortSignal.abort("at once"), "at once"],
    [AbortSignal.timeout(20), undefined],
    [controller.signal, 7],
  ];
  for (const [signal, reason] of signals) {
    const stream = extract(configuration(api, "a"), { signal });
    const ended = assert.rejects(
      finished(stream.resume()),
      (error) => error instanceof SpileError && error.code === "ERR_ABORTED",
    );
    if (signal === controller.signal) controller.abort(7);
    await ended;
    const { failure, exitCode } = await stream.result;
    assert.equal(exitCode, 130);
    if (reason === undefined) assert.match(String(failure?.cause), /^TimeoutError/);
    else assert.equal(failure?.cause, reason);
  }
});

test("a failed run does not crash a program that waits for the result, and the error comes after the records", async () => {
  await using api = await startApi(({ params, path }) =>
    path === "/refused" || params.get("page") === "2"
      ? json({}, { status: 403 })
      : Array.from({ length: 20_000 }, (_, id) => ({ id })),
  );
  // This run writes no lines, so nobody has to read its stream.
  const { failure, exitCode } = await extract(configuration(api, "refused")).result;
  assert.deepEqual([failure?.code, exitCode], ["ERR_REFUSED", 69]);
  let records = 0;
  const reading = extractRecords(configuration(api, "a"));
  await assert.rejects(
    async () => {
      for await (const _ of reading) records += 1;
    },
    { code: "ERR_REFUSED" },
  );
  assert.equal(records, 20_000);
});

test("with `strict`, a suspect end rejects after all records", async () => {
  await using api = await startApi(() => ({ items: [{ id: 1 }, { id: 2 }], has_more: true }));
  const text = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a" }] } });
  const stream = extractRecords(text, { strict: true });
  const records: unknown[] = [];
  await assert.rejects(
    async () => {
      for await (const { record } of stream) records.push(record);
    },
    { code: "ERR_SUSPECT", exitCode: 1, message: /^the run is suspect: a: .*has_more/ },
  );
  assert.equal(records.length, 2);
  const { failure, exitCode, jobs } = await stream.result;
  assert.deepEqual([failure, exitCode, jobs[0]?.verdict], [undefined, 1, "suspect"]);
});
