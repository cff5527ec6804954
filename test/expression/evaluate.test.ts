import assert from "node:assert/strict";
import { test } from "node:test";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { exactNumber, parseValue, type Value, valueText } from "../../src/core/values/value.ts";
import { type Context, evaluate, isExpression } from "../../src/expression/evaluate.ts";

const settings = new Map<string, Value>([
  ["user", "joe"],
  ["#password", "s3cret-pass"],
  ["http.headers.X", "header"],
  ["auth.#token", "nested-token"],
  ["n", exactNumber("1.10")],
  ["t", true],
  ["no", false],
  ["empty", ""],
  ["nothing", null],
  ["list", ["a", "b"]],
  ["7", "seven"],
  ["like", { function: "concat", args: ["not", "evaluated"] }],
  ["copy", "s3cret-pass"],
]);

function context(contexts?: Record<string, Value>): Context & { secrets: Secrets } {
  const secrets = new Secrets();
  for (const name of ["#password", "auth.#token"]) secrets.add(String(settings.get(name)));
  const base = { settings, time: { currentStart: 1508620560, previousStart: 1400000000 }, secrets };
  return contexts === undefined ? base : { ...base, contexts };
}

const run = (text: string, contexts?: Record<string, Value>) =>
  valueText(evaluate(parseValue(text), context(contexts)));

const login = parseValue(
  '{"token": "abc", "list": [{"id": 13911860366432393}], "a.b": 1, "none": null, "obj": {"x": 1}}',
);

/** An expression or data, the expected result as JSON, and the extra contexts. */
const rows: readonly (readonly [value: string, result: string, contexts?: Record<string, Value>])[] = [
  ['{"attr": "user"}', '"joe"'],
  ['{"attr": "http.headers.X"}', '"header"'],
  ['{"attr": "n"}', "1.10"],
  ['{"attr": "t"}', "true"],
  ['{"attr": "no"}', "false"],
  ['{"attr": "empty"}', '""'],
  ['{"attr": "list"}', '["a","b"]'],
  ['{"attr": 7}', '"seven"'],
  ['{"attr": "like"}', '{"function":"concat","args":["not","evaluated"]}'],
  ['{"time": "currentStart"}', "1508620560"],
  ['{"time": "previousStart"}', "1400000000"],
  ['{"function": "time"}', "1508620560"],
  ['{"function": "concat", "args": [{"attr": "user"}, ":", {"attr": "n"}]}', '"joe:1.10"'],
  ['{"function": "concat", "args": [{"attr": "t"}, {"attr": "no"}, null, 1e400]}', '"11e400"'],
  ['{"function": "implode", "args": ["-", {"attr": "list"}]}', '"a-b"'],
  [
    '{"a": {"b": [1.10, [{"attr": "user"}], {"c": {"function": "md5", "args": ["a"]}}]}}',
    '{"a":{"b":[1.10,["joe"],{"c":"0cc175b9c0f1b6a831c399e269772661"}]}}',
  ],
  [
    '{"function": "ifempty", "args": [{"attr": "empty"}, {"function": "concat", "args": ["x", {"attr": "user"}]}]}',
    '"xjoe"',
  ],
  [
    '{"path": "id", "function": "sprintf", "args": ["%05d", {"placeholder": "value"}]}',
    '"00003"',
    { placeholder: { value: 3 } },
  ],
  ['{"response": "token"}', '"abc"', { response: login }],
  ['{"response": "list.0.id"}', "13911860366432393", { response: login }],
  ['{"response": "a.b"}', "1", { response: login }],
  ['{"response": "obj"}', '{"x":1}', { response: login }],
  ['{"function": "concat", "args": ["Bearer ", {"response": "token"}]}', '"Bearer abc"', { response: login }],
  ['[{"query": "q"}, {"request": "method"}]', '["x","GET"]', { query: { q: "x" }, request: { method: "GET" } }],
  // Plain data, kept with its digits.
  ['"{attr}"', '"{attr}"'],
  ["1.10", "1.10"],
  ["13911860366432393", "13911860366432393"],
  ["null", "null"],
  ["[]", "[]"],
  ["{}", "{}"],
  ['{"attr": "user", "other": 1}', '{"attr":"user","other":1}'],
  ['{"time": "currentStart", "x": 1}', '{"time":"currentStart","x":1}'],
  ['{"response": "x"}', '{"response":"x"}'],
  ['{"query": "x"}', '{"query":"x"}', { response: login }],
  ['{"args": ["a"]}', '{"args":["a"]}'],
  [
    '{"function": "unheard", "args": ["a"], "note": {"attr": "user"}}',
    '{"function":"unheard","args":["a"],"note":"joe"}',
  ],
  ['{"function": "date", "note": 1e2}', '{"function":"date","note":1e2}'],
  ['{"response": "x", "y": 1}', '{"response":"x","y":1}', { response: login }],
  ['{"__proto__": {"attr": "user"}}', '{"__proto__":"joe"}'],
];

test("expressions give their results, and plain data is unchanged", () => {
  for (const [value, result, contexts] of rows) assert.equal(run(value, contexts), result, value);
});

test("an expression with a known function may have other members", () => {
  assert.equal(run('{"function": "concat", "args": ["a"], "note": "ignored"}'), '"a"');
});

test("an expression that cannot be evaluated is a configuration error", () => {
  const faults: readonly (readonly [value: string, message: RegExp, contexts?: Record<string, Value>])[] = [
    ['{"attr": "missing"}', /^there is no setting "missing" in "config"$/],
    ['{"attr": "nothing"}', /^there is no setting "nothing"/],
    ['{"attr": {"x": 1}}', /^there is no setting \{"x":1\}/],
    ['{"time": "nope"}', /one of currentStart, previousStart/],
    ['{"function": "var_dump"}', /^there is no function "var_dump"$/],
    ['{"function": {"function": "concat"}, "args": []}', /^there is no function/],
    ['{"function": "concat", "args": "a"}', /^"args" of function "concat" must be a list$/],
    ['{"response": ["x"]}', /must name a path/, { response: login }],
  ];
  for (const [value, message, contexts] of faults) {
    assert.throws(() => run(value, contexts), { name: "SpileError", kind: "configuration", message }, value);
  }
});

test("a path to a missing value or to null is a data error that names the context and the path", () => {
  for (const path of ["missing", "none", "list.1", "list.00", "token.x", "toString"]) {
    const find = () => run(`{"function": "concat", "args": ["Bearer ", {"response": "${path}"}]}`, { response: login });
    assert.throws(find, { kind: "data", message: `the expression {"response": "${path}"} finds no value` });
  }
});

test("a wrong value from outside is a data error, which shows the value only if it is not a secret", () => {
  const text = '{"function": "strtotime", "args": [{"CONTEXT": "value"}]}';
  const from = (name: string) => () => run(text.replace("CONTEXT", name), { [name]: { value: "never\u001b[31m" } });
  assert.throws(from("placeholder"), {
    kind: "data",
    message: /^function "strtotime": "never\\x1b\[31m" is not a date/,
  });
  assert.throws(from("response"), { kind: "data", message: /^function "strtotime": \*\*\* is not a date/ });
  const password = '{"function": "strtotime", "args": [{"attr": "#password"}]}';
  assert.throws(() => run(password), { kind: "configuration", message: /^function "strtotime": \*\*\* is not a date/ });
});

/** An expression, and texts that a log must mask or show after the expression was evaluated. "%" stands for its result. */
const tainted: readonly (readonly [
  value: string,
  masked: readonly string[],
  shown: readonly string[],
  contexts?: Record<string, Value>,
])[] = [
  [
    '{"function": "base64_encode", "args": [{"function": "concat", "args": [{"attr": "user"}, ":", {"attr": "#password"}]}]}',
    [Buffer.from("joe:s3cret-pass").toString("base64"), "joe:s3cret-pass"],
    ["joe"],
  ],
  ['{"function": "sha1", "args": [{"attr": "auth.#token"}]}', ["%"], []],
  ['{"function": "md5", "args": [{"attr": "copy"}]}', ["%"], []],
  ['{"function": "md5", "args": [{"attr": "user"}]}', [], ["8ff32489f92f33416694be8fdc2d4c22"]],
  ['{"function": "md5", "args": ["NotSoSecret"]}', [], ["1228d3ff5089f27721f1e0403ad86e73"]],
  ['{"function": "md5", "args": ["s3cret-pass"]}', ["%"], []],
  ['{"function": "implode", "args": ["+", ["a", {"attr": "auth.#token"}]]}', ["a+nested-token"], []],
  ['{"function": "concat", "args": ["Bearer ", {"response": "token"}]}', ["Bearer abc"], [], { response: login }],
  [
    '{"function": "md5", "args": [{"authorization": "timestamp"}]}',
    ["202cb962ac59075b964b07152d234b70"],
    [],
    { authorization: { timestamp: 123 } },
  ],
  ['{"function": "md5", "args": [{"query": "q"}]}', [], ["202cb962ac59075b964b07152d234b70"], { query: { q: 123 } }],
  ['{"function": "ifempty", "args": [{"attr": "#password"}, "fallback"]}', ["s3cret-pass"], ["fallback"]],
  ['{"function": "ifempty", "args": ["shown value", {"attr": "#password"}]}', ["s3cret-pass"], ["shown value"]],
  [
    '{"function": "date", "args": ["Y-m-d", {"response": "list.0.day"}]}',
    [],
    ["2017-10-21"],
    { response: { list: [{ day: 1508620560 }] } },
  ],
];

test("a log masks the results of functions that are made from secrets, except dates, and shows all other results", () => {
  for (const [value, masked, shown, contexts] of tainted) {
    const here = context(contexts);
    const result = String(evaluate(parseValue(value), here));
    for (const text of masked)
      assert.equal(here.secrets.mask(text === "%" ? result : text), "***", `${value} masks ${text}`);
    for (const text of shown) assert.equal(here.secrets.mask(text), text, `${value} shows ${text}`);
  }
});

test("the members of an object decide whether it is an expression", () => {
  for (const text of ['{"attr": "x"}', '{"time": "x"}', '{"function": "x"}', '{"function": "x", "args": []}']) {
    assert.equal(isExpression(parseValue(text)), true, text);
  }
  for (const text of [
    '{"response": "x"}',
    '{"attr": "x", "y": 1}',
    "{}",
    "[]",
    '"x"',
    "null",
    "1.10",
    '[{"attr": "x"}]',
  ]) {
    assert.equal(isExpression(parseValue(text)), false, text);
  }
  assert.equal(isExpression({ response: "x" }, ["response"]), true);
  assert.equal(isExpression({ path: "id", function: "md5", args: [] }), true);
  assert.equal(isExpression({ path: "id", function: "nope", args: [] }), false);
});
