import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { dataset, empty, json, linesOf, records, startApi } from "../helpers/api.ts";
import { messagesOf, run } from "./run.ts";

/* Tests of paging by offset (contract C-6): the parameters of each request, and the end. */

const all = records(7);

/** Runs a job on an API of seven records, which gives three a page unless `limit` says otherwise. Returns the result and the requests. */
async function asked(pagination: unknown, job: Record<string, unknown> = {}, options = {}) {
  await using api = await startApi({ "*": dataset(all, { size: 3, ...options }) });
  const end = await run(api, { api: { pagination }, job });
  assert.equal(end.code, 0, end.stderr);
  return { end, targets: api.targets(), bodies: api.log.map(({ body }) => body) };
}

const targets = (size: number, ...offsets: number[]) => offsets.map((at) => `/items?limit=${size}&offset=${at}`);

describe("the paging parameters", () => {
  const offset = { method: "offset", limit: 3 };

  test("the offset grows from 0 by the page size (contract C-6.2)", async () => {
    const { end, targets: sent } = await asked(offset);
    assert.deepEqual([sent, end.stdout], [targets(3, 0, 3, 6), linesOf(all)]);
    assert.deepEqual((await asked({ ...offset, limit: "3" })).targets, targets(3, 0, 3, 6));
  });

  test("the parameters may have other names", async () => {
    const names = { limitParam: "count", offsetParam: "skip" };
    const { targets: sent } = await asked({ ...offset, ...names }, {}, names);
    assert.deepEqual(
      sent,
      [0, 3, 6].map((at) => `/items?count=3&skip=${at}`),
    );
  });

  test("the page size of a job takes precedence (contract C-6.3)", async () => {
    for (const limit of [5, "5"]) {
      const { targets: sent, end } = await asked(offset, { params: { limit } });
      assert.deepEqual([sent, end.stdout], [targets(5, 0, 5), linesOf(all)]);
    }
    const named = { ...offset, limitParam: "count" };
    const { targets: sent } = await asked(named, { params: { count: 4 } }, { limitParam: "count" });
    assert.deepEqual(sent, ["/items?count=4&offset=0", "/items?count=4&offset=4"]);
  });

  test("the offset of a job is used only with offsetFromJob (contract C-6.2)", async () => {
    const job = { params: { offset: 2, a: 1 } };
    const from = await asked({ ...offset, offsetFromJob: true }, job);
    assert.deepEqual(from.targets, ["/items?offset=2&a=1&limit=3", "/items?offset=5&a=1&limit=3"]);
    assert.equal(from.end.stdout, linesOf(all.slice(2)));
    const ignored = await asked(offset, job);
    assert.deepEqual(
      ignored.targets,
      [0, 3, 6].map((at) => `/items?offset=${at}&a=1&limit=3`),
    );
    assert.deepEqual((await asked({ ...offset, offsetFromJob: true })).targets, targets(3, 0, 3, 6));
  });

  test("with firstPageParams: false, the first request has no paging parameters (contract C-6.4)", async () => {
    const bare = await asked({ ...offset, firstPageParams: false }, { params: { a: 1 } });
    assert.deepEqual(bare.targets, ["/items?a=1", "/items?a=1&limit=3&offset=3", "/items?a=1&limit=3&offset=6"]);
    assert.equal(bare.end.stdout, linesOf(all));
    // The job's own entries stay, and the second page begins after the first.
    const own = { params: { offset: 1, limit: 2 } };
    const from = await asked({ ...offset, firstPageParams: false, offsetFromJob: true }, own);
    assert.deepEqual(from.targets, [
      "/items?offset=1&limit=2",
      "/items?offset=3&limit=2",
      "/items?offset=5&limit=2",
      "/items?offset=7&limit=2",
    ]);
  });

  test("paging parameters are sent where the job's parameters are: in the JSON of a POST, as numbers, or in a form", async () => {
    const post = await asked(offset, { method: "POST", params: { a: "b" } });
    assert.deepEqual(
      post.bodies,
      [0, 3, 6].map((at) => `{"a":"b","limit":3,"offset":${at}}`),
    );
    assert.deepEqual(new Set(post.targets), new Set(["/items"]));
    const form = await asked(offset, { method: "FORM", params: { a: "b" } });
    assert.deepEqual(
      form.bodies,
      [0, 3, 6].map((at) => `a=b&limit=3&offset=${at}`),
    );
  });

  test("paging parameters take the places of default parameters with the same names", async () => {
    await using api = await startApi({ "*": dataset(all) });
    const http = { defaultOptions: { params: { offset: 90, sort: "id", limit: 1 } } };
    const end = await run(api, { api: { pagination: offset, http } });
    assert.equal(end.code, 0);
    assert.deepEqual(
      api.targets(),
      [0, 3, 6].map((at) => `/items?offset=${at}&sort=id&limit=3`),
    );
  });
});

describe("the end of paging", () => {
  const pagination = { method: "offset", limit: 3 };

  test("the list at dataField decides which page is the last, not the response around it", async () => {
    await using api = await startApi(({ params }) => {
      const at = Number(params.get("offset"));
      return { about: [1, 2, 3], page: { rows: all.slice(at, Math.min(at + 3, 6)) }, more: "text" };
    });
    const end = await run(api, { api: { pagination }, job: { dataField: "page.rows" } });
    assert.deepEqual([end.code, end.stdout, api.targets()], [0, linesOf(all.slice(0, 6)), targets(3, 0, 3, 6)]);
    assert.deepEqual(messagesOf(end, "warning"), [
      'items page 3: dataField "page.rows" contains no data, as is usual on the last page',
    ]);
  });

  for (const [name, last] of [
    ["a short page", () => ({ items: records(1, 4) })],
    ["an empty page", () => ({ items: [] })],
    ["null at the data field", () => ({ items: null })],
    ["an object without the data field", () => ({ status: "done" })],
    ["an empty object", () => ({})],
    ["null", () => null],
    ["no body", () => empty(204)],
  ] as const) {
    test(`${name} is the last page`, async () => {
      await using api = await startApi(({ params }) => (params.get("offset") === "0" ? { items: records(3) } : last()));
      const end = await run(api, { api: { pagination }, job: { dataField: "items" }, args: ["--strict"] });
      const expected = linesOf(records(name === "a short page" ? 4 : 3));
      assert.deepEqual([end.code, end.stdout, api.targets()], [0, expected, targets(3, 0, 3)], end.stderr);
    });
  }

  test("without paging, each job has one request", async () => {
    await using api = await startApi(() => records(3));
    const end = await run(api, { config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] } });
    assert.deepEqual([end.code, api.targets()], [0, ["/a", "/b"]]);
  });
});

describe('the pagination "multiple"', () => {
  const a = { method: "offset", limit: 5 };
  const b = { method: "offset", limit: 4, limitParam: "n", offsetParam: "at" };
  const jobs = [{ endpoint: "x" }, { endpoint: "y", scroller: "b" }];

  for (const [name, pagination, first] of [
    ["a scroller named default", { scrollers: { default: a, b } }, ["/x?limit=5&offset=0", "/x?limit=5&offset=5"]],
    [
      'the one that the field "default" names',
      { default: "a", scrollers: { a, b } },
      ["/x?limit=5&offset=0", "/x?limit=5&offset=5"],
    ],
    ["none", { scrollers: { a, b } }, ["/x"]],
  ] as const) {
    test(`a job that names no scroller uses ${name}`, async () => {
      await using api = await startApi({
        "/x": dataset(all),
        "/y": dataset(all, { limitParam: "n", offsetParam: "at" }),
      });
      const end = await run(api, { api: { pagination: { method: "multiple", ...pagination } }, config: { jobs } });
      assert.equal(end.code, 0, end.stderr);
      assert.deepEqual(api.targets(), [...first, "/y?n=4&at=0", "/y?n=4&at=4"]);
    });
  }
});

test("a refused page ends the run, and the lines of earlier pages are written", async () => {
  await using api = await startApi({
    "/items": ({ params }) => (params.get("offset") === "0" ? records(3) : json({ error: "no" }, { status: 403 })),
    "/more": () => records(1),
  });
  const jobs = [{ endpoint: "items" }, { endpoint: "more" }];
  const pagination = { method: "offset", limit: 3 };
  const end = await run(api, { api: { pagination }, config: { jobs } });
  assert.deepEqual([end.code, end.stdout, api.targets()], [69, linesOf(records(3)), targets(3, 0, 3)]);
  const going = await run(api, { api: { pagination }, config: { jobs }, args: ["--keep-going"] });
  assert.deepEqual([going.code, going.stdout], [69, linesOf([...records(3), ...records(1)])]);
});
