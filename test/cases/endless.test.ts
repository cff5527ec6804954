import assert from "node:assert/strict";
import { test } from "node:test";
import { json, linesOf, type Received, records, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { messagesOf, offset, run } from "./run.ts";

/** Returns a handler that passes the number of the request, from 1 on, to `answer`. */
function numbered(answer: (number: number, request: Received) => unknown): (request: Received) => unknown {
  let number = 0;
  return (request) => {
    number += 1;
    return answer(number, request);
  };
}

/* Tests of APIs that never end by themselves, and of records and totals that change between two pages. */

test("a page that repeats the ids of the previous page ends the job as suspect, although another field differs", async () => {
  await using api = await startApi({
    "/items": numbered((number) => json(records(3).map((row, index) => ({ ...row, age: `${number}${index}` })))),
  });
  const end = await run(api, { api: { pagination: { method: "pagenum" } }, args: ["--strict"] });
  assert.equal(end.code, 1);
  assert.equal(end.stdout.trimEnd().split("\n").length, 3);
  assert.equal(api.targets().length, 2);
  assert.match(end.stderr, /suspect.*page 2 holds the same 3 records as the page before it, by "id"/);
});

test("with --unique, a page with the keys of one earlier page ends the job; a page with keys of several earlier pages does not", async () => {
  const pages = [
    [1, 2],
    [3, 4],
    [2, 1],
    [5, 6],
    [3, 4],
    [7, 8],
  ].map((keys) => keys.map((key) => ({ key, seen: Math.random() })));
  await using api = await startApi({ "/items": numbered((number) => json(pages[number - 1] ?? [])) });
  const end = await run(api, { api: { pagination: { method: "pagenum" } }, args: ["--unique", "key", "--strict"] });
  assert.equal(end.code, 1);
  const keys = end.stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { key: number }).key);
  assert.deepEqual(keys, [1, 2, 3, 4, 5, 6]);
  assert.match(end.stderr, /page 5 holds the same 2 records as an earlier page, by the keys of --unique/);
});

test("with --unique, a page of a single duplicate does not end the job", async () => {
  const keys = [1, 2, 1, 3];
  await using api = await startApi({
    "/items": numbered((number) => json(keys.slice(number - 1, number).map((key) => ({ key, n: number })))),
  });
  const end = await run(api, { api: { pagination: { method: "pagenum" } }, args: ["--unique", "key", "--strict"] });
  const lines = [1, 2, 4].map((n) => ({ key: keys[n - 1], n }));
  assert.deepEqual([end.code, end.stdout], [0, linesOf(lines)]);
});

test("with --unique, records whose key is null are kept, and do not make pages look repeated", async () => {
  const pages = [
    [{ key: null, n: 1 }, { key: 1 }],
    [{ key: null, n: 2 }, { key: 1 }],
    [{ n: 3 }, { key: 2 }],
  ];
  await using api = await startApi({ "/items": numbered((number) => json(pages[number - 1] ?? [])) });
  const end = await run(api, { api: { pagination: { method: "pagenum" } }, args: ["--unique", "key", "--strict"] });
  assert.deepEqual(
    [end.code, end.stdout],
    [0, linesOf([{ key: null, n: 1 }, { key: 1 }, { key: null, n: 2 }, { n: 3 }, { key: 2 }])],
  );
  assert.equal(messagesOf(end, "warning").filter((line) => line.includes("no key")).length, 1);
});

test("a total that falls between two pages of offset paging makes the job suspect, and the watermark stays", async () => {
  await using folder = await temporaryFolder();
  const all = Array.from({ length: 25 }, (_, index) => ({ id: index + 1, t: 1001 + index }));
  await using api = await startApi({
    "/items": numbered((number, { params }) => {
      const left = number === 1 ? all : all.slice(1);
      const start = Number(params.get("offset"));
      return json({ items: left.slice(start, start + 10), total: left.length });
    }),
  });
  const state = `${folder.path}/state.json`;
  const jobs = [{ endpoint: "items", dataField: "items", incremental: { path: "t", type: "number" } }];
  const end = await run(api, { api: offset(10), config: { jobs }, args: ["--strict", "--state", state] });
  assert.equal(end.code, 1);
  assert.match(end.stderr, /"total" fell from 25 to 24 between two pages/);
  assert.doesNotMatch(await folder.read("state.json").catch(() => ""), /1025/);
});

test("if the answer to a probe begins with a record that was already received, it is not written, and the job is suspect", async () => {
  // The API filters its pages after it has cut them.
  const all = Array.from({ length: 200 }, (_, index) => ({ id: index + 1 })).filter(
    ({ id }) => id % 40 !== 0 || id > 100,
  );
  const within = (start: number, limit: number) => all.filter(({ id }) => id > start && id <= start + limit);
  await using api = await startApi({
    "/items": ({ params }) => json(within(Number(params.get("offset")), Number(params.get("limit")))),
  });
  const end = await run(api, { api: offset(100), args: ["--probe-end", "--strict"] });
  assert.equal(end.code, 1);
  assert.equal(end.stdout, linesOf(within(0, 100)));
  assert.match(end.stderr, /page 2, requested after a short page, begins with a record that already came/);
});

test("the warning about an empty page appears once for a job, and says that this is usual on the last page unless the first page is empty", async () => {
  await using api = await startApi({
    "/items": numbered((number) => json({ items: number === 1 ? records(2) : [] })),
    "/none": () => json({ items: [] }),
  });
  const paged = (endpoint: string) => ({ jobs: [{ endpoint, dataField: "items" }] });
  const end = await run(api, { api: { pagination: { method: "pagenum" } }, config: paged("items") });
  assert.deepEqual(
    messagesOf(end, "warning").map((line) => /contains no data.*/.exec(line)?.[0]),
    ["contains no data, as is usual on the last page"],
  );
  const none = await run(api, { api: { pagination: { method: "pagenum" } }, config: paged("none") });
  assert.deepEqual(
    messagesOf(none, "warning").map((line) => /contains no data.*/.exec(line)?.[0]),
    ["contains no data"],
  );
});

test("the error of a resumed job whose token has expired does not advise ignoring the refusal", async () => {
  await using folder = await temporaryFolder();
  let isExpired = false;
  await using api = await startApi({
    "/items": ({ params }) => {
      const page = Number(params.get("c") ?? 1);
      if (isExpired && page > 1) return json({ error: "gone" }, { status: 410 });
      return page === 3 ? json({}, { status: 403 }) : json({ items: [{ id: page }], next: page + 1 });
    },
  });
  const token = { pagination: { method: "response.param", responseParam: "next", queryParam: "c" } };
  const args = ["--state", `${folder.path}/state.json`, "--resume"];
  const first = await run(api, { api: token, job: { dataField: "items" }, args });
  assert.deepEqual([first.code, first.stdout], [69, linesOf([{ id: 1 }, { id: 2 }])]);
  isExpired = true;
  const second = await run(api, { api: token, job: { dataField: "items" }, args });
  assert.equal(second.code, 69);
  assert.match(
    second.stderr,
    /410.*the job was resumed here; its place may have expired since: run it without --resume/,
  );
  assert.doesNotMatch(second.stderr, /ignoreErrors/);
});
