import assert from "node:assert/strict";
import { test } from "node:test";
import { LosslessNumber } from "lossless-json";
import { DataFault } from "../../src/extract/fault.ts";
import { addColumns, mapRecords, recordsOf, tagRecords, textAt, valueIn } from "../../src/extract/records.ts";
import { compileResponseFilter } from "../../src/extract/response-filter.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { compact, nodeAt, readNode } from "./oracle.ts";
import { randomFrom, randomText } from "./random.ts";

function columns(record: string, ...added: [name: string, json: string][]): string {
  return addColumns(
    Buffer.from(record),
    added.map(([name, json]) => ({ name, json })),
  ).toString();
}

test("a buffer of lines is read line by line", () => {
  assert.deepEqual([...recordsOf(Buffer.from('{"a":1}\n5\n'))].map(String), ['{"a":1}', "5"]);
  assert.deepEqual([...recordsOf(Buffer.alloc(0))], []);
  assert.equal(mapRecords(Buffer.from("1\n2\n"), (record) => Buffer.concat([record, record])).toString(), "11\n22\n");
});

test("a path in a record gives the value's text as written", () => {
  const record = Buffer.from(
    '{"id":12345678901234567890,"a":[{"b":"x,}\\"]"},{}],"k\\u0065y":1.10,"d":1,"d":2,"e":{"d":3}}',
  );
  const rows: [string[], string | undefined][] = [
    [["id"], "12345678901234567890"],
    [["a", "0", "b"], '"x,}\\"]"'],
    [["a", "1"], "{}"],
    [["a", "2"], undefined],
    [["a", "01"], undefined],
    [["key"], "1.10"],
    [["d"], "2"],
    [["e", "d"], "3"],
    [["id", "x"], undefined],
    [["nope"], undefined],
    [[], record.toString()],
  ];
  for (const [path, text] of rows) assert.equal(textAt(record, path), text, path.join("."));
  assert.deepEqual(valueIn(record, ["id"]), new LosslessNumber("12345678901234567890"));
  assert.equal(valueIn(record, ["a", "0", "b"]), 'x,}"]');
  assert.equal(valueIn(record, ["nope"]), undefined);
});

test("paths in random records give the values that a plain reader finds", async () => {
  await forSeeds(500, (_, seed) => {
    const random = randomFrom(seed);
    const root = readNode(compact(randomText(random, { distinctKeys: false, depth: 5 })));
    const record = Buffer.from(root.text);
    let node = root;
    const path: string[] = [];
    while (node.members.length > 0 && random(6) > 0) {
      const [name] = node.members[random(node.members.length)] ?? [""];
      path.push(name);
      node = nodeAt(node, [name]) ?? node;
    }
    assert.equal(textAt(record, path), node.text, `seed ${seed}: ${root.text} at ${path}`);
    assert.equal(textAt(record, [...path, "nowhere"]), undefined);
  });
});

test("columns are appended to the unchanged bytes of a record", () => {
  assert.equal(columns('{"a":1.10}', ["parent_id", "7"]), '{"a":1.10,"parent_id":7}');
  assert.equal(columns("{}", ["a", "1"], ["b", '"x"']), '{"a":1,"b":"x"}');
  assert.equal(columns('{"a":1}'), '{"a":1}');
  assert.equal(columns("5", ["a", "1"]), '{"data":5,"a":1}');
  assert.equal(columns('[{"a":1}]', ["data", "1"]), '{"data":[{"a":1}],"data_u0":1}');
});

test("a column whose name the record already has gets a suffix", () => {
  assert.equal(columns('{"id":1}', ["id", "2"]), '{"id":1,"id_u0":2}');
  assert.equal(columns('{"id":1,"id_u0":2}', ["id", "3"]), '{"id":1,"id_u0":2,"id_u1":3}');
  assert.equal(columns('{"\\u0069d":1}', ["id", "2"]), '{"\\u0069d":1,"id_u0":2}');
  assert.equal(columns('{"a":{"id":1}}', ["id", "2"], ["id", "3"]), '{"a":{"id":1},"id":2,"id_u0":3}');
  assert.equal(columns('{"":1}', ['q"', "2"]), '{"":1,"q\\"":2}');
});

test("tagged lines contain the record unchanged", () => {
  const lines = tagRecords(Buffer.from('{"a":1.10}\nnull\n'), 'us"ers');
  assert.equal(
    lines.toString(),
    '{"dataType":"us\\"ers","record":{"a":1.10}}\n{"dataType":"us\\"ers","record":null}\n',
  );
});

test("a response filter turns values into their JSON text, except empty ones such as null, 0 and []", () => {
  const rows: [string, string | string[], string, string?][] = [
    ['{"a":{"b":1.10}}', "a", '{"a":"{\\"b\\":1.10}"}'],
    ['{"a":"é"}', "a", '{"a":"\\"é\\""}'],
    ['{"a":[true],"z":1}', "a", '{"a":"[true]","z":1}'],
    ['{"a":{"b":{"c":1}}}', "a.b", '{"a":{"b":"{\\"c\\":1}"}}'],
    ['{"a":[{"b":1},{"c":2},{"b":[3]}]}', "a[].b", '{"a":[{"b":"1"},{"c":2},{"b":"[3]"}]}'],
    ['{"a":[1,"x",{}]}', "a[]", '{"a":["1","\\"x\\"","{}"]}'],
    ['{"a.b":{"c":1}}', "a.b", '{"a.b":"{\\"c\\":1}"}', "#"],
    ['{"a":{"b":1},"c":[1]}', ["a", "c", "nope"], '{"a":"{\\"b\\":1}","c":"[1]"}'],
    ['{"a":null}', "a", '{"a":null}'],
    ['{"a":[],"b":0,"c":"0","d":false}', ["a", "b", "c", "d"], '{"a":[],"b":0,"c":"0","d":false}'],
    ['{"a":true}', "a.b", '{"a":true}'],
    ["5", "a", "5"],
  ];
  for (const [record, paths, expected, delimiter] of rows) {
    const filter = compileResponseFilter([paths].flat(), delimiter);
    assert.equal(filter(Buffer.from(record)).toString(), expected, `${record} by ${paths}`);
  }
  assert.throws(() => compileResponseFilter(["a[]"])(Buffer.from('{"a":1}')), DataFault);
});
