import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFirstPage } from "../../../../src/authoring/explore/first-answer/first-page.ts";
import { graphqlCursor } from "../../../../src/authoring/explore/kinds/graphql.ts";

/** A query, and the query with a cursor: "" if it has a variable for one already, undefined if it is left as it is. */
const table: readonly (readonly [query: string, withCursor: string | undefined])[] = [
  ["{ a(first: 5) { id } }", "query($after: String) { a(first: 5, after: $after) { id } }"],
  ["query { a(first: 5) { id } }", "query($after: String) { a(first: 5, after: $after) { id } }"],
  ["query Q { a(first: 5) { id } }", "query Q($after: String) { a(first: 5, after: $after) { id } }"],
  [
    "query Q($n: Int!) { a(first: $n) { id } }",
    "query Q($n: Int!, $after: String) { a(first: $n, after: $after) { id } }",
  ],
  ["query($next: String) { a(first: 5, after: $next) { id } }", ""],
  ['{ a(first: 5, after: "x") { id } }', undefined],
  ["{ a(first: 5) { b(first: 2) { id } } }", undefined],
  ["{ a { id } }", undefined],
  ["mutation { a(first: 5) { id } }", undefined],
];

test("a GraphQL query with one list and no cursor gets a variable for its cursor, and any other query is left as it is", () => {
  for (const [query, withCursor] of table) {
    const description = {
      method: "POST",
      address: "http://x/graphql",
      params: [{ name: "query", value: query }],
      headers: [],
    } as const;
    const place = { path: [], inner: undefined, each: false, map: undefined, records: [], list: true, others: [] };
    const response = { status: 200, statusText: "", headers: [], body: Buffer.alloc(0) };
    const found = graphqlCursor(describeFirstPage(description, response, null, place));
    assert.equal(found === undefined ? undefined : (found.query ?? ""), withCursor, query);
  }
});
