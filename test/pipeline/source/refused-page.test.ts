import assert from "node:assert/strict";
import { test } from "node:test";
import { json, startApi } from "../../helpers/api.ts";
import { spileHere } from "../../helpers/command.ts";
import { runHere } from "../../helpers/run.ts";

/** Returns the members beside the two records of a page. */
type Beside = (page: number) => object;

const size = 2;
const last = 3;

const record = (index: number) => ({ id: index + 1 });

/** Starts an API of three pages that refuses a page beyond its last one. */
function start(beside: Beside, headers: Readonly<Record<string, string>> = {}) {
  return startApi(({ params }) => {
    const page = Number(params.get("page") ?? 1);
    if (page > last) return json({ message: "no such page" }, { status: 404 });
    const items = [record(page * size - 2), record(page * size - 1)];
    return json({ ...beside(page), items }, { headers });
  });
}

async function run(url: string, pagination: object = {}) {
  const { result, output } = await runHere({
    api: { baseUrl: url, pagination: { method: "pagenum", ...pagination } },
    config: { jobs: [{ endpoint: "items", dataField: "items" }] },
  });
  return { result, lines: output.split("\n").length - 1, message: result.failure?.message ?? "" };
}

const advised = '(if this is how the API ends its pages: "ignoreErrors": [404])';

/** Members and headers beside the records, and the message's clause. With `field`, which the clause names, the job is complete. */
const table: readonly {
  readonly beside: Beside;
  readonly headers?: Readonly<Record<string, string>>;
  readonly says: string;
  readonly field?: object;
}[] = [
  {
    beside: () => ({ meta: { total_pages: 3 } }),
    says: '("meta.total_pages" is 3; "pageCount": "meta.total_pages" ends the job with page 3)',
    field: { pageCount: "meta.total_pages" },
  },
  {
    beside: () => ({}),
    headers: { "X-Total-Pages": "3" },
    says: '(the header X-Total-Pages is 3; "pageCount": {"header":"X-Total-Pages"} ends the job with page 3)',
    field: { pageCount: { header: "X-Total-Pages" } },
  },
  {
    beside: () => ({ "page.info": { pages: "3" } }),
    says: '"pageCount": {"path":"page.info/pages","delimiter":"/"} ends the job with page 3)',
    field: { pageCount: { path: "page.info/pages", delimiter: "/" } },
  },
  {
    beside: () => ({ total: { value: 6, relation: "eq" } }),
    says: '("total" is 6, and all came; "limitStop": {"field": "total.value"} ends the job then)',
    field: { limitStop: { field: "total.value" } },
  },
  { beside: () => ({ total_pages: 5 }), says: '("total_pages" is 5, and 3 pages came)' },
  { beside: () => ({ total: 9 }), says: "(6 of 9 records came; " },
  { beside: () => ({}), says: advised },
  { beside: (page) => ({ count: 2, page }), says: advised },
  { beside: () => ({}), headers: { "X-Pagination": '{"totalPages":3}' }, says: advised },
  { beside: () => ({}), headers: { "X-Pagination": '{"totalCount":6}' }, says: advised },
  { beside: () => ({ total: 4 }), says: advised },
];

for (const { beside, headers, says, field } of table) {
  test(`a refused page beyond the last one: the message says ${says}`, async () => {
    await using api = await start(beside, headers);
    const { result, lines, message } = await run(api.url);
    assert.equal(result.failure?.kind, "refused");
    assert.equal(lines, 6);
    assert.ok(message.includes(says), message);
    assert.equal(message.includes("ignoreErrors"), says === advised, message);
    if (field === undefined) return;
    const remedied = await run(api.url, field);
    assert.equal(remedied.result.failure, undefined);
    assert.equal(remedied.result.jobs[0]?.verdict, "complete", remedied.result.jobs[0]?.reason);
    assert.equal(remedied.lines, 6);
  });
}

test("the advice of get about a refused page names the option for the number of pages", async () => {
  await using api = await start(() => ({ meta: { total_pages: 3 } }));
  const words = ["get", `${api.url}/items`, "--paging", "pagenum", "--records", "items"];
  const { stderr } = await spileHere(words);
  assert.match(stderr, /"meta\.total_pages" is 3; --page-count meta\.total_pages ends the job with page 3/);
  const { code, stderr: silent } = await spileHere([...words, "--page-count", "meta.total_pages"]);
  assert.equal(code, 0, silent);
});

test("the message about a refused page that a token led to names the field of a total that was reached", async () => {
  await using api = await startApi(({ params }) =>
    params.has("token") ? json({}, { status: 400 }) : json({ total: 2, items: [record(0), record(1)], next: "b" }),
  );
  const pagination = { method: "response.param", responseParam: "next", queryParam: "token" };
  const { message } = await run(api.url, pagination);
  assert.ok(
    message.includes('("total" is 2, and all came; "limitStop": {"field": "total"} ends the job then)'),
    message,
  );
  assert.equal(
    (await run(api.url, { ...pagination, limitStop: { field: "total" } })).result.jobs[0]?.verdict,
    "complete",
  );
});
