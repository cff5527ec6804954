import assert from "node:assert/strict";
import { test } from "node:test";
import { phpStyle, type QueryStyle } from "../../../src/core/requests/request.ts";
import { parseValue } from "../../../src/core/values/value.ts";
import { queryText } from "../../../src/http/requests/query.ts";
import { startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

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

const styles: readonly [style: Partial<QueryStyle>, json: string, query: string][] = [
  [{ lists: "brackets" }, '["x",null,"a b"]', "a%5B%5D=x&a%5B%5D=a%20b"],
  [{ lists: "repeat" }, '["x",null,"y",1.10]', "a=x&a=y&a=1.10"],
  [{ lists: "comma" }, '["x",null,"y,z"]', "a=x,y%2Cz"],
  [{ lists: "comma" }, "[]", ""],
  [{ lists: "repeat" }, "[null]", ""],
  [{ lists: "comma" }, "[true,false]", "a=1,0"],
  [{ lists: "comma", booleans: "words" }, "[true,false]", "a=true,false"],
  [{ booleans: "words" }, "true", "a=true"],
  [{ booleans: "words" }, "false", "a=false"],
  [{ booleans: "words" }, '[false,"x"]', "a%5B0%5D=false&a%5B1%5D=x"],
  [{ lists: "brackets" }, '{"b":["x","y"],"c":1}', "a%5Bb%5D%5B%5D=x&a%5Bb%5D%5B%5D=y&a%5Bc%5D=1"],
  [{ lists: "repeat" }, '{"b":["x","y"]}', "a%5Bb%5D=x&a%5Bb%5D=y"],
  [{ lists: "comma" }, '[{"b":1},{"b":2}]', "a%5B0%5D%5Bb%5D=1&a%5B1%5D%5Bb%5D=2"],
  [{ lists: "brackets" }, '[["x"],"y"]', "a%5B0%5D%5B%5D=x&a%5B1%5D=y"],
];
for (const [style, json, query] of styles) {
  test(`${JSON.stringify(style)}: ${json} is sent as "${query}"`, () => {
    assert.equal(queryText([{ name: "a", value: parseValue(json) }], { ...phpStyle, ...style }), query);
  });
}

test("the query style of a job replaces that of the API in queries and forms, and a list to which a login adds a value is sent with indexes", async () => {
  await using api = await startApi({ "/login": () => ({ token: "t" }), "*": () => [1] });
  const params = { a: ["x", "y"], yes: true };
  const { result } = await runHere({
    api: {
      baseUrl: api.url,
      http: { lists: "repeat", booleans: "words" },
      authentication: {
        type: "login",
        loginRequest: { endpoint: "login", params: { l: [1, 2] } },
        apiRequest: { query: { key: "token", a: "token" } },
      },
    },
    config: {
      jobs: [
        { endpoint: "get", params },
        { endpoint: "form", method: "FORM", params, lists: "comma" },
        { endpoint: "post", method: "POST", params, booleans: "numbers" },
        { endpoint: "plain", params: { b: [1, 2], yes: true }, lists: "indices", booleans: "numbers" },
      ],
    },
  });
  assert.equal(result.exitCode, 0);
  assert.deepEqual(api.targets(), [
    "/login?l=1&l=2",
    "/get?yes=true&key=t&a%5B0%5D=x&a%5B1%5D=y&a%5B2%5D=t",
    "/form?key=t&a=t",
    "/post?key=t&a=t",
    "/plain?b%5B0%5D=1&b%5B1%5D=2&yes=1&key=t&a=t",
  ]);
  assert.deepEqual(
    api.log.slice(2, 4).map(({ body }) => body),
    ["a=x,y&yes=true", '{"a":["x","y"],"yes":true}'],
  );
});

test("parameters do not change the bytes of the address beside them", () => {
  const items = [
    { name: "a", raw: "a%5b%5d=1" },
    { name: "none", value: null },
    { name: "flag", raw: "flag" },
    { name: "b", value: "2" },
  ];
  assert.equal(queryText(items), "a%5b%5d=1&flag&b=2");
});
