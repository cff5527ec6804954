import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, crawl, rows } from "../pagination/crawl.ts";
import { offset } from "../pagination/tables.ts";

const records = rows(3);

/** Answers without records, and the clause about work that has not ended; undefined if the answer is the whole result. */
const unready: readonly (readonly [body: object, dataField: string, clause: string | undefined])[] = [
  [{ jobComplete: false, jobReference: {} }, "rows", '"jobComplete" false'],
  [{ jobComplete: false, rows: [] }, "rows", '"jobComplete" false'],
  [{ jobComplete: true, totalRows: "0" }, "rows", undefined],
  [{ status: "running" }, "items", '"status" "running"'],
  [{ status: "RUNNING", items: [] }, "items", '"status" "RUNNING"'],
  [{ state: "PENDING", items: [] }, "items", '"state" "PENDING"'],
  [{ state: "PENDING" }, "items", '"state" "PENDING"'],
  [{ job_status: "queued", data: [] }, "data", '"job_status" "queued"'],
  [{ processingStatus: "IN_QUEUE", reportId: "1" }, "payload", '"processingStatus" "IN_QUEUE"'],
  [{ async_status: "Job Running" }, "data", '"async_status" "Job Running"'],
  [{ execution_id: "1", state: "QUERY_STATE_PENDING" }, "rows", '"state" "QUERY_STATE_PENDING"'],
  [{ currentState: "x", state: "JOB_STATE_RUNNING" }, "rows", '"state" "JOB_STATE_RUNNING"'],
  [{ id: "750", state: "InProgress" }, "records", '"state" "InProgress"'],
  [{ status: { state: "PENDING" } }, "result.data", '"status.state" "PENDING"'],
  [{ id: "x", stats: { state: "QUEUED" } }, "data", '"stats.state" "QUEUED"'],
  [{ result: { status: "inProgress" } }, "result.elements", '"result.status" "inProgress"'],
  [{ name: "operations/1", done: false }, "response.items", '"done" false'],
  [{ isDone: false, results: [] }, "results", '"isDone" false'],
  [{ ready: false, results: [] }, "results", '"ready" false'],
  [{ is_running: true, results: [] }, "results", '"is_running" true'],
  // An answer with an identity is a record, whose state is data.
  [{ id: 7, status: "pending", line_items: [] }, "line_items", undefined],
  [{ id: 7, status: "pending" }, "line_items", undefined],
  [{ id: 7, status: "processing", line_items: [] }, "line_items", undefined],
  [{ id: 7, title: "x", done: false }, "comments", undefined],
  [{ user: { status: "running" }, items: [] }, "items", undefined],
  [{ order_id: 7, status: "pending", refunds: [] }, "refunds", undefined],
  [{ data: { _id: "7", status: "pending", items: [] } }, "data.items", undefined],
  [{ order: { total: "0.00", status: "pending", items: [] } }, "order.items", undefined],
  [{ job_id: 7, requestId: "a", status: "pending", rows: [] }, "rows", '"status" "pending"'],
  ...["active", "open", "new", "ok", "success", "complete", "SUCCEEDED", "closed", "200", ""].map(
    (status) => [{ status, items: [] }, "items", undefined] as const,
  ),
  [{ status: 200, state: null, items: [] }, "items", undefined],
  [{ ready: true, done: true, items: [] }, "items", undefined],
];

for (const [body, dataField, clause] of unready) {
  const says = clause === undefined ? "is the whole result" : `is not ready: ${clause}`;
  test(`an answer without records ${says}: ${JSON.stringify(body)}`, () => {
    for (const pagination of [undefined, offset(10)]) {
      const { verdict } = crawl(pagination, answers(JSON.stringify(body)), { dataField });
      assert.equal(verdict?.kind, clause === undefined ? "complete" : "suspect", verdict?.reason);
      if (clause === undefined) continue;
      assert.ok(verdict?.reason.includes(`the API answered ${clause}, so the result is not ready`), verdict?.reason);
      assert.match(
        verdict?.reason ?? "",
        /the rule \{"when": \{.*\}, "then": "retry"\} of "responses" asks again; if this is/,
      );
    }
  });
}

test("the rule that is proposed for an answer that is not ready names the field and the value that say so", () => {
  const { verdict } = crawl(undefined, answers('{"jobComplete": false}'), { dataField: "rows" });
  assert.ok(verdict?.reason.includes('{"when": {"path":"jobComplete","is":false}, "then": "retry"}'), verdict?.reason);
});

test("a state beside records, or with evidence turned off, does not make the job suspect", () => {
  for (const beside of [{ status: "running" }, { state: "pending" }, { completed: false }, { jobComplete: false }]) {
    const { verdict } = crawl(offset(10), answers(JSON.stringify({ ...beside, items: records })));
    assert.equal(verdict?.kind, "complete", verdict?.reason);
  }
  const off = offset(10, { evidence: false });
  assert.equal(crawl(off, answers('{"jobComplete": false}'), { dataField: "rows" }).verdict?.kind, "complete");
});

test("a state that the request sent as a filter does not make the job suspect", () => {
  const filters: readonly (readonly [params: Record<string, string | boolean>, body: object])[] = [
    [{ status: "pending" }, { status: "pending", items: [] }],
    [{ state: "running" }, { query: { state: "running" }, items: [] }],
    [{ completed: false }, { completed: false, items: [] }],
  ];
  for (const [params, body] of filters) {
    const { verdict } = crawl(undefined, answers(JSON.stringify(body)), { dataField: "items", params });
    assert.equal(verdict?.kind, "complete", verdict?.reason);
  }
  const others: readonly (readonly [params: Record<string, string | boolean>, body: string])[] = [
    [{ all: false }, '{"ready": false, "items": []}'],
    // Without the data field, this is no list of the records that match the filter.
    [{ status: "running" }, '{"status": "running"}'],
  ];
  for (const [params, body] of others) {
    assert.equal(crawl(undefined, answers(body), { dataField: "items", params }).verdict?.kind, "suspect", body);
  }
});

test("a state on the empty page after pages with records does not make the job suspect", () => {
  const pages = [rows(2), []].map((items) => JSON.stringify({ status: "running", items }));
  const { verdict, records: lines } = crawl(offset(2), answers(...pages), { dataField: "items" });
  assert.equal(verdict?.kind, "complete", verdict?.reason);
  assert.equal(lines.length, 2);
});

/** Members beside the records, and the clause about records that are missing; undefined if none are. */
const partial: readonly (readonly [beside: object, clause: string | undefined])[] = [
  [{ timed_out: true, _shards: { total: 5, failed: 0 } }, '"timed_out" true'],
  [{ timed_out: false, _shards: { total: 5, failed: 1 } }, '"_shards.failed" 1'],
  [{ _clusters: { total: 2, failed: 1 } }, '"_clusters.failed" 1'],
  [{ terminated_early: true }, '"terminated_early" true'],
  [{ incomplete_results: true }, '"incomplete_results" true'],
  [{ incompleteSearch: true }, '"incompleteSearch" true'],
  [{ unreachable: ["zones/us-east1-a"] }, '"unreachable" ["zones/us-east1-a"]'],
  [{ missingZones: ["us-x"] }, '"missingZones" ["us-x"]'],
  [{ UnprocessedKeys: { t: { Keys: [1] } } }, '"UnprocessedKeys" {"t":{"Keys":[1]}}'],
  [{ warnings: ["results truncated due to limit"] }, '"warnings" ["results truncated due to limit"]'],
  [{ remark: "runtime error: Query timed out" }, '"remark" "runtime error: Query timed out"'],
  [{ timed_out: false, _shards: { total: 1000, successful: 1000, failed: 0 } }, undefined],
  [{ incomplete_results: false, terminated_early: false }, undefined],
  [{ unreachable: [], missingZones: [], UnprocessedKeys: {}, warnings: [], warning: null }, undefined],
  [{ unreachable: 3, failed: 3, stats: { failed: 3 } }, undefined],
  [{ unreachable: [{ host: "a" }], missing_persons: ["x"] }, undefined],
  [{ warnings: ["the field x is deprecated"], remark: "a partial match" }, undefined],
  [
    { warnings: ["set a timeout", "names are truncated to 100 characters"], remark: "the map is incomplete" },
    undefined,
  ],
  [{ warnings: ["Your billing data is incomplete", "Record 5 has an incomplete address"] }, undefined],
  [{ warnings: ["2 records have incomplete addresses", "parameter 'list' with 200 ids was truncated"] }, undefined],
  [
    { warnings: ["The result set was truncated to 100 rows"] },
    '"warnings" ["The result set was truncated to 100 rows"]',
  ],
  [{ warning: "Partial results: 2 shards timed out" }, '"warning" "Partial results: 2 shards timed out"'],
  [{ user: { timed_out: true, warnings: ["truncated"] } }, undefined],
];

for (const [beside, clause] of partial) {
  test(`records ${clause === undefined ? "are complete" : `are missing: ${clause}`} with ${JSON.stringify(beside)}`, () => {
    const last = JSON.stringify({ ...beside, items: records });
    const first = JSON.stringify({ ...beside, items: rows(10, 11) });
    const ends = [answers(last), answers(first, JSON.stringify({ items: records }))];
    for (const [index, api] of ends.entries()) {
      const { verdict, error, records: lines } = crawl(offset(10), api, { dataField: "items" });
      assert.equal(error, undefined);
      assert.equal(lines.length, index === 0 ? 3 : 13);
      assert.equal(verdict?.kind, clause === undefined ? "complete" : "suspect", verdict?.reason);
      const says = clause === undefined ? "" : `the API answered ${clause}, so records are missing`;
      assert.ok(verdict?.reason.includes(says), verdict?.reason);
      if (clause !== undefined) assert.match(verdict?.reason ?? "", /; run the job again, or narrow its query; if no /);
      const off = crawl(offset(10, { evidence: false }), api, { dataField: "items" });
      assert.equal(off.verdict?.kind, "complete");
    }
  });
}

test("an address beside a flag for the end of a stream is not taken for a next page", () => {
  for (const [beside, kind] of [
    [{ end_of_stream: true }, "complete"],
    [{ end_of_stream: false }, "suspect"],
    [{ end_of_month: true }, "suspect"],
  ] as const) {
    const body = JSON.stringify({ ...beside, next_page: "http://api.test/v1/items?start_time=5", items: records });
    assert.equal(crawl(undefined, answers(body), { dataField: "items" }).verdict?.kind, kind, JSON.stringify(beside));
  }
});

test("an empty page with a next page is not the end of a job without paging", () => {
  for (const [beside, name] of [
    [{ has_more: true }, "has_more"],
    [{ LastEvaluatedKey: { id: { S: "x" } } }, "LastEvaluatedKey"],
    [{ nextUri: "http://api.test/v1/statement/1" }, "nextUri"],
    [{ cursor: "x" }, undefined],
    [{ has_more: false, next_cursor: "x" }, undefined],
    [{ scroll_id: "x", next: null }, undefined],
  ] as const) {
    for (const pagination of [undefined, { method: "none", fullPage: 1 } as const, { method: "none" } as const]) {
      const { verdict } = crawl(pagination, answers(JSON.stringify({ ...beside, items: [] })), { dataField: "items" });
      assert.equal(verdict?.kind, name === undefined ? "complete" : "suspect", verdict?.reason);
      assert.ok(verdict?.reason.includes(name ?? ""), verdict?.reason);
    }
  }
});

test("a next_since on an empty page does not lead to a next page if the request sent it, or if it is the time of the answer", () => {
  const headers = { Date: "Sun, 29 Nov 2026 22:20:30 GMT" };
  const seconds = 1_795_990_830;
  const cases: readonly (readonly [since: unknown, beside: object, query: string, kind: string])[] = [
    [seconds, {}, "", "complete"],
    [`${seconds - 5}`, {}, "", "complete"],
    [seconds * 1000, {}, "", "complete"],
    ["2026-11-29T22:20:30Z", {}, "", "complete"],
    ["2026-11-29 22:20:29", {}, "", "complete"],
    [100, {}, "?since=100", "complete"],
    ["2026-01-01", {}, "?since=2026-01-01", "complete"],
    // Records may exist after an earlier time, and a number need not be a time.
    ["2026-11-29T22:10:30Z", {}, "", "suspect"],
    ["2026-11-29", {}, "", "suspect"],
    [seconds + 3600, {}, "", "suspect"],
    [100, {}, "", "suspect"],
    [100, {}, "?since=90", "suspect"],
    [100, {}, "?size=100", "suspect"],
    ["100", {}, "?size=100", "suspect"],
    ["abc", {}, "", "suspect"],
    [seconds, { has_more: true }, "", "suspect"],
    [seconds, { items: rows(3) }, "", "suspect"],
    [100, { items: rows(3) }, "?since=100", "suspect"],
  ];
  for (const [next_since, beside, query, kind] of cases) {
    const body = JSON.stringify({ items: [], next_since, ...beside });
    const endpoint = `items${query}`;
    const { verdict } = crawl(undefined, () => ({ body, headers }), { dataField: "items", endpoint });
    assert.equal(verdict?.kind, kind, `${body} ${query}: ${verdict?.reason}`);
  }
  const cursor = JSON.stringify({ items: [], next_cursor: seconds });
  const { verdict } = crawl(undefined, () => ({ body: cursor, headers }), { dataField: "items" });
  assert.equal(verdict?.kind, "suspect");
});
