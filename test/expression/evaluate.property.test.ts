import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { exactNumber, parseValue, type Value, valueText } from "../../src/core/values/value.ts";
import { checkExpressions } from "../../src/expression/check.ts";
import { evaluate } from "../../src/expression/evaluate.ts";
import { forSeeds } from "../helpers/seeds.ts";

/** Returns a generator of numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const settings = new Map<string, Value>([
  ["user", "joe"],
  ["#key", "s3cret"],
  ["n", exactNumber("1.10")],
  ["yes", true],
  ["inner", { a: [1, exactNumber("13911860366432393")] }],
]);
const response = parseValue('{"token": "t0k\\u00e9n", "list": [{"id": 13911860366432393}, null], "time": 1500000000}');

/** A value as JSON text and its expected result, built together, so that the result needs no evaluator. */
interface Case {
  readonly text: string;
  readonly result: string;
}
/** A scalar case, with the text that joining makes of it. */
interface ScalarCase extends Case {
  readonly joined: string;
}

const json = JSON.stringify;
const call = (name: string, args: readonly string[]) => `{"function":${json(name)},"args":[${args.join(",")}]}`;
const text = (source: string, joined: string): ScalarCase => ({ text: source, result: json(joined), joined });

function makers(random: () => number) {
  const below = (limit: number) => Math.floor(random() * limit);
  const oneOf = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0];
  const several = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);

  const leaf = (): ScalarCase =>
    oneOf<ScalarCase>([
      { text: "1.10", result: "1.10", joined: "1.10" },
      { text: "13911860366432393", result: "13911860366432393", joined: "13911860366432393" },
      { text: "-0", result: "-0", joined: "-0" },
      { text: "1e400", result: "1e400", joined: "1e400" },
      { text: "true", result: "true", joined: "1" },
      { text: "false", result: "false", joined: "" },
      { text: "null", result: "null", joined: "" },
      text('"ž \\" %"', 'ž " %'),
      text('"attr"', "attr"),
      text('{"attr":"user"}', "joe"),
      text('{"attr":"#key"}', "s3cret"),
      text('{"response":"token"}', "t0kén"),
      { text: '{"attr":"n"}', result: "1.10", joined: "1.10" },
      { text: '{"attr":"yes"}', result: "true", joined: "1" },
      { text: '{"response":"list.0.id"}', result: "13911860366432393", joined: "13911860366432393" },
      { text: '{"time":"currentStart"}', result: "1508620560", joined: "1508620560" },
    ]);

  const scalar = (depth: number): ScalarCase => {
    if (depth === 0) return leaf();
    const parts = several(4, () => scalar(depth - 1));
    const one = scalar(depth - 1);
    const other = scalar(depth - 1);
    const empty = ['""', '"0"', "-0", "false", "null"].includes(one.result);
    return oneOf<() => ScalarCase>([
      leaf,
      () =>
        text(
          call(
            "concat",
            parts.map((part) => part.text),
          ),
          parts.map((part) => part.joined).join(""),
        ),
      () => {
        const list = `[${parts.map((part) => part.text).join(",")}]`;
        return text(call("implode", [one.text, list]), parts.map((part) => part.joined).join(one.joined));
      },
      () => text(call("base64_encode", [one.text]), Buffer.from(one.joined).toString("base64")),
      () => text(call("md5", [one.text]), createHash("md5").update(one.joined).digest("hex")),
      () => text(call("sprintf", ['"%2$s-%1$s%%"', one.text, other.text]), `${other.joined}-${one.joined}%`),
      () => ({ ...(empty ? other : one), text: call("ifempty", [one.text, other.text]) }),
    ])();
  };

  const value = (depth: number): Case => {
    if (depth === 0) return scalar(2);
    const items = several(4, () => value(depth - 1));
    return oneOf<() => Case>([
      () => scalar(depth),
      () => ({
        text: `[${items.map((item) => item.text).join(",")}]`,
        result: `[${items.map((item) => item.result).join(",")}]`,
      }),
      () => {
        // None of these objects is an expression: several keys without "function", or one key that is not a context.
        const names = ["attr", "query", "time", "args", "x"];
        const pick = (part: "text" | "result") =>
          `{${["z", ...names]
            .slice(0, items.length + 1)
            .map((name, index) => `${json(name)}:${index === 0 ? "[]" : items[index - 1]?.[part]}`)
            .join(",")}}`;
        return { text: pick("text"), result: pick("result") };
      },
      () => ({ text: '{"attr":"inner"}', result: '{"a":[1,13911860366432393]}' }),
    ])();
  };
  return { value };
}

test("random nested values with expressions evaluate to their expected values", async () => {
  await forSeeds(600, (_, seed) => {
    const { value } = makers(randomness(seed));
    const { text: source, result } = value(4);
    const parsed = parseValue(source);
    const context = { settings, time: { currentStart: 1508620560, previousStart: 0 }, secrets: new Secrets() };
    const found = valueText(evaluate(parsed, { ...context, contexts: { response } }));
    assert.equal(found, result, `seed ${seed}: ${source}`);
    assert.deepEqual(checkExpressions(parsed, "", { settings, contexts: ["response"] }), [], `seed ${seed}: ${source}`);
    assert.equal(valueText(parsed), valueText(parseValue(source)), `seed ${seed}: the input was changed`);
  });
});

test("evaluating a value without expressions changes nothing", async () => {
  await forSeeds(200, (_, seed) => {
    const { value } = makers(randomness(seed));
    const plain = parseValue(value(4).result);
    const context = { settings, time: { currentStart: 0, previousStart: 0 }, secrets: new Secrets() };
    assert.equal(valueText(evaluate(plain, context)), valueText(plain), `seed ${seed}`);
  });
});
