import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { folderSink } from "../../src/output/folder-sink.ts";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

const job = (dataType: string, more: object = {}) => ({ endpoint: dataType, dataType, ...more });

test("after a run, each dataset of its jobs has the file of this run or no file", async () => {
  const rows: Record<string, unknown[]> = { "/full": [{ id: 1, tags: [] }], "/empty": [], "/full/1": [] };
  await using api = await startApi(({ path }) => rows[path] ?? []);
  await using folder = await temporaryFolder();
  const out = join(folder.path, "out");
  await mkdir(out);
  for (const name of ["full", "empty", "child", "tags", "other job", "mine"])
    await folder.write(`out/${name}.ndjson`, "old\n");
  const child = job("child", { endpoint: "full/{id}", placeholders: { id: "id" } });
  const mappings = {
    full: {
      id: { mapping: { destination: "id" } },
      tags: { type: "table", destination: "tags", tableMapping: { x: { mapping: { destination: "x" } } } },
    },
  };
  const file = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { mappings, jobs: [job("full", { children: [child] }), job("empty"), job("other job")] },
  });
  const { code, stderr } = await spileHere([file, "--split", out, "--job", "full", "--job", "empty"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual((await readdir(out)).toSorted(), ["full.ndjson", "mine.ndjson", "other job.ndjson"]);
  assert.notEqual(await folder.read("out/full.ndjson"), "old\n");
});

test("a run that fails leaves the files of an earlier run unchanged", async () => {
  await using api = await startApi({ "/a": () => [{ id: 1 }] });
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "out"));
  for (const name of ["a", "b"]) await folder.write(`out/${name}.ndjson`, "old\n");
  const file = await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs: [job("a"), job("b")] } });
  const { code } = await spileHere([file, "--split", join(folder.path, "out")]);
  assert.equal(code, 69);
  assert.deepEqual(await readdir(join(folder.path, "out")), ["a.ndjson", "b.ndjson"]);
  assert.equal(await folder.read("out/a.ndjson"), "old\n");
});

test("a dataset with too long a name for a file is reported before the first request", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const jobs = [job("a"), { endpoint: "b", dataType: "x".repeat(249) }];
  const file = await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs } });
  const { code, stderr } = await spileHere([file, "--split", join(folder.path, "out")]);
  assert.equal(code, 78, stderr);
  assert.match(stderr, /would have a name of 256 bytes; at most 255 are possible/);
  assert.equal(api.log.length, 0);
});

test("if one file cannot be written, lines that wait for another file are not counted as written", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "b.ndjson"));
  const sink = await folderSink(folder.path, ["a", "b"], undefined);
  const failed = once(sink.stream, "error");
  sink.stream.write({ dataset: "a", bytes: Buffer.from('{"id":1}\n'), records: 1 });
  sink.stream.write({ dataset: "b", bytes: Buffer.from(`"${"x".repeat(100_000)}"\n`), records: 1 });
  await failed;
  assert.equal(sink.records(), 0);
  await sink.discard();
});
