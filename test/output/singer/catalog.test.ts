import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogOf, selectedStreams } from "../../../src/output/singer/catalog.ts";

const selects = (...streams: readonly object[]): string[] => [
  ...selectedStreams(JSON.stringify({ streams }), "catalog.json"),
];
const metadataEntry = (metadata: object, breadcrumb: readonly string[] = []): object => ({ breadcrumb, metadata });

test("the metadata of a stream decides whether it is selected, else its member `selected`, its schema or the default", () => {
  const id = { tap_stream_id: "a", stream: "a" };
  assert.deepEqual(selects({ ...id, metadata: [metadataEntry({ selected: true })] }), ["a"]);
  assert.deepEqual(selects({ ...id, selected: true, metadata: [metadataEntry({ selected: false })] }), []);
  assert.deepEqual(selects({ ...id, selected: true, metadata: [metadataEntry({ inclusion: "available" })] }), ["a"]);
  assert.deepEqual(selects({ ...id, selected: false, metadata: [metadataEntry({ "selected-by-default": true })] }), []);
  assert.deepEqual(selects({ ...id, schema: { selected: true } }), ["a"]);
  assert.deepEqual(selects({ ...id, metadata: [metadataEntry({ "selected-by-default": true })] }), ["a"]);
  assert.deepEqual(selects({ ...id, metadata: [metadataEntry({ selected: true }, ["properties", "id"])] }), []);
  assert.deepEqual(selects(id), []);
  assert.deepEqual(selects({ stream: "b", selected: true }), ["b"], "a stream without an id is known by its name");
});

test("the catalog of --discover selects every dataset", () => {
  const schema = { type: "object", properties: { id: { type: "integer" }, name: {} } };
  const datasets = new Map([
    ["a", { name: "a", schema, key: ["id"] }],
    ["b", { name: "b" }],
  ]);
  const catalog = catalogOf(datasets);
  assert.deepEqual([...selectedStreams(JSON.stringify(catalog), "c")], ["a", "b"]);
  assert.deepEqual((catalog as unknown as { streams: unknown[] }).streams[0], {
    tap_stream_id: "a",
    stream: "a",
    schema,
    key_properties: ["id"],
    metadata: [
      metadataEntry({ inclusion: "available", "selected-by-default": true, "table-key-properties": ["id"] }),
      metadataEntry({ inclusion: "automatic", "selected-by-default": true }, ["properties", "id"]),
      metadataEntry({ inclusion: "available", "selected-by-default": true }, ["properties", "name"]),
    ],
  });
});

test("an invalid catalog is an error that names its file", () => {
  assert.throws(() => selectedStreams("{", "c.json"), /the catalog c\.json is not JSON/);
  assert.throws(() => selectedStreams("[]", "c.json"), /c\.json must be an object with a list "streams"/);
  assert.throws(() => selectedStreams('{"streams":[{}]}', "c.json"), /no "tap_stream_id" at \/streams\/0/);
});

test("invalid metadata is ignored", () => {
  for (const entry of [null, 7, "x", [], { breadcrumb: [], metadata: null }, { metadata: { selected: false } }]) {
    assert.deepEqual(selects({ tap_stream_id: "a", selected: true, metadata: [entry] }), ["a"], JSON.stringify(entry));
  }
});
