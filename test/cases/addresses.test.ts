import assert from "node:assert/strict";
import { test } from "node:test";
import { json, linesOf, records, startApi } from "../helpers/api.ts";
import { messagesOf, run } from "./run.ts";

/* Tests of the form in which addresses, parameters and headers of the configuration are sent. */

const texts = [
  ['[{"key":"a b","x":{"y":[1,2]}}]', "JSON text"],
  ["name eq 'O''Brien & Söhne' and (id ge 10)", "an OData filter"],
  ["a=b;c+d%20e#f?g", "signs that mean something in addresses"],
  ["\u0000\r\nX-Evil: 1", "a line end"],
  ["日本 🍁", "letters beyond Latin"],
] as const;
for (const [value, name] of texts) {
  test(`a parameter is sent unchanged in a query, a form and a body: ${name}`, async () => {
    await using api = await startApi(() => []);
    for (const method of ["GET", "FORM", "POST"]) {
      const end = await run(api, { job: { method, params: { $filter: value } } });
      assert.equal(end.code, 0, end.stderr);
    }
    const [get, form, post] = api.log;
    assert.equal(get?.query, `%24filter=${encodeURIComponent(value).replace(/['()*!]/g, percent)}`);
    assert.deepEqual([...(get?.params ?? [])], [["$filter", value]]);
    assert.deepEqual([...new URLSearchParams(form?.body)], [["$filter", value]]);
    assert.deepEqual(JSON.parse(post?.body ?? ""), { $filter: value });
    assert.equal(api.log.length, 3);
  });
}

/** Percent-encodes a character that PHP encodes and `encodeURIComponent` does not. */
function percent(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

for (const [id, inPath, inQuery] of [
  ["AT&T / č?#", "AT%26T%20/%20%C4%8D%3F%23", "AT%26T%20/%20%C4%8D%3F%23"],
  ["a\r\nGET /evil HTTP/1.1", "a%0D%0AGET%20/evil%20HTTP/1.1", "a%0D%0AGET%20/evil%20HTTP/1.1"],
  ["100%", "100%25", "100%25"],
  ["a%2Fb+c", "a%252Fb%2Bc", "a%252Fb%2Bc"],
  ["x=1&admin=true", "x%3D1%26admin%3Dtrue", "x%3D1%26admin%3Dtrue"],
] as const) {
  test(`the value of a placeholder is encoded in the path and in the query: ${JSON.stringify(id)}`, async () => {
    await using api = await startApi(({ path }) => (path === "/firms" ? [{ id }] : [{ ok: true }]));
    const children = [
      { endpoint: "firms/{id}/staff", placeholders: { id: "id" } },
      { endpoint: "staff?of={id}&all=1", placeholders: { id: "id" } },
    ];
    const end = await run(api, { job: { endpoint: "firms", children } });
    assert.equal(end.code, 0, end.stderr);
    assert.deepEqual(api.targets(), ["/firms", `/firms/${inPath}/staff`, `/staff?of=${inQuery}&all=1`]);
    assert.deepEqual(JSON.parse(end.stdout.split("\n")[1] ?? ""), { ok: true, parent_id: id });
  });
}

for (const id of ["..", ".", "../../admin", "%2e%2e", "a/../../b", "..%2F.."]) {
  test(`the value of a placeholder cannot lead out of its place in the path: ${id}`, async () => {
    await using api = await startApi(({ path }) => (path === "/v1/firms" ? [{ id }] : [{ ok: true }]));
    const children = [{ endpoint: "firms/{id}/staff", placeholders: { id: "id" } }];
    const end = await run(api, { api: { baseUrl: `${api.url}/v1/` }, job: { endpoint: "firms", children } });
    assert.ok(end.code === 65 || api.targets()[1]?.startsWith("/v1/firms/"), `${end.code} ${api.targets()}`);
    assert.ok(!/%2e|\/\.\.?(\/|$)/i.test(api.targets()[1] ?? ""), String(api.targets()));
  });
}

test("the query of the endpoint is sent byte for byte, before the parameters", async () => {
  await using api = await startApi(() => []);
  const endpoint = "x?id=1&id=2&flag&a%5B%5D=1&e=&q=%C3%a9+%20~()&a%5B%5D=2";
  await run(api, { job: { endpoint, params: { b: [1, 2], c: { d: "e f" } } } });
  assert.deepEqual(api.targets(), [`/${endpoint}&b%5B0%5D=1&b%5B1%5D=2&c%5Bd%5D=e%20f`]);
});

test("a parameter replaces all parameters of its name in the endpoint's query, at the place of the first", async () => {
  await using api = await startApi(() => []);
  await run(api, { job: { endpoint: "x?a=1&id=1&b=2&id=2&c", params: { id: 3, c: "d" } } });
  assert.deepEqual(api.targets(), ["/x?a=1&id=3&b=2&c=d"]);
});

for (const [path, endpoint, target] of [
  ["", "users", "/users"],
  ["/", "users", "/users"],
  ["/v1", "users", "/v1/users"],
  ["/v1/", "users", "/v1/users"],
  ["/v1/", "/users", "/users"],
  ["/v1/", "users/", "/v1/users/"],
  ["/v1/", "./users", "/v1/users"],
  ["/v1/", "../users", "/users"],
  ["/v1/", "", "/v1/"],
  ["/v1", "?page=1", "/v1/?page=1"],
  ["/v1/a b", "users/č", "/v1/a%20b/users/%C4%8D"],
  ["/v1/#part", "users#part", "/v1/users"],
  ["/v1/", "users/a:b", "/v1/users/a:b"],
  ["/v1/%2F", "%2e%2E/users", "/v1/users"],
] as const) {
  test(`the path "${path}" of baseUrl and the endpoint "${endpoint}" become "${target}"`, async () => {
    await using api = await startApi(() => []);
    const end = await run(api, { api: { baseUrl: `${api.url}${path}` }, job: { endpoint } });
    assert.deepEqual([end.code, api.targets()], [0, [target]], end.stderr);
  });
}

test("a query in baseUrl is dropped with a warning, but a user name and a password in baseUrl are sent", async () => {
  await using api = await startApi(() => []);
  const end = await run(api, { api: { baseUrl: `http://ada:p%40ss-word@127.0.0.1:${api.port}/v1?key=1` } });
  assert.deepEqual([end.code, api.targets()], [0, ["/v1/items"]]);
  assert.equal(api.log[0]?.headers.authorization, `Basic ${Buffer.from("ada:p@ss-word").toString("base64")}`);
  assert.match(messagesOf(end, "warning").join(), /baseUrl.*query/);
  assert.doesNotMatch(end.stderr, /p%40ss-word|p@ss-word/);
});

for (const [baseUrl, says] of [
  ["ftp://example.com/", /http/],
  ["example.com/v1", /baseUrl/],
  ["", /baseUrl/],
  ["http://", /baseUrl/],
  ["https://exa mple.com", /baseUrl/],
  [5, /baseUrl/],
  [null, /baseUrl/],
] as const) {
  test(`a wrong baseUrl is a configuration error: ${JSON.stringify(baseUrl)}`, async () => {
    await using api = await startApi(() => []);
    const end = await run(api, { api: { baseUrl } });
    assert.deepEqual([end.code, end.stdout], [78, ""]);
    assert.match(messagesOf(end, "error").join("\n"), says);
  });
}

for (const [value, sent] of [
  ["é", "é"],
  ["  trimmed ", "trimmed"],
  ["", ""],
  [null, ""],
  [false, ""],
  [true, "1"],
  [12.5, "12.5"],
  [["a", 1, true], "a, 1, 1"],
] as const) {
  test(`a header of ${JSON.stringify(value)} is sent as "${sent}"`, async () => {
    await using api = await startApi(() => []);
    const end = await run(api, { job: { headers: { "X-Name": value } } });
    assert.equal(end.code, 0, end.stderr);
    assert.deepEqual(
      api.log[0]?.rawHeaders.filter(([name]) => name === "X-Name"),
      [["X-Name", sent]],
    );
  });
}

for (const value of ["Žofie", "a\r\nb: c", "a\nb", "a\u0000b", { a: 1 }, ["a", ["b"]], "🍁"]) {
  test(`a header of ${JSON.stringify(value)} is a configuration error, and no request is sent`, async () => {
    await using api = await startApi(() => json([]));
    for (const given of [
      { job: { headers: { "X-Name": value } } },
      { api: { http: { headers: { "X-Name": value } } } },
      { api: { http: { defaultOptions: { headers: { "X-Name": value } } } } },
      { config: { jobs: [{ endpoint: "items" }], http: { headers: { "X-Name": value } } } },
    ]) {
      const end = await run(api, given);
      assert.deepEqual([end.code, end.stdout, api.targets()], [78, "", []]);
      assert.match(messagesOf(end, "error").join("\n"), /X-Name/);
    }
  });
}

test("a line break in a setting cannot add a header", async () => {
  await using api = await startApi(() => records(1));
  const end = await run(api, {
    api: { http: { headers: { "X-Name": { attr: "name" } } } },
    config: { name: "a\r\nX-Evil: 1", jobs: [{ endpoint: "items" }] },
  });
  assert.deepEqual([end.code, end.stdout, api.targets()], [78, "", []]);
  const good = await run(api, {
    api: { http: { headers: { "X-Name": { attr: "name" } } } },
    config: { name: "é 1", jobs: [{ endpoint: "items" }] },
  });
  assert.deepEqual([good.stdout, api.log[0]?.headers["x-name"]], [linesOf(records(1)), "é 1"]);
});
