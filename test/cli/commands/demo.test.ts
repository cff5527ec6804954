import assert from "node:assert/strict";
import { test } from "node:test";
import { datasets } from "../../../src/demo/datasets.ts";
import { records, shell, spile, start, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

/** Every line of the demo, to the byte. */
const expected = [...datasets.values()]
  .flatMap(({ size, record }) => Array.from({ length: size }, (_, index) => `${record(index)}\n`))
  .join("");

test("the demo writes exactly its records to stdout, everything else to stderr", async () => {
  const { code, stdout, stderr } = await spile(["demo"]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, expected);
  assert.match(stderr, /http:\/\/127\.0\.0\.1:\d+\//);
  assert.match(stderr, /^info trees complete: 420 of 420 records, 5 pages/m);
  assert.equal(stderr.includes("\u001b"), false);
});

test("a file gets the same bytes as a slow reader of a pipe", async () => {
  await using folder = await temporaryFolder();
  const script = "spile demo -q | (sleep 1; cat) > slow; spile demo -q > file; cmp slow file && wc -c < file";
  const { code, stdout, stderr } = await shell(script, { cwd: folder.path });
  assert.deepEqual([code, stdout.trim(), stderr], [0, String(Buffer.byteLength(expected)), ""]);
});

test("options of a run apply to the demo", async () => {
  await using folder = await temporaryFolder();
  const summary = `${folder.path}/summary.json`;
  const { code, stdout } = await spileHere([
    "demo",
    "--job",
    "taps",
    "--tag",
    "--max-records",
    "3",
    "--summary",
    summary,
  ]);
  assert.equal(code, 0);
  const lines = records(stdout) as { dataType: string; record: { side: string } }[];
  assert.deepEqual(
    lines.map((line) => [line.dataType, typeof line.record.side]),
    Array(3).fill(["taps", "string"]),
  );
  const written = JSON.parse(await folder.read("summary.json"));
  assert.deepEqual(Object.keys(written), ["version", "startedAt", "durationMs", "exitCode", "records", "jobs"]);
  assert.deepEqual([written.exitCode, written.records, written.jobs.length], [0, 3, 1]);
  const [{ requests, retries, logins, bytes, ...job }] = written.jobs;
  assert.equal(job.verdict, "limited");
  assert.deepEqual([job.job, job.dataType, job.records, job.pages], ["taps", "taps", 3, 1]);
  for (const figure of [requests, retries, logins, bytes]) assert.equal(typeof figure, "number");
});

test("--serve prints a working configuration, and serves until it is interrupted", async () => {
  const serving = start(["demo", "--serve"]);
  const configuration = await serving.until("stdout", /\n}\n$/);
  const [, login = "", data = ""] =
    /curl -s '([^']+)'.*'([^']+)'/.exec(await serving.until("stderr", /curl .*\n/)) ?? [];
  const { session } = (await (await fetch(login)).json()) as { session: { token: string } };
  const response = await fetch(data, { headers: { Authorization: `Bearer ${session.token}` } });
  assert.equal(response.status, 200);
  const run = await spileHere(["-", "-q"], { stdin: configuration });
  assert.deepEqual([run.code, run.stdout === expected, run.stderr], [0, true, ""]);
  serving.kill("SIGINT");
  const { code, stdout, stderr } = await serving.finished;
  assert.deepEqual([code, stdout], [130, configuration]);
  assert.doesNotMatch(stderr, /error/);
});
