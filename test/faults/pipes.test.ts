import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type Api, startApi } from "../helpers/api.ts";
import {
  command,
  type Running,
  shell,
  start,
  startCommand,
  type TemporaryFolder,
  temporaryFolder,
} from "../helpers/cli.ts";

/* Tests of named pipes in place of files: signals take effect while nothing comes (contract C-9.2). */

const skip = process.platform === "win32" && "has no named pipes";
/** Milliseconds that a stop may take on a busy machine. */
const soon = 3000;

async function setUp(api: Api): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } });
  await folder.write("file.json", {
    api: { baseUrl: api.url },
    config: { "#token": { file: "pipe" }, jobs: [{ endpoint: "items" }] },
  });
  execFileSync("mkfifo", [join(folder.path, "pipe")]);
  return folder;
}

const commands: Readonly<Record<string, readonly string[]>> = {
  CONFIG: ["pipe"],
  "--state": ["config.json", "--state", "pipe"],
  "--state of plan": ["plan", "config.json", "--state", "pipe"],
  "--state with --singer": ["config.json", "--state", "pipe", "--singer"],
  "--env": ["config.json", "--env", "pipe"],
  "--credentials": ["config.json", "--credentials", "pipe"],
  "--replay": ["config.json", "--replay", "pipe"],
  "--catalog": ["config.json", "--singer", "--catalog", "pipe"],
  "--har": ["init", "--har", "pipe"],
  "--openapi": ["init", "--openapi", "pipe"],
  '{"file": ...}': ["file.json"],
  "a plan": ["shard", "merge", "pipe", "parts"],
  "curl's @file": ["init", "curl", "-d", "@pipe", "http://127.0.0.1:1/"],
  "curl's -H @file": ["init", "curl", "-H", "@pipe", "http://127.0.0.1:1/"],
  "curl's --cacert": ["init", "curl", "--cacert", "pipe", "http://127.0.0.1:1/"],
};

/** Opens the pipe for writing once the process has opened it for reading. Returns the file descriptor. */
async function openForWriting(pipe: string, running: Running): Promise<number> {
  let ended = false;
  void running.finished.then(() => {
    ended = true;
  });
  for (;;) {
    try {
      return openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENXIO" || ended) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

for (const [name, words] of Object.entries(commands)) {
  test(`${name}: SIGTERM ends the process while the pipe is silent`, { skip }, async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    await using folder = await setUp(api);
    const running = start(words, { cwd: folder.path });
    const writer = await openForWriting(join(folder.path, "pipe"), running);
    const startTime = performance.now();
    running.kill("SIGTERM");
    const { code, stderr } = await running.finished;
    closeSync(writer);
    assert.ok(performance.now() - startTime < soon, `${performance.now() - startTime} ms`);
    assert.deepEqual([code, stderr], [143, "error stopped by SIGTERM\n"]);
    assert.deepEqual(
      (await readdir(folder.path)).filter((file) => /lock|tmp/.test(file)),
      [],
    );
  });
}

for (const options of [
  ["--verbose", "-o", "pipe"],
  ["--verbose", "--summary", "pipe"],
]) {
  test(`a signal is reported although the pipe of ${options.at(-2)} has no reader`, { skip }, async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    await using folder = await setUp(api);
    const running = start(["config.json", ...options], { cwd: folder.path });
    await running.until("stderr", options.includes("-o") ? /1 job to run/ : /complete/);
    running.kill("SIGTERM");
    const { code, stderr } = await running.finished;
    assert.equal(code, 143);
    assert.match(stderr, /^error stopped by SIGTERM$/m);
  });
}

test('pipes give {"file": ...} and curl\'s @file their texts', { skip }, async () => {
  await using api = await startApi(({ headers, body }) => [{ token: headers.authorization, body }]);
  await using folder = await setUp(api);
  const headers = { Authorization: { attr: "#token" } };
  const { api: address, config } = JSON.parse(await folder.read("file.json"));
  await folder.write("file.json", { api: { ...address, http: { headers } }, config });
  const script = `printf t0ken > pipe & spile file.json || exit
printf a=1 > pipe & spile init --offline curl -d @pipe ${api.url}/x`;
  const { code, stdout, stderr } = await shell(script, { cwd: folder.path });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^{"token":"t0ken","body":""}\n/);
  assert.match(stdout, /"a": "1"/);
});

test("SIGTERM ends the process while the pipe for CONFIG has no writer, and without SIGTERM, a text that comes in two pieces is read", {
  skip,
}, async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await setUp(api);
  const pipe = join(folder.path, "pipe");
  const alone = start(["pipe", "--env", "pipe"], { cwd: folder.path });
  const first = await openForWriting(pipe, alone);
  // After the text for `--env`, the pipe has no writer.
  writeSync(first, "A=1\n");
  closeSync(first);
  alone.kill("SIGTERM");
  assert.equal((await alone.finished).code, 143);
  const running = start(["pipe"], { cwd: folder.path });
  const writer = await openForWriting(pipe, running);
  const text = await folder.read("config.json");
  writeSync(writer, text.slice(0, 9));
  await new Promise((resolve) => setImmediate(resolve));
  writeSync(writer, text.slice(9));
  closeSync(writer);
  const { code, stdout, stderr } = await running.finished;
  assert.deepEqual([code, stdout], [0, '{"id":1}\n'], stderr);
});

for (const words of ["-", "init -", "init curl http://127.0.0.1:1/ -d @-"]) {
  test(`spile ${words}: SIGTERM ends the process while nothing comes on stdin`, { skip }, async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    await using folder = await setUp(api);
    const script = `exec "$0" "$1" ${words} < pipe`;
    const running = startCommand("sh", ["-c", script, process.execPath, command], { cwd: folder.path });
    const writer = await openForWriting(join(folder.path, "pipe"), running);
    // When the full pipe has room again, the process has begun to read.
    while (writeBlanks(writer, 4096));
    while (!writeBlanks(writer, 4096)) await new Promise((resolve) => setImmediate(resolve));
    running.kill("SIGTERM");
    const { code, stderr } = await running.finished;
    closeSync(writer);
    assert.deepEqual([code, stderr], [143, "error stopped by SIGTERM\n"]);
  });
}

/** Writes blanks to a pipe. Returns false if it is full. */
function writeBlanks(pipe: number, bytes: number): boolean {
  try {
    return writeSync(pipe, " ".repeat(bytes)) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    return false;
  }
}
