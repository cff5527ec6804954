import assert from "node:assert/strict";
import { test } from "node:test";
import { parseValue } from "../../src/core/value.ts";
import { queryText } from "../../src/http/query.ts";

const rows: readonly [name: string, json: string, query: string][] = [
  ["q", '"a b&c=d/é+"', "q=a%20b%26c%3Dd%2F%C3%A9%2B"],
  ["q", '"(it\'s)!*~-_."', "q=%28it%27s%29%21%2A~-_."],
  ["$filter", "\"name eq 'x y'\"", "%24filter=name%20eq%20%27x%20y%27"],
  ["constraints", '"[{\\"key\\":\\"a b\\"}]"', "constraints=%5B%7B%22key%22%3A%22a%20b%22%7D%5D"],
  ["n", "1.10", "n=1.10"],
  ["n", "13911860366432393", "n=13911860366432393"],
  ["n", "1E400", "n=1E400"],
  ["t", "true", "t=1"],
  ["f", "false", "f=0"],
  ["e", '""', "e="],
  ["z", "null", ""],
  ["z", "[]", ""],
  ["z", "{}", ""],
  ["a", '["x",null,{"b":[true,{}]}]', "a%5B0%5D=x&a%5B2%5D%5Bb%5D%5B0%5D=1"],
  ["f", '{"tags":{"first":1,"second":false}}', "f%5Btags%5D%5Bfirst%5D=1&f%5Btags%5D%5Bsecond%5D=0"],
  ["half", '"\\ud800"', "half=%EF%BF%BD"],
];

for (const [name, json, query] of rows) {
  test(`${name}: ${json} is sent as "${query}"`, () => {
    assert.equal(queryText([{ name, value: parseValue(json) }]), query);
  });
}

test("pieces of an address keep their bytes between parameters", () => {
  const items = [
    { name: "a", raw: "a%5b%5d=1" },
    { name: "none", value: null },
    { name: "flag", raw: "flag" },
    { name: "b", value: "2" },
  ];
  assert.equal(queryText(items), "a%5b%5d=1&flag&b=2");
});
