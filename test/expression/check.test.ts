import assert from "node:assert/strict";
import { test } from "node:test";
import { faultLine } from "../../src/core/errors.ts";
import { parseValue, type Value } from "../../src/core/values/value.ts";
import { checkExpressions } from "../../src/expression/check.ts";

const settings = new Map<string, Value>([
  ["domain", "example"],
  ["#password", "blue moon"],
  ["when", "next blue moon"],
  ["nothing", null],
]);
const faultsOf = (text: string, contexts: readonly string[] = [], known: Map<string, Value> | Set<string> = settings) =>
  checkExpressions(parseValue(text), "/api", { settings: known, contexts }).map(faultLine);

test("correct expressions and plain data have no faults", () => {
  const texts = [
    '{"attr": "domain"}',
    '{"time": "previousStart"}',
    '{"function": "time"}',
    '{"function": "base64_encode", "args": [{"function": "hash_hmac", "args": ["sha256", "a", {"attr": "#password"}, true]}]}',
    '{"function": "concat", "args": {"a": "x", "b": {"attr": "domain"}}}',
    '{"response": "token"}',
    '{"response": {"any": "thing"}}',
    '{"attr": "missing", "but": "plain"}',
    '{"function": "missing", "args": [], "but": "plain"}',
    '{"function": "strtotime", "args": ["-7 days"]}',
  ];
  for (const text of texts) assert.deepEqual(faultsOf(text), [], text);
  const inContext = '{"function": "concat", "args": ["Bearer ", {"response": "token"}]}';
  assert.deepEqual(faultsOf(inContext, ["response"]), []);
  assert.deepEqual(faultsOf('{"function": "strtotime", "args": [{"response": "x"}]}', ["response"]), []);
});

/** A value at "/api", and the beginnings of its faults. */
const rows: readonly (readonly [text: string, faults: readonly string[], contexts?: readonly string[]])[] = [
  [
    '{"function": "base64_decode", "args": ["a"]}',
    [
      '/api/function: unknown function "base64_decode", did you mean "base64_encode"?; the functions are md5, sha1, hash, ',
    ],
  ],
  ['{"function": "MD5"}', ['/api/function: unknown function "MD5", did you mean "md5"?; the functions are ']],
  ['{"function": "var_dump", "args": []}', ['/api/function: unknown function "var_dump"; the functions are md5, ']],
  ['{"function": ["md5"]}', ['/api/function: found ["md5"]; the name of a function must be a text']],
  ['{"function": "md5", "args": "a"}', ['/api/args: found "a"; arguments must be a list']],
  [
    '{"function": "ifempty", "args": ["a"]}',
    ['/api: function "ifempty" takes 2 arguments, 1 given: ifempty(value, otherwise)'],
  ],
  ['{"attr": "domian"}', ['/api/attr: unknown setting "domian", did you mean "domain"?; "config" has no such name']],
  ['{"attr": "else"}', ['/api/attr: unknown setting "else"; "config" has no such name']],
  ['{"attr": "nothing"}', ['/api/attr: the setting "nothing" is null, but it needs a value']],
  ['{"attr": {"x": 1}}', ['/api/attr: found {"x":1}; the name of a setting must be a text']],
  ['{"time": "now"}', ['/api/time: found "now"; a time must be one of currentStart, previousStart']],
  ['{"response": 1.5}', [], ["response"]],
  ['{"response": []}', ["/api/response: found []; a path must be a text"], ["response"]],
  [
    '{"a": [{"b/c": {"attr": "x"}}, {"function": "nope"}]}',
    ['/api/a/0/b~1c/attr: unknown setting "x"', '/api/a/1/function: unknown function "nope"'],
  ],
  [
    '{"function": "concat", "args": [{"attr": "x"}, {"function": "md5", "args": []}]}',
    ['/api/args/0/attr: unknown setting "x"', '/api/args/1: function "md5" takes 1 to 2 arguments, 0 given'],
  ],
  ['{"function": "concat", "args": {"k": {"attr": "x"}}}', ['/api/args/k/attr: unknown setting "x"']],
  // Calls of constants and settings are evaluated; each fault is reported once, at its call.
  [
    '{"function": "strtotime", "args": ["next blue moon"]}',
    ['/api: function "strtotime": "next blue moon" is not a date'],
  ],
  [
    '{"function": "date", "args": ["Y", {"function": "strtotime", "args": [{"attr": "when"}]}]}',
    ['/api/args/1: function "strtotime": "next blue moon" is not a date'],
  ],
  [
    '{"function": "hash", "args": ["sha-256", "a"]}',
    ['/api: function "hash": "sha-256" is not a known hash algorithm'],
  ],
  [
    '{"function": "sprintf", "args": ["%s"]}',
    ['/api: function "sprintf": the format uses value 1, but the number of values is 0'],
  ],
  ['{"function": "md5", "args": ["a", true]}', ['/api: function "md5": gives raw bytes']],
];

test("each fault has its pointer, the wrong value and the right form", () => {
  for (const [text, starts, contexts] of rows) {
    const faults = faultsOf(text, contexts);
    assert.equal(faults.length, starts.length, `${text}: ${faults.join(" | ")}`);
    for (const [index, start] of starts.entries()) {
      assert.equal(faults[index]?.slice(0, start.length), start, text);
    }
  }
});

test("a secret that causes a fault is not shown", () => {
  const [fault] = faultsOf('{"function": "strtotime", "args": [{"attr": "#password"}]}');
  assert.match(fault ?? "", /^\/api: function "strtotime": \*\*\* is not a date/);
});

test("if only the names of settings are known, a call that reads them is not evaluated", () => {
  const names = new Set(settings.keys());
  assert.deepEqual(faultsOf('{"function": "strtotime", "args": [{"attr": "when"}]}', [], names), []);
  assert.equal(faultsOf('{"function": "strtotime", "args": ["next blue moon"]}', [], names).length, 1);
  assert.equal(faultsOf('{"attr": "x"}', [], names).length, 1);
});
