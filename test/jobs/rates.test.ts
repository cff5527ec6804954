import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../src/core/runs/event.ts";
import { json, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";
import { planned } from "../shards/sharded.ts";

/** Times at which requests of a run began, in milliseconds since a moment before the run. */
interface Beginnings {
  readonly emit: (event: RunEvent) => void;
  /** Returns the times of the requests whose address matches. */
  of(pattern: RegExp): number[];
}

/** Records the requests of a run with `debug`. */
function recordBeginnings(): Beginnings {
  const found: [string, number][] = [];
  const start = performance.now();
  return {
    emit: ({ event, url = "" }) => void (event === "request" && found.push([url, performance.now() - start])),
    of: (pattern) => found.flatMap(([url, time]) => (pattern.test(url) ? time : [])),
  };
}

/**
 * Asserts that at most `requests` requests began in the first `period` milliseconds, twice as many in the first two periods, and
 * so on. A busy machine only makes them later.
 */
function assertAtMost(times: readonly number[], requests: number, period: number): void {
  for (const [index, time] of times.entries()) {
    const earliest = Math.floor(index / requests) * period;
    assert.ok(time >= earliest, `request ${index + 1} began after ${time} ms, not ${earliest}: ${times}`);
  }
}

const child = (endpoint: string, more = {}) => ({ endpoint, dataType: endpoint, placeholders: { id: "id" }, ...more });

test("a job's rate applies to the job and those below it together, and to no other job", async () => {
  const ids = Array.from({ length: 15 }, (_, index) => ({ id: index + 1 }));
  await using api = await startApi(({ path }) => (path === "/slow" ? ids.slice(0, 4) : ids));
  const slow = { endpoint: "slow", rateLimit: ["2/s"], children: [child("slow/{id}")] };
  const fast = { endpoint: "fast", children: [child("fast/{id}")] };
  const configuration = { api: { baseUrl: api.url }, config: { jobs: [slow, fast] } };
  for (const concurrency of [1, 4]) {
    const recorder = recordBeginnings();
    const { result } = await runHere(configuration, { concurrency, debug: true, emit: recorder.emit });
    assert.equal(result.exitCode, 0, result.failure?.message);
    const times = recorder.of(/slow/);
    assert.equal(times.length, 5);
    assertAtMost(times, 2, 1000);
    // At two a second, sixteen requests take seven seconds.
    const [first = 0, ...others] = recorder.of(/fast/);
    assert.equal(others.length, 15);
    assert.ok((others.at(-1) ?? 0) - first < 5000);
  }
});

test("a child's rate replaces its parent's rate, and applies together with the global rate", async () => {
  await using api = await startApi(() => [1, 2, 3, 4].map((id) => ({ id })));
  const slow = { endpoint: "a", rateLimit: "1/h", children: [child("a/{id}", { rateLimit: ["2/s"] })] };
  const recorder = recordBeginnings();
  const configuration = { api: { baseUrl: api.url, http: { rateLimit: ["4/s"] } }, config: { jobs: [slow] } };
  const { result } = await runHere(configuration, { debug: true, emit: recorder.emit });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assertAtMost(recorder.of(/a\/./), 2, 1000);
  assertAtMost(recorder.of(/./), 4, 1000);
});

test("a job's rate applies across iterations, and to steps and retries", async () => {
  let refuses = true;
  await using api = await startApi(({ path }) => {
    if (path === "/make") return {};
    const refused = refuses;
    refuses = false;
    return refused ? json({}, { status: 503 }) : [{ id: 1 }];
  });
  const job = { endpoint: "rows", rateLimit: ["2/s"], steps: [{ name: "make", endpoint: "make" }] };
  const recorder = recordBeginnings();
  const iterations = [{ name: "a" }, { name: "b" }];
  const configuration = { api: { baseUrl: api.url }, config: { jobs: [job] }, iterations };
  const { result } = await runHere(configuration, { debug: true, emit: recorder.emit });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.equal(recorder.of(/./).length, 5);
  assertAtMost(recorder.of(/./), 2, 1000);
});

test("a job's rate applies although --rate is higher", async () => {
  await using api = await startApi(() => [1, 2, 3, 4].map((id) => ({ id })));
  const job = { endpoint: "a", rateLimit: ["2/s"], children: [child("a/{id}")] };
  const recorder = recordBeginnings();
  const configuration = { api: { baseUrl: api.url }, config: { jobs: [job] } };
  const { result } = await runHere(configuration, { rate: 1000, debug: true, emit: recorder.emit });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assertAtMost(recorder.of(/./), 2, 1000);
});

test("each shard keeps to its share of a job's rate", async () => {
  await using api = await startApi(({ params }) =>
    Number(params.get("page")) < 5 ? [{ id: params.get("page") }] : [],
  );
  const pagination = { method: "pagenum" };
  const configuration = {
    api: { baseUrl: api.url, pagination },
    config: { jobs: [{ endpoint: "a", rateLimit: ["4/s"] }] },
  };
  await using sharded = await planned(configuration, 2);
  for (const index of [0, 1]) {
    const recorder = recordBeginnings();
    await sharded.run(index, { debug: true, emit: recorder.emit });
    assert.ok(recorder.of(/./).length > 2);
    assertAtMost(recorder.of(/./), 2, 1000);
  }
});

test("check shows the rate of a job, and refuses an invalid rate", async () => {
  await using folder = await temporaryFolder();
  const checked = async (rateLimit: unknown) => {
    const configuration = {
      api: { baseUrl: "https://api.example.com/" },
      config: { jobs: [{ endpoint: "a", rateLimit }] },
    };
    return await spileHere(["check", await folder.write("config.json", configuration)]);
  };
  assert.match((await checked("30/m")).stdout, /this job at most 0\.5 requests a second/);
  assert.match((await checked(["5/s", "60/m"])).stdout, /this job at most 5\/s and 60\/m/);
  assert.match((await checked("fast")).stderr, /\/config\/jobs\/0\/rateLimit: must be requests a second \(5\)/);
  assert.match((await checked({ remaining: "X-Left" })).stderr, /\/config\/jobs\/0\/rateLimit: must be requests/);
});
