import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, empty, inTurn, linesOf, raw, records, startApi, text } from "../helpers/api.ts";
import { messagesOf, offset, run } from "./run.ts";

/* Tests of bodies that are not what they seem to be, and of records that must stay unchanged. */

const withType = (body: string | Uint8Array, type: string) => text(body, { headers: { "content-type": type } });

test("a byte order mark before the JSON is skipped", async () => {
  await using api = await startApi(() => text('\uFEFF{"items":[{"a":"\uFEFF"}]}'));
  const end = await run(api, { args: ["--strict"] });
  assert.deepEqual([end.code, end.stdout], [0, '{"a":"\uFEFF"}\n']);
});

const latin = Buffer.from('[{"n":"\xe9\xfc\x80"}]', "latin1");
for (const [type, bytes, line] of [
  ["application/json; charset=ISO-8859-1", Buffer.from('[{"n":"\xe9\xfc"}]', "latin1"), '{"n":"éü"}\n'],
  ["application/json;charset=windows-1252", latin, '{"n":"éü€"}\n'],
  ['application/json; charset="Windows-1252"', latin, '{"n":"éü€"}\n'],
  ["application/json; charset=utf-16", Buffer.from('\uFEFF[{"n":"é🍁"}]', "utf16le"), '{"n":"é🍁"}\n'],
  ["application/json; charset=utf-16", Buffer.from('\uFEFF[{"n":"é🍁"}]', "utf16le").swap16(), '{"n":"é🍁"}\n'],
  ["application/json; charset=utf8", Buffer.from('[{"n":"é"}]'), '{"n":"é"}\n'],
  ["application/json; charset='UTF-8'", Buffer.from('[{"n":"é"}]'), '{"n":"é"}\n'],
  ["text/plain", Buffer.from('[{"n":"é"}]'), '{"n":"é"}\n'],
] as const) {
  test(`a body of ${type} is decoded by its charset, else as UTF-8 (first bytes ${bytes.toString("hex", 0, 2)})`, async () => {
    await using api = await startApi(() => withType(bytes, type));
    const end = await run(api, { args: ["--strict"] });
    assert.deepEqual([end.code, end.stdout], [0, line], end.stderr);
  });
}

for (const [name, value, fault] of [
  ["content-type", "application/json; charset=constructor", "is unknown"],
  ["content-type", "application/json; charset=__proto__", "is unknown"],
  ["content-encoding", "constructor", "is not supported"],
  ["content-encoding", "gzip, br", "is not supported"],
] as const) {
  test(`${name}: ${value} is a data error`, async () => {
    await using api = await startApi(() => text("[]", { headers: { [name]: value } }));
    const end = await run(api);
    assert.deepEqual([end.code, end.stdout, api.log.length], [65, "", 1]);
    assert.match(messagesOf(end, "error").join(), new RegExp(`"${value.replace(/.*=/, "")}".*${fault}`));
  });
}

test("bytes that are not UTF-8 become replacement characters with a warning; with --strict, they are a data error", async () => {
  await using api = await startApi(() => text(latin));
  const end = await run(api);
  assert.deepEqual([end.code, end.stdout], [0, '{"n":"\uFFFD\uFFFD\uFFFD"}\n']);
  assert.match(messagesOf(end, "warning").join(), /UTF-8/);
  const strict = await run(api, { args: ["--strict"] });
  assert.deepEqual([strict.code, strict.stdout], [65, ""]);
});

for (const [name, answer] of [
  ["204", () => empty(204)],
  ["205", () => empty(205)],
  ["200 with Content-Length: 0", () => empty(200)],
  ["white space", () => text(" \r\n\t\n")],
  ["an empty chunked body", () => raw("HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")],
] as const) {
  test(`a response of ${name} is a page without records`, async () => {
    await using api = await startApi(answer as () => Answer);
    for (const job of [{}, { dataField: "items" }, { dataField: "." }]) {
      const end = await run(api, { api: offset(2), job });
      assert.deepEqual([end.code, end.stdout], [0, ""], end.stderr);
    }
  });
}

test("an empty body that ends only with its connection is requested again", async () => {
  await using api = await startApi(
    inTurn(
      () => raw("HTTP/1.1 200 X\r\nConnection: close\r\n\r\n", { act: (socket) => void socket.end() }),
      () => records(2),
    ),
  );
  const end = await run(api);
  assert.deepEqual([end.code, end.stdout, api.log.length], [0, linesOf(records(2)), 2]);
});

for (const [body, code, says] of [
  ["null", 0, /holds no list/],
  ["true", 65, /true|boolean/],
  ["3", 65, /3|number/],
  ['"x"', 65, /string|"x"/],
  ["[]", 0, /no data|0 records/],
  ["{}", 0, /holds no list/],
] as const) {
  test(`the body ${body} gives no record, and the log says why`, async () => {
    await using api = await startApi(() => text(body));
    const end = await run(api);
    assert.deepEqual([end.code, end.stdout], [code, ""]);
    assert.match(end.stderr, says);
  });
}

test("a response without the data field causes a warning, and is suspect if another list holds objects", async () => {
  const failure = { status: "failure", error: {} };
  await using api = await startApi(() => failure);
  const end = await run(api, { job: { dataField: "items" } });
  assert.deepEqual([end.code, end.stdout], [0, ""]);
  assert.match(messagesOf(end, "warning").join(), /dataField "items" contains no data/);
  await using wrong = await startApi(() => ({ data: records(2) }));
  for (const [args, code] of [
    [[], 0],
    [["--strict"], 1],
  ] as const) {
    const suspect = await run(wrong, { job: { dataField: "root" }, args });
    assert.deepEqual([suspect.code, suspect.stdout], [code, ""]);
    assert.match(suspect.stderr, /items suspect.*"root".*"data"/);
  }
});

test("records of any JSON type are written as they are", async () => {
  const items = '[null,1,"a",[1,[2]],{},true,-0,1e400]';
  await using api = await startApi(({ params }) =>
    text(params.get("offset") === "0" ? `{"items": ${items}}` : '{"items": []}'),
  );
  const end = await run(api, { api: offset(8) });
  assert.deepEqual([end.code, end.stdout], [0, 'null\n1\n"a"\n[1,[2]]\n{}\ntrue\n-0\n1e400\n']);
  assert.deepEqual(api.targets(), ["/items?limit=8&offset=0", "/items?limit=8&offset=8"]);
});

test('without "values", a map of records by their ids is one record', async () => {
  await using api = await startApi(() => ({ data: { "17": { n: 1 }, "18": { n: 2 } } }));
  const end = await run(api, { job: { dataField: "data" } });
  assert.deepEqual([end.code, end.stdout], [0, '{"17":{"n":1},"18":{"n":2}}\n']);
});

test("numbers, null, escapes and the order of keys are written unchanged", async () => {
  const lines = [
    '{"b":null,"a":13911860366432393,"10":1,"9":{"x":null}}',
    '{"n":12345678901234567890.123,"m":1.10,"e":1e400,"z":-0,"E":1E5,"d":0.1e-7}',
    '{"k":1,"k":2,"__proto__":{"x":1},"\\u006b":3}',
    '{"s":"\\u00e9\\/\\ud83c\\udf41\\ud800 \u2028é\\u0000","\\u0022":""}',
    '{"deep":[[[[{"x":[{},[],{"y":[]}]}]]]]}',
  ];
  const spaced = lines.map((line) => line.replaceAll(/([:,])(?=[^ ])/g, "$1 \r\n\t"));
  await using api = await startApi(() => text(`{ "items" : [ ${spaced.slice(0, 1)},${lines.slice(1)} ] }`));
  const end = await run(api);
  assert.deepEqual([end.code, end.stdout], [0, lines.map((line) => `${line}\n`).join("")]);
});

test("big numbers keep their digits in addresses and columns", async () => {
  const id = "12345678901234567890.10";
  await using api = await startApi(({ path }) => text(path === "/items" ? `[{"id":${id}}]` : '[{"x":1}]'));
  const children = [{ endpoint: "items/{id}", placeholders: { id: "id" } }];
  const end = await run(api, { job: { children } });
  assert.deepEqual([end.code, end.stdout], [0, `{"id":${id}}\n{"x":1,"parent_id":${id}}\n`]);
  assert.deepEqual(api.targets(), ["/items", `/items/${id}`]);
});

test("a text of 20 MB is written whole, unless --max-record-bytes is lower", async () => {
  const long = "x\\u00e9".repeat(3_000_000);
  await using api = await startApi(() => text(`{"items":[{"id":1,"blob":"${long}"},{"id":2}]}`));
  const end = await run(api, { job: { dataField: "items" } });
  assert.equal(end.code, 0, end.stderr);
  assert.ok(end.stdout === `{"id":1,"blob":"${long}"}\n{"id":2}\n`);
  const limited = await run(api, { job: { dataField: "items" }, args: ["--max-record-bytes", "1M"] });
  assert.deepEqual([limited.code, limited.stdout], [65, ""]);
  assert.match(messagesOf(limited, "error").join(), /--max-record-bytes/);
});

test("the lines of all pages follow one another; without a record, the output is empty", async () => {
  await using api = await startApi(({ params }) => {
    const at = Number(params.get("offset"));
    return { items: records(Math.min(2, 7 - at), at + 1) };
  });
  const end = await run(api, { api: offset(2) });
  assert.equal(end.stdout, linesOf(records(7)));
  await using none = await startApi(() => ({ items: [] }));
  const nothing = await run(none, { api: offset(2) });
  assert.deepEqual([nothing.code, nothing.stdout], [0, ""]);
});

for (const [body, says] of [
  ['{"items":[{"a":1}]}{"items":[]}', /after the end/],
  ['{"items":[{"a":1}],}', /not JSON/],
  ['{"items":[{"a":01}]}', /not JSON/],
  ['{"items":[{"a":NaN}]}', /not JSON/],
  [")]}',\n[1]", /not JSON/],
  ['{"items":[{"a":"\u0001"}]}', /not JSON/],
  ['{"items":[{"a":1}', /ends inside/],
  ["callback([1])", /not JSON.*callback\(\[1\]\)/],
  ["\u001b[2Jevil", /not JSON(?!.*\u001b)/],
] as const) {
  test(`a body that is not JSON is a data error, and is not requested again: ${JSON.stringify(body)}`, async () => {
    await using api = await startApi(() => text(body));
    const end = await run(api);
    assert.deepEqual([end.code, end.stdout, api.log.length], [65, "", 1]);
    assert.match(messagesOf(end, "error").join(), says);
  });
}
