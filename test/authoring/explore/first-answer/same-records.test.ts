import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRecords } from "../../../../src/authoring/explore/first-answer/same-records.ts";
import type { Value } from "../../../../src/core/values/value.ts";
import { findRecords } from "../../../../src/knowledge/records.ts";

const rows = (from: number, to: number, make: (n: number) => Value): Value[] =>
  Array.from({ length: to - from }, (_, index) => make(from + index));

test("pages are compared by the fields that identify their records", () => {
  const id = (n: number) => ({ id: n, kind: "x" });
  const table: [Value[], Value[], string][] = [
    [rows(0, 5, id), rows(5, 10, id), "different"],
    [rows(0, 5, id), rows(0, 5, id), "same"],
    [rows(0, 5, id), rows(0, 5, id).reverse(), "same"],
    [rows(0, 5, id), rows(3, 8, id), "overlap"],
    [rows(0, 5, id), [], "empty"],
    [rows(0, 1, id), rows(1, 2, id), "different"],
    // A clock in each record.
    [rows(0, 5, (n) => ({ id: n, at: 1 })), rows(0, 5, (n) => ({ id: n, at: 2 })), "same"],
    [rows(0, 5, (n) => ({ city: `c${n}`, at: n })), rows(0, 5, (n) => ({ city: `c${n}`, at: n + 99 })), "same"],
    // New ids in each answer.
    [rows(0, 5, (n) => ({ id: `a${n}`, city: `c${n}` })), rows(0, 5, (n) => ({ id: `b${n}`, city: `c${n}` })), "same"],
    // A position within the page is not an id.
    [
      rows(0, 5, (n) => ({ number: n, uuid: `u${n}` })),
      rows(0, 5, (n) => ({ number: n, uuid: `u${n + 5}` })),
      "different",
    ],
    [
      rows(0, 5, (n) => ({ rank: n, title: `t${n}` })),
      rows(0, 5, (n) => ({ rank: n, title: `t${n + 5}` })),
      "different",
    ],
    // If no other column identifies records, a position that restarts makes the pages the same.
    [rows(0, 5, (n) => ({ index: n, value: n * 3 })), rows(0, 5, (n) => ({ index: n, value: n * 5 + 1 })), "same"],
    // Values, lists, and objects around a record.
    [["a", "b", "c"], ["d", "e"], "different"],
    [["a", "b", "c"], ["a", "b", "c"], "same"],
    [rows(0, 4, (n) => [n, "x"]), rows(4, 8, (n) => [n, "x"]), "different"],
    [rows(0, 4, (n) => ({ node: { id: n } })), rows(4, 8, (n) => ({ node: { id: n } })), "different"],
    // No column identifies records, and all records differ in some column.
    [rows(0, 4, (n) => ({ a: n % 2, b: n })), rows(4, 8, (n) => ({ a: n % 2, b: n })), "different"],
  ];
  for (const [first, second, kind] of table) {
    assert.equal(compareRecords(first, second).kind, kind, JSON.stringify([first, second]));
  }
});

test("records are found at the places where APIs usually put them", () => {
  const list = rows(0, 3, (n) => ({ id: n }));
  const table: [Value, string | undefined, string][] = [
    [list, undefined, "."],
    [{ data: list, included: rows(0, 9, (n) => ({ id: n })) }, undefined, "data"],
    [{ hits: { total: 3, hits: list } }, undefined, "hits.hits"],
    [{ facets: rows(0, 9, (n) => ({ n })), users: list }, "users", "users"],
    [{ _embedded: { users: list }, _links: { self: [{ href: "x" }] } }, undefined, "_embedded.users"],
    [{ tags: ["a", "b", "c", "d", "e"], people: list }, undefined, "people"],
    [{ items: [], errors: [{ a: 1 }] }, undefined, "items"],
    [{ data: { users: { edges: rows(0, 3, (n) => ({ node: { id: n } })) } } }, undefined, "data.users.edges"],
    [{ id: 1, name: "only" }, undefined, ""],
  ];
  for (const [document, hint, path] of table) {
    const place = findRecords(document, hint);
    assert.equal(place.list ? place.path.join(".") || "." : "", path, JSON.stringify(document));
    assert.equal(place.inner, path.endsWith("edges") ? "node" : undefined);
  }
});

test("a column that has the same values on both pages does not make their records equal", () => {
  const page = (from: number): Value[] =>
    Array.from({ length: 5 }, (_, index) => ({
      id: `k${from + index}`,
      price: (from + index) * 7,
      note: `${index} x`,
    }));
  assert.equal(compareRecords(page(0), page(5)).kind, "different");
});
