import assert from "node:assert/strict";
import { test } from "node:test";
import { parseValue } from "../../src/core/values/value.ts";
import { checkFilter, parseFilter } from "../../src/expression/filter.ts";
import { compareLoosely } from "../../src/expression/php/comparison.ts";

/** A filter, a record, and whether it passes. */
const rows: readonly (readonly [filter: string, record: string, passes: boolean])[] = [
  ["n==10", '{"n": 10}', true],
  ["n==10", '{"n": "10"}', true],
  ["n==10", '{"n": 10.0}', false],
  ["n==10.0", '{"n": 10}', false],
  ["n==1e1", '{"n": 1e1}', true],
  ["n!=10", '{"n": 10}', false],
  ["n!=10", '{"n": 11}', true],
  ["n!=10", "{}", true],
  ["n<9", '{"n": 10}', false],
  ["n<9", '{"n": "8.5"}', true],
  ["n<9", "{}", true],
  ["n<=10", '{"n": 10.0}', true],
  ["n>=10", '{"n": 9}', false],
  ["n>9", '{"n": 10}', true],
  ["n>9", '{"n": "abc"}', true],
  ["n>-5", '{"n": -4}', true],
  ["n>1e2", '{"n": 99}', false],
  ["s>b", '{"s": "cab"}', true],
  ["s>b", '{"s": "abc"}', false],
  ["s>b", '{"s": "B"}', false],
  ["flag==", '{"flag": false}', true],
  ["flag==", '{"flag": null}', true],
  ["flag==", "{}", true],
  ["flag==1", '{"flag": true}', true],
  ["flag==true", '{"flag": true}', false],
  ["flag==null", '{"flag": "null"}', true],
  ["o.x==2", '{"o": {"x": 2}}', true],
  ["o.x!=2", "{}", true],
  ["l.1==b", '{"l": ["a", "b"]}', true],
  // Identifiers of any length compare exactly.
  ["id==9007199254740993", '{"id": 9007199254740993}', true],
  ["id==9007199254740993", '{"id": 9007199254740992}', false],
  ["id>9007199254740992", '{"id": 9007199254740993}', true],
  ["id>9007199254740992", '{"id": "9007199254740993"}', true],
  ["id<=9007199254740992", '{"id": 9007199254740993}', false],
  ["id<12345678901234567890124", '{"id": 12345678901234567890123}', true],
  ["id<1e400", '{"id": 1e399}', true],
  // Wildcards.
  ["s~~test", '{"s": "test"}', true],
  ["s~~test", '{"s": "testing"}', false],
  ["s~~test%", '{"s": "testing"}', true],
  ["s~~%test", '{"s": "a test"}', true],
  ["s~~%b%", '{"s": "abc"}', true],
  ["s~~%b%", '{"s": "b"}', true],
  ["s~~%b%", '{"s": "aaa"}', false],
  ["s~~te%st", '{"s": "terrorist"}', true],
  ["s~~te%st", '{"s": "test"}', true],
  ["s~~tes%est", '{"s": "test"}', false],
  ["s~~%st%st", '{"s": "testtest"}', true],
  ["s~~a%b%c", '{"s": "a-b-b-c"}', true],
  ["s~~%%", '{"s": ""}', true],
  ["s~~%", "{}", true],
  ["s~~", "{}", true],
  ["s~~a.c", '{"s": "abc"}', false],
  ["s~~A%", '{"s": "abc"}', false],
  ["s~~%a%", '{"s": "a\\nb"}', false],
  ["s~~%a", '{"s": "a\\n"}', true],
  ["s!~%min%", '{"s": "admin"}', false],
  ["s!~%min%", '{"s": "user"}', true],
  ["s!~a%", "{}", true],
  ["s!~~%x", '{"s": "~ax"}', false],
  // Joining: & binds more tightly than |.
  ["n>1&n<10|s==abc", '{"n": 5}', true],
  ["n>1&n<10|s==abc", '{"n": 50}', false],
  ["n>1&n<10|s==abc", '{"n": 50, "s": "abc"}', true],
  ["s==abc|n>1&n<10", '{"n": 50}', false],
  ["s==abc|n>1&n<10", '{"s": "abc"}', true],
  ["a==1&b==2&c==3", '{"a": 1, "b": 2, "c": 3}', true],
  ["a==1&b==2&c==3", '{"a": 1, "b": 2, "c": 4}', false],
  ["a==1|b==2|c==3", '{"c": 3}', true],
  // White space counts.
  ["n ==10", '{"n": 10}', false],
  ["n == 10", '{"n ": " 10"}', true],
  ["s==a b", '{"s": "a b"}', true],
  // The first operator counts.
  ["s==a>b", '{"s": "a>b"}', true],
  ["a=b>5", '{"a=b": 6}', true],
];

test("filters accept the records that they describe", () => {
  for (const [filter, record, passes] of rows) {
    assert.equal(parseFilter(filter)(parseValue(record)), passes, `${filter} on ${record}`);
  }
});

test("a filter that cannot be read is a fault with advice", () => {
  const faults: readonly (readonly [filter: string, message: RegExp])[] = [
    [
      "",
      /^filter "": "" contains no comparison; write field, operator and value; the operators are >= <= == != ~~ !~ > <$/,
    ],
    ["field", /"field" contains no comparison/],
    ["field=1", /"field=1" contains no comparison/],
    ["a==1&", /^filter "a==1&": "" contains no comparison/],
    ["|a==1", /"" contains no comparison/],
    ["a==1&&b==2", /"" contains no comparison/],
    ["==1", /"==1" names no field before ==/],
    [".>1", /names no field before >/],
    ["a==b==c", /"a==b==c" has == twice/],
  ];
  for (const [filter, message] of faults) {
    assert.throws(() => parseFilter(filter), { name: "SpileError", kind: "configuration", message }, filter);
    assert.equal(checkFilter(filter, "/config/jobs/0/recursionFilter").length, 1, filter);
  }
  assert.deepEqual(checkFilter("a==1", "/x"), []);
  assert.match(checkFilter("a", "/x")[0]?.message ?? "", /contains no comparison/);
  assert.equal(checkFilter("a", "/x")[0]?.pointer, "/x");
});

test("a field that contains a list or an object cannot be compared", () => {
  for (const record of ['{"o": {"x": 1}}', '{"o": [1]}']) {
    assert.throws(() => parseFilter("o==1")(parseValue(record)), {
      name: "SpileError",
      kind: "data",
      message: /^a filter compares the field "o", which is not a text or a number in a record: [[{]/,
    });
  }
});

/** Each of these texts is compared with each of them. */
const texts = [
  "",
  "0",
  "1",
  "9",
  "10",
  "10.0",
  "1e1",
  "8.5",
  "abc",
  "b",
  "Abc",
  "-1",
  "-10",
  "+10",
  " 10",
  "10 ",
  "0x1A",
  ".5",
  "5.",
  "1e400",
  "9007199254740992",
  "9007199254740993",
  "00010",
  "1 0",
  "é",
  "z",
  "-0",
];
/** The results of PHP 8.2: for the first text and each text, then for the second text and each text, and so on. */
const order =
  "=<<<<<<<<<<<<<<<<<<<<<<<<<<>=<<<<<<<<<>><<<<<<<<<<<<<=>>=<<<<<<<<>><<<>><<<<<<<<>>>>=<<<><<<>><<<>>><<<<><<>>>>>===><<<>>===>>><<<=><<>>>>>===><<<>>===>>><<<=><<>>>>>===><<<>>===>>><<<=><<>>>><<<<=<<<>><<<>>><<<<><<>>>>>>>>>=<>>>>>>>>>>>>>><<>>>>>>>>>>=>>>>>>>>>>>>>><<>>>>>>>>><<=>>>>>>>>>>>>><<>><<<<<<<<<<=><<<<<<<<<<<<<<><<<<<<<<<<<=<<<<<<<<<<<<<<>>>>===><<<>>===<>><<<=<<<>>>>>===><<<>>===<>><<<=<<<>>>>>===><<<>>===>>><<<=><<>>><<<<<<<<<>>>><=><<<<><<<>>><<<<<<<<<>><<<<=<<<<<<<<>>>><<<<<<<<>><<<>>=<<<<><<>>>>>>>>><<<>>>>>>>>=>>>><<>>>>>>>>><<<>>>>>>>><=<>><<>>>>>>>>><<<>>>>>>>><>=>><<>>>>>===><<<>>===<>><<<=<<<>>>><<<<<<<<>>>><>><<<<>=<<>>>>>>>>>>>>>>>>>>>>>>>>>=>>>>>>>>>>>>>>>>>>>>>>>>>><=>>=<<<<<<<<<>><<<<<<<<<<<<<=";

test("texts are ordered as in PHP, except for numbers that a double cannot distinguish", () => {
  let at = 0;
  for (const a of texts) {
    for (const b of texts) {
      const sign = Math.sign(compareLoosely(a, b));
      assert.equal("<=>"[sign + 1], order[at], `${JSON.stringify(a)} and ${JSON.stringify(b)}`);
      at += 1;
    }
  }
});
