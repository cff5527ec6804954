import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withPartitions } from "../../../src/core/runs/partitions.ts";
import type { Watermarks } from "../../../src/core/runs/watermark.ts";
import { movesAfter, watermarksAfter } from "../../../src/shards/merge/merged-increment.ts";
import type { UnitIncrement } from "../../../src/shards/plan/plan-document.ts";
import { json, startApi } from "../../helpers/api.ts";
import { type TemporaryFolder, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";
import { planned } from "../sharded.ts";

const count = 3;

/** Runs all three steps as commands, each shard once. Returns the output of the merge. */
async function inShards(folder: TemporaryFolder, config: string, round: number): Promise<string> {
  const at = (name: string): string => join(folder.path, name);
  const parts = at(`parts-${round}`);
  const state = ["--state", at("sharded.json")];
  const step = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await spileHere(["shard", ...words]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  await step("plan", config, "--count", `${count}`, "-o", at("plan.json"), ...state);
  for (let index = 0; index < count; index += 1) {
    await step("run", at("plan.json"), config, "--to", parts, "--index", `${index}`);
  }
  return step("merge", at("plan.json"), parts, ...state);
}

const incremental = { path: "at", type: "number", lookback: 2 };
const from = { incremental: "from" };
const child = { endpoint: "child/{id}", dataType: "child", dataField: "items", placeholders: { id: "id" } };

test("increments of shards move to the values of one run", async () => {
  let values = Array.from({ length: 20 }, (_, id) => ({ id, at: (id * 7) % 20 }));
  await using api = await startApi(({ path, params }) => {
    if (path.startsWith("/child")) return { items: [{ path }], seq: "no" };
    const [offset, limit] = [Number(params.get("offset") ?? 0), Number(params.get("limit") ?? 100)];
    const after = values.filter(({ at }) => at >= Number(params.get("from") ?? 0));
    return { items: after.slice(offset, offset + limit), seq: `${values.length}-${offset}` };
  });
  await using folder = await temporaryFolder();
  const pagination = { method: "multiple", scrollers: { pages: { method: "offset", limit: 3 } } };
  const job = { dataField: "items", incremental, params: { from } };
  const windows = { from: 0, to: 3 * 86_400, step: "1 day" };
  const response = { ...job, incremental: { response: "seq" } };
  const jobs = [
    { ...job, endpoint: "divided", scroller: "pages" },
    { ...job, endpoint: "parents", children: [child] },
    { ...job, endpoint: "windows", windows, evidence: false },
    { ...job, endpoint: "whole" },
    { ...response, endpoint: "last", scroller: "pages" },
    { ...response, endpoint: "windows", dataType: "last-window", windows, evidence: false },
  ];
  const config = await folder.write("config.json", { api: { baseUrl: api.url, pagination }, config: { jobs } });
  const state = async (name: string): Promise<{ incremental: object }> => JSON.parse(await folder.read(name));
  for (const round of [1, 2]) {
    const one = await spileHere([config, "--state", join(folder.path, "one.json")]);
    assert.equal(await inShards(folder, config, round), one.stdout);
    const { incremental } = await state("sharded.json");
    assert.equal(Object.keys(incremental).length, jobs.length);
    assert.deepEqual(incremental, (await state("one.json")).incremental, `round ${round}`);
    const { units } = JSON.parse(await folder.read("plan.json")) as { units: readonly { kind: string }[] };
    const kinds = units.map(({ kind }) => kind);
    // No shard can know which response of a job is its last one, so one shard runs such a job.
    if (round === 1) assert.deepEqual(kinds, ["strides", "shared", "runs", "whole", "whole", "whole"]);
    values = [...values, { id: 20, at: 33 }, { id: 21, at: 31 }];
  }
});

test("an increment moves only if the merged job is complete", async () => {
  let requests = 0;
  await using api = await startApi(({ params }) => {
    requests += 1;
    const offset = Number(params.get("offset") ?? 0);
    const all = Array.from({ length: 12 + requests }, (_, id) => ({ id, at: id }));
    return { items: all.slice(offset, offset + 3), total: all.length };
  });
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 3 } },
    config: { jobs: [{ endpoint: "e", dataField: "items", incremental }] },
  };
  await using sharded = await planned(configuration, count);
  for (let index = 0; index < count; index += 1) await sharded.run(index);
  const { jobs, moved } = await sharded.merge();
  assert.equal(jobs[0]?.verdict, "suspect");
  assert.deepEqual(moved, []);
});

test("with --unique, the pages of an incremental job are not divided, since its increment depends on the dropped records", async () => {
  await using api = await startApi(({ params }) => {
    const offset = Number(params.get("offset") ?? 0);
    return { items: [1, 2, 1, 3, 4].map((id, at) => ({ id, at })).slice(offset, offset + 2) };
  });
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
    config: { jobs: [{ endpoint: "e", dataField: "items", incremental }] },
  };
  await using sharded = await planned(configuration, count, { unique: "id" });
  assert.equal(sharded.read.plan.units[0]?.kind, "whole");
});

test("a state that has moved since the plan was made is not moved back", () => {
  const path = { path: "at" };
  const increment: UnitIncrement = { key: "e", described: path, type: "number", before: 5 };
  const after = (value: number, there: number): unknown =>
    watermarksAfter({ e: { ...path, value: there } }, [{ increment, value }]).e?.value;
  assert.equal(after(7, 5), 7);
  assert.equal(after(7, 9), 9);
  assert.equal(after(3, 5), 5);
  const response = { response: "seq" };
  const last: UnitIncrement = { key: "e", described: response, type: "text", before: "a" };
  const token = (there: string): unknown =>
    watermarksAfter({ e: { ...response, value: there } }, [{ increment: last, value: "b" }]).e?.value;
  assert.equal(token("a"), "b");
  assert.equal(token("c"), undefined);
  assert.deepEqual(watermarksAfter({}, [{ increment: { ...increment, before: undefined }, value: 1 }]), {
    e: { ...path, value: 1 },
  });
});

test("parents are divided with their increments, which the merge moves as one run does", async () => {
  let changes: Record<string, readonly { id: number; at: number }[]> = {
    1: [{ id: 11, at: 3 }],
    "secret-4711": [{ id: 21, at: 5 }],
    3: [],
  };
  await using api = await startApi(({ path, params }) => {
    const [, list, group = ""] = path.split("/");
    if (group === "") return { items: list === "plain" ? [{ id: 1 }] : Object.keys(changes).map((id) => ({ id })) };
    return { items: (changes[group] ?? []).filter(({ at }) => at >= Number(params.get("from") ?? 0)) };
  });
  await using folder = await temporaryFolder();
  const groups = {
    endpoint: "groups",
    dataField: "items",
    children: [
      {
        endpoint: "groups/{id}",
        dataType: "changes",
        dataField: "items",
        placeholders: { id: "id" },
        params: { from },
        incremental: { path: "at", type: "number" },
      },
    ],
  };
  const jobs = [{ endpoint: "plain", dataField: "items" }, groups];
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { "#secret": "secret-4711", jobs },
  });
  const marksIn = async (name: string): Promise<readonly string[]> => {
    const { incremental } = JSON.parse(await folder.read(name));
    return incremental.changes.partitions.map((mark: object) => JSON.stringify(mark)).sort();
  };
  for (const round of [1, 2]) {
    const one = await spileHere([config, "--state", join(folder.path, "one.json")]);
    const log = api.log.length;
    assert.equal(await inShards(folder, config, round), one.stdout);
    // Each shard reads the listing, and each parent is requested once.
    assert.equal(api.log.length - log, 1 + count + Object.keys(changes).length);
    assert.deepEqual(await marksIn("sharded.json"), await marksIn("one.json"));
    changes = {
      ...changes,
      1: [
        { id: 11, at: 3 },
        { id: 12, at: 9 },
      ],
      4: [{ id: 41, at: 2 }],
    };
  }
  const plan = await folder.read("plan.json");
  assert.doesNotMatch(plan, /secret-4711|"id"/);
  assert.match(plan, /"partitions":\[\{"context":\{"sha256":"[0-9a-f]{64}"\},"value":5\},/);
  // No increment falls behind the value that another run has reached since the plan was made.
  const increment: UnitIncrement = { key: "changes", described: { path: "at" }, type: "number" };
  const there = withPartitions({
    changes: { path: "at", partitions: [{ context: { id: 1 }, value: 20 }] },
  }) as Watermarks;
  const moved = [
    ["changes", '{"id":1}', "9"],
    ["changes", '{"id":2}', "9"],
  ] as const;
  assert.deepEqual(movesAfter(there, [{ partitioned: [increment] }], moved), [
    ["changes", { path: "at", value: 9 }, '{"id":2}'],
  ]);
});

test("a parent on a page that is not written moves no increment", async () => {
  const asked = new Map<string, number>();
  await using api = await startApi(({ path, params }) => {
    const [, , group = ""] = path.split("/");
    // For offsets beyond the last page, the API gives that page again.
    if (group === "") return params.get("offset") === "0" ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }, { id: 4 }];
    if (params.get("offset") !== "0") return [];
    asked.set(group, (asked.get(group) ?? 0) + 1);
    return [{ at: asked.get(group) }];
  });
  const incremental = { path: "at", type: "number" };
  const children = [{ endpoint: "groups/{id}", dataType: "changes", placeholders: { id: "id" }, incremental }];
  await using sharded = await planned(
    {
      api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
      config: { jobs: [{ endpoint: "groups", children }] },
    },
    3,
  );
  assert.equal(sharded.read.plan.units[0]?.kind, "strides");
  for (const index of [1, 2, 0]) await sharded.run(index);
  const { movedParents, output } = await sharded.merge();
  const written = [...output.matchAll(/"at":(\d+),"parent_id":(\d+)/g)];
  assert.equal(written.length, 4);
  assert.ok((asked.get("3") ?? 0) > Number(written[2]?.[1]), "a later value was read but not written");
  assert.deepEqual(
    movedParents,
    written.map(([, at = "", id = ""]) => ["changes", `{"id":${id}}`, at]),
  );
});

test("the increments of parents on pages after the end move if these pages are written", async () => {
  const pages: Readonly<Record<string, readonly number[]>> = { 0: [1, 2], 2: [3], 4: [5, 6] };
  await using api = await startApi(({ path, params }) => {
    const offset = params.get("offset") ?? "";
    if (path === "/groups") return (pages[offset] ?? []).map((id) => ({ id }));
    return offset === "0" ? [{ at: 7 }] : [];
  });
  const incremental = { path: "at", type: "number" };
  const children = [{ endpoint: "groups/{id}", dataType: "changes", placeholders: { id: "id" }, incremental }];
  await using sharded = await planned(
    {
      api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
      config: { jobs: [{ endpoint: "groups", children }] },
    },
    3,
  );
  for (const index of [0, 1, 2]) await sharded.run(index);
  const { movedParents, output, jobs } = await sharded.merge();
  assert.equal(jobs[0]?.verdict, "suspect", jobs[0]?.reason);
  const written = [...output.matchAll(/"parent_id":(\d+)/g)].map(([, id]) => `{"id":${id}}`);
  assert.equal(written.length, 5);
  assert.deepEqual(
    movedParents.map(([, context]) => context),
    written,
  );
});

test("a job whose children store a value of a response, or drop records, is run by one shard", async () => {
  await using api = await startApi(() => ({ items: [{ id: 1 }, { id: 2 }], seq: 1 }));
  const groups = (incremental: object): object => ({
    endpoint: "groups",
    dataField: "items",
    children: [{ ...child, endpoint: "groups/{id}", dataType: "changes", incremental }],
  });
  const configuration = (incremental: object): object => ({
    api: { baseUrl: api.url },
    config: { jobs: [groups(incremental)] },
  });
  const kindOf = async (incremental: object, unique?: string): Promise<unknown> => {
    await using sharded = await planned(configuration(incremental), 2, { unique });
    return sharded.read.plan.units[0]?.kind;
  };
  assert.equal(await kindOf({ path: "at", type: "number" }), "shared");
  assert.equal(await kindOf({ response: "seq" }), "whole");
  assert.equal(await kindOf({ path: "at", type: "number" }, "id"), "whole");
});

test("an interrupted shard keeps the watermarks of the parents before its place", async () => {
  const values = Array.from({ length: 24 }, (_, id) => ({ id }));
  // The plan requests one page; the first shard fails at its second one.
  let left = 9;
  await using api = await startApi(({ path, params }) => {
    left -= 1;
    if (left === 0) return json({}, { status: 403 });
    const offset = Number(params.get("offset"));
    if (path === "/groups") return values.slice(offset, offset + 4);
    return offset === 0 ? [{ at: Number(path.split("/")[2]) }] : [];
  });
  const incremental = { path: "at", type: "number" };
  const children = [{ endpoint: "groups/{id}", dataType: "changes", placeholders: { id: "id" }, incremental }];
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 4 } },
    config: { jobs: [{ endpoint: "groups", children }] },
  };
  await using sharded = await planned(configuration, 2);
  const state = join(sharded.folder, "0.state");
  await sharded.run(0, { state });
  await sharded.run(0, { state });
  await sharded.run(1);
  const { movedParents } = await sharded.merge();
  assert.deepEqual(
    movedParents,
    values.map(({ id }) => ["changes", `{"id":${id}}`, `${id}`]),
  );
});
