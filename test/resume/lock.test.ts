import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, symlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lockFile } from "../../src/resume/lock.ts";
import { broken } from "../helpers/answers.ts";
import { type Api, startApi } from "../helpers/api.ts";
import { type Running, start, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { createZombie } from "../helpers/zombie.ts";

/* Tests that two runs of one schedule do not overlap (contract C-11.8). */

const args = ["config.json", "--state", "state.json"];
const soon = 5000;

/** Starts an API that answers at once, or lets its clients wait. */
function slowApi(): Promise<Api & { stalls: boolean }> {
  const behaviour = { stalls: true };
  return startApi(() => (behaviour.stalls ? broken.stalledBeforeHeaders() : [{ id: 1 }])).then((api) =>
    Object.assign(behaviour, api),
  );
}

async function setUp(api: Api) {
  const folder = await temporaryFolder();
  await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } });
  return folder;
}

test("a lock that another run has taken over is not released", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("state.json", {});
  const release = lockFile(file, "this state");
  await folder.write("state.json.lock", "of another run");
  release();
  assert.equal(await folder.read("state.json.lock"), "of another run");
});

test("a second run ends with 75 and names the holder of the state, and the first continues", async () => {
  await using api = await slowApi();
  await using folder = await setUp(api);
  const cwd = folder.path;
  const first = start(args, { cwd });
  await api.received(1);
  const { pid, since } = JSON.parse(await folder.read("state.json.lock")) as { pid: number; since: string };
  const { code, stdout, stderr } = await spileHere(args, { cwd });
  assert.deepEqual([code, stdout], [75, ""]);
  assert.equal(stderr, `error another run is using this state (process ${pid} on ${hostname()}, since ${since})\n`);
  // The same file by another name.
  const absolute = [`${cwd}/config.json`, "--state", `${cwd}/state.json`];
  assert.equal((await spileHere(absolute, { cwd: "/" })).code, 75);
  assert.equal(api.log.length, 1, "the second run sent requests");
  first.kill("SIGTERM");
  assert.equal((await first.finished).code, 143);
  assert.deepEqual(
    (await readdir(cwd)).filter((name) => name.includes("lock")),
    [],
    "a lock is left",
  );
  api.stalls = false;
  assert.equal((await spileHere(args, { cwd })).code, 0);
});

for (const signal of ["SIGINT", "SIGTERM", "SIGKILL"] as const) {
  test(`the next run starts at once after ${signal}`, async () => {
    await using api = await slowApi();
    await using folder = await setUp(api);
    const cwd = folder.path;
    const first = start(args, { cwd });
    await api.received(1);
    first.kill(signal);
    await first.finished;
    const left = (await readdir(cwd)).includes("state.json.lock");
    assert.equal(left, signal === "SIGKILL");
    api.stalls = false;
    const startTime = performance.now();
    const { code, stdout, stderr } = await spileHere(args, { cwd });
    assert.deepEqual([code, stdout], [0, '{"id":1}\n'], stderr);
    assert.ok(performance.now() - startTime < soon);
    assert.deepEqual((await readdir(cwd)).sort(), ["config.json", "state.json"]);
  });
}

test("if several runs find the lock of a dead run, one takes it over", async () => {
  await using api = await slowApi();
  await using folder = await setUp(api);
  const cwd = folder.path;
  const dead = start(args, { cwd });
  await api.received(1);
  dead.kill("SIGKILL");
  await dead.finished;
  const runs: Running[] = Array.from({ length: 4 }, () => start(args, { cwd }));
  let refused = 0;
  const refusals = runs.map(async (run) => {
    const { code } = await run.finished;
    if (code === 75) refused += 1;
    // The others are refused while the one that holds the lock waits for its answer.
    if (refused === runs.length - 1) for (const other of runs) other.kill("SIGTERM");
    return code;
  });
  assert.deepEqual((await Promise.all(refusals)).sort(), [143, 75, 75, 75]);
  assert.equal(api.log.length, 2);
});

/** A lock of this process, which is alive. Tests change parts of it. */
const lock = { pid: process.pid, host: hostname(), since: "2026-01-01T00:00:00.000Z" };

const foreign = [
  { title: "of a living process", text: JSON.stringify(lock), says: /another run is using this state \(process / },
  {
    title: "of another host",
    // No process here has this pid, but one there may.
    text: JSON.stringify({ ...lock, pid: 99_999_999, host: "elsewhere" }),
    says: /process 99999999 on elsewhere, since 2026-.*; if that run has ended, remove .*state\.json\.lock$/m,
  },
  {
    title: "with invalid content",
    text: "hello",
    says: /state\.json\.lock is not a lock of spile; remove it if no other run /,
  },
];

test("a lock that cannot be read is respected", async () => {
  await using api = await slowApi();
  await using folder = await setUp(api);
  await mkdir(join(folder.path, "state.json.lock"));
  const { code, stderr } = await spileHere(args, { cwd: folder.path });
  assert.equal(code, 75);
  assert.match(stderr, /cannot read the lock .*state\.json\.lock; remove it if no other run uses this state/);
});

for (const { title, text, says } of foreign) {
  test(`a lock ${title} is respected`, async () => {
    await using api = await slowApi();
    await using folder = await setUp(api);
    await folder.write("state.json.lock", text);
    const { code, stderr } = await spileHere(args, { cwd: folder.path });
    assert.equal(code, 75);
    assert.match(stderr, says);
    assert.equal(await folder.read("state.json.lock"), text);
  });
}

test("a lock of a dead process is not held by another process with its pid", {
  skip: process.platform !== "linux" && "only Linux tells when a process began",
}, async () => {
  await using api = await slowApi();
  api.stalls = false;
  await using folder = await setUp(api);
  await folder.write("state.json.lock", JSON.stringify({ ...lock, began: "another boot 12345" }));
  const { code, stderr } = await spileHere(args, { cwd: folder.path });
  assert.equal(code, 0, stderr);
});

test("a holder that belongs to another user counts as alive", { skip: process.seteuid === undefined }, async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("state.json", {});
  const isRoot = process.getuid?.() === 0;
  // Root may send signals to every process. So as root, the test runs both sides as two other users.
  const other = isRoot ? spawn("sleep", ["60"], { uid: 65_534, stdio: "ignore" }) : undefined;
  try {
    const holder = { pid: other?.pid ?? 1, host: hostname(), since: new Date().toISOString() };
    await folder.write("state.json.lock", JSON.stringify(holder));
    await chmod(folder.path, 0o777);
    if (isRoot) process.seteuid?.(65_533);
    assert.throws(() => lockFile(file, "this state"), /^SpileError: another run is using this state/);
  } finally {
    if (isRoot) process.seteuid?.(0);
    other?.kill();
  }
});

test("a state that is not a file is not locked", async () => {
  await using api = await slowApi();
  api.stalls = false;
  await using folder = await setUp(api);
  const { code, stderr } = await spileHere(["config.json", "--state", "/dev/null"], { cwd: folder.path });
  assert.equal(code, 0, stderr);
});

test("a zombie that holds a lock counts as dead", {
  skip: process.platform !== "linux",
}, async () => {
  await using api = await slowApi();
  await using folder = await setUp(api);
  const cwd = folder.path;
  await using zombie = await createZombie();
  const holder = { pid: zombie.pid, host: hostname(), since: new Date().toISOString() };
  await folder.write("state.json.lock", `${JSON.stringify(holder)}\n`);
  api.stalls = false;
  const { code, stderr } = await spileHere(args, { cwd });
  assert.equal(code, 0, stderr);
});

test("a link at the name of the lock's draft is not followed", { skip: process.platform === "win32" }, async () => {
  await using folder = await temporaryFolder();
  const victim = await folder.write("victim", "precious");
  const file = await folder.write("state.json", {});
  await symlink(victim, `${file}.lock.${process.pid}`);
  const release = lockFile(file, "this state");
  assert.equal(await folder.read("victim"), "precious");
  release();
  assert.deepEqual((await readdir(folder.path)).sort(), ["state.json", "victim"]);
});
