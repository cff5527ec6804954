import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { broken, json } from "../helpers/answers.ts";
import { linesOf, records, startApi } from "../helpers/api.ts";
import { start, temporaryFolder } from "../helpers/cli.ts";

/* Tests of SIGINT and SIGTERM at bad moments: the run ends in time, with its code, and without a partial line (contract C-9.2). */

/** Milliseconds that a stop may take on a busy machine. The limit of the product is 200. */
const soon = 3000;

const body = JSON.stringify({ items: records(3, 4) });

const moments = [
  { title: "during a wait before a retry", answer: () => json({}, { status: 503 }), when: /retry/ },
  {
    title: "during a wait that the API requested",
    answer: () => json({}, { status: 429, headers: { "retry-after": "300" } }),
    when: /retry/,
  },
  { title: "during a stalled body", answer: () => broken.stalledInBody(body), when: undefined },
  { title: "before the headers", answer: () => broken.stalledBeforeHeaders(), when: undefined },
];

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  for (const { title, answer, when } of moments) {
    for (const concurrency of [1, 4]) {
      test(`${signal} ${title} ends the run, ${concurrency} in flight`, async () => {
        const first = records(3);
        await using api = await startApi(({ params }) => (params.get("offset") === "0" ? { items: first } : answer()));
        await using folder = await temporaryFolder();
        const file = await folder.write("config.json", {
          api: { baseUrl: api.url, pagination: { method: "offset", limit: 3 } },
          config: { jobs: [{ endpoint: "items" }] },
        });
        const running = start([file, "-v", "--concurrency", String(concurrency)]);
        await running.until("stdout", /"id":3,/);
        if (when !== undefined) await running.until("stderr", when);
        await api.received(2);
        const startTime = performance.now();
        running.kill(signal);
        const { code: exitCode, stdout, stderr } = await running.finished;
        assert.ok(performance.now() - startTime < soon, `${performance.now() - startTime} ms`);
        assert.deepEqual([exitCode, stdout], [code, linesOf(first)]);
        const [error, summary, ...others] = stderr.split("\n").filter((line) => line.startsWith("error"));
        assert.equal(error, `error stopped by ${signal}`);
        assert.match(summary ?? "", /^(error items failed: 3 records, .*)?$/);
        assert.deepEqual(others, []);
      });
    }
  }
}

test("a second signal ends the run at once", async () => {
  await using api = await startApi(() => broken.stalledBeforeHeaders());
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "items" }] },
  });
  const running = start([file]);
  await api.received(1);
  running.kill("SIGTERM");
  running.kill("SIGINT");
  const { code, stdout } = await running.finished;
  assert.ok(code === 130 || code === 143, String(code));
  assert.equal(stdout, "");
});

test("SIGHUP ends a run as SIGTERM does, and leaves no hidden file", async () => {
  await using api = await startApi(({ params }) =>
    params.get("offset") === "0" ? { items: records(3) } : broken.stalledInBody(body),
  );
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 3 } },
    config: { jobs: [{ endpoint: "items" }] },
  });
  const running = start([file, "-o", join(folder.path, "out.ndjson")]);
  await api.received(2);
  running.kill("SIGHUP");
  const { code, stderr } = await running.finished;
  assert.deepEqual([code, stderr.split("\n")[0]], [129, "error stopped by SIGHUP"]);
  assert.deepEqual(await readdir(folder.path), ["config.json"]);
});

test("a signal ends the run while the pipe for the summary or the lines has no reader", async () => {
  await using api = await startApi(() => ({ items: records(3) }));
  await using folder = await temporaryFolder();
  const pipe = join(folder.path, "pipe");
  execFileSync("mkfifo", [pipe]);
  const file = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "items" }] },
  });
  const summary = start([file, "--summary", pipe]);
  await summary.until("stderr", /complete/);
  const lines = start([file, "-v", "-o", pipe]);
  await lines.until("stderr", /1 job to run/);
  for (const running of [summary, lines]) running.kill("SIGTERM");
  for (const running of [summary, lines]) assert.equal((await running.finished).code, 143);
});
