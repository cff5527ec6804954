import assert from "node:assert/strict";
import { test } from "node:test";
import { Partitions, parseWithPartitions, withPartitions } from "../../../src/core/runs/partitions.ts";
import { parseValue, type ValueObject, valueText } from "../../../src/core/values/value.ts";
import type { Random } from "../../helpers/random.ts";
import { forSeeds } from "../../helpers/seeds.ts";

const texts = [
  "",
  "a",
  '"',
  "\\",
  '{"partitions":[{"context":',
  ',"partitions":[{"context":{}}]',
  "}",
  "]",
  "é😀",
  "\n",
];

function anyValue(random: Random, depth: number): unknown {
  if (depth === 0 || random.oneIn(3)) return random.pick([null, true, 7, 1.5, ...texts]);
  const size = random.below(3);
  if (random.oneIn(2)) return Array.from({ length: size }, () => anyValue(random, depth - 1));
  const names = ["partitions", "context", "value", "id", "__proto__", ...texts];
  return Object.fromEntries(Array.from({ length: size }, () => [random.pick(names), anyValue(random, depth - 1)]));
}

function anyList(random: Random): unknown {
  const isList = random.oneIn(10);
  return Array.from({ length: random.between(1, 4) }, (_, id) => ({
    context: random.pick([
      { id },
      { id, [random.pick(texts)]: random.pick(texts) },
      { id: { deep: anyValue(random, 2) } },
    ]),
    value: isList ? anyValue(random, 2) : random.pick([1, "2024-01-01", ...texts]),
    ...(random.oneIn(20) ? { more: 1 } : {}),
  }));
}

test("a document whose lists of watermarks are kept as texts is equal to one that is parsed whole", async () => {
  await forSeeds(400, (random) => {
    const entry = (): unknown => (random.oneIn(4) ? anyValue(random, 3) : { path: "at", partitions: anyList(random) });
    const document = { incremental: { a: entry(), b: entry() }, other: anyValue(random, 4), more: [entry()] };
    const text = random.oneIn(5) ? JSON.stringify(document, null, 2) : JSON.stringify(document);
    const whole = parseValue(text);
    const read = parseWithPartitions(text) as { incremental: ValueObject };
    // The names of a context are sorted. If two contexts are equal, the last one counts.
    const lists = valueText(withPartitions((whole as { incremental: ValueObject }).incremental));
    assert.equal(valueText(withPartitions(read.incremental)), lists);
    const lengths = [valueText(read as unknown as ValueObject), valueText(whole)].map((one) => one.length);
    assert.ok((lengths[0] ?? 0) <= (lengths[1] ?? 0));
  });
});

test("a list of watermarks is kept as texts, and anything else stays unchanged", () => {
  const partitionsIn = (text: string): unknown =>
    (parseWithPartitions(text) as { incremental: { a: { partitions: unknown } } }).incremental.a.partitions;
  const document = (list: string): string => `{"incremental":{"a":{"path":"at","partitions":${list}}}}`;
  const found = partitionsIn(document('[{"context":{"id":1.10},"value":1e400},{"context":{"b":1,"a":2},"value":"x"}]'));
  assert.ok(found instanceof Partitions);
  assert.deepEqual(
    [...found],
    [
      ['{"id":1.10}', "1e400"],
      ['{"a":2,"b":1}', '"x"'],
    ],
  );
  for (const list of ['[{"context":{"id":1},"value":null}]', '[{"context":{"id":1},"value":1},7]', "[]"]) {
    assert.ok(Array.isArray(partitionsIn(document(list))), list);
  }
  assert.throws(() => parseWithPartitions(document('[{"context":{"id":1},"value":1}')), SyntaxError);
});
