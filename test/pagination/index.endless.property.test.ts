import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../src/generated/configuration.ts";
import type { Random } from "../helpers/random.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { type Api, crawl } from "./crawl.ts";

const methods: readonly Pagination[] = [
  { method: "offset", limit: 5 },
  { method: "pagenum" },
  { method: "pagenum", limit: 5 },
  { method: "response.url", urlKey: "next" },
  { method: "zendesk.response.url", urlKey: "next" },
  { method: "response.param", responseParam: "next", queryParam: "c" },
  { method: "response.param", responseParam: { lastRecord: "id" }, queryParam: "after" },
  { method: "cursor", idKey: "number", param: "since" },
  { method: "link" },
  { method: "multiple", scrollers: { default: { method: "pagenum" } } },
];

/** Number of pages after which a job in these tests counts as endless. */
const most = 300;
const size = 5;

/** Creates an API that misbehaves: it ignores parameters, repeats its last page, or starts over. A field may change with each answer. */
function wrongApi(random: Random): Api {
  const pages = random.between(1, 4);
  const way = random.between(0, 2);
  const changes = random.between(0, 2);
  const keepsToken = random.between(0, 3) === 0;
  const name = ["id", "uuid", "order_id", "_id"][random.between(0, 3)] ?? "id";
  let answers = 0;
  return (_query, _request, page) => {
    answers += 1;
    const index = way === 0 ? 0 : way === 1 ? Math.min(page - 1, pages - 1) : (page - 1) % pages;
    const items = Array.from({ length: size }, (_, row) => {
      const id = index * size + row + 1;
      const volatile = changes === 0 ? {} : { age: answers * 100 + row };
      const shuffled = changes === 2 && answers % 2 === 0;
      const fields = { [name]: `r${id}`, id: name === "id" ? `r${id}` : undefined, number: id, ...volatile };
      return shuffled ? Object.fromEntries(Object.entries(fields).reverse()) : fields;
    });
    const next = keepsToken ? "t" : `t${answers}`;
    const headers = { Link: `<http://api.test/v1/items?c=${next}>; rel="next"` };
    return { body: JSON.stringify({ items, next: `?c=${next}` }), headers };
  };
}

test("a run against a misbehaving API ends, writes at most one page twice, and is suspect or fails", async () => {
  await forSeeds(300, (random) => {
    const pagination = methods[random.between(0, methods.length - 1)] ?? methods[0];
    const { requests, records, verdict, error } = crawl(pagination, wrongApi(random), { most, dataField: "items" });
    const what = JSON.stringify(pagination);
    assert.ok(requests.length < most, `${what} went on for ${requests.length} pages`);
    assert.ok(error !== undefined || verdict?.kind === "suspect", `${what}: ${verdict?.reason}`);
    const distinct = new Set(records.map((line) => (JSON.parse(line) as { number: number }).number));
    assert.ok(records.length - distinct.size <= size, `${what} wrote ${records.length} lines of ${distinct.size}`);
  });
});

/** Pages that are different but look alike. */
const lookingAlike: readonly ((page: number, row: number) => object)[] = [
  (page, row) => ({ sensor_id: 7, t: page * 100 + row, v: 1 }),
  (page, row) => ({ device: `d${page * 10 + row}`, state: "on", unit: "C" }),
  (page, row) => ({ account_id: row, day: `2026-01-${String(10 + page)}`, spend: page * row }),
  (page, row) => ({ account: `a${row}`, day: `2025-02-${String(10 + page)}`, spend: 0 }),
  (page, row) => ({ row: row + 1, kind: "x", unit: "C", t: page * 100 + row }),
  (page, row) => ({ order_id: page * 10 + row, customer_id: row }),
  (page, row) => ({ id: page * 10 + row, name: "same" }),
];

test("pages that only look alike are all written, and the job is complete", async () => {
  await forSeeds(150, (random) => {
    const pagination = methods[random.between(0, 5)] ?? methods[0];
    const record = lookingAlike[random.between(0, lookingAlike.length - 1)] ?? (() => ({}));
    const pages = random.between(2, 12);
    const made = Array.from({ length: pages }, (_, page) =>
      Array.from({ length: size }, (__, row) => record(page, row)),
    );
    const api: Api = (_query, _request, page) =>
      JSON.stringify({ items: made[page - 1] ?? [], next: page < pages ? `?c=t${page}` : null });
    const { records, verdict, error } = crawl(pagination, api, { most, dataField: "items" });
    assert.equal(error, undefined);
    assert.equal(verdict?.kind, "complete", `${JSON.stringify([pagination, made[0]])}: ${verdict?.reason}`);
    assert.deepEqual(
      records,
      made.flat().map((row) => JSON.stringify(row)),
    );
  });
});
