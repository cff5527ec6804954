import assert from "node:assert/strict";
import { test } from "node:test";
import { newFingerprintKey } from "../../../src/core/values/fingerprint.ts";
import { defaultLimits } from "../../../src/extract/document.ts";
import { TransportFault } from "../../../src/http/exchange/session.ts";
import { Hold } from "../../../src/pipeline/extract/hold.ts";
import { readPage } from "../../../src/pipeline/extract/read-page.ts";
import { LineBudget } from "../../../src/pipeline/line-budget.ts";
import type { OpenedPage } from "../../../src/pipeline/page.ts";
import {
  type Answer,
  broken,
  compress,
  endThenReset,
  fin,
  inTurn,
  lastBytes,
  odd,
  raw,
  startApi,
  text,
} from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

test("the warning about a page without records names the data field, and a page with a single record is logged as `1 record`", async () => {
  await using api = await startApi((request) => (request.path === "/none" ? null : [1]));
  const jobs = [
    { endpoint: "none", dataField: "." },
    { endpoint: "none?again", dataField: "a.b" },
    { endpoint: "one" },
  ];
  const { events } = await runHere({ api: { baseUrl: api.url }, config: { jobs } });
  const messages = (name: string) => events.filter(({ event }) => event === name).map(({ message }) => message);
  assert.deepEqual(messages("warning"), [
    'dataField "." contains no data',
    'dataField "a.b" contains no data: the response has nothing there',
  ]);
  assert.deepEqual(messages("page"), ["0 records", "0 records", "1 record"]);
});

test("a repeated page whose lines are already written is reported with the remedy", async () => {
  await using api = await startApi(() => [{ id: 1 }, { id: 2 }]);
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
    config: { jobs: [{ endpoint: "items" }] },
  };
  const warnings = async (hold: number): Promise<[lines: number, warnings: string[]]> => {
    const { output, events } = await runHere(configuration, { hold });
    const warnings = events.filter(({ event }) => event === "warning").map(({ message }) => message);
    return [output.split("\n").length - 1, warnings];
  };
  assert.deepEqual(await warnings(1000), [2, []]);
  assert.deepEqual(await warnings(0), [
    4,
    [
      "the page repeats the one before it, and the output contains 2 records of it again; a greater --hold keeps such a page back",
    ],
  ]);
});

test("an empty answer after one that broke off within the records is a fault, not an empty page", async () => {
  for (const records of [
    ['{"id":1}', '{"id":2}'],
    [`{"id":1,"s":"${"x".repeat(300_000)}"}`, '{"id":2}', '{"id":3}'],
  ]) {
    const body = `[${records.join(",")}]`;
    const blank = (): Answer => odd.closeDelimited("  ");
    await using api = await startApi(
      inTurn(broken.cutWithoutTerminator(body, body.length - 5), blank(), blank(), text(body)),
    );
    const jobs = [{ endpoint: "x", dataField: "." }];
    const { result, output } = await runHere({ api: { baseUrl: api.url }, config: { jobs } }, { hold: 0 });
    assert.equal(result.exitCode, 0, result.failure?.message);
    assert.equal(output, records.map((record) => `${record}\n`).join(""));
    assert.equal(result.jobs[0]?.retries, 3);
  }
});

test("a compressed body that decodes wrongly before its checksum fails is a fault of the connection", async () => {
  const body = '[{"id":1},{"id":2}]';
  // The body is more than the decoder holds back, and has a wrong checksum at its end.
  const bytes = compress.gzip("<".repeat(700_000));
  bytes.fill(0xff, bytes.length - 8, bytes.length - 4);
  await using api = await startApi(inTurn(text(bytes, { headers: { "content-encoding": "gzip" } }), text(body)));
  const { result, output } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "x" }] } });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.equal(output, '{"id":1}\n{"id":2}\n');
  assert.equal(result.jobs[0]?.retries, 1);
});

test("a retry is accepted if the written lines come again in other portions", async () => {
  const records = Array.from({ length: 12 }, (_, id) => `{"id":${id},"s":"${"x".repeat(30_000)}"}`);
  const body = Buffer.from(`[${records.join(",")}]`);
  // The first attempt brings nine records at once. The second brings seven, and the other five at its end.
  const bodies = [
    (async function* () {
      yield body.subarray(0, 290_000);
      throw new TransportFault("cut");
    })(),
    (async function* () {
      for (let at = 0; at < body.length; at += 16_384) yield body.subarray(at, at + 16_384);
    })(),
  ];
  const scroll = { lastRecord: [], watch: [] };
  const plan = { dataField: [], dataType: "d", children: [], wanted: [], scroll, policy: { rules: [] } };
  const opened = {
    page: { number: 1, request: {}, run: { plan, parents: [], start: { columns: [] } } },
    open: async () => ({ status: 200, url: "u", kind: "body", framed: true, compressed: false, body: bodies.shift() }),
  } as unknown as OpenedPage;
  const mask = (text: string): string => text;
  const fingerprintKey = newFingerprintKey();
  const options = {
    ...defaultLimits,
    budget: new LineBudget(undefined),
    strict: false,
    hold: 0,
    maxResponseBytes: undefined,
    tag: false,
    fingerprintKey,
    split: false,
    unique: undefined,
    mask,
  };
  let output = "";
  for await (const { bytes } of readPage(opened, new Hold(0, fingerprintKey), options)) output += bytes;
  assert.equal(output, records.map((record) => `${record}\n`).join(""));
});

test("a page that is shorter at its second request is an error if its lines were written", async () => {
  const records = [0, 1, 2].map((id) => `{"id":${id},"s":"${"x".repeat(300_000)}"}`);
  const whole = `[${records.join(",")}]`;
  for (const count of [0, 1]) {
    const shorter = `[${records.slice(0, count).join(",")}]`;
    await using api = await startApi(inTurn(broken.cutWithoutTerminator(whole, whole.length - 5), text(shorter)));
    const jobs = [{ endpoint: "x", dataField: "." }];
    const { result, output } = await runHere({ api: { baseUrl: api.url }, config: { jobs } }, { hold: 0 });
    assert.match(result.failure?.message ?? "", /the repeated response began with other records/);
    assert.equal(result.failure?.kind, "data");
    assert.ok(
      output !== "" &&
        records
          .map((record) => `${record}\n`)
          .join("")
          .startsWith(output),
    );
  }
});

test("a rule cannot make a page empty after its lines were written", async () => {
  const records = [0, 1, 2].map((id) => `{"id":${id},"s":"${"x".repeat(300_000)}"}`);
  const whole = `[${records.join(",")}]`;
  const over = text("<html>", { headers: { "X-Over": "1" } });
  await using api = await startApi(inTurn(broken.cutWithoutTerminator(whole, whole.length - 5), over));
  const http = { responses: JSON.parse('[{ "when": { "header": "X-Over" }, "then": "empty" }]') };
  const jobs = [{ endpoint: "x", dataField: "." }];
  const { result } = await runHere({ api: { baseUrl: api.url, http }, config: { jobs } }, { hold: 0 });
  assert.equal(result.failure?.kind, "data");
  assert.match(result.failure?.message ?? "", /^http.*the response is not JSON.*\(status 200, /);
});

test("with --max-records, a page is read to its end if a rule needs it", async () => {
  const items = Array.from({ length: 20 }, (_, id) => ({ id, s: "x".repeat(100_000) }));
  await using api = await startApi(() => ({ items, error: "half of it" }));
  const http = { responses: JSON.parse('[{ "when": { "path": "error" }, "then": "fail", "message": "error" }]') };
  const jobs = [{ endpoint: "x", dataField: "items" }];
  const configuration = { api: { baseUrl: api.url, http }, config: { jobs } };
  const { result, output } = await runHere(configuration, { maxRecords: 1 });
  assert.match(result.failure?.message ?? "", /half of it/);
  assert.equal(output, "");
});

test("the records of a repeated page do not count as duplicates", async () => {
  await using api = await startApi(() => [{ id: 1 }, { id: 1 }]);
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
    config: { jobs: [{ endpoint: "x" }] },
  };
  const { result, output } = await runHere(configuration, { unique: "id" });
  assert.deepEqual([output, result.jobs[0]?.pages, result.jobs[0]?.duplicates], ['{"id":1}\n', 2, 1]);
});

test("--max-records counts only records that --unique keeps", async () => {
  const padding = "x".repeat(100_000);
  const lines = [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3].map((id) => ({ id, padding }));
  await using api = await startApi(() => lines);
  const jobs = [{ endpoint: "x", dataField: "." }];
  const configuration = { api: { baseUrl: api.url }, config: { jobs } };
  const { output } = await runHere(configuration, { maxRecords: 2, unique: "id" });
  assert.deepEqual(
    output.split("\n").map((line) => line.slice(0, 8)),
    ['{"id":1,', '{"id":2,', ""],
  );
});

const resetAfterALine = (ids: readonly number[], headers = "Content-Type: application/x-ndjson\r\n"): Answer =>
  broken.resetWithoutLength(ids.map((id) => `{"id":${id}}\n`).join(""), undefined, headers);

test("a body without a length whose connection is reset after a whole line is requested again", async () => {
  const whole = text('{"id":1}\n{"id":2}\n', { headers: { "content-type": "application/x-ndjson" } });
  await using api = await startApi(inTurn(resetAfterALine([1]), whole));
  const { output, result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } });
  assert.deepEqual([output, result.exitCode, result.jobs[0]?.verdict], ['{"id":1}\n{"id":2}\n', 0, "complete"]);
  assert.equal(api.log.length, 2);
});

test("a reset that arrives together with the last bytes is not the end of a body without a length", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n";
  const whole = text('{"id":1}\n{"id":2}\n', { headers: { "content-type": "application/x-ndjson" } });
  await using api = await startApi(inTurn(raw(lastBytes(`${head}{"id":1}\n`)), whole));
  const { output, result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } });
  assert.deepEqual([output, result.exitCode, result.jobs[0]?.verdict], ['{"id":1}\n{"id":2}\n', 0, "complete"]);
  assert.equal(api.log.length, 2);
});

test("a reset after the end of a body without a length does not matter", async () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n";
  await using api = await startApi(() => raw(endThenReset(`${head}{"id":1}\n`)));
  const { output, result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } });
  assert.deepEqual([output, result.exitCode, result.jobs[0]?.verdict], ['{"id":1}\n', 0, "complete"]);
  assert.equal(api.log.length, 1);
});

test("a body whose connection was reset is accepted if it comes again unchanged, and the job is suspect", async () => {
  const csv = "Content-Type: text/csv\r\n";
  const rows: readonly (readonly [answer: Answer, format: string, output: string])[] = [
    [resetAfterALine([1, 2]), "json", '{"id":1}\n{"id":2}\n'],
    [broken.resetWithoutLength("id\n1\n", undefined, csv), "csv", '{"id":"1"}\n'],
    [broken.resetWithoutLength(compress.gzip("id\n1\n"), undefined, csv), "csv", '{"id":"1"}\n'],
  ];
  for (const [answer, type, output] of rows) {
    const job = { endpoint: "items", ...(type === "json" ? {} : { format: { type } }) };
    await using api = await startApi(() => answer);
    const configuration = { api: { baseUrl: api.url }, config: { jobs: [job] } };
    const taken = await runHere(configuration);
    assert.deepEqual([taken.output, taken.result.exitCode, taken.result.jobs[0]?.verdict], [output, 0, "suspect"]);
    assert.match(
      taken.result.jobs[0]?.reason ?? "",
      /but the connection was reset after an answer .* twice in the same way/,
    );
    assert.equal(api.log.length, 2);
    const once = await runHere({
      ...configuration,
      api: { baseUrl: api.url, retryConfig: { maxRetries: 0 } },
    });
    assert.deepEqual([once.output, once.result.exitCode], ["", 75]);
    assert.match(
      once.result.failure?.message ?? "",
      /the connection was reset, and the response does not state its length/,
    );
  }
});

test("bodies that differ after each reset are a temporary failure", async () => {
  let count = 0;
  await using api = await startApi(() => {
    count += 1;
    return resetAfterALine(Array.from({ length: count }, (_, index) => index));
  });
  const { result } = await runHere({
    api: { baseUrl: api.url, retryConfig: { maxRetries: 3 } },
    config: { jobs: [{ endpoint: "items" }] },
  });
  assert.deepEqual([result.exitCode, api.log.length], [75, 4]);
});

test("a document that shows its end, and a body that ends without a reset, are accepted", async () => {
  const lines = '{"id":1}\n';
  const ndjson = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n";
  for (const answer of [broken.resetWithoutLength('[{"id":1}]'), raw(ndjson, lines, fin)]) {
    await using api = await startApi(() => answer);
    const { output, result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } });
    assert.deepEqual([output, result.jobs[0]?.verdict, api.log.length], [lines, "complete", 1]);
  }
});

test("a message of failure in place of lines or a table makes the job suspect, unless evidence is off", async () => {
  const csv = { "content-type": "text/csv" };
  const lines = { "content-type": "application/x-ndjson" };
  const rows: readonly (readonly [body: string, headers: Record<string, string>, format: object, verdict: string])[] = [
    [
      '{"errors": [{"message": "no"}]}',
      { "content-type": "application/json" },
      { type: "csv", quote: false },
      "suspect",
    ],
    ['{"error": "no"}\n', csv, { type: "tsv", quote: false }, "suspect"],
    ['{"status": "failed"}', csv, { type: "csv", quote: false }, "suspect"],
    ['{"error": "Unable to authenticate request"}', lines, { type: "ndjson" }, "suspect"],
    ['{"id": 1, "status": "failed"}', lines, { type: "ndjson" }, "complete"],
    ['{"error": "no"}\n{"id": 1}\n', lines, { type: "ndjson" }, "complete"],
    ['{"id": 1, "error": null}', lines, { type: "ndjson" }, "complete"],
    ["id\n1\n", { "content-type": "text/html" }, { type: "csv" }, "complete"],
  ];
  for (const [body, headers, format, verdict] of rows) {
    await using api = await startApi(() => text(body, { headers }));
    const run = async (more: object) => {
      const jobs = [{ endpoint: "items", format, ...more }];
      return (await runHere({ api: { baseUrl: api.url }, config: { jobs } })).result.jobs[0];
    };
    const job = await run({});
    assert.equal(job?.verdict, verdict, body);
    if (verdict === "suspect") assert.match(job?.reason ?? "", /the API answered/);
    assert.equal((await run({ evidence: false }))?.verdict, "complete");
  }
});

test("an empty field of a table counts as no value of an increment, and its row is written with one warning", async () => {
  const rows = "id,updated\n1,2024-05-01 10:30:00 UTC\n2,\n3,2024-05-02 10:30:00 UTC\n4,\n";
  await using api = await startApi(() => text(rows, { headers: { "content-type": "text/csv" } }));
  const job = { endpoint: "items", format: "csv", incremental: { path: "updated" } };
  const { output, result, events } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [job] } });
  assert.deepEqual([output.split("\n").length, result.exitCode], [5, 0], result.failure?.message);
  const warnings = events.filter(({ event, message }) => event === "warning" && message.includes("updated"));
  assert.equal(warnings.length, 1, warnings.map(({ message }) => message).join("\n"));
});

test("a single record that is only an error is suspect, and a single record with an error among other data is not", async () => {
  const rows: readonly (readonly [record: object, reason: string | undefined])[] = [
    [{ error: "NOT_LOGGED_IN" }, 'the API answered with "error": NOT_LOGGED_IN'],
    [{ success: false, message: "no such user", code: 7 }, 'the API answered "success" false'],
    [{ status: "error", message: "no such user" }, 'the API answered "status" "error"'],
    [{ id: 1, error: "the build failed" }, undefined],
    [{ status: "failed" }, undefined],
    [{ error: null, code: 0 }, undefined],
    [{}, undefined],
  ];
  for (const [record, reason] of rows) {
    await using api = await startApi(() => record);
    const configuration = { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "x", dataField: "." }] } };
    const { output, result } = await runHere(configuration);
    const [job] = result.jobs;
    assert.equal(output, `${JSON.stringify(record)}\n`);
    assert.equal(job?.verdict, reason === undefined ? "complete" : "suspect", JSON.stringify(record));
    if (reason !== undefined) assert.ok(job?.reason.includes(reason), job?.reason);
    const quiet = await runHere({
      ...configuration,
      config: { jobs: [{ endpoint: "x", dataField: ".", evidence: false }] },
    });
    assert.equal(quiet.result.jobs[0]?.verdict, "complete");
  }
});
