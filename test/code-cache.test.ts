import assert from "node:assert/strict";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { startApi, text } from "./helpers/api.ts";
import { command, type Finished, shell, spile, startCommand } from "./helpers/cli.ts";

const scratch = await mkdtemp(join(tmpdir(), "spile-code-cache-"));
after(() => rm(scratch, { recursive: true, force: true }));

let used = 0;

/** Makes an empty folder for temporary files, in which the command then keeps its code (contract C-9.11). */
async function emptyPlace() {
  used += 1;
  const temporary = join(scratch, String(used));
  await mkdir(temporary);
  const folder = join(temporary, `spile-code-${process.geteuid?.() ?? "user"}`);
  /** Returns the path of the only file of the cache. */
  const only = async (): Promise<string> => {
    const [name = "", ...more] = await readdir(folder);
    assert.deepEqual(more, []);
    return join(folder, name);
  };
  return {
    temporary,
    folder,
    only,
    /** Returns a number that changes when the file is replaced. */
    identity: async (): Promise<number> => (await stat(await only())).ino,
    run: async (words: readonly string[] = ["--version"], env: Record<string, string> = {}): Promise<Finished> => {
      const finished = await spile(words, { env: { TMPDIR: temporary, ...env } });
      assert.equal(finished.stderr, "");
      return finished;
    },
  };
}

test("a run caches its compiled code, and the next run uses it", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const place = await emptyPlace();
  const file = join(place.temporary, "config.json");
  await writeFile(file, JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } }));
  const first = await place.run([file, "--quiet"]);
  assert.equal((await stat(place.folder)).mode & 0o777, 0o700);
  assert.equal((await stat(await place.only())).mode & 0o777, 0o600);
  const identity = await place.identity();
  const second = await place.run([file, "--quiet"]);
  assert.equal(first.stdout, '{"id":1}\n');
  assert.equal(second.stdout, first.stdout);
  // V8 has accepted all of it; otherwise the second run would have replaced the file.
  assert.equal(await place.identity(), identity);
});

test("runs share one file, whatever the name of the configuration and the first option", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const place = await emptyPlace();
  const text = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } });
  for (const name of ["config.json", "orders"]) await writeFile(join(place.temporary, name), text);
  const env = { TMPDIR: place.temporary };
  for (const words of ["config.json --quiet", "orders --quiet", "--strict --quiet orders", "--quiet orders"]) {
    const { stdout } = await spile(words.split(" "), { env, cwd: place.temporary });
    assert.equal(stdout, '{"id":1}\n', words);
    await place.only();
  }
});

test("runs that need different scripts share one file, which grows with each new script", async () => {
  await using api = await startApi(({ path }) => (path === "/table" ? text("id\n1\n") : [{ id: "1" }]));
  const place = await emptyPlace();
  const write = async (name: string, job: object): Promise<string> => {
    const file = join(place.temporary, name);
    await writeFile(file, JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [job] } }));
    return file;
  };
  const table = [await write("table.json", { endpoint: "table", format: "csv" }), "--quiet"];
  const report = join(place.temporary, "report.html");
  const reporting = [await write("list.json", { endpoint: "list" }), "--quiet", "--report", report];
  const identities: number[] = [];
  for (const words of [table, table, reporting, table, reporting]) {
    assert.equal((await place.run(words)).stdout, '{"id":"1"}\n');
    identities.push(await place.identity());
  }
  const [first, second, third, ...later] = identities;
  assert.equal(second, first);
  assert.notEqual(third, second);
  // The code of the script that only the table needs is kept.
  assert.deepEqual(later, [third, third]);
});

test("a run that reads more than 4 MiB, and so collects garbage, caches usable code", async () => {
  await using api = await startApi(() => [{ text: "a".repeat(9_000_000) }]);
  const place = await emptyPlace();
  const file = join(place.temporary, "config.json");
  await writeFile(file, JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } }));
  await place.run([file, "--quiet"]);
  const identity = await place.identity();
  await place.run([file, "--quiet"]);
  assert.equal(await place.identity(), identity);
});

test("each command has its own file", async () => {
  const place = await emptyPlace();
  await place.run(["--version"]);
  await place.run(["--help"]);
  await place.run(["help", "paging"]);
  assert.equal((await readdir(place.folder)).length, 3);
});

test("a damaged file is replaced", async () => {
  const place = await emptyPlace();
  const { stdout } = await place.run();
  const path = await place.only();
  const bytes = await readFile(path);
  for (const damaged of [flipped(bytes, bytes.length >> 1), bytes.subarray(0, -9), bytes.subarray(0, 2), ""]) {
    await writeFile(path, damaged);
    assert.equal((await place.run()).stdout, stdout);
    assert.notDeepEqual(await readFile(path), damaged);
  }
});

function flipped(bytes: Buffer, index: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[index] = ~(copy[index] ?? 0);
  return copy;
}

test("a file that others can write to is replaced and not used", async () => {
  const place = await emptyPlace();
  await place.run();
  const identity = await place.identity();
  await chmod(await place.only(), 0o622);
  await place.run();
  assert.notEqual(await place.identity(), identity);
  assert.equal((await stat(await place.only())).mode & 0o777, 0o600);
});

test("a folder that others can write to is not used", async () => {
  const place = await emptyPlace();
  await mkdir(place.folder);
  await chmod(place.folder, 0o777);
  await place.run();
  assert.deepEqual(await readdir(place.folder), []);
});

test("a link in place of the folder is not used", { skip: process.platform !== "linux" }, async () => {
  const place = await emptyPlace();
  const target = join(place.temporary, "target");
  await mkdir(target, { mode: 0o700 });
  await symlink(target, place.folder);
  await place.run();
  assert.deepEqual(await readdir(target), []);
});

test("nothing is cached without a folder for temporary files, or if Node's compile cache is off", async () => {
  const place = await emptyPlace();
  assert.match((await place.run(["--version"], { TMPDIR: join(place.temporary, "none") })).stdout, /^\d/);
  await place.run(["--version"], { NODE_DISABLE_COMPILE_CACHE: "1" });
  assert.deepEqual(await readdir(place.temporary), []);
});

test("a full disk leaves no partial file, and the command succeeds", async () => {
  const place = await emptyPlace();
  const { code, stdout, stderr } = await shell("ulimit -f 4; spile --version", { env: { TMPDIR: place.temporary } });
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^\d/);
  assert.deepEqual(await readdir(place.folder), []);
});

test("a run that fails caches nothing", async () => {
  const place = await emptyPlace();
  const { code } = await spile(["check", "none.json"], { env: { TMPDIR: place.temporary } });
  assert.notEqual(code, 0);
  assert.deepEqual(await readdir(place.temporary), []);
});

test("a changed script is not run with its old code, even if its length is the same", async () => {
  const place = await emptyPlace();
  const dist = join(place.temporary, "dist");
  await cp(dirname(command), dist, { recursive: true });
  await writeFile(join(place.temporary, "package.json"), '{"type":"module"}');
  const run = (): Promise<Finished> =>
    startCommand(process.execPath, [join(dist, "bin.js"), "--help"], { env: { TMPDIR: place.temporary } }).finished;
  assert.match((await run()).stdout, /Everything else goes/);
  for (const name of await readdir(join(dist, "command"))) {
    const path = join(dist, "command", name);
    const text = await readFile(path, "utf8");
    if (!text.includes("Everything else goes")) continue;
    await writeFile(`${path}.new`, text.replaceAll("Everything else goes", "Everything ELSE goes"));
    await rename(`${path}.new`, path);
  }
  assert.match((await run()).stdout, /Everything ELSE goes/);
});
