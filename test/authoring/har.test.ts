import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import { parse } from "jsonc-parser";
import { pathFilter } from "../../src/authoring/described/choice.ts";
import { harEntries, readHar } from "../../src/authoring/har.ts";
import { SpileError } from "../../src/core/errors.ts";
import { startApi } from "../helpers/api.ts";
import { command, startCommand, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { people } from "./explore/fake-api.ts";

interface BrowserExchange {
  readonly url: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly answer: unknown;
  readonly type?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/** Creates a HAR as browsers write it, with only the parts that are read. */
const har = (...exchanges: readonly BrowserExchange[]): string =>
  JSON.stringify({
    log: {
      version: "1.2",
      creator: { name: "a browser", version: "1" },
      entries: exchanges.map(
        ({ url, method = "GET", body, status = 200, answer, type = "application/json", headers = [] }) => ({
          request: {
            method,
            url,
            headers: [{ name: ":authority", value: "x" }, { name: "sec-fetch-mode", value: "cors" }, ...headers],
            ...(body === undefined ? {} : { postData: { mimeType: "application/json", text: JSON.stringify(body) } }),
          },
          response: {
            status,
            headers: [
              { name: "content-type", value: type },
              { name: "content-encoding", value: "br" },
            ],
            content: { mimeType: type, text: typeof answer === "string" ? answer : JSON.stringify(answer) },
          },
        }),
      ),
    },
  });

const all = people(40);
const page = (url: string, from: number) => ({
  url: `${url}/api/users?wiggle=${from}&size=10&_=17000000000${from + 10}`,
  answer: { rows: all.slice(from, from + 10) },
});

test("the list with the most records is chosen, and the next request for that list shows the paging without a trial", async () => {
  const url = "https://app.example.com";
  const text = har(
    { url: `${url}/`, answer: "<html></html>", type: "text/html" },
    { url: `${url}/api/menu`, answer: [{ id: 1 }, { id: 2 }] },
    { url: `${url}/api/users?wiggle=0&size=10&_=1700000000010`, status: 304, answer: "" },
    page(url, 0),
    page(url, 10),
    page(url, 20),
    page(url, 30),
  );
  await using folder = await temporaryFolder();
  const file = await folder.write("session.har", text);
  const { code, stdout, stderr } = await spileHere(["init", "--offline", "--har", file]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /GET https:\/\/app.example.com\/api\/users is chosen: 40 records in 4 answers/);
  assert.match(stderr, /other lists in the HAR: GET https:\/\/app.example.com\/api\/menu \(2 records\)/);
  assert.match(stderr, /found offset paging by "wiggle"/);
  assert.match(stdout, /"method": "offset",\s+"limit": 10,\s+"limitParam": "size",\s+"offsetParam": "wiggle"/);
  const chosen = await spileHere(["init", "--offline", "--har", file, "--only", "/api/m*"]);
  assert.match(chosen.stdout, /"endpoint": "menu"/);
});

test("a HAR of an API that pages by a token in a JSON body becomes a configuration that extracts everything, without its cookie", async () => {
  const answer = (after: string | null) => {
    const from = Number(after ?? 0);
    return { users: all.slice(from, from + 10), page: { tail: from + 10 < 40 ? `${from + 10}` : null } };
  };
  await using api = await startApi(({ body }) => answer(JSON.parse(body).tail ?? null));
  const text = har(
    {
      url: `${api.url}/q`,
      method: "POST",
      body: { q: "all" },
      answer: answer(null),
      headers: [
        { name: "content-type", value: "application/json" },
        { name: "cookie", value: "sid=s3cr3t" },
      ],
    },
    {
      url: `${api.url}/q`,
      method: "POST",
      body: { q: "all", tail: "10" },
      answer: answer("10"),
      headers: [{ name: "content-type", value: "application/json" }],
    },
  );
  await using folder = await temporaryFolder();
  const { stdout, stderr, code } = await spileHere(["init", "-"], { stdin: text });
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /s3cr3t/);
  const file = await folder.write("q.json", stdout);
  const run = await spileHere([file, "--strict"], { env: { API_COOKIE: "sid=s3cr3t" } });
  assert.equal(run.code, 0, run.stderr + stderr);
  assert.equal(run.stdout, all.map((user) => `${JSON.stringify(user)}\n`).join(""));
});

test("a file that is not a HAR, and a HAR without a list, are refused", () => {
  for (const [text, pattern] of [
    ["{}", /not a HAR/],
    ["<xml/>", /not a HAR/],
    [har(), /no answer in the HAR/],
    [har({ url: "https://x/", answer: "<html></html>", type: "text/html" }), /no answer in the HAR/],
    [har({ url: "https://x/", answer: { a: 1 } }), /no answer in the HAR/],
  ] as const) {
    assert.throws(
      () => readHar(harEntries(text), pathFilter([])),
      (error: unknown) => error instanceof SpileError && error.exitCode === 64 && pattern.test(error.message),
    );
  }
  assert.ok(harEntries(har()) !== undefined);
  assert.equal(harEntries("curl https://x/"), undefined);
});

test("the error about a HAR without a usable list names the reason: --only, a body that spile cannot send, an empty first answer", () => {
  const url = "https://app.example.com/search";
  const reasonFor = (text: string, ...only: string[]): string => {
    try {
      readHar(harEntries(text), pathFilter(only));
      return "none";
    } catch (error) {
      return error instanceof SpileError ? error.message : "";
    }
  };
  assert.equal(reasonFor(har({ url, answer: all }), "/other"), "the HAR has no list of records at the paths of --only");
  assert.match(
    reasonFor(har({ url, method: "POST", body: [1], answer: all })),
    /^the HAR has no list that spile can request: POST https:\/\/app\.example\.com\/search is left out: the body is JSON but not/,
  );
  assert.equal(
    reasonFor(har({ url, answer: [] }, { url, answer: all })),
    "the first answer of GET https://app.example.com/search in the HAR has no records",
  );
});

test("in path patterns, * matches anything, and every other character matches itself", () => {
  const wanted = pathFilter(["/users*", "/a.b"]);
  assert.deepEqual(["/users", "/users/1", "/user", "/a.b", "/axb", "/x/users"].map(wanted), [
    true,
    true,
    false,
    true,
    false,
    false,
  ]);
  assert.ok(pathFilter([])("/anything"));
  const several = pathFilter(["a*b*b", "*c"]);
  assert.deepEqual(["abb", "aXbXb", "ab", "abXc", "c", "abba", "aab"].map(several), [
    true,
    true,
    false,
    true,
    true,
    false,
    false,
  ]);
});

interface RawRequest {
  readonly url: string;
  readonly postData?: unknown;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/** Builds a HAR of POST requests, each with its answer. */
const posts = (...entries: readonly (readonly [request: RawRequest, answer: unknown])[]): string =>
  JSON.stringify({
    log: {
      entries: entries.map(([request, answer]) => ({
        request: { method: "POST", headers: [], ...request },
        response: {
          status: 200,
          headers: [{ name: "content-type", value: "application/json" }],
          content: { text: Buffer.from(JSON.stringify(answer)).toString("base64"), encoding: "base64" },
        },
      })),
    },
  });

test("a form that the HAR contains as parameters, and a body in base64, become the parameters of the job", async () => {
  const form = (page: number) => ({
    mimeType: "application/x-www-form-urlencoded",
    params: [
      { name: "q", value: "a b&c" },
      { name: "page", value: `${page}` },
    ],
  });
  const packed = (page: number) => ({
    mimeType: "application/json",
    encoding: "base64",
    text: Buffer.from(JSON.stringify({ q: "é", page })).toString("base64"),
  });
  for (const [body, params] of [
    [form, { q: "a b&c" }],
    [packed, { q: "é" }],
  ] as const) {
    const url = "https://app.example.com/search";
    const stdin = posts(
      ...[1, 2, 3].map(
        (page) => [{ url, postData: body(page) }, { rows: all.slice(page * 10 - 10, page * 10) }] as const,
      ),
    );
    const { code, stdout, stderr } = await spileHere(["init", "--offline", "-"], { stdin });
    assert.equal(code, 0, stderr);
    const [job] = parse(stdout).config.jobs;
    assert.equal(job.method, body === form ? "FORM" : "POST");
    assert.deepEqual(job.params, params, stdout);
    assert.match(stdout, /"pagination": { "method": "pagenum" }/);
  }
});

test("each operation of a GraphQL address is a separate list", async () => {
  const url = "https://app.example.com/graphql";
  const operation = (operationName: string, rows: unknown) =>
    [
      {
        url,
        postData: {
          mimeType: "application/json",
          text: JSON.stringify({ operationName, query: `query ${operationName} { rows { id } }`, variables: {} }),
        },
      },
      { data: { [operationName]: rows } },
    ] as const;
  const stdin = posts(
    operation("menu", all.slice(0, 3)),
    operation("users", all.slice(0, 10)),
    operation("menu", all.slice(3, 6)),
  );
  const { code, stdout, stderr } = await spileHere(["init", "--offline", "-"], { stdin });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /POST https:\/\/app.example.com\/graphql users is chosen: 10 records in 1 answer$/m);
  assert.match(stderr, /other lists in the HAR: POST https:\/\/app.example.com\/graphql menu \(6 records\)/);
  assert.match(stdout, /"dataField": "data.users"/);
});

test("gaps of a HAR are reported: missing bodies, a request that spile cannot send, a list that begins later", async () => {
  const url = "https://app.example.com/search";
  const bare = JSON.stringify({
    log: { entries: [{ request: { method: "GET", url }, response: { status: 200, content: {} } }] },
  });
  const without = await spileHere(["init", "--offline", "-"], { stdin: bare });
  assert.equal(without.code, 64);
  assert.match(without.stderr, /the HAR holds no bodies of answers: save it with content/);
  const upload = { mimeType: "multipart/form-data; boundary=x", text: "--x" };
  const mixed = posts(
    [{ url: `${url}?key=s3cr3t`, postData: upload }, all],
    [{ url, postData: { mimeType: "application/json", text: "{}" } }, all.slice(0, 5)],
  );
  const left = await spileHere(["init", "--offline", "-"], { stdin: mixed });
  assert.equal(left.code, 0, left.stderr);
  assert.match(
    left.stderr,
    /note {2}POST https:\/\/app.example.com\/search is left out: a body of type multipart\/form-data/,
  );
  assert.doesNotMatch(left.stderr, /s3cr3t/);
  const late = har(page("https://app.example.com", 10), page("https://app.example.com", 20)).replaceAll(
    "wiggle",
    "offset",
  );
  const { code, stderr, stdout } = await spileHere(["init", "--offline", "-"], { stdin: late });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /there is no recorded answer to the list's first request, and no request is sent/);
  assert.match(stdout, /"fullPage": 1/);
});

test("a HAR of more than 15 MB is read with a heap of 128 MB", async () => {
  await using folder = await temporaryFolder();
  const rows = (from: number) =>
    Array.from({ length: 2000 }, (_, index) => ({ id: from + index, tags: ["a", "b", index], inner: { x: index } }));
  const pages = Array.from({ length: 150 }, (_, index) => ({
    url: `https://app.example.com/users?offset=${index * 2000}`,
    answer: { rows: rows(index * 2000) },
  }));
  const file = await folder.write("large.har", har(...pages));
  const { size } = await stat(file);
  assert.ok(size > 15e6, `${size} bytes`);
  const { code, stderr } = await startCommand(process.execPath, [
    "--max-old-space-size=128",
    command,
    "init",
    "--offline",
    "--har",
    file,
  ]).finished;
  assert.equal(code, 0, stderr);
});
