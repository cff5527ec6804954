import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { filterOf, type StreamFilter } from "../../../src/authoring/airbyte/jq.ts";
import { createSettings } from "../../../src/authoring/airbyte/settings.ts";

const noJq = spawnSync("jq", ["--version"]).error !== undefined && "needs jq";

function filter(...transformations: readonly object[]): StreamFilter {
  const columns = {
    scope: {
      settings: createSettings({}, { prefix: "API", settingValues: new Map() }),
      parameters: {},
      slice: () => undefined,
    },
    columnOf: () => undefined,
    settingOf: () => undefined,
  };
  return filterOf({ transformations: transformations as never }, {}, columns);
}

function adding(value: string): object {
  return { type: "AddFields", fields: [{ path: ["x"], value }] };
}

/** Returns the records that jq makes from `given` by these transformations. */
function records(given: readonly unknown[], ...transformations: readonly object[]): readonly unknown[] {
  const { jq, differences } = filter(...transformations);
  assert.deepEqual(differences, []);
  const input = given.map((record) => JSON.stringify(record)).join("\n");
  const { stdout, stderr } = spawnSync("jq", ["-c", jq ?? "."], { input, encoding: "utf8" });
  assert.equal(stderr, "", jq);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as unknown]));
}

/** Returns the values that a template computes for records. */
function values(value: string, ...given: readonly unknown[]): readonly unknown[] {
  return records(given, adding(value)).map((record) => (record as { readonly x: unknown }).x);
}

test("jq can read an element of a list that a template computes", { skip: noJq }, () => {
  assert.deepEqual(values("{{ record['day'].split('.')[0] }}", { day: "2024-01-02.5" }, { day: "abc" }), [
    "2024-01-02",
    "abc",
  ]);
  const cut = `{% set id = record['place'].split('- ')[0] if record.get('place', None) else "" %} {{ id }}`;
  // Blanks around the only expression of a template are dropped.
  assert.deepEqual(values(cut, { place: "ab - cd" }, {}), ["ab ", ""]);
});

test("jq lists the members of the elements of a list, or of chosen elements", { skip: noJq }, () => {
  const ids = "{{ record.labels.nodes | map(attribute='id') | list }}";
  assert.deepEqual(values(ids, { labels: { nodes: [{ id: "a" }, { id: null }] } }, { labels: {} }), [["a", null], []]);
  const clicks =
    "{{ record.stats | selectattr('kind', 'equalto', 'CLICKS') | map(attribute='value') | first | default(0) }}";
  const stats = [
    { kind: "SPEND", value: 1 },
    { kind: "CLICKS", value: 2 },
  ];
  assert.deepEqual(values(clicks, { stats }, { stats: [] }, {}), [2, 0, 0]);
});

test("jq converts a time from one format to another, and keeps the time of day", {
  skip: noJq,
}, () => {
  const utc = "{{ format_datetime(record.at, '%Y-%m-%dT%H:%M:%S', '%a, %d %b %Y %H:%M:%S %z') }}";
  assert.deepEqual(values(utc, { at: "Tue, 05 Mar 2024 10:11:12 +0200" }, { at: null }), ["2024-03-05T10:11:12", null]);
});

test("a conversion of a time is reported if it lacks a format, or if its result is Unix seconds or has a zone or a fraction", () => {
  for (const value of [
    "{{ format_datetime(record.at, '%Y-%m-%d') }}",
    "{{ format_datetime(record.at, '%s', '%Y-%m-%d') }}",
    "{{ format_datetime(record.at, '%H:%M:%S%z', '%H:%M:%S%z') }}",
    "{{ format_datetime(record.at, '%Y-%m-%d', '%Y-%m-%dT%H:%M:%S.%f') }}",
  ])
    assert.match(filter(adding(value)).differences.join(), /it formats a time in a way that jq cannot/, value);
});

test("a missing member is neither `none` nor `defined`, but `get` returns none for it", { skip: noJq }, () => {
  const given = [{ a: { b: null } }, { a: { b: 1 } }, { a: {} }, { a: "x" }, {}];
  const cases = [
    ["{{ record.a.b == None }}", [true, false, false, false, false]],
    ["{{ record.a.b != None }}", [false, true, true, true, true]],
    ["{{ record.a.b is none }}", [true, false, false, false, false]],
    ["{{ record.a.b is defined }}", [true, true, false, false, false]],
    ["{{ record.a.b is undefined }}", [false, false, true, true, true]],
    ["{{ record.a.b in [None, 1] }}", [true, true, false, false, false]],
    ["{{ record.a.b not in [None] }}", [false, true, true, true, true]],
    ["{{ record.get('b') == None }}", [true, true, true, true, true]],
  ] as const;
  for (const [template, expected] of cases) assert.deepEqual(values(template, ...given), expected, template);
});

test("jq removes a member at any depth, and a longer path at any depth is reported", { skip: noJq }, () => {
  const removing = { type: "RemoveFields", field_pointers: [["**", "map-id"], ["name"]] };
  const given = { name: 1, "map-id": { a: 1 }, rows: [{ "map-id": 3, name: 4 }] };
  assert.deepEqual(records([given], removing), [{ rows: [{ name: 4 }] }]);
  const below = { type: "RemoveFields", field_pointers: [["**", "a", "b"]] };
  assert.equal(filter(below).differences.length, 1);
});

test("jq reads an empty text for a name that the slices of a stream lack", { skip: noJq }, () => {
  assert.deepEqual(values("{{ stream_partition['account'] }}", {}), [""]);
});
