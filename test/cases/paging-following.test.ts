import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf, records, startApi, text } from "../helpers/api.ts";
import { messagesOf, run } from "./run.ts";

/* Tests of addresses and tokens that lead to the next page, or in a circle. */

for (const length of [2, 3]) {
  test(`a circle of ${length} tokens is an error, and no page is written twice`, async () => {
    await using api = await startApi(({ params }) => {
      const at = Number(params.get("after") ?? 0);
      return { items: [{ n: at }], after: String((at % length) + 1) };
    });
    const pagination = { method: "response.param", responseParam: "after", queryParam: "after" };
    const end = await run(api, { api: { pagination } });
    assert.equal(end.code, 65);
    const round = Array.from({ length }, (_, index) => `/items?after=${index + 1}`);
    // The repeated page is requested, but not written.
    assert.deepEqual(api.targets(), ["/items", ...round, "/items?after=1"]);
    assert.equal(end.stdout, linesOf(Array.from({ length: length + 1 }, (_, n) => ({ n }))));
    assert.match(messagesOf(end, "error").join(), /"after" led to page \d, which holds the same records/);
  });

  test(`a circle of ${length} addresses is an error, and no page is written twice`, async () => {
    await using api = await startApi(({ params }) => {
      const at = Number(params.get("page") ?? 0);
      return { items: [{ n: at }], next_page: `/items?page=${(at % length) + 1}` };
    });
    const end = await run(api, { api: { pagination: { method: "response.url" } } });
    assert.equal(end.code, 65);
    const round = Array.from({ length }, (_, index) => `/items?page=${index + 1}`);
    assert.deepEqual(api.targets(), ["/items", ...round, "/items?page=1"]);
    assert.equal(end.stdout, linesOf(Array.from({ length: length + 1 }, (_, n) => ({ n }))));
    assert.match(messagesOf(end, "error").join(), /"next_page" led to page \d, which holds the same records/);
  });
}

test("a circle is recognised although the addresses repeat the parameter of the login", async () => {
  await using api = await startApi({
    "/login": () => ({ token: "t0ken-of-the-login" }),
    "/items": ({ query, params }) => {
      const echoed = query.replace(/(^|&)page=\d+/, "").replace(/^&/, "");
      const page = Number(params.get("page") ?? 1);
      return { items: [{ page }], next_page: `/items?page=${(page % 3) + 1}&${echoed}` };
    },
  });
  const authentication = {
    type: "login",
    loginRequest: { endpoint: "login" },
    apiRequest: { query: { session: "token" } },
  };
  const end = await run(api, { api: { authentication, pagination: { method: "response.url" } } });
  assert.equal(end.code, 65);
  assert.match(messagesOf(end, "error").join(), /"next_page" led to page \d+, which holds the same records/);
  assert.ok(api.log.length < 12, `${api.log.length} requests`);
});

test("an empty page that repeats the previous page's cursor is the end", async () => {
  await using api = await startApi(({ params }) =>
    params.has("cursor") ? { items: [], cursor: "c1" } : { items: records(2), cursor: "c1" },
  );
  const pagination = { method: "response.param", responseParam: "cursor", queryParam: "cursor" };
  const end = await run(api, { api: { pagination }, args: ["--strict"] });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(2))]);
  assert.deepEqual(api.targets(), ["/items", "/items?cursor=c1"]);
});

test("a job whose next address disappears before the total is reached is suspect", async () => {
  await using api = await startApi(({ params }) => {
    const page = Number(params.get("page") ?? 1);
    const next = page === 1 ? { next: "/items?page=2" } : {};
    return { items: records(5, page * 5 - 4), meta: { total: 25 }, links: next };
  });
  const given = { api: { pagination: { method: "response.url", urlKey: "links.next" } } };
  const end = await run(api, given);
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(10))]);
  assert.match(messagesOf(end, "warning").join(), /suspect.*\b25\b.*\b10\b/);
  assert.equal((await run(api, { ...given, args: ["--strict"] })).code, 1);
});

test("includeParams adds only the parameters that the next address lacks", async () => {
  await using api = await startApi(({ params }) => ({
    items: records(1, params.has("page") ? 2 : 1),
    next_page: params.has("page") ? null : "/items?status=open&page=2&q=a%20b",
  }));
  const pagination = { method: "response.url", includeParams: true };
  const end = await run(api, { api: { pagination }, job: { params: { status: "open", q: "a b", extra: "1" } } });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(2))]);
  const [first, second] = api.targets();
  assert.equal(first, "/items?status=open&q=a%20b&extra=1");
  assert.equal(second, "/items?status=open&page=2&q=a%20b&extra=1");
});

for (const [next, target] of [
  ["/v2/items?page=2", "/v2/items?page=2"],
  ["?page=2", "/v2/items?page=2"],
  ["items?page=2", "/v2/items?page=2"],
  ["./items?page=2#top", "/v2/items?page=2"],
  ["//HOST/v2/items?page=2", "/v2/items?page=2"],
] as const) {
  test(`the next address ${next} is resolved against the address of its page`, async () => {
    await using api = await startApi(({ params }) =>
      params.has("page")
        ? { items: records(1, 2), next_page: "" }
        : { items: records(1), next_page: next.replace("HOST", `127.0.0.1:${api.port}`) },
    );
    const end = await run(api, {
      api: { pagination: { method: "response.url" }, http: { headers: { "X-Key": "k" } } },
      job: { endpoint: "v2/items" },
    });
    assert.deepEqual([end.code, end.stdout], [0, linesOf(records(2))]);
    assert.deepEqual(api.targets(), ["/v2/items", target]);
    assert.equal(api.log[1]?.headers["x-key"], "k");
  });
}

test("with another delimiter, a next address can be read from a key that contains a dot", async () => {
  await using api = await startApi(({ params }) =>
    params.has("$skip")
      ? { value: records(1, 2) }
      : { "@odata.context": "x", value: records(1), "@odata.nextLink": `${api.url}/items?$skip=1` },
  );
  const pagination = { method: "response.url", urlKey: "@odata.nextLink", delimiter: "|" };
  const end = await run(api, { api: { pagination }, args: ["--strict"] });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(2))]);
  assert.deepEqual(api.targets(), ["/items", "/items?$skip=1"]);
});

test("a next address on another origin is requested without credentials, and with a warning", async () => {
  await using other = await startApi(() => ({ items: records(1, 2) }));
  await using api = await startApi(() => ({ items: records(1), next_page: `${other.url}/items?page=2` }));
  const end = await run(api, {
    api: {
      pagination: { method: "response.url", includeParams: true },
      http: { headers: { Authorization: { attr: "#key" } } },
    },
    config: { "#key": "Bearer 7f3a9c", jobs: [{ endpoint: "items", params: { k: { attr: "#key" }, status: "open" } }] },
  });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(2))]);
  assert.deepEqual(other.targets(), ["/items?page=2&status=open"]);
  assert.equal(other.log[0]?.headers.authorization, undefined);
  assert.match(messagesOf(end, "warning").join(), new RegExp(`127.0.0.1:${other.port}`));
});

test("a cursor beyond 2^53 keeps its digits", async () => {
  const ids = ["9224851642388483001", "9224851642388483002", "9224851642388483003"];
  await using api = await startApi(({ params }) => {
    const min = BigInt(params.get("min_id") ?? "0");
    const page = ids.filter((id) => BigInt(id) >= min).slice(0, 1);
    return text(`{"items":[${page.map((id) => `{"id":${id}}`).join()}]}`);
  });
  const pagination = { method: "cursor", idKey: "id", param: "min_id", increment: 1 };
  const end = await run(api, { api: { pagination } });
  assert.deepEqual([end.code, end.stdout], [0, ids.map((id) => `{"id":${id}}\n`).join("")]);
  assert.deepEqual(api.targets(), [
    "/items",
    "/items?min_id=9224851642388483002",
    "/items?min_id=9224851642388483003",
    "/items?min_id=9224851642388483004",
  ]);
});
