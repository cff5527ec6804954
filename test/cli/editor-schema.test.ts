import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import type * as Service from "vscode-json-languageservice";
import { editorSchema } from "../../src/cli/editor-schema.ts";
import { functions } from "../../src/expression/functions.ts";
import { pages, root } from "../docs/pages.ts";

// Node cannot find the package's modules for `import`.
const { ClientCapabilities, getLanguageService, TextDocument } = createRequire(import.meta.url)(
  "vscode-json-languageservice",
) as typeof Service;

const schema = editorSchema();
// The service changes the schema that it gets, so it gets a copy.
const service = getLanguageService({ clientCapabilities: ClientCapabilities.LATEST });
service.configure({ validate: true, schemas: [{ uri: "spile", fileMatch: ["*"], schema: structuredClone(schema) }] });

/** Returns the completions of an editor at the place of `|`: text and description of each. */
async function offeredAt(text: string): Promise<Map<string, string>> {
  const document = TextDocument.create("file:///config.json", "jsonc", 1, text.replace("|", ""));
  const position = document.positionAt(text.indexOf("|"));
  const list = await service.doComplete(document, position, service.parseJSONDocument(document));
  return new Map(
    (list?.items ?? []).map(({ label, documentation = "" }) => {
      return [label.replace(/^"|"$/g, ""), typeof documentation === "string" ? documentation : documentation.value];
    }),
  );
}

/** Returns the places that an editor marks: the text, and the reason. */
async function markedIn(text: string): Promise<readonly (readonly [text: string, message: unknown])[]> {
  const document = TextDocument.create("file:///config.json", "jsonc", 1, text);
  const marks = await service.doValidation(document, service.parseJSONDocument(document));
  return marks.map(({ range, message }) => [document.getText(range), message] as const);
}

const job = (rest: string): string => `{"api":{"baseUrl":"https://h/"},"config":{"jobs":[{"endpoint":"a",${rest}}]}}`;
const api = (rest: string): string => `{"api":{"baseUrl":"https://h/",${rest}},"config":{"jobs":[{"endpoint":"a"}]}}`;
const methods = ["offset", "pagenum", "response.url", "response.param", "cursor", "link", "none", "multiple"];
const types = ["login", "basic", "query", "oauth10", "oauth20", "oauth20.login", "aws.signature"];

const offers: readonly (readonly [place: string, text: string, expected: readonly string[]])[] = [
  ["the method of a pagination", api('"pagination":{"method":|}'), methods],
  ["a method within its quotes", api('"pagination":{"method":"|"}'), methods],
  ["a method before other fields", api('"pagination":{"limit":5,"method":"|"}'), methods],
  [
    "a method of a scroller",
    api('"pagination":{"method":"multiple","scrollers":{"x":{"method":"|"}}}'),
    methods.slice(0, 6),
  ],
  ["fields of a method", api('"pagination":{"method":"link",|}'), ["rel", "includeParams", "limitStop"]],
  ["a whole pagination", api('"pagination":|'), methods],
  ["the type of an authentication", api('"authentication":{"type":"|"}'), types],
  ["fields of a type", api('"authentication":{"type":"login",|}'), ["loginRequest", "apiRequest", "expires", "steps"]],
  ["fields of a job", job("|"), ["params", "dataType", "children", "windows", "incremental", "method"]],
  ["the method of a job", job('"method":"|"'), ["GET", "POST", "FORM"]],
  ["a parameter", job('"params":{"a":|}'), ["attr", "time", "function"]],
  ["an expression's keys", job('"params":{"a":{|}}'), ["attr", "time", "function"]],
  ["a function", job('"params":{"a":{"function":"|"}}'), Object.keys(functions)],
  [
    "a function in arguments",
    job('"params":{"a":{"function":"md5","args":[{"function":"|"}]}}'),
    Object.keys(functions),
  ],
  ["a function of a header", job('"headers":{"a":{"function":"|"}}'), Object.keys(functions)],
  [
    "a function of a placeholder",
    job('"children":[{"endpoint":"b/{i}","placeholders":{"i":{"path":"id","function":"|"}}}]'),
    ["md5"],
  ],
  ["a function of the address", '{"api":{"baseUrl":{"function":"|"}}}', Object.keys(functions)],
  ["a time", job('"params":{"a":{"time":"|"}}'), ["currentStart", "previousStart"]],
  [
    "the action of a rule",
    api('"http":{"responses":[{"when":{"status":404},"then":"|"}]}'),
    ["fail", "retry", "login", "empty", "end"],
  ],
  ["under parameters", `{"parameters":${api('"pagination":{"method":"|"}')}}`, methods],
];

test("an editor offers every choice at its place, with a description unless it is an HTTP method", async () => {
  for (const [place, text, expected] of offers) {
    const offered = await offeredAt(text);
    const missing = expected.filter((label) => !offered.has(label));
    assert.deepEqual(missing, [], `${place}: ${[...offered.keys()].join(", ")}`);
    const silent = expected.filter((label) => /^[A-Z]+$/.test(label) === false && offered.get(label) === "");
    assert.deepEqual(silent, [], place);
  }
});

test("methods and types are offered with an example, and functions with their usage", async () => {
  const offered = await offeredAt(api('"pagination":{"method":"|"}'));
  assert.match(offered.get("offset") ?? "", /^Sends a page size .*```json\n\{\n {2}"method": "offset"/s);
  assert.match(
    (await offeredAt(api('"authentication":{"type":"|"}'))).get("login") ?? "",
    /```json\n\{\n {2}"type": "login"/,
  );
  const plain = JSON.stringify(schema);
  assert.ok(plain.includes('Example: {\\"method\\":\\"offset\\",\\"limit\\":100}'));
  const called = await offeredAt(job('"params":{"a":{"function":"|"}}'));
  assert.match(called.get("concat") ?? "", /concat\(text, \.\.\.\)/);
});

const marks: readonly (readonly [text: string, expected: readonly (readonly [text: string, message: RegExp])[]])[] = [
  [`// a comment\n${api('"pagination":{"method":"offset","limit":100} /* another */')}`, []],
  [api('"pagination":{"method":"ofset","limit":5}'), [['"ofset"', /not accepted.*"offset", "pagenum"/]]],
  [
    api('"pagination":{"method":"offset","limi":5}'),
    [
      ['"pagination"', /"limit"/],
      ['"limi"', /not allowed/],
    ],
  ],
  [api('"authentication":{"type":"bearer"}'), [['"bearer"', /"login", "basic"/]]],
  [job('"params":{"a":{"function":"concatt","args":["x"]}}'), [['"concatt"', /"md5"/]]],
  [
    job('"params":{"a":{"function":"md5"},"b":{"function":"md5","args":[1,2,3]}}'),
    [
      ['"a"', /"args"/],
      ["[1,2,3]", /too many/],
    ],
  ],
  [job('"params":{"a":{"time":"previous"}}'), [['"previous"', /"currentStart", "previousStart"/]]],
  // Plain data that only looks like an expression.
  [job('"params":{"a":{"function":"any","name":1},"b":{"attr":"x","more":2},"c":{"time":5,"d":[{"x":null}]}}'), []],
  [job('"method":"get","children":[{"endpoint":"b/{1:id}","placeholders":{"1:id":"id"}}]'), []],
  [job('"method":"PUT"'), [['"PUT"', /./]]],
  [
    job('"jobs":1,"dataTyp":"x"'),
    [
      ['"jobs"', /not allowed/],
      ['"dataTyp"', /not allowed/],
    ],
  ],
  [job('"userData":{"at":{"function":"date","args":["Y-m-d",{"time":"currentStart"}]}}'), []],
  [api('"retryConfig":{"maxRetries":"x"}'), [['"x"', /./]]],
];

test("an editor marks each fault with a reason, and nothing in data that only looks like an expression", async () => {
  for (const [text, expected] of marks) {
    const found = await markedIn(text);
    assert.deepEqual(
      found.map(([marked]) => marked).sort(),
      expected.map(([marked]) => marked).sort(),
      `${text}: ${found.join("; ")}`,
    );
    for (const [marked, message] of expected) {
      assert.match(String(found.find(([one]) => one === marked)?.[1]), message, text);
    }
  }
});

test("an editor marks nothing in the configurations of documents and examples", async () => {
  const folder = join(root, "examples");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  const examples = files.map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);
  const blocks = pages.flatMap(({ path, blocks }) => {
    return blocks.filter(({ language }) => language === "json").map(({ text }) => [path, text] as const);
  });
  assert.ok(blocks.length > 50 && examples.length > 0);
  for (const [name, text] of [...blocks, ...examples]) assert.deepEqual(await markedIn(text), [], `${name}\n${text}`);
});
