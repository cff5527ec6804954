import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { type Api, json, startApi, text } from "../helpers/api.ts";
import { type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";

/* Tests of jobs with steps that are interrupted and resumed (contract C-18.4). */

const read = (step: string, path: string): object => ({ step, path });
const whole = ["before", "a1", "a2", "b1", "after"].map((id) => `{"id":"${id}"}\n`).join("");

interface Exports {
  readonly api: Api;
  /** Number of the request that is refused, from 0; undefined for none. */
  broken: number | undefined;
  sent: string[];
}

/** Starts an API whose exports have two files, the first of two pages. Each export has different addresses. */
async function startExports(query = ""): Promise<Exports> {
  let count = 0;
  const exports: Exports = { api: undefined as unknown as Api, broken: undefined, sent: [] };
  const line = (id: string): unknown => [{ id }];
  const api = await startApi((request) => {
    const { path, method, params } = request;
    const name = `${method} ${path}${params.has("page") ? `?${params.get("page")}` : ""}`;
    exports.sent.push(name);
    if (exports.sent.length - 1 === exports.broken) return json({ error: "no" }, { status: 403 });
    if (name === "POST /exports") {
      count += 1;
      return { id: `e${count}` };
    }
    const [, first = "", id = "", file = ""] = path.split("/");
    if (first === "exports") return { done: true, files: [`files/${id}/a${query}`, `files/${id}/b${query}`] };
    if (first !== "files") return params.get("page") === "1" ? line(first) : text("[]");
    const pages: Record<string, string> = { "a?1": "a1", "a?2": "a2", "b?1": "b1" };
    const found = pages[`${file}?${params.get("page")}`];
    return found === undefined ? [] : line(found);
  });
  return Object.assign(exports, { api });
}

function configuration(
  { api }: Exports,
  reuse: readonly [create: string | undefined, poll: string | undefined],
): object {
  const withReuse = (time: string | undefined): object => (time === undefined ? {} : { reuse: time });
  const steps = [
    { name: "create", endpoint: "exports", method: "POST", ...withReuse(reuse[0]) },
    {
      name: "poll",
      endpoint: { function: "concat", args: ["exports/", read("create", "id")] },
      until: { path: "done" },
      ...withReuse(reuse[1]),
    },
  ];
  return {
    api: { baseUrl: api.url, pagination: { method: "pagenum" } },
    config: {
      jobs: [{ endpoint: "before" }, { endpoint: read("poll", "files"), dataType: "x", steps }, { endpoint: "after" }],
    },
  };
}

/** Makes a run that breaks at a request, and a later run that resumes it. Returns the whole output, and the requests of the second run. */
async function interrupted(
  folder: TemporaryFolder,
  exports: Exports,
  config: object,
  { broken, later = 0, kind = "file" }: { broken: number; later?: number; kind?: "file" | "folder" },
): Promise<{ readonly output: string; readonly asked: readonly string[] }> {
  const name = `${folder.path}/${Math.random()}`;
  const target = { kind, path: `${name}.out` } as const;
  Object.assign(exports, { broken, sent: [] });
  const options = { state: `${name}.json`, resume: true, target };
  const first = await runHere(config, options);
  assert.equal(first.result.exitCode, 69, first.result.failure?.message);
  Object.assign(exports, { broken: undefined, sent: [] });
  const second = await runHere(config, { ...options, now: () => Date.now() + later });
  assert.equal(second.result.exitCode, 0, second.result.failure?.message);
  assert.deepEqual(
    second.result.jobs.map(({ records, verdict }) => [records, verdict]),
    [1, 3, 1].map((records) => [records, "complete"]),
  );
  const files = kind === "file" ? [target.path] : ["before", "x", "after"].map((one) => `${target.path}/${one}.ndjson`);
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return { output: texts.join(""), asked: exports.sent };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

const asksAnew = (asked: readonly string[]): boolean => asked.includes("POST /exports");
const polls = (asked: readonly string[]): boolean => asked.some((name) => name.startsWith("GET /exports"));

/** Number of requests of a whole run: two of `before`, the steps, three and two pages of files, two of `after`. */
const requests = 11;

for (const kind of ["file", "folder"] as const) {
  test(`without \`reuse\`, the job starts over, and no line is written twice: ${kind}`, async () => {
    await using folder = await temporaryFolder();
    const exports = await startExports();
    await using _ = exports.api;
    for (const broken of kind === "file" ? range(0, requests) : [3, 5, 8]) {
      const config = configuration(exports, [undefined, undefined]);
      const { output, asked } = await interrupted(folder, exports, config, { broken, kind });
      assert.equal(output, whole, `broken at ${broken}`);
      assert.equal(asksAnew(asked), broken < 9, `broken at ${broken}: ${asked}`);
    }
  });
}

test("with `reuse`, the answers come from the state, and the job continues at the file and the page", async () => {
  await using folder = await temporaryFolder();
  const exports = await startExports();
  await using _ = exports.api;
  for (let broken = 0; broken < requests; broken += 1) {
    const config = configuration(exports, ["1 hour", "1 hour"]);
    const { output, asked } = await interrupted(folder, exports, config, { broken });
    assert.equal(output, whole, `broken at ${broken}`);
    assert.equal(asksAnew(asked), broken <= 2, `broken at ${broken}: ${asked}`);
    assert.equal(polls(asked), broken <= 3, `broken at ${broken}: ${asked}`);
    assert.equal(asked.length, requests - broken, `broken at ${broken}: ${asked}`);
  }
});

for (const kind of ["file", "folder"] as const) {
  test(`an answer that is too old is requested again, with all steps after it: ${kind}`, async () => {
    await using folder = await temporaryFolder();
    const exports = await startExports();
    await using _ = exports.api;
    for (const broken of kind === "file" ? range(4, 9) : [6]) {
      const config = configuration(exports, ["1 hour", "10m"]);
      const half = await interrupted(folder, exports, config, { broken, later: 1_200_000, kind });
      assert.equal(half.output, whole, `broken at ${broken}`);
      assert.deepEqual([asksAnew(half.asked), polls(half.asked)], [false, true], `broken at ${broken}: ${half.asked}`);
      const all = await interrupted(folder, exports, config, { broken, later: 7_200_000, kind });
      assert.equal(all.output, whole, `broken at ${broken}`);
      assert.deepEqual([asksAnew(all.asked), polls(all.asked)], [true, true], `broken at ${broken}: ${all.asked}`);
    }
  });
}

test("an answer that contains a secret is not stored, however long it is valid", async () => {
  await using folder = await temporaryFolder();
  const exports = await startExports("?signature=0123456789");
  await using _ = exports.api;
  const config = configuration(exports, ["1 hour", "1 hour"]);
  const { output, asked } = await interrupted(folder, exports, config, { broken: 6 });
  assert.equal(output, whole);
  assert.deepEqual([asksAnew(asked), polls(asked)], [false, true]);
  Object.assign(exports, { broken: 6, sent: [] });
  const { events } = await runHere(config, { state: `${folder.path}/s.json`, resume: true });
  const state = await folder.read("s.json");
  assert.match(state, /"id\\?"/);
  assert.ok(!state.includes("0123456789"), state);
  const warned = events.filter(({ message }) => message.includes('the answer to step "poll" holds a secret'));
  assert.equal(warned.length, 1);
});

test("windows with their own exports continue in the window that was interrupted", async () => {
  await using folder = await temporaryFolder();
  let [broken, count] = [-1, 0];
  await using api = await startApi(({ path, params }) => {
    count += 1;
    if (count - 1 === broken) return json({ error: "no" }, { status: 403 });
    if (path === "/order") return { files: ["a", "b"].map((part) => `file/${params.get("from")}/${part}`) };
    return [{ path }];
  });
  const steps = [{ name: "order", endpoint: "order", params: { from: { window: "from" } }, reuse: "1 hour" }];
  const windows = { from: 0, to: 86_400 * 2, step: "1 day" };
  const config = {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: read("order", "files"), dataType: "x", windows, steps }] },
  };
  const lines = [0, 86_400].flatMap((from) => ["a", "b"].map((part) => `{"path":"/file/${from}/${part}"}\n`)).join("");
  for (const later of [0, 7_200_000]) {
    for (let request = 0; request < 6; request += 1) {
      const name = `${folder.path}/${later}-${request}`;
      const options = { state: `${name}.json`, resume: true, target: { kind: "file", path: `${name}.out` } as const };
      [broken, count] = [request, 0];
      await runHere(config, options);
      [broken, count] = [-1, 0];
      const { result } = await runHere(config, { ...options, now: () => Date.now() + later });
      assert.equal(result.exitCode, 0, result.failure?.message);
      assert.equal(await readFile(`${name}.out`, "utf8"), lines, `broken at ${request}, resumed after ${later}`);
      assert.deepEqual([result.jobs[0]?.records, result.jobs[0]?.windows], [4, 2]);
      // If the answers are still good, nothing is requested twice. Otherwise the window in progress starts over.
      if (later === 0) assert.equal(count, 6 - request);
      else assert.ok(count >= 6 - request && count <= 6 - (request < 3 ? 0 : 3), `${count} after ${request}`);
    }
  }
});

for (const kind of ["file", "folder"] as const) {
  test(`a job starts over if a later file has expired, even after lines were written since the resume: ${kind}`, async () => {
    await using folder = await temporaryFolder();
    let [refusal, orders] = [403, 0];
    await using api = await startApi(({ path }) => {
      const [, first = "", second] = path.split("/");
      if (first === "poll") return { files: ["a", "b", "c"].map((file) => `${second}/${file}`) };
      if (path === "/1/b" && refusal === 403) return json({}, { status: refusal });
      if (path === "/1/c") return json({}, { status: 410 });
      if (first !== "order") return [{ path }];
      orders += 1;
      return { id: orders };
    });
    const steps = [
      { name: "order", endpoint: "order", reuse: "1 hour" },
      { name: "poll", endpoint: { function: "concat", args: ["poll/", read("order", "id")] }, reuse: "1 hour" },
    ];
    const config = {
      api: { baseUrl: api.url },
      config: { jobs: [{ endpoint: read("poll", "files"), dataType: "x", steps }] },
    };
    const target = { kind, path: `${folder.path}/out` } as const;
    const options = { state: `${folder.path}/state.json`, resume: true, target };
    assert.equal((await runHere(config, options)).result.exitCode, 69);
    refusal = 200;
    const { result } = await runHere(config, options);
    assert.deepEqual([result.exitCode, result.jobs[0]?.records], [0, 3], result.failure?.message);
    const output = await readFile(kind === "file" ? target.path : `${target.path}/x.ndjson`, "utf8");
    assert.equal(output, ["/2/a", "/2/b", "/2/c"].map((path) => `{"path":"${path}"}\n`).join(""));
    assert.doesNotMatch(await readFile(options.state, "utf8"), /progress/);
  });
}

test("no watermark moves past a window whose reused export has expired, although a rule accepts the status", async () => {
  await using folder = await temporaryFolder();
  let [refusal, orders] = [403, 0];
  await using api = await startApi(({ path }) => {
    if (path === "/poll/1") return json({}, { status: refusal });
    if (path.startsWith("/poll")) return { files: ["a"] };
    if (path === "/a") return [{ at: "2024-01-02T08:00:00Z" }];
    orders += 1;
    return { id: orders };
  });
  const steps = [
    { name: "order", endpoint: "order", params: { from: { window: "from" } }, reuse: "1 hour" },
    { name: "poll", endpoint: { function: "concat", args: ["poll/", read("order", "id")] } },
  ];
  const job = {
    endpoint: read("poll", "files"),
    dataType: "x",
    steps,
    windows: { from: { incremental: "from" }, to: "2024-01-03T00:00:00Z", step: "1 day" },
    incremental: { path: "at", initial: "2024-01-01T00:00:00Z" },
  };
  const config = {
    api: { baseUrl: api.url, http: JSON.parse('{"responses": [{"when": {"status": 410}, "then": "empty"}]}') },
    config: { jobs: [job] },
  };
  const options = { state: `${folder.path}/state.json`, resume: true };
  assert.equal((await runHere(config, options)).result.exitCode, 69);
  refusal = 410;
  const { result, output } = await runHere(config, options);
  assert.deepEqual([result.jobs[0]?.verdict, output.split("\n").length], ["suspect", 2], result.jobs[0]?.reason);
  assert.equal(JSON.parse(await readFile(options.state, "utf8")).incremental, undefined);
});

test("an export that has expired since the interruption does not make the job complete, although a rule accepts its status", async () => {
  for (const at of ["/poll/1", "/a", "/b"]) {
    await using folder = await temporaryFolder();
    let refusal = 403;
    await using api = await startApi(({ path }) => {
      if (path === at) return json({}, { status: refusal });
      if (path === "/order") return { id: 1 };
      return path === "/poll/1" ? { files: ["a", "b"] } : [{ path }];
    });
    const poll = { function: "concat", args: ["poll/", read("order", "id")] };
    const steps = [
      { name: "order", endpoint: "order", reuse: "1 hour" },
      { name: "poll", endpoint: poll, reuse: "1 hour" },
    ];
    const config = {
      api: { baseUrl: api.url, http: JSON.parse('{"responses": [{"when": {"status": 410}, "then": "empty"}]}') },
      config: { jobs: [{ endpoint: read("poll", "files"), dataType: "x", steps }] },
    };
    const options = { state: `${folder.path}/state.json`, resume: true };
    assert.equal((await runHere(config, options)).result.exitCode, 69);
    refusal = 410;
    const { result } = await runHere(config, options);
    const [job] = result.jobs;
    assert.deepEqual([result.exitCode, job?.verdict], [0, "suspect"], `${at}: ${job?.reason}`);
    assert.match(job?.reason ?? "", /the job was resumed (here|with earlier answers)/);
    // In a run that is not resumed, the rule counts.
    assert.equal((await runHere(config)).result.jobs[0]?.verdict, "complete");
  }
});
