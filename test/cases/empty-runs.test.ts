import assert from "node:assert/strict";
import { test } from "node:test";
import { json, startApi } from "../helpers/api.ts";
import { messagesOf, run } from "./run.ts";

/* Tests of children, windows and endpoints without records, which are usual (spile warns only if none has any), and of refusals. */

const children = [{ endpoint: "items/{id}/notes", dataType: "notes", dataField: "notes", placeholders: { id: "id" } }];
const items = [{ id: 1 }, { id: 2 }, { id: 3 }];

for (const [what, notesOf, warnings] of [
  ["one of three parents has none", (id: string) => ({ notes: id === "1" ? [] : [{ text: id }] }), []],
  ["one answer lacks the list", (id: string) => (id === "1" ? {} : { notes: [{ text: id }] }), []],
  [
    "no parent has any",
    () => ({ notes: [] }),
    ['notes: none of 3 runs has records: dataField "notes" contains no data'],
  ],
  [
    "dataField is wrong",
    () => ({ remarks: "none" }),
    ['notes: none of 3 runs has records: dataField "notes" contains no data: the response has nothing there'],
  ],
] as const) {
  test(`a child job warns only if none of its runs has records: ${what}`, async () => {
    await using api = await startApi(({ path }) => (path === "/items" ? items : notesOf(path.split("/")[2] ?? "")));
    const end = await run(api, { job: { children }, args: ["--strict"] });
    assert.deepEqual([end.code, messagesOf(end, "warning")], [0, warnings]);
  });
}

for (const [what, day, warnings] of [
  ["one of three has none", "2024-01-02", []],
  ["none has any", "2025-01-01", ["items: none of 3 windows has records: the response holds no records"]],
] as const) {
  test(`a job with windows warns only if none of them has records: ${what}`, async () => {
    await using api = await startApi(({ params }) => (params.get("day") === day ? [{ id: 1 }] : []));
    const windows = { from: "2024-01-01", to: "2024-01-04", step: "1 day" };
    const params = { day: { function: "date", args: ["Y-m-d", { window: "from" }] } };
    const end = await run(api, { job: { windows, params }, args: ["--strict"] });
    assert.deepEqual([end.code, messagesOf(end, "warning")], [0, warnings]);
  });
}

test("a job with a single run warns at its first empty page", async () => {
  const page = (params: URLSearchParams) => ({ data: params.get("page") === "1" ? items : [] });
  await using api = await startApi(({ params, path }) => (path === "/lone" ? { data: [] } : page(params)));
  const jobs = [
    { endpoint: "items", dataField: "data" },
    { endpoint: ["lone"], dataType: "lone", dataField: "data" },
  ];
  const end = await run(api, { config: { jobs }, api: { pagination: { method: "pagenum" } } });
  assert.deepEqual(messagesOf(end, "warning"), [
    'items page 2: dataField "data" contains no data, as is usual on the last page',
    'lone page 1: dataField "data" contains no data',
  ]);
});

test("an endpoint without records causes no warning if another one has records", async () => {
  await using api = await startApi(({ path }) => (path === "/old" ? [] : items));
  const end = await run(api, { job: { endpoint: ["old", "new"], dataType: "items" }, args: ["--strict"] });
  assert.deepEqual([end.code, messagesOf(end, "warning")], [0, []]);
});

test("the error about a refused page gives no advice on ending the job if the API's own next address led to the page", async () => {
  await using api = await startApi(({ params }) => {
    if (params.has("page")) return json({ errors: "status cannot be passed" }, { status: 400 });
    return json({ data: items, next: "items?page=2" });
  });
  const end = await run(api, {
    api: { pagination: { method: "response.url", urlKey: "next" } },
    job: { dataField: "data" },
  });
  assert.equal(end.code, 69);
  assert.match(
    messagesOf(end, "error").join("\n"),
    /answered 400 Bad Request: \{"errors":"status cannot be passed"\}$/m,
  );
});

test("the message about a child job that fails for some parents counts these parents", async () => {
  await using api = await startApi(({ path }) => {
    if (path === "/items") return items;
    return path === "/items/3/notes" ? { notes: [{ text: "3" }] } : json({ message: "no" }, { status: 403 });
  });
  const end = await run(api, { job: { children }, args: ["--keep-going"] });
  assert.equal(end.code, 69);
  assert.match(messagesOf(end, "error").join("\n"), /^notes failed: 1 record, .* \(2 of 3 parents failed\)$/m);
});
