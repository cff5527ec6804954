import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { readConfiguration } from "../../src/config/read.ts";
import { SpileError } from "../../src/core/errors.ts";
import type { RunEvent } from "../../src/core/event.ts";
import { Secrets } from "../../src/core/redact.ts";
import type { RunResult } from "../../src/pipeline/options.ts";
import { run } from "../../src/pipeline/run.ts";
import { createRandom } from "../helpers/random.ts";
import { type ExpectedPage, pagesOf } from "./oracle.ts";
import { createScenario, type Doom, type Scenario } from "./scenario.ts";
import { type ChaosApi, changed, startChaosApi } from "./server.ts";

/** Milliseconds after which a round hangs; the longest takes a few seconds. */
const patience = 30_000;
const defaultHold = 8 * 1024 * 1024;

interface Job {
  readonly pages: readonly ExpectedPage[];
  /** The doomed page is one of these, and will be met. */
  readonly doomed: number | undefined;
}

/** Runs the scenario of a seed and compares what comes out with the oracle. Throws AssertionError. */
export async function round(seed: number): Promise<Scenario> {
  const scenario = createScenario(seed);
  const { doom: fate } = scenario;
  const jobs = scenario.datasets.map((dataset, index): Job => {
    const pages = [...pagesOf(dataset, scenario)];
    const spared = fate?.kind === "changed" && dataset.repeats;
    return { pages, doomed: !spared && fate?.job === index && fate.page < pages.length ? fate.page : undefined };
  });
  const served = await startChaosApi(scenario, doomedKey(scenario, jobs));
  try {
    const { result, output, events } = await extract(scenario, served.api.url);
    if (process.env.CHAOS_LOG !== undefined) log(events, served);
    try {
      check(scenario, jobs, result, output);
    } catch (error) {
      if (error instanceof Error) error.message += ` (exit code ${result.exitCode}, ${result.failure?.message})`;
      throw error;
    }
    checkRequests(scenario, jobs, result, served);
    checkEvents(result, events);
  } finally {
    await served.api.close();
  }
  return scenario;
}

/** What happened, for whoever looks into a seed: CHAOS_LOG=1 npm run chaos -- --seed N */
function log(events: readonly RunEvent[], { api }: ChaosApi): void {
  for (const { event, job, page, message, records } of events) console.error(event, job, page, message, records);
  for (const { at, connection, target } of api.log) console.error(Math.round(at), connection, target);
}

/** Where the doomed page stands. One that is never reached may still be asked for ahead of its turn. */
function doomedKey({ doom: fate, datasets, size }: Scenario, jobs: readonly Job[]): string | undefined {
  if (fate === undefined) return undefined;
  const { endpoint, size: own = size } = datasets[fate.job] ?? { endpoint: "" };
  const pages = jobs[fate.job]?.pages ?? [];
  const last = pages.at(-1)?.at ?? 0;
  return `${endpoint}@${pages[fate.page]?.at ?? last + own * (fate.page - pages.length + 1)}`;
}

export function configurationOf(scenario: Scenario, url: string): unknown {
  const { method, size, limitStop, probeEnd, login, datasets, stalls } = scenario;
  return {
    api: {
      baseUrl: url,
      pagination: {
        method,
        limit: size,
        probeEnd,
        ...(limitStop
          ? { limitStop: { field: datasets.some(({ shape }) => shape === "items") ? "total" : "data.total" } }
          : {}),
      },
      ...(stalls ? { http: { idleTimeout: 0.15, requestTimeout: 0.2 } } : {}),
      ...(login === undefined
        ? {}
        : {
            authentication: {
              type: "login",
              loginRequest: { endpoint: "login" },
              apiRequest: { headers: { "X-ApiToken": "token" } },
              ...(login.expires === undefined ? {} : { expires: login.expires }),
            },
          }),
    },
    config: {
      jobs: datasets.map(({ endpoint, shape, size: own }) => ({
        endpoint,
        ...(shape === "data.items" ? { dataField: shape } : {}),
        ...(own === undefined ? {} : { params: { limit: own } }),
      })),
    },
  };
}

async function extract(
  scenario: Scenario,
  url: string,
): Promise<{ result: RunResult; output: string; events: RunEvent[] }> {
  const { concurrency, hold, maxRecords, maxPages, keepGoing, interruptAfter } = scenario;
  const secrets = new Secrets();
  const events: RunEvent[] = [];
  const text = JSON.stringify(configurationOf(scenario, url));
  const loaded = readConfiguration(text, { name: "chaos", set: new Map(), environment: {}, strict: false, secrets });
  const controller = new AbortController();
  const interrupt = new SpileError("interrupted", "stopped by SIGINT");
  const timer =
    interruptAfter === undefined ? undefined : setTimeout(() => controller.abort(interrupt), interruptAfter);
  const { stream, taken } = reader(scenario);
  let watchdog: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    watchdog = setTimeout(() => reject(new assert.AssertionError({ message: "the run hangs" })), patience);
  });
  const running = run(loaded, {
    target: { kind: "stream", stream },
    signal: controller.signal,
    emit: (event) => events.push(event),
    secrets,
    concurrency,
    hold,
    maxRecords,
    maxPages,
    keepGoing,
    backoff: () => 1,
  });
  try {
    const result = await Promise.race([running, hangs]);
    return { result, output: taken(), events };
  } finally {
    clearTimeout(timer);
    clearTimeout(watchdog);
    controller.abort(interrupt);
  }
}

/** A reader with the scenario's manners. */
function reader({ reader: pace, leavesAfter, seed }: Scenario): { stream: Writable; taken: () => string } {
  const random = createRandom(seed);
  const chunks: Buffer[] = [];
  let writes = 0;
  const stream = new Writable({
    highWaterMark: pace === undefined ? 65_536 : 100,
    write(chunk: Buffer, _encoding, callback) {
      writes += 1;
      if (leavesAfter !== undefined && writes > leavesAfter) {
        callback(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
        return;
      }
      // Copied, so that a buffer that is used again under way would be noticed.
      chunks.push(Buffer.from(chunk));
      if (pace === undefined) callback();
      else setTimeout(callback, random.below(pace + 1));
    },
  });
  stream.on("error", () => undefined);
  return { stream, taken: () => Buffer.concat(chunks).toString("utf8") };
}

/** Which exit code a doom brings. */
const ends: Readonly<Record<Doom["kind"], number>> = {
  refused: 69,
  busy: 75,
  html: 65,
  garbled: 65,
  reset: 75,
  changed: 65,
  unauthorised: 77,
};

function check(scenario: Scenario, jobs: readonly Job[], result: RunResult, output: string): void {
  const { keepGoing, maxRecords = Number.POSITIVE_INFINITY, interruptAfter, leavesAfter, doom: fate } = scenario;
  assert.ok(output === "" || output.endsWith("\n"), "the last line is cut");
  const lines = output.split("\n").slice(0, -1);
  const told = `exit code ${result.exitCode}: ${result.failure?.message}`;
  if (result.exitCode === 130 || result.exitCode === 141) {
    assert.ok(result.exitCode === 130 ? interruptAfter !== undefined : leavesAfter !== undefined, told);
    const whole = jobs.flatMap((job) => linesOf(job, scenario, false));
    const other = jobs.flatMap((job) => linesOf(job, scenario, true));
    // After a failure in a run that keeps going, what follows is checked by the other rounds.
    if (!(keepGoing && fate !== undefined)) assertPrefix(lines, [whole, other], told);
    return;
  }
  assert.equal(result.records, lines.length, `the result's count of records (${told})`);
  let rest = lines;
  let left = maxRecords;
  let code = 0;
  for (const job of jobs) {
    if (left === 0) break;
    const { taken, failed } = takeJob(job, scenario, rest, left, result);
    rest = rest.slice(taken);
    left -= taken;
    if (!failed) continue;
    assert.ok(fate !== undefined);
    if (code === 0) code = ends[fate.kind];
    if (!keepGoing) break;
  }
  assert.equal(result.exitCode, code, told);
  assert.deepEqual(rest, [], "lines that nobody expected");
}

/** Takes a job's lines off the front of the output: all of them, or a prefix where it had to fail. */
function takeJob(
  job: Job,
  scenario: Scenario,
  lines: readonly string[],
  left: number,
  result: RunResult,
): { taken: number; failed: boolean } {
  const whole = linesOf(job, scenario, false).slice(0, left);
  const before =
    job.doomed === undefined ? undefined : linesOf({ ...job, pages: job.pages.slice(0, job.doomed) }, scenario, false);
  if (before === undefined || before.length >= left) return exactly(lines, whole);
  const { doom: fate } = scenario;
  if (fate?.kind === "changed") {
    // Either all of it is the second answer's, or the first one's lines had begun to flow.
    if (result.failure === undefined || result.failure.exitCode !== 65) {
      return exactly(lines, linesOf(job, scenario, true).slice(0, left), whole);
    }
  }
  const page = job.pages[job.doomed ?? 0]?.lines ?? [];
  // The limit may be reached within the page, before its fault has come.
  const cut = page.length > left - before.length;
  if (cut && result.failure === undefined) return exactly(lines, whole);
  const taken = common(lines, whole);
  assert.ok(taken >= before.length, `lines before a failure are missing: ${taken} of ${before.length}`);
  assert.ok(taken <= before.length + page.length, "lines came after the failure");
  return { taken, failed: true };
}

function exactly(
  lines: readonly string[],
  ...allowed: readonly (readonly string[])[]
): { taken: number; failed: false } {
  const counts = allowed.map((expected) => common(lines, expected));
  const found = counts.findIndex((count, index) => count === allowed[index]?.length);
  if (found >= 0) return { taken: counts[found] ?? 0, failed: false };
  const at = counts[0] ?? 0;
  assert.fail(`line ${at} is ${shown(lines[at])}, not ${shown(allowed[0]?.[at])}`);
}

function assertPrefix(lines: readonly string[], wholes: readonly (readonly string[])[], told: string): void {
  const counts = wholes.map((whole) => common(lines, whole));
  assert.ok(counts.includes(lines.length), `line ${counts[0]} is ${shown(lines[counts[0] ?? 0])} (${told})`);
}

function common(lines: readonly string[], expected: readonly string[]): number {
  let count = 0;
  while (count < expected.length && lines[count] === expected[count]) count += 1;
  return count;
}

function shown(line: string | undefined): string {
  return line === undefined ? "missing" : line.slice(0, 80);
}

/** All lines of a job. Those of a page that only repeats the one before it are written past the hold alone. */
function linesOf({ pages, doomed }: Job, { hold = defaultHold, doom: fate }: Scenario, second: boolean): string[] {
  return pages.flatMap(({ lines, repeated }, index) => {
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (repeated && bytes <= hold) return [];
    return second && index === doomed && fate?.kind === "changed" ? lines.map(changed) : lines;
  });
}

function checkRequests(
  scenario: Scenario,
  jobs: readonly Job[],
  result: RunResult,
  { asked, answered }: ChaosApi,
): void {
  const { concurrency, datasets, probeEnd } = scenario;
  const whole = result.exitCode === 0 && scenario.maxRecords === undefined;
  for (const [index, { endpoint, regular }] of datasets.entries()) {
    const pages = jobs[index]?.pages ?? [];
    const keys = pages.map(({ at }) => `${endpoint}@${at}`);
    const beyond = [...asked.keys()].filter((key) => key.startsWith(`${endpoint}@`) && !keys.includes(key));
    // A page of another length than was assumed makes the guesses after it wrong, once more.
    const wrong = (regular ? 1 : pages.length) + (probeEnd ? 1 : 0);
    const allowed = (concurrency - 1) * wrong;
    assert.ok(beyond.length <= allowed, `${beyond.length} requests beyond the end, ${allowed} allowed: ${beyond}`);
    if (!whole) continue;
    for (const key of keys) {
      assert.ok(asked.has(key), `${key} was never asked for`);
      if (regular && !probeEnd && !scenario.odd && !scenario.stalls && scenario.doom === undefined)
        assert.equal(answered.get(key), 1, `good answers to ${key}`);
    }
  }
}

function checkEvents(result: RunResult, events: readonly RunEvent[]): void {
  assert.equal(events.at(-1)?.event, "run.end");
  assert.equal(events.at(-1)?.exitCode, result.exitCode);
  const failed = result.jobs.filter(({ verdict }) => verdict === "failed").length;
  if (result.exitCode === 0) assert.equal(failed, 0);
  for (const { level, message } of events)
    assert.ok(level !== "error" || !/bug|undefined|\[object/.test(message), message);
}
