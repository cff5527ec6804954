import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, broken } from "../helpers/answers.ts";
import { linesOf, records, startApi } from "../helpers/api.ts";
import type { Finished } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { rows } from "./rows.ts";

/*
 * The failure matrix (contract C-8, C-9), tested with the command: a good page, then a page that always fails. Each failing run
 * ends in time with its exit code. It writes only the lines before the fault to stdout, and one line to stderr.
 */

for (const concurrency of [1, 4]) {
  for (const { title, answer, code, says, http } of rows) {
    test(`a page that always fails ends the run with its exit code: ${title}, ${concurrency} in flight`, {
      timeout: 15_000,
    }, async () => {
      const good = { items: records(3) };
      await using api = await startApi(({ params }) => (params.get("offset") === "0" ? good : answer()));
      const result = await run({ url: api.url, http, args: ["--concurrency", String(concurrency)] });
      assert.equal(result.stdout, linesOf(records(3)));
      assert.equal(result.code, code, result.stderr);
      assertOneLine(result, says);
      assert.match(result.stderr, /^error items page 2: /);
    });
  }
}

test("a refused connection is temporary, and is reported in one line", async () => {
  const api = await startApi(() => []);
  await api.close();
  const result = await run({ url: api.url });
  assert.deepEqual([result.code, result.stdout], [75, ""]);
  assertOneLine(result, /^error items page 1: GET http:.*the connection was refused/);
});

test("an unknown host is temporary, and is reported in one line", async () => {
  const result = await run({ url: "http://no-such-host.invalid" });
  assert.deepEqual([result.code, result.stdout], [75, ""]);
  assertOneLine(result, /^error items page 1: GET http:.*(no such host|cannot be looked up)/);
});

test("a fault that one retry repairs does not affect stdout", async () => {
  const answers: ((body: string) => Answer)[] = [
    broken.resetInBody,
    broken.cutWithoutLength,
    broken.gzipCut,
    broken.lengthTooLarge,
  ];
  for (const breaks of answers) {
    let calls = 0;
    const all = records(8);
    await using api = await startApi(({ params }) => {
      const offset = Number(params.get("offset"));
      const page = { items: all.slice(offset, offset + 3) };
      calls += 1;
      return calls === 2 ? breaks(JSON.stringify(page)) : page;
    });
    const result = await run({ url: api.url, maxRetries: 1 });
    assert.deepEqual(result, { code: 0, signal: null, stdout: linesOf(all), stderr: "" });
  }
});

/** With `-q`, nothing but the error is on stderr. */
function assertOneLine({ stderr }: Finished, says: RegExp): void {
  assert.match(stderr, says);
  assert.match(stderr, /^[^\n]+\n$/, "stderr has no line, or several");
  assert.doesNotMatch(stderr, /undefined|\[object|AbortError|at .*\.js:/);
  assert.ok(stderr.length < 600, `${stderr.length} characters: ${stderr}`);
}

function run(options: {
  readonly url: string;
  readonly http?: Record<string, unknown> | undefined;
  readonly maxRetries?: number;
  readonly args?: readonly string[];
}): Promise<Finished> {
  const { url, http = {}, maxRetries = 0, args = [] } = options;
  const configuration = {
    api: { baseUrl: url, pagination: { method: "offset", limit: 3 }, retryConfig: { maxRetries }, http },
    config: { jobs: [{ endpoint: "items" }] },
  };
  return spileHere(["-", "-q", ...args], { stdin: JSON.stringify(configuration) });
}
