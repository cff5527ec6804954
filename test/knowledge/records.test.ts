import assert from "node:assert/strict";
import { test } from "node:test";
import type { Value } from "../../src/core/values/value.ts";
import { findRecords } from "../../src/knowledge/records.ts";

test("null counts as an empty list under a usual name of a list, or under the name of the endpoint", () => {
  for (const [document, name] of [
    [{ data: null, total: 0 }, "data"],
    [{ status: "ok", items: null }, "items"],
    [{ users: null, total: 0 }, "users"],
  ] as const satisfies readonly (readonly [Value, string])[]) {
    const { path, list, records } = findRecords(document, "users");
    assert.deepEqual([path, list, records], [[name], true, []], name);
  }
});

test("null under another name, or in an object with an identity or a name, is a value of a single record", () => {
  for (const record of [
    { sensor: "s1", time: "2024-01-01", value: null },
    { title: "report", content: null },
    { owner: null },
    { id: 1, items: null },
    { uuid: "x", data: null },
    { name: "x", data: null },
  ] satisfies readonly Value[]) {
    const { path, list, records } = findRecords(record, "users");
    assert.deepEqual([path, list, records], [[], false, [record]], JSON.stringify(record));
  }
});
