import assert from "node:assert/strict";
import { test } from "node:test";
import { names } from "../../src/cli/completion/names.ts";
import { json, startApi } from "../helpers/api.ts";
import { records, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";
import { planned } from "../shards/sharded.ts";

const placeholders = { id: "id" };
const lines = { endpoint: "orders/{id}/lines", dataType: "lines", placeholders };
const orders = { endpoint: "users/{id}/orders", dataType: "orders", placeholders, children: [lines] };
const notes = { endpoint: "users/{id}/notes", dataType: "notes", id: 7, placeholders };

/** Returns a configuration of two jobs: users, with their notes, their orders and the lines of the orders; and tags. */
function configurationOf(baseUrl: string, users: object = {}): object {
  const pagination = { method: "offset", limit: 2 };
  return {
    api: { baseUrl, pagination: { method: "multiple", scrollers: { paged: pagination, whole: { method: "none" } } } },
    config: {
      jobs: [
        { endpoint: "users", scroller: "paged", children: [orders, notes], ...users },
        { endpoint: "tags", scroller: "whole" },
      ],
    },
  };
}

async function startShop(refused?: string) {
  return await startApi(({ path, params }) => {
    if (path === refused) return json({}, { status: 403 });
    const [, kind, id, list] = path.split("/");
    if (path === "/users")
      return [1, 2, 3]
        .map((user) => ({ id: user, at: user }))
        .slice(Number(params.get("offset")), Number(params.get("offset")) + 2);
    if (kind === "tags") return [{ tag: 1 }];
    if (list === "lines") return [{ line: Number(id) }];
    return list === "orders" ? [{ id: Number(id) * 10 }] : [{ note: Number(id) }];
  });
}

const kinds = (output: string): string[] => records(output).map((record) => Object.keys(record as object)[0] ?? "");
const paths = (api: { readonly log: readonly { readonly path: string }[] }): string[] =>
  api.log.map(({ path }) => path);

test("--job CHILD requests the jobs above without writing them, and does not request its siblings", async () => {
  for (const name of ["notes", "users/{id}/notes", "7"]) {
    await using api = await startShop();
    const { result, output } = await runHere(configurationOf(api.url), { jobs: [name] });
    assert.equal(result.exitCode, 0, result.failure?.message);
    assert.deepEqual(
      records(output),
      [1, 2, 3].map((note) => ({ note, parent_id: note })),
    );
    assert.deepEqual(paths(api), ["/users", "/users/1/notes", "/users/2/notes", "/users", "/users/3/notes"]);
    assert.deepEqual(
      result.jobs.map(({ dataType, verdict, records: count }) => [dataType, verdict, count]),
      [
        ["users", "complete", 0],
        ["notes", "complete", 3],
      ],
    );
    assert.match(result.jobs[0]?.reason ?? "", /; its records are not written$/);
  }
});

test("--job may name a grandchild, a child with all jobs below it, or jobs of several levels", async () => {
  const named = async (...jobs: string[]): Promise<string[]> => {
    await using api = await startShop();
    return [...new Set(kinds((await runHere(configurationOf(api.url), { jobs })).output))];
  };
  assert.deepEqual(await named("lines"), ["line"]);
  assert.deepEqual(await named("orders"), ["id", "line"]);
  assert.deepEqual(await named("users"), ["id", "line", "note"]);
  assert.deepEqual(await named("notes", "tags"), ["note", "tag"]);
});

test("an unknown name in --job is an error that lists all jobs, including child jobs", async () => {
  await using api = await startShop();
  const { result } = await runHere(configurationOf(api.url), { jobs: ["note"] });
  assert.equal(result.exitCode, 64);
  assert.match(result.failure?.message ?? "", /the jobs are "users", "orders", "lines", "notes", "tags"$/);
  assert.deepEqual(api.log, []);
});

test("with --job CHILD, the watermarks of the jobs above and the state's time stay", async () => {
  await using api = await startShop();
  await using folder = await temporaryFolder();
  const state = `${folder.path}/state.json`;
  const users = { incremental: { path: "at", type: "number" }, params: { since: { incremental: "from" } } };
  const configuration = configurationOf(api.url, users);
  await runHere(configuration, { state, jobs: ["notes"] });
  assert.equal(await folder.read("state.json").catch(() => ""), "");
  await runHere(configuration, { state });
  assert.match(await folder.read("state.json"), /"users": ?\{[^}]*"value": ?3/);
  await runHere(configuration, { state, jobs: ["notes"] });
  assert.match(api.log.findLast(({ path }) => path === "/users")?.target ?? "", /since=3/);
});

test("with --job CHILD, the watermarks of the child move, and those of the job above stay", async () => {
  await using api = await startShop();
  await using folder = await temporaryFolder();
  const state = `${folder.path}/state.json`;
  const increment = { path: "note", type: "number" };
  const since = { params: { since: { incremental: "from" } } };
  const users = {
    incremental: { path: "at", type: "number" },
    children: [orders, { ...notes, incremental: increment, ...since }],
  };
  const configuration = configurationOf(api.url, users);
  const { result } = await runHere(configuration, { state, jobs: ["notes"] });
  assert.equal(result.exitCode, 0, result.failure?.message);
  const { incremental } = JSON.parse(await folder.read("state.json"));
  assert.deepEqual(Object.keys(incremental), ["notes"]);
  await runHere(configuration, { state, jobs: ["notes"] });
  assert.deepEqual(
    api.targets().filter((target) => target.includes("since=")),
    ["/users/1/notes?since=1", "/users/2/notes?since=2", "/users/3/notes?since=3"],
  );
});

test('"write": false keeps the job\'s records out of the output, and its watermark moves', async () => {
  await using api = await startShop();
  await using folder = await temporaryFolder();
  const users = { write: false, incremental: { path: "at", type: "number" } };
  const { result, output } = await runHere(configurationOf(api.url, users), { state: `${folder.path}/state.json` });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.deepEqual([...new Set(kinds(output))], ["id", "line", "note", "tag"]);
  assert.equal(records(output).length, 10);
  const state = JSON.parse(await folder.read("state.json"));
  assert.equal(state.incremental.users.value, 3);
  assert.ok(state.time.previousStart > 0, "every record that the configuration writes was written");
});

test('records of a job with "write": false do not count for --max-records, and its repeated pages are recognised', async () => {
  await using api = await startApi(({ path }) => (path === "/users" ? [{ id: 1 }, { id: 2 }] : [{ note: 1 }]));
  const { result, output } = await runHere(configurationOf(api.url, { write: false, children: [notes] }));
  assert.equal(result.jobs[0]?.verdict, "suspect");
  assert.equal(records(output).length, 3);
  await using shop = await startShop();
  const limited = await runHere(configurationOf(shop.url, { write: false }), { maxRecords: 4 });
  assert.deepEqual(kinds(limited.output), ["id", "line", "id", "line"]);
});

test("a job that writes nothing and has no written child sends no request, and check reports it", async () => {
  await using api = await startShop();
  await using folder = await temporaryFolder();
  const config = await folder.write(
    "config.json",
    configurationOf(api.url, { write: false, children: [{ ...notes, write: false }] }),
  );
  const { code, stdout, stderr } = await spileHere([config]);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '{"tag":1}\n');
  assert.deepEqual(paths(api), ["/tags"]);
  assert.match(stderr, /\/config\/jobs\/0\/write: none of its records are written, so it is not requested/);
  assert.match(stderr, /\/config\/jobs\/0\/children\/0\/write: none of its records/);
});

test("check, plan and preview say that a job is not written, and --discover leaves it out", async () => {
  await using api = await startShop();
  await using folder = await temporaryFolder();
  const config = await folder.write("config.json", configurationOf(api.url, { write: false }));
  const check = await spileHere(["check", config, "--job", "notes"]);
  assert.match(
    check.stdout,
    /^users\tGET users\t.*; its records are not written\n {2}notes\tGET users\/\{id\}\/notes\t[^\n]*\n$/,
  );
  const plan = await spileHere(["plan", config, "--job", "notes"]);
  assert.match(plan.stdout, /"paging":"[^"]*; its records are not written","children":\["notes"\]/);
  const preview = await spileHere(["preview", config, "--job", "notes"]);
  assert.match(preview.stdout, /^users {3}GET users {3}[^\n]*its records are not written\n\nnotes /);
  assert.doesNotMatch(preview.stdout, /\bat\b/);
  const { streams } = JSON.parse((await spileHere(["--config", config, "--discover"])).stdout);
  assert.deepEqual(
    streams.map(({ stream }: { stream: string }) => stream),
    ["orders", "lines", "notes", "tags"],
  );
});

test("completion offers the names of child jobs", async () => {
  await using folder = await temporaryFolder();
  const config = await folder.write("config.json", configurationOf("http://127.0.0.1/"));
  assert.deepEqual(await names.jobs(config), [
    "users",
    "orders",
    "users/{id}/orders",
    "lines",
    "orders/{id}/lines",
    "notes",
    "users/{id}/notes",
    "tags",
  ]);
});

test("if a catalog lacks a job, the bookmark of that job stays unchanged", async () => {
  await using api = await startShop();
  await using folder = await temporaryFolder();
  const config = await folder.write(
    "config.json",
    configurationOf(api.url, { incremental: { path: "at", type: "number" } }),
  );
  const streams = [{ tap_stream_id: "notes", stream: "notes", selected: true }];
  const catalog = await folder.write("catalog.json", { streams });
  const { stdout } = await spileHere(["--config", config, "--catalog", catalog]);
  assert.doesNotMatch(stdout, /bookmarks":\{"users/);
});

test("shards of a job that is not written give the lines of one run", async () => {
  for (const scroller of ["paged", "whole"]) {
    await using api = await startShop();
    const configuration = configurationOf(api.url, { write: false, scroller });
    const { output } = await runHere(configuration);
    await using sharded = await planned(configuration, 2);
    for (const index of [0, 1]) await sharded.run(index);
    const merged = await sharded.merge();
    assert.equal(merged.output, output);
    assert.deepEqual([...new Set(merged.jobs.map(({ verdict }) => verdict))], ["complete"]);
  }
});

test("after a parent of --job CHILD has failed, --resume continues at the page of this parent", async () => {
  await using folder = await temporaryFolder();
  let refuses = true;
  await using api = await startApi(({ path, params }) => {
    if (path === "/users")
      return [1, 2, 3, 4].map((id) => ({ id })).slice(Number(params.get("offset")), Number(params.get("offset")) + 2);
    return refuses && path === "/users/3/notes" ? json({}, { status: 403 }) : [{ note: Number(path.split("/")[2]) }];
  });
  const target = { kind: "file", path: `${folder.path}/notes.ndjson` } as const;
  const options = { state: `${folder.path}/state.json`, keepGoing: true, jobs: ["notes"], target };
  const first = await runHere(configurationOf(api.url), { ...options, resume: false });
  assert.match(first.result.jobs[1]?.reason ?? "", /^1 of 4 parents failed/);
  refuses = false;
  const asked = api.log.length;
  const second = await runHere(configurationOf(api.url), { ...options, resume: true });
  assert.equal(second.result.exitCode, 0, second.result.failure?.message);
  assert.deepEqual(
    records(await folder.read("notes.ndjson")).map((record) => (record as { note: number }).note),
    [1, 2, 3, 4],
  );
  assert.equal(paths(api).slice(asked).includes("/users/1/notes"), false);
});
