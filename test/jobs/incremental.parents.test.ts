import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError } from "../../src/core/errors.ts";
import type { RunOptions } from "../../src/core/runs/run.ts";
import { json } from "../helpers/answers.ts";
import { type Api, linesOf, type Received, startApi } from "../helpers/api.ts";
import { type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { type Outcome, runHere } from "../helpers/run.ts";
import { readSinger } from "../helpers/singer.ts";

/* Tests of an increment of a child job, which has a watermark for each parent (contract C-17.8). */

interface Change {
  readonly id: number;
  readonly at: number;
}

/** An API with repositories and their issues. `fails`: the repository that is refused. */
interface World {
  repos: readonly { readonly id: number | string }[];
  issues: Record<string, readonly Change[]>;
  fails?: number | string | undefined;
  status?: number;
}

const incremental = { path: "at", type: "number", initial: 0 };

const issues = {
  endpoint: "repos/{id}/issues",
  dataType: "issues",
  placeholders: { id: "id" },
  params: { since: { incremental: "from" } },
  incremental,
};

const configurationOf = (url: string, child: object = {}, job: object = {}) => ({
  api: { baseUrl: url, pagination: { method: "offset", limit: 2 }, retryConfig: { maxRetries: 0 } },
  config: { jobs: [{ endpoint: "repos", ...job, children: [{ ...issues, ...child }] }] },
});

function start(world: World): Promise<Api> {
  return startApi((request) => {
    const { path, params } = request;
    const offset = Number(params.get("offset"));
    if (path === "/repos") return world.repos.slice(offset, offset + 2);
    const [, , repo = ""] = path.split("/");
    if (String(world.fails) === repo) return json({}, { status: world.status ?? 403 });
    const since = Number(params.get("since") ?? 0);
    return (world.issues[repo] ?? []).filter(({ at }) => at >= since).slice(offset, offset + 2);
  });
}

const inFolder = ({ path }: TemporaryFolder, more: Partial<RunOptions> = {}): Partial<RunOptions> => ({
  state: `${path}/state.json`,
  resume: false,
  ...more,
});

interface SavedState {
  readonly incremental?: { readonly issues?: { readonly partitions?: readonly { context: object; value: unknown }[] } };
  readonly progress?: object;
}

async function stateOf(folder: TemporaryFolder): Promise<SavedState> {
  return JSON.parse(await folder.read("state.json").catch(() => "{}")) as SavedState;
}

/** Returns the watermark of each parent, by the only value of its context. */
async function marks(folder: TemporaryFolder): Promise<Record<string, unknown>> {
  const partitions = (await stateOf(folder)).incremental?.issues?.partitions ?? [];
  return Object.fromEntries(partitions.map(({ context, value }) => [Object.values(context).join(" "), value]));
}

/** Returns the value of `since` in the first request for each parent, by the parent's id, after the first `from` requests. */
function asked(api: Api, from = 0): Record<string, string | null> {
  const first = api.log.slice(from).filter(({ path, params }) => path !== "/repos" && params.get("offset") === "0");
  return Object.fromEntries(first.map(({ path, params }: Received) => [path.split("/")[2], params.get("since")]));
}

test("each parent has its own watermark: a new parent begins at `initial`, and the watermark of a missing parent stays", async () => {
  const world: World = {
    repos: [{ id: 1 }, { id: 2 }, { id: 3 }],
    issues: {
      1: [{ id: 11, at: 5 }],
      2: [
        { id: 21, at: 7 },
        { id: 22, at: 9 },
        { id: 23, at: 8 },
      ],
      3: [],
    },
  };
  await using api = await start(world);
  await using folder = await temporaryFolder();
  const configuration = configurationOf(api.url);
  await runHere(configuration, inFolder(folder));
  assert.deepEqual((await stateOf(folder)).incremental, {
    issues: {
      path: "at",
      partitions: [
        { context: { id: 1 }, value: 5 },
        { context: { id: 2 }, value: 9 },
      ],
    },
  });
  world.repos = [{ id: 4 }, { id: 2 }, { id: 3 }];
  world.issues = { ...world.issues, 3: [{ id: 31, at: 1 }], 4: [{ id: 41, at: 2 }] };
  const before = api.log.length;
  const { output, events } = await runHere(configuration, inFolder(folder));
  assert.deepEqual(asked(api, before), { 4: "0", 2: "9", 3: "0" });
  assert.ok(output.includes('{"id":22,"at":9,"parent_id":2}') && !output.includes('"id":21'));
  assert.deepEqual(await marks(folder), { 1: 5, 2: 9, 4: 2, 3: 1 });
  assert.deepEqual(
    events.filter(({ level }) => level === "warning"),
    [],
  );
});

test("on stdout, a parent's watermark moves although a later parent fails; with a file, it moves only when the file appears", async () => {
  const world: World = {
    repos: [{ id: 1 }, { id: 2 }, { id: 3 }],
    issues: { 1: [{ id: 11, at: 5 }], 2: [{ id: 21, at: 7 }], 3: [{ id: 31, at: 8 }] },
    fails: 2,
  };
  await using api = await start(world);
  const configuration = configurationOf(api.url);
  for (const resume of [false, undefined]) {
    await using folder = await temporaryFolder();
    const { result } = await runHere(configuration, { ...inFolder(folder), resume });
    assert.equal(result.exitCode, 69);
    assert.deepEqual(await marks(folder), { 1: 5 });
  }
  await using folder = await temporaryFolder();
  const target = { kind: "file", path: `${folder.path}/out` } as const;
  await runHere(configuration, inFolder(folder, { target }));
  assert.deepEqual(await marks(folder), {});
  world.fails = undefined;
  const { result } = await runHere(configuration, inFolder(folder, { target, resume: true }));
  assert.equal(result.exitCode, 0);
  assert.deepEqual(await marks(folder), { 1: 5, 2: 7, 3: 8 });
});

test("with --keep-going, the watermarks of all parents that did not fail move", async () => {
  const world: World = {
    repos: [{ id: 1 }, { id: 2 }, { id: 3 }],
    issues: { 1: [{ id: 11, at: 5 }], 2: [{ id: 21, at: 7 }], 3: [{ id: 31, at: 8 }] },
    fails: 2,
  };
  await using api = await start(world);
  await using folder = await temporaryFolder();
  const { result } = await runHere(configurationOf(api.url), inFolder(folder, { keepGoing: true }));
  assert.equal(result.exitCode, 69);
  assert.deepEqual(await marks(folder), { 1: 5, 3: 8 });
  await using held = await temporaryFolder();
  const target = { kind: "file", path: `${held.path}/out` } as const;
  await runHere(configurationOf(api.url), inFolder(held, { target, keepGoing: true }));
  world.fails = undefined;
  const resumed = await runHere(configurationOf(api.url), inFolder(held, { target, resume: true, keepGoing: true }));
  assert.equal(resumed.result.exitCode, 0);
  await using whole = await temporaryFolder();
  const { output } = await runHere(configurationOf(api.url), inFolder(whole));
  assert.equal(await held.read("out"), output);
  assert.deepEqual(await marks(held), { 1: 5, 2: 7, 3: 8 });
});

test("the watermark of an incomplete parent stays, and the others move", async () => {
  await using api = await startApi(({ path }) => {
    if (path === "/repos") return [{ id: 1 }, { id: 2 }];
    return { items: [{ id: 1, at: 5 }], total: path === "/repos/1/issues" ? 9 : 1 };
  });
  const { pagination: _, ...unpaged } = configurationOf(api.url).api;
  const { config } = configurationOf(api.url, { dataField: "items" });
  await using folder = await temporaryFolder();
  const { result } = await runHere({ api: unpaged, config }, inFolder(folder));
  assert.equal(result.jobs[1]?.verdict, "suspect");
  assert.deepEqual(await marks(folder), { 2: 5 });
});

test("a parent that occurs twice begins both times at the watermark from before the run, and never moves it back", async () => {
  const world: World = {
    repos: [{ id: 1 }, { id: 2 }, { id: 1 }],
    issues: {
      1: [
        { id: 11, at: 3 },
        { id: 12, at: 6 },
      ],
      2: [],
    },
  };
  await using api = await start(world);
  await using folder = await temporaryFolder();
  await folder.write("state.json", {
    incremental: { issues: { path: "at", partitions: [{ context: { id: 1 }, value: 3 }] } },
  });
  const { output } = await runHere(configurationOf(api.url), inFolder(folder));
  const first = api.log.filter(({ path, params }) => path === "/repos/1/issues" && params.get("offset") === "0");
  assert.deepEqual(
    first.map(({ params }) => params.get("since")),
    ["3", "3"],
  );
  assert.equal(output.split('"id":12').length, 3);
  assert.deepEqual(await marks(folder), { 1: 6 });
  // Older records alone do not move it back.
  world.issues = { 1: [{ id: 13, at: 5 }] };
  await runHere(configurationOf(api.url, { params: {} }), inFolder(folder));
  assert.deepEqual(await marks(folder), { 1: 6 });
});

test("a context contains the values of all placeholders by their paths, inherited ones included, or by their names if two have one path", async () => {
  await using api = await startApi(({ path }) => {
    if (path === "/orgs") return [{ id: "a" }, { id: "b" }];
    if (path.endsWith("/repos")) return [{ name: "x", id: 1.5 }];
    return [{ at: path.startsWith("/a") ? 1 : 2 }];
  });
  const grandchild = (placeholders: object) => ({
    endpoint: "{org}/{repo}/issues",
    dataType: "issues",
    placeholders,
    params: { since: { incremental: "from" } },
    incremental,
  });
  const configuration = (placeholders: object, own: object) => ({
    api: { baseUrl: api.url },
    config: {
      jobs: [
        {
          endpoint: "orgs",
          children: [
            { endpoint: "{org}/repos", dataType: "repos", placeholders: own, children: [grandchild(placeholders)] },
          ],
        },
      ],
    },
  });
  const contexts = async (folder: TemporaryFolder): Promise<readonly object[]> =>
    ((await stateOf(folder)).incremental?.issues?.partitions ?? []).map(({ context }) => context);
  await using inherited = await temporaryFolder();
  await runHere(configuration({ repo: "name" }, { org: "id" }), inFolder(inherited));
  assert.deepEqual(await contexts(inherited), [
    { id: "a", name: "x" },
    { id: "b", name: "x" },
  ]);
  await using same = await temporaryFolder();
  await runHere(configuration({ repo: "id" }, { org: "id" }), inFolder(same));
  assert.deepEqual(await contexts(same), [
    { id: 1.5, org: "a" },
    { id: 1.5, org: "b" },
  ]);
  const log = api.log.length;
  await runHere(configuration({ repo: "id" }, { org: "id" }), inFolder(same));
  const again = api.log.slice(log).filter(({ path }) => path.endsWith("/issues"));
  assert.deepEqual(
    again.map(({ target }) => target),
    ["/a/1.5/issues?since=1", "/b/1.5/issues?since=2"],
  );
});

test("a parent's watermark moves only if its runs for all endpoints, and all jobs below them, are complete", async () => {
  let fails = "/repos/1/b";
  await using api = await startApi(({ path }) => {
    if (path === fails) return json({}, { status: 403 });
    if (path === "/repos") return [{ id: 1 }, { id: 2 }];
    if (path.includes("/of/")) return [{ of: path }];
    const [, , repo, kind] = path.split("/");
    return [{ id: `${repo}${kind}`, at: kind === "a" ? 5 : 6 }];
  });
  const { pagination: _, ...unpaged } = configurationOf(api.url).api;
  const configuration = {
    api: unpaged,
    config: {
      ends: ["repos/{id}/a", "repos/{id}/b"],
      jobs: [
        {
          endpoint: "repos",
          children: [
            {
              ...issues,
              endpoint: { attr: "ends" },
              children: [{ endpoint: "of/{issue}", dataType: "of", placeholders: { issue: "id" } }],
            },
          ],
        },
      ],
    },
  };
  for (const [failing, expected] of [
    ["/repos/1/b", { 2: 6 }],
    ["/of/1b", { 2: 6 }],
    ["/of/2a", { 1: 6 }],
    ["", { 1: 6, 2: 6 }],
  ] as const) {
    fails = failing;
    for (const concurrency of [1, 4]) {
      await using folder = await temporaryFolder();
      await runHere(configuration, inFolder(folder, { keepGoing: true, concurrency }));
      assert.deepEqual(await marks(folder), expected, `${failing} ${concurrency}`);
    }
  }
});

test("windows, user data, endpoints and steps may read a parent's increment", async () => {
  await using api = await startApi(({ path, params }) => {
    if (path === "/repos") return [{ id: 1 }, { id: 2 }];
    if (path === "/start") return { job: `${params.get("since")}` };
    return [{ at: Number(params.get("since") ?? path.split("-")[1]) + 100_000 }];
  });
  await using folder = await temporaryFolder();
  const partitions = [1, 2].map((id) => ({ context: { id }, value: id * 10 }));
  const { pagination: _, ...unpaged } = configurationOf(api.url).api;
  const from = { incremental: "from" };
  const requests = async (child: object): Promise<string[]> => {
    await folder.write("state.json", { incremental: { issues: { path: "at", partitions } } });
    const log = api.log.length;
    const { output } = await runHere(
      { api: unpaged, config: configurationOf(api.url, child).config },
      inFolder(folder),
    );
    return [
      ...api
        .targets()
        .slice(log)
        .filter((target) => target !== "/repos"),
      ...output.split("\n").filter((line) => line.includes("began")),
    ];
  };
  assert.deepEqual(await requests({ params: { since: from }, userData: { began: from } }), [
    "/repos/1/issues?since=10",
    "/repos/2/issues?since=20",
    '{"at":100010,"parent_id":1,"began":10}',
    '{"at":100020,"parent_id":2,"began":20}',
  ]);
  const endpoint = { function: "concat", args: ["of-", from, "-{id}"] };
  assert.deepEqual(await requests({ endpoint, params: {} }), ["/of-10-1", "/of-20-2"]);
  const windows = { from, to: "30", step: "15 seconds" };
  assert.deepEqual(await requests({ windows, params: { since: { window: "from" } } }), [
    "/repos/1/issues?since=10",
    "/repos/1/issues?since=25",
    "/repos/2/issues?since=20",
  ]);
  // The watermark never lies beyond the end of the last window.
  assert.deepEqual((await marks(folder))[1], 30);
  const steps = [{ name: "begin", endpoint: "start", params: { since: from } }];
  const job = { step: "begin", path: "job" };
  assert.deepEqual(await requests({ steps, params: { job, since: from } }), [
    "/start?since=10",
    "/repos/1/issues?job=10&since=10",
    "/start?since=20",
    "/repos/2/issues?job=20&since=20",
  ]);
});

test("a secret in a context is stored as its digest, and a watermark that contains a secret is not stored", async () => {
  const world: World = {
    repos: [{ id: "token-4711" }, { id: "b" }],
    issues: { "token-4711": [{ id: 1, at: 3 }], b: [{ id: 2, at: 4 }] },
  };
  await using api = await start(world);
  const { api: client, config } = configurationOf(api.url);
  const configuration = { api: client, config: { "#token": "token-4711", ...config } };
  await using folder = await temporaryFolder();
  await runHere(configuration, inFolder(folder));
  const text = await folder.read("state.json");
  assert.doesNotMatch(text, /4711/);
  assert.match(text, /"context":\{"id":"sha256:[0-9a-f]{64}"\},"value":3/);
  const log = api.log.length;
  await runHere(configuration, inFolder(folder));
  assert.deepEqual(asked(api, log), { "token-4711": "3", b: "4" });
  world.issues = {};
  await using numbers = await startApi(({ path }) => (path === "/repos" ? [{ id: 1 }] : [{ at: 4_711_471_147 }]));
  const other = { api: { baseUrl: numbers.url }, config: { "#n": "4711471147", ...config } };
  await using fresh = await temporaryFolder();
  const { events } = await runHere(other, inFolder(fresh));
  assert.ok(events.some(({ message }) => /holds a secret, which the state does not store/.test(message)));
  assert.deepEqual(await marks(fresh), {});
});

test("records without a value are reported once for each job, and `filter` leaves out older records by each parent's watermark", async () => {
  await using api = await startApi(({ path }) => {
    if (path === "/repos") return [{ id: 1 }, { id: 2 }];
    return [{ at: 4 }, { at: 6 }, {}];
  });
  await using folder = await temporaryFolder();
  const partitions = [{ context: { id: 1 }, value: 5 }];
  await folder.write("state.json", { incremental: { issues: { path: "at", partitions } } });
  const { pagination: _, ...unpaged } = configurationOf(api.url).api;
  const { config } = configurationOf(api.url, { params: {}, incremental: { ...incremental, filter: true } });
  const { output, events, result } = await runHere({ api: unpaged, config }, inFolder(folder));
  const of = (id: number, ...at: (number | undefined)[]) => at.map((one) => ({ at: one, parent_id: id }));
  assert.equal(output, linesOf([{ id: 1 }, { id: 2 }, ...of(1, 6, undefined), ...of(2, 4, 6, undefined)]));
  assert.equal(result.jobs[1]?.filtered, 1);
  const warnings = events.filter(({ message }) => /without a value/.test(message));
  assert.equal(warnings.length, 1);
  assert.deepEqual(await marks(folder), { 1: 6, 2: 6 });
});

test("Singer's bookmarks have the partitions, and a run begins at them", async () => {
  const world: World = {
    repos: [{ id: 1 }, { id: 2 }],
    issues: { 1: [{ id: 11, at: 5 }], 2: [{ id: 21, at: 7 }] },
  };
  await using api = await start(world);
  await using folder = await temporaryFolder();
  const stdin = JSON.stringify(configurationOf(api.url));
  const { stdout } = await spileHere(["-", "--singer", "--state", `${folder.path}/state.json`], { stdin });
  const last = readSinger(stdout).states.at(-1)?.value;
  const partitions = [1, 2].map((id) => ({ context: { id }, value: id === 1 ? 5 : 7 }));
  assert.deepEqual(last?.bookmarks, { issues: { path: "at", partitions } });
  await folder.write("state.json", last);
  const log = api.log.length;
  await spileHere(["-", "--singer", "--state", `${folder.path}/state.json`], { stdin });
  assert.deepEqual(asked(api, log), { 1: "5", 2: "7" });
});

test("--job CHILD moves the child's watermark for each parent, but not the watermark of the parent job", async () => {
  const world: World = { repos: [{ id: 1 }], issues: { 1: [{ id: 11, at: 5 }] } };
  await using api = await start(world);
  await using folder = await temporaryFolder();
  const job = { incremental: { path: "id", type: "number" }, params: { since: { incremental: "from" } } };
  const { output } = await runHere(configurationOf(api.url, {}, job), inFolder(folder, { jobs: ["issues"] }));
  assert.equal(output, linesOf([{ id: 11, at: 5, parent_id: 1 }]));
  assert.deepEqual(Object.keys((await stateOf(folder)).incremental ?? {}), ["issues"]);
  assert.deepEqual(await marks(folder), { 1: 5 });
});

test("each fault is reported with its place before the first request", async () => {
  await using folder = await temporaryFolder();
  const at = "/config/jobs/0/children/0/incremental";
  const rejected = async (message: RegExp, child: object = {}, job: object = {}, pointer = at): Promise<void> => {
    const outcome = await runHere(configurationOf("http://127.0.0.1:1", child, job), inFolder(folder)).catch(
      (error: unknown) => error,
    );
    const error = outcome instanceof Error ? outcome : (outcome as Outcome).result.failure;
    assert.ok(error instanceof ConfigurationError, String(error));
    assert.equal(error.faults[0]?.pointer, pointer);
    assert.match(error.message, message);
  };
  await rejected(/needs one request for each parent, but the batch "id" joins several/, {
    placeholders: { id: { path: "id", batch: 5 } },
  });
  await rejected(/has an increment of the dataset "issues" too/, {}, { dataType: "issues", incremental });
  await folder.write("state.json", { incremental: { issues: { path: "at", value: 5 } } });
  await rejected(/keeps one value of "issues", but a child job has one for each parent: use another state, or remove/);
  const partitions = [{ context: { id: 1 }, value: "new" }];
  await folder.write("state.json", { incremental: { issues: { path: "at", partitions } } });
  await rejected(/the state keeps new of "issues", which is not a number/);
  await folder.write("state.json", { incremental: { issues: { path: "at", partitions: [{ value: 1 }] } } });
  const { result } = await runHere(configurationOf("http://127.0.0.1:1"), inFolder(folder));
  assert.equal(result.exitCode, 78);
});

test("check warns if the parent is also incremental, or if no request reads the increment", async () => {
  const warnings = async (child: object, job: object): Promise<string> => {
    const stdin = JSON.stringify(configurationOf("https://api.example.com/", child, job));
    const { code, stderr } = await spileHere(["check", "-"], { stdin });
    assert.equal(code, 0);
    return stderr;
  };
  const parent = { incremental, params: { since: { incremental: "from" } } };
  assert.match(
    await warnings({}, parent),
    /children\/0\/incremental: "repos" above it is incremental too: this job requests nothing for records of "repos" that have not changed/,
  );
  assert.match(await warnings({ params: {} }, {}), /children\/0\/incremental: no request reads it/);
  assert.doesNotMatch(await warnings({}, {}), /incremental/);
});
