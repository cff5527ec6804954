import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { openArchiveFile } from "../../src/recording/archive-file.ts";
import type { Archive } from "../../src/recording/har.ts";
import { openRecorder } from "../../src/recording/recorder.ts";
import { broken } from "../helpers/answers.ts";
import { type Api, records, startApi } from "../helpers/api.ts";
import { type Running, shell, start, type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

/* Tests of the file of --record when its run is stopped or killed, or the disk is full (contract C-22.4). */

const skip = process.platform === "win32" && "needs signals";

/** Starts an API that answers one page, and lets the client wait for the second page while `stalls` is set. */
async function api(): Promise<Api & { stalls: boolean }> {
  const behaviour = { stalls: true };
  const own = await startApi(({ params }) => {
    if (params.get("offset") === "0") return records(2);
    return behaviour.stalls ? broken.stalledBeforeHeaders() : [];
  });
  return Object.assign(behaviour, own);
}

async function setUp({ url }: Api, pagination: object = { method: "offset", limit: 2 }): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await folder.write("config.json", { api: { baseUrl: url, pagination }, config: { jobs: [{ endpoint: "items" }] } });
  return folder;
}

const names = async (folder: TemporaryFolder): Promise<string[]> =>
  (await readdir(folder.path)).filter((name) => name !== "config.json").sort();

async function waiting(folder: TemporaryFolder, { received }: Api): Promise<Running> {
  const running = start(["config.json", "--record", "run.har"], { cwd: folder.path });
  await running.until("stdout", /"id":2/);
  await received(2);
  return running;
}

test("a run that is stopped leaves an archive of the answers so far", { skip }, async () => {
  await using served = await api();
  await using folder = await setUp(served);
  const running = await waiting(folder, served);
  // The second signal ends the process before the run can end the file itself.
  running.kill("SIGTERM");
  running.kill("SIGINT");
  await running.finished;
  assert.deepEqual(await names(folder), ["run.har"]);
  const { log } = JSON.parse(await folder.read("run.har")) as Archive;
  assert.equal(log.entries[0]?.response.status, 200);
});

test("a replay reports where the recorded run was stopped", { skip }, async () => {
  for (const signals of [["SIGTERM"], ["SIGTERM", "SIGINT"]] as const) {
    await using served = await api();
    await using folder = await setUp(served);
    const running = await waiting(folder, served);
    for (const signal of signals) running.kill(signal);
    await running.finished;
    const { code, stderr } = await spileHere(["config.json", "--replay", "run.har"], { cwd: folder.path });
    assert.equal(code, 69, stderr);
    assert.match(
      stderr,
      /run\.har (has no answer to this request: the recorded run was stopped before an answer came|ends before this request, as it does if)/,
    );
    assert.doesNotMatch(stderr, /retry|nearest/);
  }
});

test("several killed runs leave one hidden file, which the next run takes over", { skip }, async () => {
  await using served = await api();
  await using folder = await setUp(served);
  for (const _ of [1, 2]) {
    const running = start(["config.json", "--record", "run.har"], { cwd: folder.path });
    await running.until("stdout", /"id":2/);
    running.kill("SIGKILL");
    await running.finished;
    assert.deepEqual(await names(folder), [".run.har.record.partial"]);
  }
  served.stalls = false;
  assert.equal((await spileHere(["config.json", "--record", "run.har"], { cwd: folder.path })).code, 0);
  assert.deepEqual(await names(folder), ["run.har"]);
});

test("after a full disk, the hidden file is gone, one line reports it, and the summary is written", {
  skip,
}, async () => {
  await using served = await startApi(() => ["x".repeat(200_000)]);
  await using folder = await setUp(served, { method: "none" });
  const script = "trap '' XFSZ; ulimit -f 100; spile config.json -o /dev/null --record run.har --summary end.json";
  const { code, stderr } = await shell(script, { cwd: folder.path });
  assert.equal(code, 74);
  assert.equal(stderr.match(/cannot write to run\.har: EFBIG/g)?.length, 1, stderr);
  assert.deepEqual(await names(folder), ["end.json"]);
  assert.equal((JSON.parse(await folder.read("end.json")) as { exitCode: number }).exitCode, 74);
});

test("if two runs record to one file, the later one keeps it and the earlier one fails", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "run.har");
  const earlier = await openArchiveFile(path);
  earlier.write(Buffer.from("earlier"));
  const later = await openArchiveFile(path);
  later.write(Buffer.from("later"));
  assert.throws(() => earlier.commit(), { exitCode: 74, message: /another run records to it, too/ });
  earlier.discard();
  later.commit();
  assert.equal(await folder.read("run.har"), "later");
});

test("a process that ends before its run could close the archive loses only the newest answer", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "run.har");
  const { transport } = await openRecorder(path, { secrets: new Secrets() });
  for (const name of ["first", "newest"]) {
    const answer = { status: 200, headers: [], body: Buffer.from(name) };
    await transport({ method: "GET", url: "http://a.test/", headers: new Map(), body: undefined }, async () => answer);
  }
  process.listeners("exit").at(-1)?.(0);
  const { log } = JSON.parse(await folder.read("run.har")) as Archive;
  assert.deepEqual(
    log.entries.map(({ response }) => response.content.text),
    ["first"],
  );
  assert.deepEqual(await names(folder), ["run.har"]);
});
