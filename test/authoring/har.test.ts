import assert from "node:assert/strict";
import { test } from "node:test";
import { isHar, readHar } from "../../src/authoring/har.ts";
import { pathFilter } from "../../src/authoring/path-filter.ts";
import { SpileError } from "../../src/core/errors.ts";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { people } from "./explore/fake-api.ts";

interface Shown {
  readonly url: string;
  readonly method?: string;
  readonly body?: unknown;
  readonly status?: number;
  readonly answer: unknown;
  readonly type?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/** A HAR as browsers write it: what it holds besides is left out. */
const har = (...shown: readonly Shown[]): string =>
  JSON.stringify({
    log: {
      version: "1.2",
      creator: { name: "a browser", version: "1" },
      entries: shown.map(
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

test("the list with the most records is taken, its next request tells how it pages, and nothing need be sent", async () => {
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
  assert.match(stderr, /GET https:\/\/app.example.com\/api\/users is taken: 40 records in 4 answers/);
  assert.match(stderr, /other lists in the HAR: GET https:\/\/app.example.com\/api\/menu \(2 records\)/);
  assert.match(stderr, /found offset paging by "wiggle"/);
  assert.match(stdout, /"method": "offset",\s+"limit": 10,\s+"limitParam": "size",\s+"offsetParam": "wiggle"/);
  const chosen = await spileHere(["init", "--offline", "--har", file, "--only", "/api/m*"]);
  assert.match(chosen.stdout, /"endpoint": "menu"/);
});

test("what comes out extracts all, from an API that pages in a JSON body by a token", async () => {
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

test("what is no HAR, and a HAR without a list, are refused", () => {
  for (const [text, pattern] of [
    ["{}", /no HAR/],
    ["<xml/>", /no HAR/],
    [har(), /no answer in the HAR/],
    [har({ url: "https://x/", answer: "<html></html>", type: "text/html" }), /no answer in the HAR/],
    [har({ url: "https://x/", answer: { a: 1 } }), /no answer in the HAR/],
  ] as const) {
    assert.throws(
      () => readHar(text, pathFilter([])),
      (error: unknown) => error instanceof SpileError && error.exitCode === 64 && pattern.test(error.message),
    );
  }
  assert.ok(isHar(har()));
  assert.ok(!isHar("curl https://x/"));
});

test("patterns of paths: * is anything, all else is itself", () => {
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
});
