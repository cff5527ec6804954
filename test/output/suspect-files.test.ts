import assert from "node:assert/strict";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type Api, linesOf, startApi } from "../helpers/api.ts";
import { type Finished, type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

/* Tests that a suspect run under --strict leaves existing files unchanged (contract C-9.8). */

interface Shop extends Api {
  /** True if the API says that there are more items than it gives. */
  isDoubtful: boolean;
  items: readonly { readonly id: number }[];
}

const users = [{ id: 100 }];

async function shop(): Promise<Shop> {
  const data: Pick<Shop, "isDoubtful" | "items"> = { isDoubtful: true, items: [{ id: 1 }, { id: 2 }] };
  const api = await startApi({
    "/users": () => ({ data: users, total: 1 }),
    "/items": () => ({ data: data.items, total: data.isDoubtful ? 50 : data.items.length }),
  });
  return Object.assign(data, api);
}

async function setUp(api: Api): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  const job = (endpoint: string): object => ({
    endpoint,
    dataField: "data",
    incremental: { path: "id", type: "number", initial: 0 },
    params: { after: { incremental: "from" } },
  });
  await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs: [job("users"), job("items")] } });
  return folder;
}

function run(folder: TemporaryFolder, ...args: string[]): Promise<Finished> {
  return spileHere(["config.json", ...args], { cwd: folder.path });
}

async function contents(folder: string): Promise<Record<string, string>> {
  const { readFile } = await import("node:fs/promises");
  const names = (await readdir(folder)).filter((name) => name.includes("ndjson"));
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")])),
  );
}

const yesterday = '{"id":"of yesterday"}\n';
const before = { time: { previousStart: 3 } };

test("a suspect run keeps the file of -o and writes its lines beside it, until the next good run", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  await folder.write("all.ndjson", yesterday);
  await folder.write("state.json", before);
  const words = ["--strict", "-o", "all.ndjson", "--state", "state.json", "--summary", "end.json"];
  for (const resume of [[], ["--resume"]]) {
    const { code, stderr } = await run(folder, ...words, ...resume);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^error .*--strict.*all\.ndjson stays as it was; the new lines are in all\.ndjson\.suspect$/m);
    assert.deepEqual(await contents(folder.path), {
      "all.ndjson": yesterday,
      "all.ndjson.suspect": linesOf([...users, ...api.items]),
    });
    assert.deepEqual(JSON.parse(await folder.read("state.json")), before);
    const { exitCode, suspectFiles } = JSON.parse(await folder.read("end.json")) as Record<string, unknown>;
    assert.deepEqual([exitCode, suspectFiles], [1, ["all.ndjson.suspect"]]);
  }
  api.isDoubtful = false;
  assert.equal((await run(folder, ...words)).code, 0);
  assert.deepEqual(await contents(folder.path), { "all.ndjson": linesOf([...users, ...api.items]) });
  assert.equal("suspectFiles" in (JSON.parse(await folder.read("end.json")) as object), false);
});

test("without --strict, the file is replaced, and the suspect file of an earlier run is removed", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  await run(folder, "--strict", "-o", "all.ndjson");
  assert.deepEqual(Object.keys(await contents(folder.path)), ["all.ndjson.suspect"]);
  assert.equal((await run(folder, "-o", "all.ndjson")).code, 0);
  assert.deepEqual(Object.keys(await contents(folder.path)), ["all.ndjson"]);
});

test("a suspect run with --split keeps all its files apart, and does not remove earlier files of datasets that now have no records", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  await mkdir(join(folder.path, "out"));
  for (const name of ["users", "items"]) await folder.write(`out/${name}.ndjson`, yesterday);
  const { code, stderr } = await run(folder, "--strict", "--split", "out");
  assert.equal(code, 1);
  assert.match(
    stderr,
    /the files in out stay as they were; the new lines are in out\/users\.ndjson\.suspect, out\/items\.ndj/,
  );
  const out = join(folder.path, "out");
  const kept = { "items.ndjson": yesterday, "users.ndjson": yesterday };
  assert.deepEqual(await contents(out), {
    ...kept,
    "items.ndjson.suspect": linesOf(api.items),
    "users.ndjson.suspect": linesOf(users),
  });
  // Lines of an earlier suspect run do not count as lines of this run.
  api.items = [];
  assert.equal((await run(folder, "--strict", "--split", "out")).code, 1);
  assert.deepEqual(await contents(out), { ...kept, "users.ndjson.suspect": linesOf(users) });
  await folder.write("out/items.ndjson.suspect", "");
  api.isDoubtful = false;
  assert.equal((await run(folder, "--strict", "--split", "out")).code, 0);
  assert.deepEqual(await contents(out), { "users.ndjson": linesOf(users) });
});

test("shard merge keeps suspect files apart like a single run", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  const shard = (...words: string[]): Promise<Finished> => spileHere(["shard", ...words], { cwd: folder.path });
  await folder.write("state.json", before);
  await folder.write("all.ndjson", yesterday);
  await shard("plan", "config.json", "--count", "1", "--state", "state.json", "-o", "plan.json");
  await shard("run", "plan.json", "config.json", "--to", "parts", "--index", "0");
  const merge = ["merge", "plan.json", "parts", "-o", "all.ndjson", "--state", "state.json", "--summary", "end.json"];
  const { code, stderr } = await shard(...merge, "--strict");
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^error .*all\.ndjson stays as it was; the new lines are in all\.ndjson\.suspect$/m);
  assert.deepEqual(await contents(folder.path), {
    "all.ndjson": yesterday,
    "all.ndjson.suspect": linesOf([...users, ...api.items]),
  });
  assert.deepEqual(JSON.parse(await folder.read("state.json")), before);
  assert.deepEqual((JSON.parse(await folder.read("end.json")) as Record<string, unknown>).suspectFiles, [
    "all.ndjson.suspect",
  ]);
  assert.equal((await shard(...merge)).code, 0);
  assert.deepEqual(await contents(folder.path), { "all.ndjson": linesOf([...users, ...api.items]) });
});

test("a suspect file is beside the target of a link, and a device has no suspect file", {
  skip: process.platform === "win32",
}, async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  await mkdir(join(folder.path, "elsewhere"));
  await folder.write("elsewhere/real.ndjson", yesterday);
  await symlink("elsewhere/real.ndjson", join(folder.path, "all.ndjson"));
  assert.equal((await run(folder, "--strict", "-o", "all.ndjson")).code, 1);
  assert.deepEqual(Object.keys(await contents(join(folder.path, "elsewhere"))), ["real.ndjson", "real.ndjson.suspect"]);
  assert.equal(await folder.read("all.ndjson"), yesterday);
  const { code, stderr } = await run(folder, "--strict", "-o", "/dev/null");
  assert.equal(code, 1);
  assert.doesNotMatch(stderr, /stays as it was/);
});

test("a name too long for the ending .suspect becomes a digest, and a suspect file that is also another output is an error (64)", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  const name = `${"n".repeat(248)}.ndjson`;
  assert.equal((await run(folder, "--strict", "-o", name)).code, 1);
  assert.deepEqual((await readdir(folder.path)).map((found) => found.replace(/^[0-9a-f]{32}/, "digest")).sort(), [
    "config.json",
    "digest.suspect",
  ]);
  const { code, stderr } = await run(folder, "-o", "all.ndjson", "--summary", "all.ndjson.suspect");
  assert.equal(code, 64);
  assert.match(stderr, /option --summary and the suspect file of option --output are the same file/);
});
