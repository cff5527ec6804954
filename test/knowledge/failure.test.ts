import assert from "node:assert/strict";
import { test } from "node:test";
import { answers, crawl, rows } from "../pagination/crawl.ts";
import { offset } from "../pagination/tables.ts";

/** Bodies of a page without records, and the failure that each reports; undefined if the job is complete. */
const table: readonly (readonly [body: object, clause: string | undefined])[] = [
  [{ error: "expired" }, 'the API answered with "error": expired'],
  [{ error: { code: 209, error: "x" } }, 'the API answered with "error": {"code":209,"error":"x"}'],
  [{ errors: [{ message: "no" }] }, 'the API answered with "errors": [{"message":"no"}]'],
  [{ success: false, errors: ["a"] }, 'the API answered with "errors": ["a"]'],
  [{ success: false, errors: [] }, 'the API answered "success" false: {"success":false,"errors":[]}'],
  [{ ok: false }, 'the API answered "ok" false: {"ok":false}'],
  [{ status: "error", text: "x" }, 'the API answered "status" "error": {"status":"error","text":"x"}'],
  [{ status: "fail" }, 'the API answered "status" "fail"'],
  [{ status: "FAILED" }, 'the API answered "status" "FAILED"'],
  [{ error: true }, 'the API answered "error" true: {"error":true}'],
  [{ error: 17 }, 'the API answered with "error": 17'],
  [{ jsonrpc: "2.0", error: { code: -32602 } }, 'the API answered with "error": {"code":-32602}'],
  [{ data: null, errors: [{ message: "x" }] }, 'the API answered with "errors": [{"message":"x"}]'],
  ...[false, null, 0, "", [], {}].map((error) => [{ error, errors: error }, undefined] as const),
  [{ success: true, ok: true, status: "ok" }, undefined],
  [{ status: "OK", success: "false", ok: 0 }, undefined],
  [{ status: "errors" }, undefined],
  [{ meta: { error: "x", success: false } }, undefined],
  [{}, undefined],
];

for (const [body, clause] of table) {
  test(`an answer without records is ${clause === undefined ? "complete" : "suspect"}: ${JSON.stringify(body)}`, () => {
    const ends = [answers(JSON.stringify(body)), answers(JSON.stringify({ items: rows(2) }), JSON.stringify(body))];
    for (const api of ends) {
      const { verdict, error } = crawl(offset(2), api, { dataField: "items" });
      assert.equal(error, undefined);
      assert.equal(verdict?.kind, clause === undefined ? "complete" : "suspect", verdict?.reason);
      assert.ok(verdict?.reason.includes(clause ?? ""), `${verdict?.reason} does not contain ${clause}`);
      assert.equal(crawl(offset(2, { evidence: false }), api, { dataField: "items" }).verdict?.kind, "complete");
    }
  });
}

test("a status that the request sent as a filter is not a failure", () => {
  const verdictOf = (status: string, more = {}) => {
    const body = JSON.stringify({ status: "failed", ...more });
    return crawl(undefined, answers(body), { dataField: "items", params: { status } }).verdict?.kind;
  };
  assert.equal(verdictOf("failed", { items: [] }), "complete");
  assert.equal(verdictOf("open", { items: [] }), "suspect");
  assert.equal(verdictOf("failed"), "suspect");
});

test("beside records, only errors of GraphQL count as a failure, on any page", () => {
  const verdictOf = (beside: object) =>
    crawl(offset(2), answers(JSON.stringify({ ...beside, items: rows(2) }), '{"items":[]}'), { dataField: "items" })
      .verdict;
  for (const beside of [
    { error: "x" },
    { success: false },
    { errors: ["x"] },
    { errors: { a: 1 } },
    { errors: [{ code: 1 }] },
    { errors: [{ message: "x" }, { code: 1 }] },
  ]) {
    assert.equal(verdictOf(beside)?.kind, "complete", JSON.stringify(beside));
  }
  const partial = verdictOf({ errors: [{ message: "no access to b", path: ["b"] }] });
  assert.equal(partial?.kind, "suspect");
  assert.match(
    partial?.reason ?? "",
    /ended with an empty page, but the API answered with "errors": \[\{"message":"no access/,
  );
});

test("at most 300 characters of a failure are shown", () => {
  const { verdict } = crawl(undefined, answers(JSON.stringify({ error: "x\u0007".repeat(400) })));
  const [, text = ""] =
    /^one page, no paging is configured, but the API answered with "error": (.*); if such an answer[^;]*$/.exec(
      verdict?.reason ?? "",
    ) ?? [];
  assert.match(text, /^x\\x07.*\.\.\.$/);
  assert.ok([...text].length <= 303);
});
