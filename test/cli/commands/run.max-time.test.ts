import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { broken, json, pause, raw, startApi } from "../../helpers/api.ts";
import { records, shell, spile, temporaryFolder } from "../../helpers/cli.ts";

const limit = 1000;

test("--max-time ends a run as a temporary failure at any place, and written lines stay", async () => {
  const cases = {
    "a body that drips for ever": raw(
      'HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n[{"id":2}',
      ...Array.from({ length: 400 }, () => [" ", pause(100)]).flat(),
    ),
    "a wait before a retry": json({}, { status: 503, headers: { "retry-after": "800" } }),
    "a response that does not come": broken.stalledBeforeHeaders(),
  };
  for (const [name, second] of Object.entries(cases)) {
    await using api = await startApi({ "/first": () => [{ id: 1 }], "/second": () => second });
    await using folder = await temporaryFolder();
    const jobs = [{ endpoint: "first" }, { endpoint: "second", dataType: "second" }];
    const file = await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs } });
    const summaryFile = `${folder.path}/summary.json`;
    const startTime = performance.now();
    const { code, stdout, stderr } = await spile([file, "--max-time", `${limit}ms`, "--summary", summaryFile]);
    assert.equal(code, 75, name);
    assert.ok(performance.now() - startTime >= limit, name);
    assert.deepEqual(records(stdout), [{ id: 1 }], name);
    assert.match(stderr, /^error the run has taken longer than --max-time of 1 s/m, name);
    const { exitCode, jobs: ended } = JSON.parse(await folder.read("summary.json"));
    assert.equal(exitCode, 75);
    assert.deepEqual(
      ended.map((job: { job: string; verdict: string }) => [job.job, job.verdict]),
      [
        ["first", "complete"],
        ["second", "failed"],
      ],
    );
  }
});

test("a run that is faster than --max-time is not affected by it", async () => {
  await using api = await startApi({ "/x": () => [1] });
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "x" }] } });
  const { code, stdout } = await spile([file, "--max-time", "1d"]);
  assert.deepEqual([code, stdout], [0, "1\n"]);
});

test("--max-time ends a run whose reader does not read", async () => {
  await using api = await startApi(() => Array.from({ length: 5000 }, () => "x".repeat(1000)));
  await using folder = await temporaryFolder();
  await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "x" }] } });
  const script = `mkfifo pipe
"$NODE" "$SPILE" config.json --max-time 1s > pipe 2> errors & pid=$!
exec 3< pipe
wait $pid; echo $? > code`;
  assert.equal((await shell(script, { cwd: folder.path })).code, 0);
  assert.equal(await folder.read("code"), "75\n");
  assert.match(await folder.read("errors"), /^error the reader of stdout has not taken all lines within --max-time/m);
});

for (const [title, lines, blockedMs, expected] of [
  ["a process that was blocked gets time to end", 1, 2600, [0, ""]],
  ["the message blames the reader only if it has not taken all lines", 0, 0, [75, "the run has not ended within 2 s"]],
  [
    "a reader that does not read is named",
    1,
    0,
    [75, "the reader of stdout has not taken all lines within --max-time"],
  ],
] as const) {
  test(`after --max-time, ${title}`, () => {
    const module = JSON.stringify(new URL("../../../src/cli/output.ts", import.meta.url).href);
    const script = `import { limitExit } from ${module};
limitExit(1, { writableLength: ${lines} }, (error) => process.stdout.write(error.message));
setInterval(() => undefined, 1000);
if (${blockedMs} > 0) setTimeout(() => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${blockedMs});
  setTimeout(() => process.exit(0), 100);
});`;
    const { status, stdout } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script]);
    const [code, message] = expected;
    assert.equal(status, code);
    assert.ok(stdout.toString().startsWith(message) && (message !== "" || stdout.length === 0), stdout.toString());
  });
}
