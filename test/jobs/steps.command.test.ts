import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, json, startApi, text } from "../helpers/api.ts";
import { records, start, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

/* Tests of jobs with steps, as the command runs them: recordings, signals, the log, shards. */

const read = (step: string, path: string): object => ({ step, path });
const concat = (...args: unknown[]): object => ({ function: "concat", args });

const steps = [
  { name: "create", endpoint: "exports", method: "POST" },
  { name: "poll", endpoint: concat("exports/", read("create", "id")), until: { path: "files" } },
];
const job = { endpoint: read("poll", "files"), dataType: "x", format: "ndjson", steps };

/** Starts an API whose export is done when its state is requested for the `needed`-th time. Its files have signed addresses. */
async function startExports(needed = 2): Promise<Api> {
  let asked = 0;
  return startApi({
    "POST /exports": () => {
      asked = 0;
      return { id: 7 };
    },
    "/exports/7": () => {
      asked += 1;
      return asked < needed ? { files: null } : { files: [1, 2].map((part) => `/files/${part}?sig=abcdefgh-${part}`) };
    },
    "/files/1": () => text('{"n":1}\n{"n":2}\n'),
    "/files/2": () => text('{"n":3}\n'),
    "/plain": () => [{ n: 4 }],
  });
}

const configurationOf = (api: Api, jobs: readonly object[] = [job]): object => ({
  api: { baseUrl: api.url },
  config: { jobs },
});

test("a recorded run is replayed without a network, and the recording has no signature", async () => {
  await using folder = await temporaryFolder();
  const api = await startExports(3);
  const stdin = JSON.stringify(configurationOf(api));
  const file = `${folder.path}/run.har`;
  const recorded = await spileHere(["-", "--record", file], { stdin });
  assert.equal(recorded.code, 0, recorded.stderr);
  await api.close();
  const sent = api.log.length;
  const replayed = await spileHere(["-", "--replay", file], { stdin, waits: true });
  assert.deepEqual([replayed.code, replayed.stdout], [0, recorded.stdout], replayed.stderr);
  assert.equal(api.log.length, sent);
  assert.ok(!(await folder.read("run.har")).includes("abcdefgh"));
});

for (const [signal, code] of [
  ["SIGTERM", 143],
  ["SIGINT", 130],
] as const) {
  test(`${signal} ends the wait for an export at once`, async () => {
    await using folder = await temporaryFolder();
    await using api = await startExports(1e9);
    const patient = { ...job, steps: [steps[0], { ...steps[1], every: "1 hour", timeout: "5 hours" }] };
    await folder.write("config.json", configurationOf(api, [{ endpoint: "plain" }, patient]));
    const running = start(["config.json", "-v"], { cwd: folder.path });
    await running.until("stderr", /step "poll": not done yet.*asked again in 3600 s/);
    const startTime = performance.now();
    running.kill(signal);
    const ended = await running.finished;
    assert.equal(ended.code, code, ended.stderr);
    assert.ok(performance.now() - startTime < 5000);
    assert.deepEqual(records(ended.stdout), [{ n: 4 }]);
  });
}

test("--max-time ends the wait for an export", async () => {
  await using folder = await temporaryFolder();
  await using api = await startExports(1e9);
  const patient = { ...job, steps: [steps[0], { ...steps[1], every: "1 hour", timeout: "5 hours" }] };
  await folder.write("config.json", configurationOf(api, [patient]));
  const ended = await start(["config.json", "--max-time", "1s"], { cwd: folder.path }).finished;
  assert.equal(ended.code, 75, ended.stderr);
  assert.match(ended.stderr, /--max-time/);
});

test("the JSON log names the step in requests, retries, answers and errors", async () => {
  let broken = 0;
  await using api = await startApi({
    "POST /exports": () => {
      broken += 1;
      return broken === 1 ? json({}, { status: 503 }) : { id: 7 };
    },
    "/exports/7": () => json({ error: "gone" }, { status: 410 }),
  });
  const { code, stderr } = await spileHere(["-", "--log-format", "json", "-v", "--debug"], {
    stdin: JSON.stringify(configurationOf(api)),
  });
  assert.equal(code, 69);
  const events = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    events.filter((event) => "step" in event).map(({ event, step, job: name }) => [event, step, name]),
    [
      ["request", "create", "x"],
      ["retry", "create", "x"],
      ["request", "create", "x"],
      ["step", "create", "x"],
      ["request", "poll", "x"],
      ["error", "poll", "x"],
    ],
  );
});

test("without -v, successful steps are not reported", async () => {
  await using api = await startExports();
  const { stderr } = await spileHere(["-"], { stdin: JSON.stringify(configurationOf(api)) });
  assert.match(stderr, /^info x complete: 3 records, 2 pages/);
  assert.doesNotMatch(stderr, /step/);
});

test("preview runs the steps and shows records of the first file", async () => {
  await using api = await startExports();
  const { code, stdout, stderr } = await spileHere(["preview", "-"], { stdin: JSON.stringify(configurationOf(api)) });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^x {3}GET \{"step":"poll","path":"files"\}/);
  assert.ok(!api.targets().some((target) => target.startsWith("/files/2")));
});

test("each window runs its own steps, and lines of parallel windows keep their order", async () => {
  const windowed = {
    dataType: "x",
    windows: { from: 0, to: 86_400 * 3, step: "1 day" },
    steps: [
      { name: "order", endpoint: "orders", method: "POST", params: { from: { window: "from" } } },
      { name: "ready", endpoint: concat("orders/", read("order", "id")), until: { path: "done" } },
    ],
    endpoint: read("ready", "files"),
    userData: { day: { window: "from" }, order: read("order", "id") },
  };
  for (const concurrency of [1, 3]) {
    const asked = new Map<string, number>();
    await using api = await startApi(({ method, path, body }) => {
      if (method === "POST") return { id: String((JSON.parse(body) as { from: number }).from) };
      const [, kind, id = "", part] = path.split("/");
      if (kind === "files") return [{ id: Number(id), part }];
      asked.set(id, (asked.get(id) ?? 0) + 1);
      // The first window is the last to be ready.
      return (asked.get(id) ?? 0) > (id === "0" ? 5 : 1)
        ? { done: true, files: ["a", "b"].map((one) => `files/${id}/${one}`) }
        : {};
    });
    const { output, result } = await runHere(configurationOf(api, [windowed]), { concurrency });
    const days = [0, 86_400, 172_800];
    assert.equal(
      output,
      days
        .flatMap((id) => ["a", "b"].map((part) => `{"id":${id},"part":"${part}","day":${id},"order":"${id}"}\n`))
        .join(""),
    );
    assert.equal(result.jobs[0]?.verdict, "complete");
    assert.equal(result.jobs[0]?.windows, 3);
  }
});

test("the error names the window whose export failed, and with --keep-going, other jobs run", async () => {
  await using api = await startApi({
    "/ready": ({ params }) => (params.get("from") === "86400" ? { failed: true } : { url: "/plain" }),
    "/plain": () => [{ n: 4 }],
  });
  const windowed = {
    dataType: "x",
    windows: { from: 0, to: 86_400 * 3, step: "1 day" },
    steps: [{ name: "ready", endpoint: "ready", params: { from: { window: "from" } }, failWhen: { path: "failed" } }],
    endpoint: read("ready", "url"),
  };
  const { result, output, events } = await runHere(configurationOf(api, [windowed, { endpoint: "plain" }]), {
    keepGoing: true,
  });
  assert.equal(result.exitCode, 69);
  assert.equal(output, '{"n":4}\n{"n":4}\n');
  assert.deepEqual(
    result.jobs.map(({ verdict }) => verdict),
    ["failed", "complete"],
  );
  assert.equal(events.find(({ event }) => event === "error")?.window, "1970-01-02T00:00:00Z/1970-01-03T00:00:00Z");
});

test("a job with steps is run by one shard, and the merged lines are those of one run", async () => {
  await using folder = await temporaryFolder();
  await using api = await startExports();
  const config = await folder.write("config.json", configurationOf(api, [{ endpoint: "plain" }, job]));
  const whole = await spileHere([config]);
  const plan = `${folder.path}/plan.json`;
  const parts = `${folder.path}/parts`;
  const planned = await spileHere(["shard", "plan", config, "--count", "2", "-o", plan]);
  assert.equal(planned.code, 0, planned.stderr);
  for (const index of ["0", "1"]) {
    const ran = await spileHere(["shard", "run", plan, config, "--to", parts, "--index", index]);
    assert.equal(ran.code, 0, ran.stderr);
  }
  const merged = await spileHere(["shard", "merge", plan, parts]);
  assert.deepEqual([merged.code, merged.stdout], [0, whole.stdout], merged.stderr);
  // One export for the single run, and one for the shard with the job.
  assert.equal(api.log.filter(({ method }) => method === "POST").length, 2);
});

test("a step may read an increment, which moves with the records of the export", async () => {
  await using folder = await temporaryFolder();
  let count = 0;
  await using api = await startApi({
    "/order": ({ params }) => ({ url: `rows?of=${params.get("from")}` }),
    "/rows": () => {
      count += 1;
      return [{ at: `2024-0${count}-01T00:00:00Z` }];
    },
  });
  const incremental = {
    endpoint: read("order", "url"),
    dataType: "x",
    incremental: { path: "at", initial: "2020-01-01T00:00:00Z" },
    steps: [{ name: "order", endpoint: "order", params: { from: { incremental: "from" } } }],
  };
  const options = { state: `${folder.path}/state.json` };
  for (let run = 0; run < 2; run += 1) await runHere(configurationOf(api, [incremental]), options);
  assert.deepEqual(
    api.log.filter(({ path }) => path === "/order").map(({ params }) => params.get("from")),
    ["2020-01-01T00:00:00Z", "2024-01-01T00:00:00Z"],
  );
});
