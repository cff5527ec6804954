import assert from "node:assert/strict";
import { test } from "node:test";
import { SpileError } from "../../../src/core/errors.ts";
import type { Parameter, RequestParts } from "../../../src/core/requests/request.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { isObject, parseValue, type Value } from "../../../src/core/values/value.ts";
import { headerMap, headerText } from "../../../src/http/requests/headers.ts";
import { buildRequest, parseBaseUrl, serialize } from "../../../src/http/requests/request.ts";

const build = (baseUrl: string, parts: Partial<RequestParts>, options = {}) =>
  buildRequest(
    { method: undefined, endpoint: "", params: [], headers: [], ...parts },
    { baseUrl: parseBaseUrl(baseUrl).url, ...options },
  );

function parameters(json: string): Parameter[] {
  const value = parseValue(json);
  assert.ok(isObject(value));
  return Object.entries(value).map(([name, item]) => ({ name, value: item }));
}

const addresses: readonly [baseUrl: string, endpoint: string, url: string][] = [
  ["https://a.example/api/v1/", "items", "https://a.example/api/v1/items"],
  ["https://a.example/api/v1", "items", "https://a.example/api/v1/items"],
  ["https://a.example", "items", "https://a.example/items"],
  ["https://a.example/api", "/items", "https://a.example/items"],
  ["https://a.example/api/", "./items", "https://a.example/api/items"],
  ["https://a.example/api/v1/", "../items", "https://a.example/api/items"],
  ["https://a.example/api", "", "https://a.example/api/"],
  ["https://a.example/api", "http://b.example:81/x", "http://b.example:81/x"],
  ["https://a.example/api", "//b.example/x", "https://b.example/x"],
  ["https://a.example:443/api?key=1#top", "items#part", "https://a.example/api/items"],
  ["https://a.example/api", "a b/č", "https://a.example/api/a%20b/%C4%8D"],
  ["https://a.example/api", "?q=1", "https://a.example/api/?q=1"],
  ["https://a.example/", "x?id=1&id=2&flag&a%5b%5D=1&e=", "https://a.example/x?id=1&id=2&flag&a%5b%5D=1&e="],
];

for (const [baseUrl, endpoint, url] of addresses) {
  test(`${baseUrl} and ${JSON.stringify(endpoint)} make ${url}`, () => {
    assert.equal(serialize(build(baseUrl, { endpoint })).url, url);
  });
}

test("a query in baseUrl is dropped with a warning", () => {
  assert.match(parseBaseUrl("https://a.example/?key=1").warnings.join(), /query of baseUrl is not sent/);
  assert.deepEqual(parseBaseUrl("https://a.example/").warnings, []);
});

test("the user and password of an address become Basic credentials, unless there is a configured Authorization", () => {
  const secrets = new Secrets();
  const baseUrl = "https://me%40x:p%25w@a.example/api";
  assert.deepEqual(parseBaseUrl(baseUrl).credentials, { user: "me@x", password: "p%w" });
  const request = build(baseUrl, { endpoint: "items" }, { secrets });
  const token = Buffer.from("me@x:p%w").toString("base64");
  assert.equal(request.url, "https://a.example/api/items");
  assert.deepEqual(request.headers.get("authorization"), ["Authorization", `Basic ${token}`]);
  assert.equal(secrets.mask(`Basic ${token}`), "Basic ***");
  const own = build(baseUrl, { endpoint: "items", headers: [["authorization", "Bearer x"]] });
  assert.deepEqual(own.headers.get("authorization"), ["authorization", "Bearer x"]);
  const elsewhere = build(baseUrl, { endpoint: "https://b.example/" });
  assert.equal(elsewhere.headers.has("authorization"), false);
});

const refused: readonly [parts: Partial<RequestParts>, message: RegExp][] = [
  [{ endpoint: "ftp://a.example/x" }, /endpoint "ftp:\/\/a.example\/x": only http and https/],
  [{ endpoint: "users:list" }, /written ".\/users:list"/],
  [{ endpoint: "http://" }, /endpoint "http:\/\/" is not an address/],
  [{ endpoint: "http://me:secret@:1:2/" }, /"http:\/\/\*\*\*@:1:2\/" is not an address/],
  [{ method: "PATCH" }, /method "PATCH": GET, POST and FORM are allowed/],
  [{ headers: [["X-Name", "Žofie"]] }, /header "X-Name": .*U\+017D/],
];
for (const [parts, message] of refused) {
  test(`${JSON.stringify(parts)} is a configuration error`, () => {
    assert.throws(
      () => build("https://a.example/", parts),
      (error) => error instanceof SpileError && error.kind === "configuration" && message.test(error.message),
    );
  });
}

test("GET: parameters replace those of the endpoint's query by name", () => {
  const params = parameters('{"count": 5, "deep": {"a": [1]}, "gone": null}');
  const request = build("https://a.example/", { endpoint: "x?a=1&count=1000&b=2&count=7&deep[z]=1", params });
  assert.equal(serialize(request).url, "https://a.example/x?a=1&count=5&b=2&deep%5Ba%5D%5B0%5D=1");
  assert.equal(serialize(request).body, undefined);
});

test("POST: the body is JSON with exact numbers, in the order of appearance", () => {
  const params: Parameter[] = [
    { name: "10", value: parseValue("1.10") },
    { name: "2", value: parseValue("[13911860366432393, null]") },
    { name: "10", value: parseValue("1e400") },
  ];
  const headers: [string, Value][] = [["content-type", "text/plain"]];
  const wire = serialize(build("https://a.example/", { method: "post", endpoint: "x?q=1", params, headers }));
  assert.equal(wire.method, "POST");
  assert.equal(wire.url, "https://a.example/x?q=1");
  assert.equal(wire.body, '{"10":1e400,"2":[13911860366432393,null]}');
  assert.deepEqual(wire.headers.get("content-type"), ["Content-Type", "application/json"]);
  assert.equal(serialize(build("https://a.example/", { method: "POST" })).body, "{}");
});

test("FORM: the request is a POST with a body in the query style", () => {
  const wire = serialize(
    build("https://a.example/", { method: "form", params: parameters('{"a": [true], "b": "x y"}') }),
  );
  assert.equal(wire.method, "POST");
  assert.equal(wire.body, "a%5B0%5D=1&b=x%20y");
  assert.deepEqual(wire.headers.get("content-type"), ["Content-Type", "application/x-www-form-urlencoded"]);
});

test("headers of the request replace those of the API, which replace the defaults, whatever the case of their letters", () => {
  const headers = headerMap([
    ["X-A", "client"],
    ["accept", "text/json"],
  ]);
  const request = build("https://a.example/", { headers: [["x-a", "own"]] }, { headers });
  assert.deepEqual([...request.headers.values()].slice(0, 4), [
    ["accept", "text/json"],
    ["Accept-Encoding", "gzip, deflate, br"],
    ["User-Agent", request.headers.get("user-agent")?.[1]],
    ["x-a", "own"],
  ]);
});

const values: readonly [json: string, text: string][] = [
  ['"  a b\\t\\r\\n"', "a b"],
  ['"é"', "é"],
  ["1.10", "1.10"],
  ["13911860366432393", "13911860366432393"],
  ["true", "1"],
  ["false", ""],
  ["null", ""],
  ['["a", 1, true]', "a, 1, 1"],
  ["[]", ""],
];
for (const [json, text] of values) {
  test(`a header of ${json} is sent as "${text}"`, () => assert.equal(headerText("X-Name", parseValue(json)), text));
}

for (const json of ['"a\\r\\nb"', '"a\\nb"', '"a\\u0000b"', '"Ž"', '{"a":1}', "[[1]]", '"😀"']) {
  test(`a header of ${json} is refused`, () => {
    assert.throws(() => headerText("X-Name", parseValue(json)), /^SpileError: header "X-Name": the value/);
  });
}
test("the name of a header must be a token", () => {
  for (const name of ["", "a b", "a:", "é"])
    assert.throws(() => headerText(name, "x"), /this is not the name of a header/);
});

test("if parameters have the same name, the last value counts, at the place of the first, in linear time", {
  timeout: 60_000,
}, () => {
  const some = [..."abcba"].map((name, index) => ({ name, value: String(index) }));
  const request = build("https://a.example/", { endpoint: "x?b=0&c=0&b=1", params: some });
  assert.equal(serialize(request).url, "https://a.example/x?b=3&c=2&a=4");
  const params = Array.from({ length: 200_000 }, (_, index) => ({ name: `p${index}`, value: "x" }));
  assert.equal(build("https://a.example/", { endpoint: "x", params }).query.length, params.length);
});
