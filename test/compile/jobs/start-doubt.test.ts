import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, startApi } from "../../helpers/api.ts";
import { type Finished, type TemporaryFolder, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

/* Tests of a state whose time is later than the run's start, left by a clock that once was ahead (contract C-11.14). */

const since = { time: "previousStart" };
const state = { time: { previousStart: 4_102_444_800 }, note: "mine" };

const configurationOf = (api: Api, job: object, more: object = {}) => ({
  api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 }, ...more },
  config: { jobs: [{ endpoint: "events", ...job }] },
});

/** Starts an API that answers with four records, page by page. */
const events = (): Promise<Api> =>
  startApi(({ params }) =>
    [1, 2, 3, 4]
      .map((id) => ({ id }))
      .slice(Number(params.get("offset")))
      .slice(0, 2),
  );

async function folderOf(configuration: object): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await folder.write("config.json", configuration);
  await folder.write("state.json", state);
  return folder;
}

function run(folder: TemporaryFolder, ...args: string[]): Promise<Finished> {
  return spileHere(["config.json", "--state", "state.json", ...args], { cwd: folder.path });
}

const cases: Readonly<Record<string, readonly [job: object, more?: object]>> = {
  "the beginning of its windows": [{ windows: { from: since, step: "1 day" } }],
  "a parameter": [{ params: { since } }],
  "a parameter inside a function": [{ params: { since: { function: "date", args: ["c", since] } } }],
  "a child job": [{ dataType: "above", children: [{ endpoint: "events", dataType: "events", params: { since } }] }],
  "the parameters of all jobs": [{}, { http: { defaultOptions: { params: { since } } } }],
};

for (const [name, [job, more]] of Object.entries(cases)) {
  test(`a job that reads a time later than its start in ${name} is suspect, and the state stays`, async () => {
    await using api = await events();
    await using folder = await folderOf(configurationOf(api, job, more));
    const { code, stderr } = await run(folder, "--strict");
    assert.equal(code, 1, stderr);
    assert.match(
      stderr,
      /events suspect: .*the time in the state, 2100-01-01T00:00:00Z, is later than this run's start/,
    );
    assert.deepEqual(JSON.parse(await folder.read("state.json")), state);
  });
}

test("a job that does not read the time runs as usual, and the state gets the time of its run", async () => {
  await using api = await events();
  await using folder = await folderOf(configurationOf(api, { params: { now: { time: "currentStart" } } }));
  const { code, stderr } = await run(folder, "--strict");
  assert.equal(code, 0, stderr);
  const { time } = JSON.parse(await folder.read("state.json")) as typeof state;
  assert.ok(time.previousStart < state.time.previousStart);
});

test("a job that reads a time later than the run's start is suspect even if its pages or windows are divided among shards", async () => {
  await using api = await events();
  for (const job of [{ params: { since } }, { windows: { from: "2024-01-01", to: since, step: "50 years" } }]) {
    await using folder = await folderOf(configurationOf(api, job));
    const shard = (...words: string[]): Promise<Finished> => spileHere(["shard", ...words], { cwd: folder.path });
    await shard("plan", "config.json", "--count", "2", "--state", "state.json", "-o", "plan.json");
    for (const index of ["0", "1"]) {
      const { code, stderr } = await shard("run", "plan.json", "config.json", "--to", "parts", "--index", index);
      assert.equal(code, 0, stderr);
    }
    const merged = await shard("merge", "plan.json", "parts", "--state", "state.json", "--strict");
    assert.equal(merged.code, 1, merged.stderr);
    assert.match(merged.stderr, /events suspect: .*is later than this run's start/);
    assert.deepEqual(JSON.parse(await folder.read("state.json")), state);
  }
});
