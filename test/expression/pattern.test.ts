import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPatterns, patternFault, patternOf } from "../../src/expression/pattern.ts";
import { inTurn, json, startApi } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";

await loadPatterns('"matches"');

const refused =
  /^is not a regular expression that runs in linear time: .* \(lookaround, backreferences and repeats above 1000 are not possible\)$/;
const large = "repeats too much: it takes 12007 instructions, at most 10000 are allowed";

test("a pattern that cannot run in linear time is a fault", () => {
  for (const text of ["(?=a)", "(?!a)", "(?<=a)b", "(a)\\1", "a{1001}", "(", "[", "a**", "\\k<n>(?<n>a)"]) {
    assert.match(patternFault(text) ?? "none", refused, text);
  }
  assert.equal(patternFault(`${"\\pL{1000}".repeat(12)}abcde`), large);
  assert.equal(patternFault("a".repeat(1001)), "has 1001 characters; at most 1000 are allowed");
});

test("patterns in JavaScript's syntax are accepted", () => {
  const rows: readonly (readonly [pattern: string, text: string, isFound: boolean])[] = [
    ["\\u00e9", "café", true],
    ["\\u{1F600}", "a😀", true],
    ["^\\ud83d\\ude00$", "😀", true],
    ["^[\\u0041-\\u005a]+$", "ABZ", true],
    ["^\\\\u0041$", "\\u0041", true],
    ["^.$", "😀", true],
    ["^(?<name>a|b)+$", "abba", true],
    ["[\\/]", "a/b", true],
    ["^a-b$", "a-b", true],
    ["^\\d+$", "12٣", false],
    ["\\bno\\b", "or no more", true],
    ["a$", "a\n", false],
    ["\\p{Lu}", "É", true],
  ];
  for (const [pattern, text, isFound] of rows) assert.equal(patternOf(pattern).test(text), isFound, pattern);
});

test("a pattern on which other engines backtrack ends at once", async () => {
  const code = `${"a".repeat(60)}!`;
  await using api = await startApi(inTurn(json({ code, items: [{ id: 1 }] })));
  const responses = JSON.parse('[{"when": {"path": "code", "matches": "^(a+)+$"}, "then": "fail"}]');
  const configuration = {
    api: { baseUrl: api.url, http: { responses } },
    config: { jobs: [{ endpoint: "items", dataField: "items" }] },
  };
  const began = performance.now();
  const { code: exitCode, stdout } = await spileHere(["-"], { stdin: JSON.stringify(configuration) });
  assert.deepEqual([exitCode, stdout], [0, '{"id":1}\n']);
  // This takes milliseconds; an engine that backtracks would take centuries.
  assert.ok(performance.now() - began < 60_000);
});

const child = (placeholder: object): unknown => ({
  endpoint: "parents",
  dataType: "parents",
  children: [{ endpoint: "items/{id}", placeholders: { id: placeholder } }],
});

test("regex and split take a part of a parent's value, and a value without this part ends the run with 65", async () => {
  await using api = await startApi(({ path }) =>
    path === "/parents" ? json([{ url: "https://api.example.com/v1/items/42?x=1" }]) : json([{ path }]),
  );
  const run = (placeholder: object) =>
    spileHere(["-"], {
      stdin: JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [child({ path: "url", ...placeholder })] } }),
    });
  const value = { placeholder: "value" };
  const regex = (pattern: string) => run({ function: "regex", args: [value, pattern, 1] });
  assert.match((await regex("/items/([0-9]+)")).stdout, /^\{"url":.*\n\{"path":"\/items\/42",/);
  assert.match((await run({ function: "split", args: [value, "/", 3] })).stdout, /"path":"\/items\/v1"/);
  const missing = await regex("/users/([0-9]+)");
  assert.equal(missing.code, 65);
  assert.match(missing.stderr, /function "regex": "https:.*" has no match of "\/users\//);
  const wrong = await regex("(?=a)");
  assert.equal(wrong.code, 78);
  assert.match(
    wrong.stderr,
    /^error +\/config\/jobs\/0\/children\/0\/placeholders\/id\/args\/1: the pattern is not a /m,
  );
});

test("check accepts an unset variable that a pattern reads, and the run refuses a value that does not match", async () => {
  const job = { endpoint: { function: "regex", args: [{ attr: "id" }, "[a-z]+"] } };
  const stdin = JSON.stringify({
    api: { baseUrl: "https://api.example.com/" },
    config: { id: { env: "NO_SUCH_VARIABLE" }, jobs: [job] },
  });
  const { code, stderr } = await spileHere(["check", "--allow-unset-env", "-"], { stdin });
  assert.equal(code, 0, stderr);
  const ran = await spileHere(["--set", "id=42", "-"], { stdin });
  assert.equal(ran.code, 78, ran.stderr);
  assert.match(ran.stderr, /function "regex": "42" has no match of "\[a-z\]\+"/);
});
