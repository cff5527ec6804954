import assert from "node:assert/strict";
import { test } from "node:test";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { parseValue, type Value, valueText } from "../../src/core/values/value.ts";
import { evaluate } from "../../src/expression/evaluate.ts";
import { functions } from "../../src/expression/functions.ts";
import { loadPatterns } from "../../src/expression/pattern.ts";
import { decode, textOrBytes } from "../../src/expression/php/operand.ts";

/** Saturday, 2017-10-21 21:16:00 UTC. */
const now = 1508620560;

await loadPatterns('"regex"');

/** Calls a function through an expression written as JSON, and shows its result as JSON. */
function call(name: string, args: string): string {
  const value = parseValue(`{"function": ${JSON.stringify(name)}, "args": ${args}}`);
  return valueText(
    evaluate(value, { settings: new Map(), time: { currentStart: now, previousStart: 0 }, secrets: new Secrets() }),
  );
}

/** A function, its arguments and its result as JSON texts; results of hashes are those of PHP 8.2. */
const rows: readonly (readonly [name: string, args: string, result: string])[] = [
  ["md5", '["NotSoSecret"]', '"1228d3ff5089f27721f1e0403ad86e73"'],
  ["md5", "[5]", '"e4da3b7fbbce2345d7772b0674a318d5"'],
  ["md5", "[1.10]", '"bdca6efb043178ef172612dd1e173dde"'],
  ["md5", '["žluť"]', '"d5e6cd01a2dff41bed36a7aa6ea3e6c3"'],
  ["md5", "[null]", '"d41d8cd98f00b204e9800998ecf8427e"'],
  ["sha1", '["NotSoSecret"]', '"64d5d2977cc2573afbd187ff5e71d1529fd7f6d8"'],
  ["sha1", "[true]", '"356a192b7913b04c54574d18c28d46e6395428ab"'],
  ["hash", '["sha256", "a"]', '"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"'],
  ["hash", '["SHA256", "a"]', '"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"'],
  ["hash", '["md5", "a"]', '"0cc175b9c0f1b6a831c399e269772661"'],
  ["hash", '["sha512/256", "a"]', '"455e518824bc0601f9fb858ff5c37d417d67c2f8e0df2babe4808858aea830f8"'],
  ["hash", '["sha3-256", "a"]', '"80084bf2fba02475726feb2cab2d8215eab14bc6bdd8bfb2c8151257032ecd8b"'],
  ["hash", '["ripemd160", "a"]', '"0bdc9d2d256b3ee9daae347be6f4dc835a467ffe"'],
  ["hash", '["crc32b", "a"]', '"e8b7be43"'],
  [
    "hash",
    '["sha384", ""]',
    '"38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"',
  ],
  ["hash", '["sha224", "a"]', '"abd37534c7d9a2efb9465de931cd7055ffdb8879563ae98078d6d6d5"'],
  [
    "hash_hmac",
    '["sha256", "12345abcd5678efgh90ijk", "TeaPot"]',
    '"d868d581b2f2edd09e8e7ce12c00723b3fcffb6a5d74c40eae9d94181a0bf731"',
  ],
  ["hash_hmac", '["md5", "text", ""]', '"4f04d599991d81a6dcf0363e43b064a4"'],
  ["hash", '["sha256", "a", "hex"]', '"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"'],
  ["hash", '["sha256", "a", "base64"]', '"ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs="'],
  ["hash", '["sha256", "a", "base64url"]', '"ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs"'],
  ["hash_hmac", '["md5", "text", "", "base64"]', '"TwTVmZkdgabc8DY+Q7BkpA=="'],
  [
    "jwt",
    '["HS256", "k", {"a": 1.10}]',
    '"eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJhIjoxLjEwfQ.oS_Yk9hQplbGwVXI3KxNDD8t2aKDukdDQ9OGpr6TTuw"',
  ],
  ["base64url_encode", '["??>"]', '"Pz8-"'],
  ["rawurlencode", '["a b~+/é"]', '"a%20b~%2B%2F%C3%A9"'],
  ["base64_encode", '["TeaPot"]', '"VGVhUG90"'],
  ["base64_encode", '["žluť"]', '"xb5sdcWl"'],
  ["base64_encode", '[""]', '""'],
  ["base64_encode", "[13911860366432393]", '"MTM5MTE4NjAzNjY0MzIzOTM="'],
  [
    "base64_encode",
    '[{"function": "hash_hmac", "args": ["sha256", "a", "k", true]}]',
    '"eNqRUR5nVYf1ud94vt669VYNoqu4gWLuh13N90SVHZ4="',
  ],
  [
    "base64_encode",
    '[{"function": "concat", "args": ["x", {"function": "md5", "args": ["a", true]}]}]',
    '"eAzBdbnA8baoMcOZ4ml3JmE="',
  ],
  ["sha1", '[{"function": "sha1", "args": ["a", true]}]', '"667f407de7c6ad07358fa38daed7828a72014b4e"'],
  ["urlencode", '[{"function": "md5", "args": ["a", true]}]', '"%0C%C1u%B9%C0%F1%B6%A81%C3%99%E2iw%26a"'],
  ["time", "[]", "1508620560"],
  ["date", '["Y-m-d"]', '"2017-10-21"'],
  ["date", '["Y-m-d H:i:s", 1490000000]', '"2017-03-20 08:53:20"'],
  ["date", '["Y", "86400"]', '"1970"'],
  ["date", '["c", 1.9]', '"1970-01-01T00:00:01+00:00"'],
  ["date", '["H:i e", 1720000000, "Europe/Prague"]', '"11:46 Europe/Prague"'],
  ["date", '["H:i e", 1720000000, null]', '"09:46 UTC"'],
  ["date", '["s.v", 1720000000.9995]', '"40.999"'],
  ["date", '["s.v", "1720000000.5"]', '"40.500"'],
  ["date", '["c", -1]', '"1969-12-31T23:59:59+00:00"'],
  ["date", '["U", null]', '"1508620560"'],
  ["strtotime", '["21 oct 2017 9:16pm"]', "1508620560"],
  ["strtotime", '["-7 days", 1508620560]', "1508015760"],
  ["strtotime", '["-7 days"]', "1508015760"],
  ["strtotime", '["+1 month", "1485820800"]', "1488499200"],
  ["sprintf", '["Three %s are %.2f %s.", "apples", 0.5, "plums"]', '"Three apples are 0.50 plums."'],
  ["sprintf", '["%d %s", 13911860366432393, 1.10]', '"13911860366432393 1.10"'],
  ["sprintf", '["100%%"]', '"100%"'],
  ["concat", '["Hen", "Or", "Egg"]', '"HenOrEgg"'],
  ["concat", '["a", 1, true, false, null, 0.1, 1.10, 1e400, -0]', '"a110.11.101e400-0"'],
  ["concat", "[]", '""'],
  ["concat", '{"x": "a", "y": "b"}', '"ab"'],
  ["implode", '[",", ["apples", "oranges", "plums"]]', '"apples,oranges,plums"'],
  ["implode", '[",", ["a", 1, true, null, 1.50]]', '"a,1,1,,1.50"'],
  ["implode", '["", []]', '""'],
  ["implode", '[["a", "b"]]', '"ab"'],
  ["implode", '["\\n", ["a", {"function": "concat", "args": ["b", "c"]}]]', '"a\\nbc"'],
  ["ifempty", '["", "Banzai"]', '"Banzai"'],
  ["ifempty", '["0", "d"]', '"d"'],
  ["ifempty", '[0, "d"]', '"d"'],
  ["ifempty", '[0.0, "d"]', '"d"'],
  ["ifempty", '[-0, "d"]', '"d"'],
  ["ifempty", '[0e7, "d"]', '"d"'],
  ["ifempty", '[false, "d"]', '"d"'],
  ["ifempty", '[null, "d"]', '"d"'],
  ["ifempty", '[[], "d"]', '"d"'],
  ["ifempty", '["0.0", "d"]', '"0.0"'],
  ["ifempty", '["00", "d"]', '"00"'],
  ["ifempty", '[" ", "d"]', '" "'],
  ["ifempty", '["false", "d"]', '"false"'],
  ["ifempty", '[1.10, "d"]', "1.10"],
  ["ifempty", '[[0], "d"]', "[0]"],
  ["ifempty", '[{}, "d"]', "{}"],
  ["ifempty", '["", 13911860366432393]', "13911860366432393"],
  ["urlencode", '["a b~!*\'()-_.é/?&=+%@:\\n"]', '"a+b%7E%21%2A%27%28%29-_.%C3%A9%2F%3F%26%3D%2B%25%40%3A%0A"'],
  ["urlencode", "[1.10]", '"1.10"'],
  ["json_decode", '["13911860366432393.10"]', "13911860366432393.10"],
  ["json_decode", '["[true, null]"]', "[true,null]"],
  ["split", '["a/b/c", "/", 0]', '"a"'],
  ["split", '["a,b,c", ","]', '["a","b","c"]'],
  ["split", '["a", ","]', '["a"]'],
  ["each", '["q?s={}&t={}", ["a b", 1]]', '["q?s=a%20b&t=a%20b","q?s=1&t=1"]'],
  ["each", '["{}", []]', "[]"],
  ["split", '["a/b/c", "/", 1]', '"b"'],
  ["split", '["a/b/c", "/", -1]', '"c"'],
  ["split", '["a/b/c", "/", "-3"]', '"a"'],
  ["split", '["a", "/", -1]', '"a"'],
  ["split", '["aaa", "aa", -1]', '"a"'],
  ["split", '["a, b", ", ", 1]', '"b"'],
  ["split", '["a//c", "/", 1]', '""'],
  ["split", "[13911860366432393.5, 1, 0]", '""'],
  ["regex", '["https://a.example/v1/items/42?x=1", "/items/([0-9]+)", 1]', '"42"'],
  ["regex", '["id=42", "[0-9]+"]', '"42"'],
  ["regex", '["é42", "\\\\u00e9(?<n>.)", "1"]', '"4"'],
  ["regex", '["aaa", "b*", 0]', '""'],
];

test("each function gives the expected result, which is that of PHP if PHP has the function", () => {
  for (const [name, args, result] of rows) assert.equal(call(name, args), result, `${name}(${args})`);
});

test("the table has a row for each function", () => {
  assert.deepEqual(new Set(rows.map(([name]) => name)), new Set(Object.keys(functions)));
});

/** Arguments with which a function cannot work, and the expected error. */
const faults: readonly (readonly [name: string, args: string, message: RegExp])[] = [
  ["split", '["a/b", "", 0]', /^function "split": needs a separator that is not empty$/],
  ["split", '["a/b", "/", 1.5]', /^function "split": "1.5" is not a whole number$/],
  ["regex", '["abc", "a", 1]', /^function "regex": the pattern has 0 groups, but no group 1$/],
  ["regex", '["abc", "(a)", 2]', /^function "regex": the pattern has 1 group, but no group 2$/],
  ["json_decode", '["a"]', /^function "json_decode": "a" is not JSON$/],
  [
    "regex",
    '["abc", "(?=a)"]',
    /^function "regex": the pattern is not a regular expression that runs in linear time: .*\(\?=.*lookaround/,
  ],
  ["md5", "[[1]]", /^function "md5": takes texts and numbers, not a list$/],
  ["concat", '["a", {"b": 1}]', /^function "concat": takes texts and numbers, not an object$/],
  [
    "hash",
    '["sha0", "a"]',
    /^function "hash": "sha0" is not a known hash algorithm; use one of md5, .*sha256.*, crc32b$/,
  ],
  ["hash_hmac", '["crc32b", "a", "k"]', /"crc32b" is not a known hash algorithm/],
  ["hash", '["__proto__", "a"]', /"__proto__" is not a known hash algorithm/],
  ["date", '["Y", "tomorrow"]', /^function "date": "tomorrow" is not a Unix time \(a number of seconds\)$/],
  ["date", '["Y", 0, "Prague"]', /^function "date": "Prague" is not a time zone such as Europe\/Prague$/],
  ["date", '["Y", 1e99]', /"1e99" is not a Unix time/],
  ["strtotime", '["next blue moon"]', /^function "strtotime": "next blue moon" is not a date or time/],
  ["strtotime", '["now", "x"]', /"x" is not a Unix time/],
  ["implode", '[",", "a"]', /^function "implode": takes a list/],
  ["implode", '[",", [["a"]]]', /not a list/],
  ["md5", '["a", true]', /^function "md5": gives raw bytes that are not UTF-8 text; put base64_encode around it$/],
  ["sprintf", '["%.1s", "é"]', /raw bytes/],
  ["sprintf", '["%s"]', /uses value 1, but/],
  ["ifempty", '["a"]', /^function "ifempty" takes 2 arguments, 1 given: ifempty\(value, otherwise\)$/],
  ["md5", "[]", /takes 1 to 2 arguments, 0 given/],
  ["time", "[1]", /takes 0 arguments, 1 given/],
  ["sprintf", "[]", /takes at least 1 argument, 0 given/],
  ["base64_encode", '["a", "b"]', /takes 1 argument, 2 given/],
  ["nothing", "[]", /^there is no function "nothing"$/],
  ["toString", "[]", /^there is no function "toString"$/],
];

/** Values that lack what a function looks for, and the expected error. */
const missing: readonly (readonly [name: string, args: string, message: RegExp])[] = [
  ["split", '["a/b", "/", 2]', /^function "split": "a\/b" has 2 parts, none with index 2$/],
  ["split", '["a/b", "/", -3]', /^function "split": "a\/b" has 2 parts, none with index -3$/],
  ["regex", '["abc", "[0-9]+"]', /^function "regex": "abc" has no match of "\[0-9\]\+"$/],
  ["regex", '["b", "(a)|b", 1]', /^function "regex": "b" has no match of "\(a\)\|b", group 1$/],
];

test("a value without the requested part is a data error", () => {
  for (const [name, args, message] of missing) {
    assert.throws(() => call(name, args), { name: "SpileError", kind: "data", message }, `${name}(${args})`);
  }
});

test("unusable arguments are a configuration error that says why", () => {
  for (const [name, args, message] of faults) {
    assert.throws(() => call(name, args), { name: "SpileError", kind: "configuration", message }, `${name}(${args})`);
  }
});

test("times are relative to the start of the attempt if there is one, else to the start of the run", () => {
  const value: Value = [
    { function: "time" },
    { function: "date", args: ["U"] },
    { function: "strtotime", args: ["+1 second"] },
  ];
  const context = { settings: new Map(), time: { currentStart: now, previousStart: 0 }, secrets: new Secrets() };
  assert.deepEqual(evaluate(value, context), [now, String(now), now + 1]);
  assert.deepEqual(evaluate(value, { ...context, now: 60 }), [60, "60", 61]);
});

test("bytes become text only if all of them are UTF-8", () => {
  assert.equal(decode(Buffer.from("\ufeffž")), "\ufeffž");
  assert.throws(() => decode(Buffer.from([0xc5])), { name: "FunctionFault" });
  assert.deepEqual(textOrBytes(Buffer.from([0xc5])), Buffer.from([0xc5]));
  assert.equal(textOrBytes(Buffer.from("\ufeffž")), "\ufeffž");
});
