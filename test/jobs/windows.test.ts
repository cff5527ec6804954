import assert from "node:assert/strict";
import { test } from "node:test";
import { json } from "../helpers/answers.ts";
import { type Handler, linesOf, type Received, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import type { Random } from "../helpers/random.ts";
import { runHere } from "../helpers/run.ts";
import { forSeeds } from "../helpers/seeds.ts";

/* Tests of a job with `windows` (contract C-16). */

const day = 86_400;
const first = 1_704_067_200;
const edges = { from: { window: "from" }, to: { window: "to" } };
const windows = { from: "2024-01-01", to: "2024-01-04", step: "1 day" };
const names = [0, 1, 2].map((index) => {
  const iso = (time: number): string => new Date(time * 1000).toISOString().replace(".000", "");
  return `${iso(first + index * day)}/${iso(first + (index + 1) * day)}`;
});

/** Returns a handler that answers with the records of the requested window, by offset and limit. */
function recordsApi(records: readonly { readonly at: number }[]): Handler {
  return ({ params }) => {
    const [from, to] = [Number(params.get("from")), Number(params.get("to"))];
    const offset = Number(params.get("offset") ?? 0);
    return records
      .filter(({ at }) => at >= from && at < to)
      .slice(offset, offset + Number(params.get("limit") ?? 1000));
  };
}

const records = [0, 1, 2, day, day + 1, 2 * day, 3 * day - 1, 3 * day].map((at) => ({ at: first + at }));
const configurationOf = (url: string, job: object = {}, pagination: object = { method: "offset", limit: 2 }) => ({
  api: { baseUrl: url, pagination, retryConfig: { maxRetries: 0 } },
  config: { jobs: [{ endpoint: "events", params: edges, windows, ...job }] },
});

test("the job runs once for each window in order, each with its own paging", async () => {
  await using api = await startApi(recordsApi(records));
  const { output, result, events } = await runHere(configurationOf(api.url));
  assert.equal(output, linesOf(records.slice(0, 7)));
  const { verdict, reason, windows: count, pages } = result.jobs[0] ?? {};
  assert.deepEqual([verdict, count, pages], ["complete", 3, 6]);
  assert.match(reason ?? "", /^3 windows, the first: /);
  assert.deepEqual(
    api.log.map(({ params }) => [Number(params.get("from")) - first, Number(params.get("offset"))]),
    [0, day, 2 * day].flatMap((from) => [0, 2].map((offset) => [from, offset])),
  );
  const pagesOf = events.filter(({ event }) => event === "page").map(({ window, page }) => [window, page]);
  assert.deepEqual(
    pagesOf,
    names.flatMap((name) => [1, 2].map((page) => [name, page])),
  );
});

test("endpoint, headers and user data may read the edges of a window, as texts with the function `date`", async () => {
  const on = { function: "date", args: ["Y-m-d", { window: "from" }] };
  await using api = await startApi(({ path }) => [{ path }]);
  const { output } = await runHere(
    configurationOf(api.url, {
      endpoint: { function: "concat", args: ["days/", on] },
      params: {},
      headers: { "X-Until": { window: "to" } },
      userData: { day: on },
      dataType: "days",
    }),
  );
  assert.deepEqual(
    api.log.map(({ path, headers }) => [path, headers["x-until"]]),
    [1, 2, 3].map((number) => [`/days/2024-01-0${number}`, String(first + number * day)]),
  );
  assert.equal(
    output,
    linesOf([1, 2, 3].map((number) => ({ path: `/days/2024-01-0${number}`, day: `2024-01-0${number}` }))),
  );
});

test("without a window, there is no request, and the job is complete", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const { result } = await runHere(configurationOf(api.url, { windows: { ...windows, to: windows.from } }));
  assert.deepEqual(
    [api.log.length, result.jobs[0]?.verdict, result.jobs[0]?.reason],
    [0, "complete", "there is no window"],
  );
});

test("windows without `to` end at the run's start", async () => {
  await using api = await startApi(() => []);
  const now = (first + 90_000) * 1000;
  await runHere(configurationOf(api.url, { windows: { from: first, step: "1 day" } }), { now: () => now });
  assert.deepEqual(
    api.log.map(({ params }) => Number(params.get("to")) - first),
    [day, 90_000],
  );
});

test("the job's verdict is that of its worst window, and the reason names this window", async () => {
  await using api = await startApi(({ params }) => {
    const index = (Number(params.get("from")) - first) / day;
    return { items: [{ index }], total: index === 1 ? 7 : 1 };
  });
  const { result } = await runHere(configurationOf(api.url, { dataField: "items" }));
  const { verdict, reason } = result.jobs[0] ?? {};
  assert.equal(verdict, "suspect");
  assert.ok(reason?.startsWith(`1 of 3 windows, the first, ${names[1]}: `), reason);
});

test("a failure names its window", async () => {
  await using api = await startApi(({ params }) =>
    Number(params.get("from")) === first + day ? json({}, { status: 403 }) : [{ from: params.get("from") }],
  );
  const { result, events } = await runHere(configurationOf(api.url));
  assert.equal(result.exitCode, 69);
  assert.ok(result.jobs[0]?.reason.startsWith(`${names[1]}: `));
  assert.equal(events.find(({ event }) => event === "error")?.window, names[1]);
});

test("windows in a row with equal first pages are suspect, with or without columns of the window", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  for (const userData of [undefined, { from: { window: "from" } }]) {
    const { result } = await runHere(configurationOf(api.url, { userData }));
    const { verdict, reason } = result.jobs[0] ?? {};
    assert.equal(verdict, "suspect");
    assert.match(
      reason ?? "",
      /^2 of 3 windows, the first, 2024-01-02\S+: its first page is the same as in the window before it/,
    );
  }
  const quiet = await runHere(configurationOf(api.url, { evidence: false }));
  assert.equal(quiet.result.jobs[0]?.verdict, "complete");
  await using empty = await startApi(() => []);
  assert.equal((await runHere(configurationOf(empty.url))).result.jobs[0]?.verdict, "complete");
});

test("a window that is suspect for its own reason keeps that reason", async () => {
  await using api = await startApi(({ params }) => ({
    items: [{ id: 1 }],
    total: Number(params.get("from")) === first ? 1 : 7,
  }));
  const { result } = await runHere(configurationOf(api.url, { dataField: "items" }));
  assert.match(result.jobs[0]?.reason ?? "", /^2 of 3 windows, the first, 2024-01-02\S+: .*"total" is 7 and 1 came/);
});

test("first pages of windows are compared for each endpoint separately, and a window is counted once", async () => {
  await using api = await startApi(({ path, params }) => {
    const offset = Number(params.get("offset"));
    const all = [1, 2, 3].map((id) => ({ path, id, ...(path === "/b" ? { from: params.get("from") } : {}) }));
    return all.slice(offset, offset + 2);
  });
  const { result } = await runHere(configurationOf(api.url, { endpoint: ["a", "b"], dataType: "x" }));
  const { verdict, reason, windows: count } = result.jobs[0] ?? {};
  assert.deepEqual([verdict, count], ["suspect", 3]);
  assert.match(reason ?? "", /^2 of 6 runs, the first, 2024-01-02\S+, endpoint "a": its first page is the same as in/);
});

test("a window that requests no page is not compared with others", async () => {
  const isLast = (from: string | null): boolean => Number(from) === first + 2 * day;
  await using api = await startApi({
    "/list": ({ params }) => ({ files: isLast(params.get("from")) ? [] : ["a"] }),
    "/a": () => [{ id: 1 }],
  });
  const job = {
    endpoint: { step: "list", path: "files" },
    params: {},
    dataType: "x",
    steps: [{ name: "list", endpoint: "list", params: edges }],
  };
  const { result } = await runHere(configurationOf(api.url, job, { method: "none" }));
  const { verdict, reason } = result.jobs[0] ?? {};
  assert.equal(verdict, "suspect");
  assert.ok(reason?.startsWith(`1 of 3 windows, the first, ${names[1]}`), reason);
});

test("an API that ignores windows is recognised even after an interruption", async () => {
  let trouble = true;
  await using api = await startApi(({ params }) =>
    trouble && Number(params.get("from")) > first ? json({}, { status: 503 }) : [{ id: 1 }],
  );
  await using folder = await temporaryFolder();
  const options = { state: `${folder.path}/state.json` };
  assert.equal((await runHere(configurationOf(api.url), { ...options, resume: false })).result.exitCode, 75);
  trouble = false;
  const { result } = await runHere(configurationOf(api.url), { ...options, resume: true });
  assert.match(result.jobs[0]?.reason ?? "", /^2 of 3 windows/);
  assert.equal(api.log.length, 4);
});

test("--max-pages limits each window, and --max-records the run", async () => {
  await using api = await startApi(recordsApi(records));
  const perWindow = await runHere(configurationOf(api.url), { maxPages: 1 });
  assert.deepEqual([perWindow.result.records, perWindow.result.jobs[0]?.verdict], [6, "limited"]);
  assert.match(perWindow.result.jobs[0]?.reason ?? "", /^3 of 3 windows, the first, 2024-01-01/);
  const cut = await runHere(configurationOf(api.url), { maxRecords: 4 });
  assert.deepEqual([cut.output, cut.result.jobs[0]?.verdict], [linesOf(records.slice(0, 4)), "limited"]);
});

test("parallel windows are written in order", async () => {
  const answer = recordsApi(records);
  let all: () => void = () => undefined;
  const three = new Promise<void>((resolve) => {
    all = resolve;
  });
  let asked = 0;
  // No window is answered before all three were requested. A run that requests them one by one would wait for ever.
  await using api = await startApi(async (request) => {
    asked += 1;
    if (asked === 3) all();
    await three;
    return answer(request);
  });
  const signal = AbortSignal.timeout(30_000);
  const { output } = await runHere(configurationOf(api.url, {}, { method: "none" }), { concurrency: 3, signal });
  assert.equal(output, linesOf(records.slice(0, 7)));
});

test("records of a window have children, and a child has windows for each parent", async () => {
  await using api = await startApi(({ path, params }) => {
    if (path === "/users") return [{ id: 1 }, { id: 2 }];
    return [{ of: path, from: Number(params.get("from")) - first }];
  });
  const placeholders = { id: "id" };
  const child = { endpoint: "users/{id}/days", dataType: "days", placeholders, params: edges, windows };
  const users = { endpoint: "users", children: [child] };
  const { output } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [users] } }, { tag: true });
  const days = (id: number) => [0, 1, 2].map((index) => `users/${id} ${index * day}`);
  assert.deepEqual(
    output
      .split("\n")
      .filter((line) => line.includes('"of"'))
      .map((line) => {
        const { record } = JSON.parse(line) as { record: { of: string; from: number } };
        return `${record.of.slice(1).replace("/days", "")} ${record.from}`;
      }),
    [...days(1), ...days(2)],
  );
  await using other = await startApi(({ path, params }) =>
    path === "/events" ? [{ id: Number(params.get("from")) }] : [{ child: path }],
  );
  const parent = { ...configurationOf(other.url).config.jobs[0], children: [{ endpoint: "e/{id}", placeholders }] };
  const { result } = await runHere({ api: { baseUrl: other.url }, config: { jobs: [parent] } });
  assert.deepEqual(
    other.targets().filter((target) => target.startsWith("/e/")),
    [0, 1, 2].map((n) => `/e/${first + n * day}`),
  );
  assert.deepEqual(
    result.jobs.map(({ verdict, windows: count }) => [verdict, count]),
    [
      ["complete", 3],
      ["complete", undefined],
    ],
  );
});

test('outside of a job with windows, {"window": ...} is plain data', async () => {
  await using api = await startApi(() => []);
  await runHere(configurationOf(api.url, { windows: undefined }));
  assert.equal(
    decodeURIComponent(api.targets()[0] ?? "").replace(/&(offset|limit).*/, ""),
    "/events?from[window]=from&to[window]=to",
  );
});

/** Runs a configuration against an API whose requests sometimes fail; the run is killed and resumed until it ends. */
async function round(random: Random): Promise<void> {
  const all = Array.from({ length: random.between(0, 40) }, (_, id) => ({ at: first + random.below(3 * day), id }));
  const answer = recordsApi(all);
  let stop: AbortController | undefined;
  let killAt = Number.POSITIVE_INFINITY;
  let asked = 0;
  const handler = (request: Received): unknown => {
    asked += 1;
    if (asked === killAt) stop?.abort(new Error("killed"));
    return random.oneIn(6) ? json({}, { status: random.pick([500, 503]) }) : answer(request);
  };
  await using api = await startApi(handler);
  await using folder = await temporaryFolder();
  const step = random.pick(["1 hour", "5 hours", "1 day"]);
  const { api: client, config } = configurationOf(api.url, { windows: { ...windows, step } });
  const configuration = { api: { ...client, retryConfig: { maxRetries: random.pick([0, 5]) } }, config };
  const output = `${folder.path}/out`;
  let exitCode = -1;
  for (let run = 0; exitCode !== 0 && run < 200; run += 1) {
    stop = new AbortController();
    asked = 0;
    killAt = random.oneIn(2) && run < 10 ? random.between(1, 30) : Number.POSITIVE_INFINITY;
    const options = {
      target: { kind: "file", path: output } as const,
      state: `${folder.path}/state.json`,
      signal: stop.signal,
      concurrency: random.pick([1, 3]),
      resume: run > 0,
    };
    const { result } = await runHere(configuration, options);
    // The run was killed, or its retries were used up.
    assert.ok([0, 75, 130].includes(result.exitCode), String(result.exitCode));
    exitCode = result.exitCode;
  }
  assert.equal(exitCode, 0);
  const written = (await folder.read("out")).split("\n").slice(0, -1);
  const seconds = { "1 hour": 3600, "5 hours": 18_000, "1 day": day }[step] ?? 1;
  const window = ({ at }: { at: number }): number => Math.floor((at - first) / seconds);
  const expected = all.toSorted((a, b) => window(a) - window(b)).map((record) => JSON.stringify(record));
  assert.deepEqual(written, expected);
}

test("despite faults and kills, every record is written once, in the order of the windows", async () => {
  await forSeeds(12, round);
});
