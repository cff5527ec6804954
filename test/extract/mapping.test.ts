import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { DataFault } from "../../src/extract/fault.ts";
import { compileMapping } from "../../src/extract/mapping.ts";
import type { Column } from "../../src/extract/records.ts";
import type { Mapping, MappingEntry } from "../../src/generated/configuration.ts";

const column = (destination: string, more: Partial<MappingEntry> = {}): MappingEntry => ({
  mapping: { destination },
  ...more,
});
const key = (destination: string, more: Partial<MappingEntry> = {}): MappingEntry => ({
  mapping: { destination, primaryKey: true },
  ...more,
});
const table = (destination: string, tableMapping: Mapping, parentKey?: MappingEntry["parentKey"]): MappingEntry => ({
  type: "table",
  destination,
  tableMapping,
  ...(parentKey === undefined ? {} : { parentKey }),
});

/** Maps one record of the dataset `users`. Returns the lines, each after its dataset. */
function map(mapping: Mapping, record: string, columns: readonly Column[] = []): string[] {
  return compileMapping(mapping, "users")(Buffer.from(`${record}\n`), columns).flatMap(
    ({ dataset, bytes, records }) => {
      const lines = bytes.toString().split("\n").slice(0, -1);
      assert.equal(lines.length, records);
      return lines.map((line) => `${dataset} ${line}`);
    },
  );
}

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

test("columns have values byte for byte in the mapping's order, and null for a missing one", () => {
  const mapping = { "a.b.1": column("B"), n: column("n"), "": column("none"), s: column("s"), o: column("o") };
  const record = '{"s":"\\u00e9\\/","n":1.10,"a":{"b":[1,13911860366432393]},"o":{"k":[-0]},"rest":true}';
  assert.deepEqual(map(mapping, record), [
    'users {"B":13911860366432393,"n":1.10,"none":null,"s":"\\u00e9\\/","o":{"k":[-0]}}',
  ]);
});

test("a path may have another delimiter, and the delimiter alone means the whole record", () => {
  const mapping = { "a.b/c": column("x", { delimiter: "/" }), "|": column("all", { delimiter: "|" }) };
  assert.deepEqual(map(mapping, '{"a.b":{"c":1}}'), ['users {"x":1,"all":{"a.b":{"c":1}}}']);
  assert.deepEqual(map({ ".": column("value"), x: column("x") }, "42"), ['users {"value":42,"x":null}']);
});

test("forceType writes lists and objects as JSON text, and scalars as they are", () => {
  const mapping = Object.fromEntries(["l", "o", "s", "n"].map((name) => [name, column(name, { forceType: true })]));
  assert.deepEqual(map(mapping, '{"l":[1.0,"a"],"o":{"a":"\\n"},"s":"t","n":1e400}'), [
    'users {"l":"[1.0,\\"a\\"]","o":"{\\"a\\":\\"\\\\n\\"}","s":"t","n":1e400}',
  ]);
});

test("an entry for user data reads the added column, although the record has a member with its name", () => {
  const mapping = {
    tag: column("own"),
    parent_id: column("parent", { type: "user" }),
    "2": column("gone", { type: "user" }),
  };
  const added = [
    { name: "tag", json: '"added"' },
    { name: "parent_id", json: "9007199254740993" },
  ];
  assert.deepEqual(map(mapping, '{"tag":"t","parent_id":1}', added), [
    'users {"gone":null,"own":"t","parent":9007199254740993}',
  ]);
});

test("the records of a table follow their parent record, and the parent's primary key links them to it", () => {
  const mapping = { id: key("id"), list: table("items", { v: column("v") }), one: table("ones", { ".": column("v") }) };
  assert.deepEqual(map(mapping, '{"id":9007199254740993,"list":[{"v":1},{"w":2}],"one":{"x":1.0}}'), [
    'users {"id":9007199254740993}',
    'items {"v":1,"users_pkey":9007199254740993}',
    'items {"v":null,"users_pkey":9007199254740993}',
    'ones {"v":{"x":1.0},"users_pkey":9007199254740993}',
  ]);
});

test("the columns of a composite primary key are joined with commas, user data included", () => {
  const mapping = {
    id: key("id"),
    code: key("code"),
    flag: key("flag"),
    none: key("none"),
    run: key("run", { type: "user" }),
    list: table("items", { ".": column("v") }),
  };
  assert.deepEqual(map(mapping, '{"id":1.10,"code":"a\\"b","flag":true,"list":[7]}', [{ name: "run", json: '"r"' }]), [
    'users {"id":1.10,"code":"a\\"b","flag":true,"none":null,"run":"r"}',
    'items {"v":7,"users_pkey":"1.10,a\\"b,1,,r"}',
  ]);
});

test("without a primary key, the link is a digest of the parent, and the parent gets the link as a column", () => {
  const mapping = { n: column("n"), list: table("items", { ".": column("v") }) };
  const record = '{"n":1,"list":[5,6]}';
  const digest = md5(record);
  assert.deepEqual(map(mapping, record), [
    `users {"n":1,"items":"${digest}"}`,
    `items {"v":5,"users_pkey":"${digest}"}`,
    `items {"v":6,"users_pkey":"${digest}"}`,
  ]);
  const [first] = map(mapping, record, [{ name: "u", json: "1" }]);
  assert.notEqual(first, `users {"n":1,"items":"${digest}"}`);
  for (const nothing of ["null", "[]", '""', '"0"', "0", "false"]) {
    assert.deepEqual(map(mapping, `{"n":1,"list":${nothing}}`), ['users {"n":1,"items":null}'], nothing);
  }
});

test("if the parent has a primary key, a missing list gives its table one record with only the link, and an empty list gives no record", () => {
  const mapping = { id: key("id"), list: table("items", { v: column("v") }) };
  assert.deepEqual(map(mapping, '{"id":1}'), ['users {"id":1}', 'items {"v":null,"users_pkey":1}']);
  assert.deepEqual(map(mapping, '{"id":1,"list":null}'), ['users {"id":1}', 'items {"v":null,"users_pkey":1}']);
  assert.deepEqual(map(mapping, '{"id":1,"list":[]}'), ['users {"id":1}']);
});

test("the link has the configured name, and is left out if a column has that name", () => {
  const linked = (mapping: Mapping) => ({ id: key("id"), list: table("items", mapping, { destination: "user" }) });
  const record = '{"id":1,"list":[{"v":2}]}';
  assert.deepEqual(map(linked({ v: column("v") }), record)[1], 'items {"v":2,"user":1}');
  assert.deepEqual(map(linked({ v: column("user") }), record)[1], 'items {"user":2}');
});

test("a link that is in a table's primary key is part of the link of the tables below", () => {
  const deep = (parentKey: MappingEntry["parentKey"], index: MappingEntry) => ({
    id: key("id"),
    a: table("as", { i: index, b: table("bs", { ".": column("v") }) }, parentKey),
  });
  const record = '{"id":7,"a":[{"i":"x","b":["p"]}]}';
  assert.deepEqual(map(deep({ primaryKey: true }, key("i")), record), [
    'users {"id":7}',
    'as {"i":"x","users_pkey":7}',
    'bs {"v":"p","as_pkey":"x,7"}',
  ]);
  assert.deepEqual(map(deep({ primaryKey: true }, column("i")), record)[2], 'bs {"v":"p","as_pkey":7}');
  const digest = md5('{"i":"x","b":["p"]}');
  assert.deepEqual(map(deep(undefined, column("i")), record).slice(1), [
    `as {"i":"x","bs":"${digest}","users_pkey":7}`,
    `bs {"v":"p","as_pkey":"${digest}"}`,
  ]);
});

test("a table without a link may write to the parent's own dataset, at any depth", () => {
  const children: MappingEntry = { type: "table", destination: "users", parentKey: { disable: true } };
  for (const id of [column("id"), key("id")]) {
    assert.deepEqual(map({ id, children }, '{"id":1,"children":[{"id":2,"children":[{"id":3}]},{"id":4}]}'), [
      'users {"id":1}',
      'users {"id":2}',
      'users {"id":3}',
      'users {"id":4}',
    ]);
  }
  const apart = { id: column("id"), list: table("items", { v: column("v") }, { disable: true }) };
  assert.deepEqual(map(apart, '{"id":1,"list":[{"v":2}]}'), ['users {"id":1}', 'items {"v":2}']);
});

test("a list or an object in a primary key is a data error", () => {
  const mapping = { id: key("id"), list: table("items", { v: column("v") }) };
  assert.throws(
    () => map(mapping, '{"id":{"$oid":"5"},"list":[1]}'),
    (error) => error instanceof DataFault && /primary key .* not \{"\$oid":"5"\}/.test(error.message),
  );
});
