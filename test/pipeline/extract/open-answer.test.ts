import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { faultsOf } from "../../config/reading.ts";
import { chunked, fin, raw, startApi, text } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";
import { zipOf } from "../../helpers/zip.ts";

const configured = (baseUrl: string, job: object, pagination?: object) => ({
  api: { baseUrl, ...(pagination === undefined ? {} : { pagination }) },
  config: { jobs: [{ endpoint: "export", ...job }] },
});

test("paging counts the rows of a table, and each gets the columns of user data", async () => {
  const rows = ["a", "b", "c", "d", "e"];
  await using api = await startApi(({ params }) => {
    const start = Number(params.get("offset"));
    return text(`name\n${rows.slice(start, start + Number(params.get("limit"))).join("\n")}\n`);
  });
  const job = { format: "csv", userData: { source: 1 } };
  const { output, result } = await runHere(configured(api.url, job, { method: "offset", limit: 2 }));
  assert.equal(output, rows.map((name) => `{"name":"${name}","source":1}\n`).join(""));
  assert.equal(result.jobs[0]?.verdict, "complete");
  assert.equal(api.log.length, 3);
});

test('NDJSON is recognised by its content type, unless the job has "format": "json"', async () => {
  for (const type of ["application/x-ndjson", "application/jsonl; charset=utf-8", "Application/JSON-seq"]) {
    await using api = await startApi(() =>
      text('\u001e{"a":1.10}\n\n\u001e[2]\n', { headers: { "content-type": type } }),
    );
    const { output } = await runHere(configured(api.url, {}));
    assert.equal(output, '{"a":1.10}\n[2]\n', type);
  }
  await using api = await startApi(() => text('[{"a":1}]', { headers: { "content-type": "application/x-ndjson" } }));
  assert.equal((await runHere(configured(api.url, { format: "json" }))).output, '{"a":1}\n');
});

test("a body that breaks off is requested again, and nothing is written twice", async () => {
  const csv = `id,text\n${Array.from({ length: 50 }, (_, id) => `${id},"line\n${id}"`).join("\n")}\n`;
  const expected = Array.from({ length: 50 }, (_, id) => `{"id":"${id}","text":"line\\n${id}"}\n`).join("");
  const bodies: readonly (readonly [name: string, body: Buffer, job: object, expected: string])[] = [
    ["csv", Buffer.from(csv), { format: "csv" }, expected],
    ["gzip", gzipSync(csv), { format: { type: "csv", compression: "gzip" } }, expected],
    ["zip", zipOf([{ name: "a", data: Buffer.from(csv) }]), { format: "csv" }, expected],
    ["ndjson", Buffer.from(expected), { format: "ndjson" }, expected],
  ];
  for (const [name, body, job, lines] of bodies) {
    for (const share of [0.1, 0.5, 0.9]) {
      const cut = body.subarray(0, Math.floor(body.length * share));
      const length = `content-length: ${body.length}\r\n`;
      const broken = [
        () => raw(`HTTP/1.1 200 OK\r\n${length}\r\n`, cut, fin),
        () => raw("HTTP/1.1 200 OK\r\n\r\n", cut, fin),
      ];
      for (const first of name === "csv" ? broken.slice(0, 1) : broken) {
        let asked = 0;
        await using api = await startApi(() => (asked++ === 0 ? first() : text(body)));
        for (const hold of [0, 1_000_000]) {
          asked = 0;
          const { output, result } = await runHere(configured(api.url, job), { hold });
          assert.equal(output, lines, `${name}, cut at ${share}, hold ${hold}`);
          assert.equal(result.exitCode, 0);
        }
      }
    }
  }
});

test("the charset of the Content-Type applies to a plain and to a packed document", async () => {
  const latin1 = Buffer.from("name\nB\u00e9la\n", "latin1");
  const headers = { "content-type": "text/csv; charset=iso-8859-1" };
  for (const body of [latin1, gzipSync(latin1), zipOf([{ name: "a", data: latin1 }])]) {
    await using api = await startApi(() =>
      chunked(
        [...body].map((byte) => Buffer.of(byte)),
        { headers },
      ),
    );
    assert.equal((await runHere(configured(api.url, { format: "csv" }))).output, '{"name":"Béla"}\n');
  }
});

test("a broken row ends the run with 65, the address and the line, and none of its page is written", async () => {
  await using api = await startApi(() => text("a,b\n1,2\n3\n"));
  const { output, result } = await runHere(configured(api.url, { format: "csv" }));
  assert.deepEqual([output, result.exitCode], ["", 65]);
  assert.match(result.failure?.message ?? "", /\/export: line 3 has 1 field, but the header has 2 \(status 200/);
});

test("options that a format does not allow are reported before the first request", () => {
  const job = {
    endpoint: "x",
    dataField: "a",
    format: { type: "csv", compression: "gzip", member: "*", header: false },
  };
  const document = { api: { baseUrl: "https://api.example.com/" }, config: { jobs: [job] } };
  assert.deepEqual(faultsOf(document), [
    '/config/jobs/0/dataField: the records of a csv are its rows: leave "dataField" out',
    "/config/jobs/0/format/header: must be true or a list of names, since each record needs its keys",
    '/config/jobs/0/format/member: only a zip has members, and "compression" is "gzip"',
  ]);
  const lined = { endpoint: "x", format: { type: "ndjson", delimiter: ";" } };
  assert.deepEqual(faultsOf({ ...document, config: { jobs: [lined] } }), [
    "/config/jobs/0/format/delimiter: is an option of csv and tsv, not of ndjson",
  ]);
  const twice = { endpoint: "x", format: { type: "csv", header: ["a", "b", "a"] } };
  assert.deepEqual(faultsOf({ ...document, config: { jobs: [twice] } }), [
    '/config/jobs/0/format/header/2: there is another column "a" before it',
  ]);
});

test("a configured charset takes precedence over the Content-Type, except for an error's body", async () => {
  const body = Buffer.concat([Buffer.from("name\nB"), Buffer.of(0xf9), Buffer.from("k\n")]);
  const job = { format: { type: "csv", charset: "Windows-1250" } };
  for (const type of ["text/csv", "text/csv; charset=utf-8", undefined]) {
    for (const bytes of [body, gzipSync(body), zipOf([{ name: "a", data: body }])]) {
      await using api = await startApi(() =>
        text(bytes, type === undefined ? {} : { headers: { "content-type": type } }),
      );
      const { output, result } = await runHere(configured(api.url, job));
      assert.deepEqual([output, result.exitCode], ['{"name":"B\u016fk"}\n', 0], String(type));
    }
  }
  const rules = JSON.parse(
    '[{"when": {"status": 400, "path": "error", "is": "B\u016fk"}, "then": "fail", "message": "error"}]',
  );
  await using api = await startApi(() => text('{"error": "B\u016fk"}', { status: 400 }));
  const { api: base, config } = configured(api.url, job);
  const { failure } = (await runHere({ api: { ...base, http: { responses: rules } }, config })).result;
  assert.match(failure?.message ?? "", /answered 400: B\u016fk$/);
  const [fault] = faultsOf(configured("https://api.example.com/", { format: { type: "csv", charset: "latin-9000" } }));
  assert.match(fault ?? "", /^\/config\/jobs\/0\/format\/charset: must be a charset of the Encoding standard/);
});

test("`escape` is allowed only in CSV and TSV, and must differ from the quote", () => {
  const faults = (format: object) => faultsOf(configured("https://api.example.com/", { format }));
  assert.match(
    faults({ type: "json", escape: "\\" })[0] ?? "",
    /format\/escape: is an option of csv and tsv, not of json/,
  );
  assert.match(faults({ type: "csv", escape: '"' })[0] ?? "", /format\/escape: is the same text as "quote"/);
  assert.deepEqual(faults({ type: "csv", escape: "\\" }), []);
});
