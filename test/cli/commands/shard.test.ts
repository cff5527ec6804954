import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { optionsOf } from "../../../src/cli/option-table.ts";
import { dataset, records, startApi } from "../../helpers/api.ts";
import { spile, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

test("plan, run and merge give the bytes and the verdict of one run", async () => {
  await using api = await startApi(dataset(records(47), { wrap: (page, total) => ({ items: page, total }) }));
  await using folder = await temporaryFolder();
  const config = await folder.write("config.json", {
    api: { baseUrl: `${api.url}/`, pagination: { method: "pagenum", limit: 10, pageParam: "offset", firstPage: 0 } },
    config: { jobs: [{ endpoint: "things", dataField: "items" }] },
  });
  const paged = await folder.write("paged.json", {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 10 } },
    config: { jobs: [{ endpoint: "things", dataField: "items" }] },
  });
  const at = (name: string): string => join(folder.path, name);
  const one = await spileHere([paged]);
  assert.equal((await spileHere(["shard", "plan", paged, "--count", "2", "-o", at("plan.json")])).code, 0);
  const early = await spileHere(["shard", "merge", at("plan.json"), folder.path]);
  assert.deepEqual(
    [early.code, early.stdout, early.stderr],
    [
      75,
      "",
      `error missing shards: 0, 1 (no finished part in ${folder.path}; run each shard again with spile shard run --index)\n`,
    ],
  );
  const run = ["shard", "run", at("plan.json"), paged, "--to", at("parts")];
  const shards = await Promise.all([
    spile([...run, "--index", "0"]),
    spile(run, { env: { PARALLEL_SEQ: "2" } }),
    spile(run, { env: { SLURM_ARRAY_TASK_ID: "1" } }),
  ]);
  assert.deepEqual(
    shards.map(({ code, stdout }) => [code, stdout]),
    [
      [0, ""],
      [0, ""],
      [0, ""],
    ],
  );
  assert.equal((await readdir(at("parts"))).length, 4);
  await writeFile(at("parts/1.0123456789ab.ndjson"), "{");
  const merge = ["shard", "merge", at("plan.json"), at("parts")];
  const merged = await spile([...merge, "--summary", at("end.json"), "--state", at("state.json")]);
  assert.deepEqual([merged.code, merged.stdout], [0, one.stdout]);
  assert.match(merged.stderr, /files of dead attempts remain \(--clean removes them\): 1\.0123456789ab\.ndjson\n/);
  const line = /things complete: 47 records, 5 pages, .*/;
  assert.deepEqual(line.exec(merged.stderr)?.[0], line.exec(one.stderr)?.[0]);
  assert.equal(JSON.parse(await folder.read("end.json")).records, 47);
  const { time } = JSON.parse(await folder.read("plan.json"));
  assert.deepEqual(JSON.parse(await folder.read("state.json")), { time: { previousStart: time.currentStart } });

  const tagged = await spileHere([...merge, "--tag", "--clean", "-o", at("all.ndjson")]);
  assert.equal(tagged.code, 0);
  assert.equal(await folder.read("all.ndjson"), (await spileHere([paged, "--tag"])).stdout);
  assert.equal((await readdir(at("parts"))).length, 4);

  const other = await spileHere(["shard", "run", at("plan.json"), config, "--to", at("parts"), "--index", "0"]);
  assert.equal(other.code, 78);
  assert.match(
    other.stderr,
    /the configuration, or a setting given to it, is not the one from which the plan was made/,
  );
});

test("each step of shard has its own files and options", async () => {
  const errorOf = async (...words: string[]): Promise<string> => {
    const { code, stderr } = await spileHere(["shard", ...words]);
    return `${code} ${stderr.trimEnd()}`;
  };
  assert.equal(
    await errorOf("go", "x"),
    "64 error spile shard go: the commands are plan, run and merge, see spile help shard",
  );
  assert.equal(await errorOf("plan", "x"), "64 error spile shard plan needs --count N, the number of shards");
  assert.equal(await errorOf("plan", "x", "y", "--count", "2"), '64 error unexpected argument "y"');
  assert.equal(await errorOf("run", "x"), "64 error CONFIG is missing: spile shard run PLAN CONFIG");
  assert.equal(await errorOf("run", "x", "y"), "64 error spile shard run needs --to DIR, the folder of the parts");
  assert.equal(
    await errorOf("merge", "x", "y", "--index", "1"),
    "64 error option --index is not an option of spile shard merge; it is an option of spile shard run",
  );
  const both = "spile shard run takes --resume and --state FILE together: FILE keeps the progress of a shard";
  assert.equal(await errorOf("run", "x", "y", "--to", "z", "--resume"), `64 error ${both}`);
  assert.equal(await errorOf("run", "x", "y", "--to", "z", "--state", "s"), `64 error ${both}`);
  // merge sends nothing, so it must refuse every option about requests, even one that no step in shard.ts lists.
  const ofRequests = optionsOf("shard").filter(({ group }) => /^(Requests|Limits)/.test(group));
  assert.ok(ofRequests.length > 3);
  for (const { name } of ofRequests) {
    const refused = new RegExp(`^64 error option --${name} is not an option of spile shard merge;`);
    assert.match(await errorOf("merge", "x", "y", `--${name}`, name === "rate" ? "1/s" : "1"), refused);
  }
  assert.match(await errorOf("merge", "x", "y"), /^78 error cannot read the plan x: /);
});

test("check --shards shows how each job would be divided", async () => {
  await using folder = await temporaryFolder();
  const child = { endpoint: "child/{id}", placeholders: { id: "id" } };
  const jobs = [
    { endpoint: "a", scroller: "pages" },
    { endpoint: "b", children: [child] },
    { endpoint: ["c", "d"] },
    { endpoint: "e" },
  ];
  const pagination = { method: "multiple", scrollers: { pages: { method: "offset", limit: 10 } } };
  const api = { baseUrl: "http://127.0.0.1:9/", pagination };
  const config = await folder.write("config.json", { api, config: { jobs } });
  const divided = async (...words: string[]): Promise<(string | undefined)[]> => {
    const { stdout } = await spileHere(["check", config, ...words]);
    return stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t")[3]);
  };
  assert.deepEqual(await divided(), [undefined, undefined, undefined, undefined, undefined]);
  assert.deepEqual(await divided("--shards", "4"), [
    "pages divided among 4 shards, if the first page is full",
    "parents divided among 4 shards, each of which reads all pages",
    undefined,
    "windows or endpoints divided among 4 shards",
    "one shard runs it",
  ]);
  assert.equal((await divided("--shards", "4", "--unique", "id"))[3], "one shard runs it");
  const iterations = await folder.write("iterations.json", {
    api,
    config: { jobs: [{ endpoint: "a", scroller: "pages" }] },
    iterations: [{ a: 1 }, { a: 2 }],
  });
  const divisionFor = async (count: string): Promise<string> =>
    (await spileHere(["check", iterations, "--shards", count])).stdout.split("\t")[3] ?? "";
  assert.equal(await divisionFor("2"), "whole iterations are distributed among the shards\n");
  assert.equal(await divisionFor("3"), "pages divided among 3 shards, if the first page is full\n");
});
