import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { readdir, rename, rmdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { broken, json } from "../helpers/answers.ts";
import { type Api, type Handler, linesOf, startApi } from "../helpers/api.ts";
import { type Finished, shell, start, type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

/* Tests of runs that are interrupted and resumed by --resume (contract C-11.9). */

const all = Array.from({ length: 14 }, (_, id) => ({ id, text: "x".repeat(100) }));

interface Trouble {
  /** The API's answer from an offset on; undefined for the records. */
  answer: (() => unknown) | undefined;
}

/** Starts an API with pages of 3 records at every path. From offset `from` on it uses `answer`, if that is set. */
function troubledApi(from = 6): Promise<Api & Trouble> {
  const trouble: Trouble = { answer: () => json({}, { status: 503 }) };
  const handler: Handler = ({ params }) => {
    const offset = Number(params.get("offset"));
    return (offset >= from ? trouble.answer?.() : undefined) ?? all.slice(offset, offset + 3);
  };
  return startApi(handler).then((api) => Object.assign(trouble, api));
}

const configurationOf = (api: Api, config: object = {}, more: object = {}) => ({
  api: {
    baseUrl: api.url,
    pagination: { method: "offset", limit: 3 },
    retryConfig: { maxRetries: 0 },
  },
  config: { jobs: [{ endpoint: "items" }], ...config },
  ...more,
});

async function setUp(api: Api, config?: object, more?: object): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await folder.write("config.json", configurationOf(api, config, more));
  return folder;
}

function run(folder: TemporaryFolder, ...args: string[]): Promise<Finished> {
  return spileHere(["config.json", "--state", "state.json", ...args], { cwd: folder.path });
}

async function names(folder: TemporaryFolder): Promise<string[]> {
  return (await readdir(folder.path)).filter((name) => !/^(config|state|summary)\.json$/.test(name));
}

interface Saved {
  readonly time: { readonly previousStart: number };
  readonly progress?: { readonly startedAt: number };
}

async function state(folder: TemporaryFolder): Promise<Saved> {
  return JSON.parse(await folder.read("state.json")) as Saved;
}

const failures = [
  { title: "a temporary failure", answer: () => json({}, { status: 503 }), code: 75 },
  { title: "a refusal", answer: () => json({}, { status: 403 }), code: 69 },
  { title: "invalid data", answer: () => json("no list"), code: 65 },
];

for (const { title, answer, code } of failures) {
  test(`after ${title}, the run continues the file, and the summary covers the whole run`, async () => {
    await using api = await troubledApi();
    api.answer = answer;
    const since = { params: { since: { time: "currentStart" } } };
    await using folder = await setUp(api, { jobs: [{ endpoint: "first" }, { endpoint: "items", ...since }] });
    const trouble = api.answer;
    // The first job ends before the trouble begins.
    api.answer = () => (api.log.length > 6 ? trouble?.() : undefined);
    const interrupted = await start(["config.json", "--state", "state.json", "-o", "out"], { cwd: folder.path })
      .finished;
    assert.equal(interrupted.code, code, interrupted.stderr);
    assert.match((await names(folder)).join(" "), /^\.out\.[0-9a-f]{8}\.partial$/);
    const { time, progress } = await state(folder);
    assert.equal(time.previousStart, 0);

    const asked = api.log.length;
    api.answer = undefined;
    const resumed = await run(folder, "-o", "out", "--resume", "-v", "--summary", "summary.json");
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stderr, /^info continuing the run of 2\S+Z, which was interrupted after 20 records$/m);
    assert.equal(await folder.read("out"), linesOf([...all, ...all]));
    assert.deepEqual(
      api.log.slice(asked).map(({ params }) => [params.get("offset"), params.get("since")]),
      ["6", "9", "12"].map((offset) => [offset, String(progress?.startedAt)]),
    );
    assert.deepEqual(await state(folder), { time: { previousStart: progress?.startedAt } });
    assert.deepEqual(await names(folder), ["out"]);
    const summary = JSON.parse(await folder.read("summary.json")) as {
      records: number;
      jobs: { job: string; verdict: string; records: number; pages: number; requests: number }[];
    };
    assert.equal(summary.records, 28);
    assert.deepEqual(
      summary.jobs.map(({ job, verdict, records, pages, requests }) => [job, verdict, records, pages, requests]),
      [
        ["first", "complete", 14, 5, 5],
        ["items", "complete", 14, 5, 5],
      ],
    );
  });
}

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`after ${signal}, the next pages follow on a pipe without a gap or a duplicate`, async () => {
    await using api = await troubledApi();
    api.answer = () => broken.stalledInBody(JSON.stringify(all.slice(6, 9)));
    await using folder = await setUp(api);
    const first = start(["config.json", "--state", "state.json"], { cwd: folder.path });
    await api.received(3);
    await first.until("stdout", /"id":5,/);
    first.kill(signal);
    const interrupted = await first.finished;
    assert.deepEqual([interrupted.code, interrupted.stdout], [code, linesOf(all.slice(0, 6))]);
    api.answer = undefined;
    const resumed = await run(folder, "--resume");
    assert.deepEqual([resumed.code, resumed.stdout], [0, linesOf(all.slice(6))], resumed.stderr);
  });
}

test("after a full disk, a file and a folder are continued", async () => {
  const wide = Array.from({ length: 30 }, (_, id) => ({ id, text: "y".repeat(10_000) }));
  await using api = await startApi(({ params }) => {
    const offset = Number(params.get("offset"));
    return wide.slice(offset, offset + 3);
  });
  await using folder = await setUp(api);
  for (const [flags, result] of [
    ["-o out", "out"],
    ["--split dir", "dir/items.ndjson"],
  ] as const) {
    const script = `trap '' XFSZ; ulimit -f 200; spile config.json --state state.json -q ${flags}; echo $?`;
    const { stdout, stderr } = await shell(script, { cwd: folder.path });
    assert.deepEqual([stdout, /EFBIG/.test(stderr)], ["74\n", true], stderr);
    const asked = api.log.length;
    const { code } = await run(folder, ...flags.split(" "), "--resume");
    assert.equal(code, 0);
    assert.equal(await folder.read(result), linesOf(wide));
    assert.ok(api.log.length - asked < 11, "it started over");
  }
});

const changes = [
  {
    title: "the configuration",
    config: { jobs: [{ endpoint: "others" }] },
    args: ["-o", "out"],
    says: /the configuration, or a setting given to it, has changed since the run was interrupted; without --resume/,
  },
  { title: "a setting", args: ["-o", "out", "--set", "team=2"], says: /the configuration, or a setting given to it,/ },
  {
    title: "options",
    args: ["-o", "out", "--tag", "--max-pages", "5"],
    says: /the interrupted run had other values of --tag, --max-pages; without --resume/,
  },
  { title: "the output", args: ["-o", "other"], says: /wrote to \/\S+\/out, this one would write to \/\S+\/other; / },
  { title: "the kind of output", args: [], says: /wrote to \/\S+\/out, this one would write to stdout; / },
];

for (const { title, config, args, says } of changes) {
  test(`a change of ${title.replace(/^an? |^the /, "")} is an error, and the progress stays`, async () => {
    await using api = await troubledApi();
    await using folder = await setUp(api, { team: "1" });
    assert.equal((await run(folder, "-o", "out")).code, 75);
    const before = await state(folder);
    if (config !== undefined) await folder.write("config.json", configurationOf(api, { team: "1", ...config }));
    const asked = api.log.length;
    const { code, stderr } = await run(folder, ...args, "--resume");
    assert.equal(code, 78);
    assert.match(stderr, /^error cannot resume: [^\n]+\n$/);
    assert.match(stderr, says);
    assert.equal(api.log.length, asked);
    assert.deepEqual(await state(folder), before);
    api.answer = undefined;
    await folder.write("config.json", configurationOf(api, { team: "1" }));
    assert.equal((await run(folder, "-o", "out", "--resume")).code, 0);
    assert.equal(await folder.read("out"), linesOf(all));
  });
}

test("a run is resumed although a password and a setting from the environment have changed", async () => {
  await using api = await troubledApi();
  await using folder = await setUp(api, { "#password": "first-password", team: { env: "TEAM" } });
  const cwd = folder.path;
  const args = ["config.json", "--state", "state.json", "-o", "out"];
  assert.equal((await spileHere(args, { cwd, env: { TEAM: "first-team" } })).code, 75);
  await folder.write("config.json", configurationOf(api, { "#password": "second", team: { env: "TEAM" } }));
  api.answer = undefined;
  const { code, stderr } = await spileHere([...args, "--resume"], { cwd, env: { TEAM: "second-team" } });
  assert.equal(code, 0, stderr);
  assert.equal(await folder.read("out"), linesOf(all));
});

test("--resume without --state is a usage error, and --resume without an interrupted run has no effect", async () => {
  await using api = await troubledApi();
  api.answer = undefined;
  await using folder = await setUp(api);
  const { code, stderr } = await spileHere(["config.json", "--resume"], { cwd: folder.path });
  assert.deepEqual([code, stderr], [64, "error --resume needs --state FILE, where the progress of a run is kept\n"]);
  assert.equal(api.log.length, 0);
  for (let time = 0; time < 2; time += 1) {
    const resumed = await run(folder, "--resume", "-v");
    assert.deepEqual([resumed.code, resumed.stdout], [0, linesOf(all)]);
    assert.match(resumed.stderr, /^info state\.json holds no interrupted run: starting over$/m);
  }
});

test("without --resume, the progress of the interrupted run is dropped with a warning", async () => {
  await using api = await troubledApi();
  await using folder = await setUp(api);
  assert.equal((await run(folder, "-o", "out")).code, 75);
  assert.equal((await names(folder)).length, 1);
  // A command line that cannot run does not remove anything.
  assert.equal((await run(folder, "-o", "other", "--job", "nobody")).code, 64);
  assert.equal((await names(folder)).length, 1);
  api.answer = undefined;
  const { code, stderr } = await run(folder, "-o", "other");
  assert.equal(code, 0);
  assert.match(stderr, /^warning state\.json holds the progress of an interrupted run, which is discarded; --resume/);
  assert.deepEqual(await names(folder), ["other"]);
  assert.equal(await folder.read("other"), linesOf(all));
  assert.equal((await state(folder)).progress, undefined);
});

test("an unfinished file that has lost bytes is an error, and one that has gained some is cut", async () => {
  await using api = await troubledApi();
  await using folder = await setUp(api);
  assert.equal((await run(folder, "-o", "out")).code, 75);
  const partial = join(folder.path, (await names(folder))[0] ?? "");
  const written = await folder.read((await names(folder))[0] ?? "");
  await truncate(partial, 100);
  const { code, stderr } = await run(folder, "-o", "out", "--resume");
  assert.equal(code, 74);
  assert.match(stderr, /^error cannot resume: the unfinished file \S+partial has 100 bytes, but \d+ bytes of out were/);
  await folder.write((await names(folder))[0] ?? "", `${written}{"half a line`);
  api.answer = undefined;
  assert.equal((await run(folder, "-o", "out", "--resume")).code, 0);
  assert.equal(await folder.read("out"), linesOf(all));
});

test("a run that was interrupted while its file was renamed is finished without a request", async () => {
  for (const renamed of [false, true]) {
    await using api = await troubledApi();
    await using folder = await setUp(api);
    // A folder that has the file's name during the run stops the renaming.
    api.answer = () => void mkdirSync(join(folder.path, "out"), { recursive: true });
    const { code, stderr } = await start(["config.json", "--state", "state.json", "-o", "out"], { cwd: folder.path })
      .finished;
    assert.equal(code, 74, stderr);
    api.answer = undefined;
    await rmdir(join(folder.path, "out"));
    const [partial = ""] = await names(folder);
    if (renamed) await rename(join(folder.path, partial), join(folder.path, "out"));
    const asked = api.log.length;
    const { progress } = await state(folder);
    assert.equal((await run(folder, "-o", "out", "--resume")).code, 0);
    assert.equal(await folder.read("out"), linesOf(all));
    assert.equal(api.log.length, asked);
    assert.deepEqual(await state(folder), { time: { previousStart: progress?.startedAt } });
    assert.deepEqual(await names(folder), ["out"]);
  }
});

test("--max-records counts the lines of the whole run", async () => {
  await using api = await troubledApi();
  await using folder = await setUp(api);
  const interrupted = await run(folder, "--max-records", "10");
  assert.deepEqual([interrupted.code, interrupted.stdout], [75, linesOf(all.slice(0, 6))]);
  api.answer = undefined;
  const resumed = await run(folder, "--max-records", "10", "--resume");
  assert.deepEqual([resumed.code, resumed.stdout], [0, linesOf(all.slice(6, 10))]);
  // The run has ended and cannot be resumed, although not all records came.
  assert.deepEqual(await state(folder), { time: { previousStart: 0 } });
});

test("a suspect run cannot be resumed, and neither can a run whose reader has left", async () => {
  await using api = await startApi(({ params }) => ({
    total: 99,
    items: params.get("offset") === "0" ? all.slice(0, 3) : [],
  }));
  await using folder = await setUp(api);
  const suspect = await run(folder, "--strict");
  assert.equal(suspect.code, 1, suspect.stderr);
  assert.deepEqual(await state(folder), { time: { previousStart: 0 } });

  await using endless = await startApi(({ params }) => [{ id: Number(params.get("offset")), text: "z".repeat(9_000) }]);
  await folder.write("config.json", {
    api: { baseUrl: endless.url, pagination: { method: "offset", limit: 1 } },
    config: { jobs: [{ endpoint: "items" }] },
  });
  const script = "{ spile config.json --state state.json; echo $? >&2; } | head -1 | wc -l";
  const { stdout, stderr } = await shell(script, { cwd: folder.path });
  assert.deepEqual([stdout.trim(), stderr], ["1", "141\n"]);
  assert.deepEqual(await state(folder), { time: { previousStart: 0 } });
});

test("with --unique, a job is repeated from its start, and a file has each record once", async () => {
  const twice = [...all.slice(0, 8), ...all];
  let trouble = false;
  await using api = await startApi(({ path, params }) => {
    const offset = Number(params.get("offset"));
    if (trouble && path === "/second" && offset === 9) return json({}, { status: 503 });
    return twice.slice(offset, offset + 3);
  });
  await using folder = await setUp(api, { jobs: [{ endpoint: "first" }, { endpoint: "second" }] });
  trouble = true;
  assert.equal((await run(folder, "-o", "out", "--unique", "id")).code, 75);
  trouble = false;
  const asked = api.log.length;
  assert.equal((await run(folder, "-o", "out", "--unique", "id", "--resume")).code, 0);
  assert.equal(await folder.read("out"), linesOf([...all, ...all]));
  assert.equal(api.log[asked]?.target, "/second?limit=3&offset=0");
});

test("with --unique, a job that failed is repeated, and on a pipe, jobs that have ended are not repeated", async () => {
  let trouble = true;
  await using api = await startApi(({ path, params }) => {
    const offset = Number(params.get("offset"));
    if (trouble && path === "/first" && offset === 6) return json({}, { status: 503 });
    return all.slice(offset, offset + 3);
  });
  await using folder = await setUp(api, { jobs: [{ endpoint: "first" }, { endpoint: "second" }] });
  const unique = ["--unique", "id", "--keep-going"];
  const failed = await run(folder, ...unique);
  assert.deepEqual([failed.code, failed.stdout], [75, linesOf([...all.slice(0, 6), ...all])]);
  trouble = false;
  const resumed = await run(folder, ...unique, "--resume");
  assert.deepEqual([resumed.code, resumed.stdout], [0, linesOf(all)]);
});

test("with --keep-going, a run is resumed at its first failure", async () => {
  let trouble = true;
  await using api = await startApi(({ path, params }) => {
    const offset = Number(params.get("offset"));
    if (trouble && path === "/second" && offset === 6) return json({}, { status: 503 });
    return all.slice(offset, offset + 3);
  });
  const jobs = ["first", "second", "third"].map((endpoint) => ({ endpoint }));
  await using folder = await setUp(api, { jobs });
  assert.equal((await run(folder, "-o", "out", "--keep-going")).code, 75);
  trouble = false;
  const asked = api.log.length;
  assert.equal((await run(folder, "-o", "out", "--keep-going", "--resume")).code, 0);
  assert.equal(await folder.read("out"), linesOf([...all, ...all, ...all]));
  assert.equal(api.log[asked]?.target, "/second?limit=3&offset=6");
});

test("the state never contains a secret of a setting, a login's token or a next address", async () => {
  const secrets = { password: "p4ssw0rd-of-settings", token: "t0ken/of the login", cookie: "c00kie-value" };
  let trouble = true;
  await using api = await startApi(({ path, params }) => {
    if (path === "/login") return json({ token: secrets.token }, { headers: { "set-cookie": `s=${secrets.cookie}` } });
    const page = Number(params.get("page") ?? 0);
    if (trouble && page === 3) return json({}, { status: 403 });
    const next = new URL(`/items?page=${page + 1}`, "http://x");
    // From page 1 on, the API leads to next pages by addresses that contain the token.
    if (page >= 1) next.searchParams.set("token", secrets.token);
    return { items: [{ id: page }], ...(page < 4 ? { next: next.pathname + next.search } : {}) };
  });
  await using folder = await temporaryFolder();
  await folder.write("config.json", {
    api: {
      baseUrl: api.url,
      authentication: {
        type: "login",
        loginRequest: { endpoint: "login", params: { password: { attr: "#password" } } },
        apiRequest: { headers: { "X-Token": "token" } },
      },
      pagination: { method: "response.url", urlKey: "next" },
    },
    config: { "#password": secrets.password, jobs: [{ endpoint: "items", dataField: "items" }] },
  });
  const interrupted = await run(folder, "-o", "out");
  assert.equal(interrupted.code, 69, interrupted.stderr);
  assert.match(
    interrupted.stderr,
    /^warning the position of the next page holds a secret, which the state does not store/m,
  );
  const text = await folder.read("state.json");
  const forms = Object.values(secrets).flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ a: secret }).toString().slice(2),
    Buffer.from(secret).toString("base64"),
  ]);
  for (const form of forms) assert.ok(!text.includes(form), form);
  assert.match(text, /"address":"[^"]*page=1"/, "the place before the secret is kept");
  trouble = false;
  const resumed = await run(folder, "-o", "out", "--resume");
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(await folder.read("out"), linesOf([0, 1, 2, 3, 4].map((id) => ({ id }))));
});

test("a page that repeats the last one before the interruption is recognised", async () => {
  await using api = await troubledApi();
  await using folder = await setUp(api);
  const interrupted = await run(folder);
  assert.deepEqual([interrupted.code, interrupted.stdout], [75, linesOf(all.slice(0, 6))]);
  api.answer = () => all.slice(3, 6);
  const resumed = await run(folder, "--resume");
  assert.deepEqual([resumed.code, resumed.stdout], [0, ""], resumed.stderr);
  assert.match(resumed.stderr, /suspect.*repeats/);
  assert.equal(api.log.filter(({ params }) => Number(params.get("offset")) > 6).length, 0);
});

test("the clock of forceStop stops between two runs", async () => {
  await using api = await troubledApi();
  await using folder = await temporaryFolder();
  const configuration = configurationOf(api);
  const pagination = { ...configuration.api.pagination, forceStop: { time: 3600 } };
  await folder.write("config.json", { ...configuration, api: { ...configuration.api, pagination } });
  assert.equal((await run(folder)).code, 75);
  // The run looks as if it had been interrupted hours ago.
  const hours = 5 * 3600 * 1000;
  const text = await folder.read("state.json");
  const earlier = text.replace(/("clock"|"startedAt"):(\d{13})/g, (_, name, time) => `${name}:${Number(time) - hours}`);
  assert.notEqual(earlier, text);
  await folder.write("state.json", earlier);
  api.answer = undefined;
  const resumed = await run(folder, "--resume");
  assert.deepEqual([resumed.code, resumed.stdout], [0, linesOf(all.slice(6))]);
});

test("progress that spile has not written is an error", async () => {
  await using api = await troubledApi();
  await using folder = await setUp(api);
  await folder.write("state.json", { time: { previousStart: 7 }, progress: { version: 3 } });
  const { code, stderr } = await run(folder, "--resume");
  assert.equal(code, 78);
  assert.match(stderr, /^error \/progress in the state file state\.json is not what spile writes; without --resume/);
});
