import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { spile, start, temporaryFolder } from "../helpers/cli.ts";

/* Tests of texts that take long to parse: a signal ends the process meanwhile (contract C-9.2). */

const skip = process.platform === "win32" && "has no named pipes";

/** Number of entries in each text. It is so large that the signal arrives before the text is parsed. */
const count = 40_000;
const entries = <T>(entry: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => entry(index));

const list = { content: { "application/json": { schema: { type: "array", items: { type: "object" } } } } };

const texts: Readonly<Record<string, readonly [words: readonly string[], text: () => unknown]>> = {
  "an OpenAPI description": [
    ["init", "--openapi", "pipe"],
    () => ({
      openapi: "3.0.0",
      servers: [{ url: "http://127.0.0.1:1/" }],
      paths: Object.fromEntries(entries((index) => [`/p${index}`, { get: { responses: { 200: list } } }])),
    }),
  ],
  "an Airbyte manifest": [
    ["init", "--airbyte", "pipe"],
    () => ({
      type: "DeclarativeSource",
      streams: entries((index) => ({
        type: "DeclarativeStream",
        name: `s${index}`,
        retriever: {
          requester: { type: "HttpRequester", url_base: "http://127.0.0.1:1", path: `p${index}` },
          record_selector: { extractor: { field_path: ["d"] } },
        },
      })),
    }),
  ],
  "a Postman collection": [
    ["init", "--postman", "pipe"],
    () => ({
      info: { name: "c", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
      item: entries((index) => ({ name: `r${index}`, request: { method: "GET", url: `http://127.0.0.1:1/${index}` } })),
    }),
  ],
  "a configuration": [
    ["check", "pipe"],
    () => ({
      api: { baseUrl: "http://127.0.0.1:1/" },
      config: { k: 1, jobs: entries((index) => ({ endpoint: `e${index}`, params: { a: { attr: "k" } } })) },
    }),
  ],
};

for (const [name, [words, text]] of Object.entries(texts)) {
  test(`SIGTERM ends the process while it parses ${name}`, { skip, timeout: 60_000 }, async () => {
    await using folder = await temporaryFolder();
    const pipe = join(folder.path, "pipe");
    execFileSync("mkfifo", [pipe]);
    const running = start(words, { cwd: folder.path });
    await writeFile(pipe, JSON.stringify(text()));
    running.kill("SIGTERM");
    const { code, signal, stdout, stderr } = await running.finished;
    assert.ok(code === 143 || signal === "SIGTERM", `${code} ${signal} ${stderr.slice(0, 500)}`);
    assert.equal(stdout, "");
  });
}

test("a file of a curl command has at most 4 MiB", async () => {
  await using folder = await temporaryFolder();
  const longest = await folder.write("longest", `a=${"1".repeat(4 * 2 ** 20 - 2)}`);
  const accepted = await spile(["init", "--offline", "curl", "-d", `@${longest}`, "http://127.0.0.1:1/"]);
  assert.equal(accepted.code, 0, accepted.stderr.slice(0, 500));
  const file = await folder.write("body", "a=1&".repeat(2 ** 20 + 1));
  const { code, stderr } = await spile(["init", "curl", "-d", `@${file}`, "http://127.0.0.1:1/"]);
  assert.equal(code, 64, stderr);
  assert.match(
    stderr,
    /^error .*body is too long for a configuration: a file that a curl command names may have at most 4 MiB\n$/,
  );
});
