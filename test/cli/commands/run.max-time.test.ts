import assert from "node:assert/strict";
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
