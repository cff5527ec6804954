import assert from "node:assert/strict";
import { test } from "node:test";
import { Secrets } from "../../src/core/secrets/redact.ts";
import type { Value } from "../../src/core/values/value.ts";
import { evaluate } from "../../src/expression/evaluate.ts";
import { parseFilter } from "../../src/expression/filter.ts";
import { functions } from "../../src/expression/functions.ts";
import { loadPatterns } from "../../src/expression/pattern.ts";
import { FunctionFault, type PhpOperand } from "../../src/expression/php/operand.ts";

await loadPatterns('"regex"');

/*
 * Values of 1 MB through every operator and function: a pattern that backtracks would take hours for one of them. Each test may
 * take five minutes, because the machine may be busy.
 */
const size = 1_000_000;
const repeated = (text: string): string => text.repeat(Math.ceil(size / text.length));

const values: Readonly<Record<string, string>> = {
  "a number with a letter": `${repeated("1")}x`,
  "zeros within": `1${repeated("0")}1`,
  "white space behind a number": `1${repeated(" ")}x`,
  "an exponent": `1e${repeated("9")}x`,
  "points and digits": repeated("1."),
  "percent signs": repeated("%"),
  "a directive": `%${repeated("1")}`,
  letters: repeated("ab "),
};

const operators = ["==", "!=", "<", ">", "<=", ">=", "~~", "!~"];

test("every operator of filters accepts values of 1 MB", { timeout: 300_000 }, () => {
  for (const value of Object.values(values)) {
    for (const operator of operators) {
      for (const wanted of ["5", value])
        assert.equal(typeof parseFilter(`v${operator}${wanted}`)({ v: value }), "boolean");
    }
  }
});

for (const [name, { call, arity }] of Object.entries(functions)) {
  test(`${name} returns a result for values of 1 MB, or refuses them, without backtracking`, {
    timeout: 300_000,
  }, () => {
    const count = Math.min(3, Number.isFinite(arity[1]) ? arity[1] : 3);
    for (const value of Object.values(values)) {
      const lists: PhpOperand[][] = [
        [value],
        ["5", value],
        ["%d %e", value, value],
        ["md5", value, value],
        [",", [value, value]],
      ];
      for (const args of lists) {
        try {
          call(args.slice(0, count), 0);
        } catch (error) {
          assert.ok(error instanceof FunctionFault, `${error}`);
        }
      }
    }
  });
}

test("nested functions are refused before their results exhaust the memory", () => {
  for (const [name, most] of [
    ["open", 67_108_864],
    ["#secret", 4_194_304],
  ] as const) {
    let value: Value = { attr: name };
    for (let depth = 0; depth < 80; depth += 1) value = { function: "base64_encode", args: [value] };
    const secrets = new Secrets();
    secrets.add("hunter2-hunter2");
    const settings = new Map([[name, name === "open" ? "some text" : "hunter2-hunter2"]]);
    const time = { currentStart: 0, previousStart: 0 };
    assert.throws(() => evaluate(value, { settings, time, secrets }), {
      kind: "configuration",
      message: `function "base64_encode": gives more than ${most} characters`,
    });
  }
});
