import assert from "node:assert/strict";
import type { RunEvent } from "../../src/core/runs/event.ts";
import type { RunResult } from "../../src/core/runs/run.ts";
import { type ExpectedPage, pathOf } from "./oracle.ts";
import type { Doom, Scenario } from "./scenario.ts";
import { type ChaosApi, changed } from "./server.ts";

const defaultHold = 8 * 1024 * 1024;

/** A job's expected result. */
export interface Job {
  readonly pages: readonly ExpectedPage[];
  /** The page that fails for good, if the run reaches it. */
  readonly doomed: number | undefined;
}

/** Exit code of a run by the failure that ends it. */
const exitCodes: Readonly<Record<Doom["kind"], number>> = {
  refused: 69,
  busy: 75,
  html: 65,
  garbled: 65,
  reset: 75,
  changed: 65,
  unauthorised: 77,
};

/**
 * Asserts that the output consists of the oracle's lines, each once and in order, or of a prefix of them if the run had to end
 * early, and that the exit code is right.
 */
export function checkLines(scenario: Scenario, jobs: readonly Job[], result: RunResult, output: string): void {
  const { keepGoing, maxRecords = Number.POSITIVE_INFINITY, interruptAfter, leavesAfter, doom } = scenario;
  assert.ok(output === "" || output.endsWith("\n"), "the last line is cut");
  const lines = output.split("\n").slice(0, -1);
  const outcome = `exit code ${result.exitCode}: ${result.failure?.message}`;
  if (result.exitCode === 130 || result.exitCode === 141) {
    assert.ok(result.exitCode === 130 ? interruptAfter !== undefined : leavesAfter !== undefined, outcome);
    const whole = jobs.flatMap((job) => linesOf(job, scenario, false));
    const other = jobs.flatMap((job) => linesOf(job, scenario, true));
    // Only rounds without an interruption check the lines after a failure in a run that keeps going.
    if (!(keepGoing && doom !== undefined)) assertPrefix(lines, [whole, other], outcome);
    return;
  }
  assert.equal(result.records, lines.length, `the record count of the result (${outcome})`);
  let rest = lines;
  let left = maxRecords;
  let code = 0;
  for (const job of jobs) {
    if (left === 0) break;
    const { taken, failed } = takeJob(job, scenario, rest, left, result);
    rest = rest.slice(taken);
    left -= taken;
    if (!failed) continue;
    assert.ok(doom !== undefined);
    if (code === 0) code = exitCodes[doom.kind];
    if (!keepGoing) break;
  }
  assert.equal(result.exitCode, code, outcome);
  assert.deepEqual(rest, [], "unexpected lines");
}

/** Returns how many lines at the front of the output are the job's: all of its lines, or a prefix if the job had to fail. */
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
  const { doom } = scenario;
  if (doom?.kind === "changed") {
    // If the run did not fail, all lines are from the second answer, unless lines of the first were written before it.
    if (result.failure === undefined || result.failure.exitCode !== 65) {
      return exactly(lines, linesOf(job, scenario, true).slice(0, left), whole);
    }
  }
  const pages = job.pages.filter((_, index) => index === job.doomed);
  const page = linesOf({ pages, doomed: undefined }, scenario, false);
  // The limit may be reached within the page, before the fault of the page.
  const cut = page.length > left - before.length;
  if (cut && result.failure === undefined) return exactly(lines, whole);
  const taken = common(lines, whole);
  assert.ok(taken >= before.length, `lines before a failure are missing: ${taken} of ${before.length}`);
  if (!scenario.keepGoing || !isOfOneParent(job, result)) {
    assert.ok(taken <= before.length + page.length, "lines came after the failure");
    return { taken, failed: true };
  }
  const reached = Math.min(taken, before.length + page.length);
  const after = linesOf({ ...job, pages: pagesOfOthers(job) }, scenario, false).slice(0, left - reached);
  exactly(lines.slice(reached), after);
  return { taken: reached + after.length, failed: true };
}

/** Returns whether the failure ends the run of one parent record only (contract C-9.5). */
function isOfOneParent({ pages, doomed }: Job, { failure }: RunResult): boolean {
  const path = pathOf(pages[doomed ?? 0]?.key ?? "");
  return path.includes("/") && (failure?.exitCode === 65 || failure?.exitCode === 69);
}

/** Returns the pages after the failed one, without those of its run and of the children of the run's records. */
function pagesOfOthers({ pages, doomed = 0 }: Job): Job["pages"] {
  const path = pathOf(pages[doomed]?.key ?? "");
  const records = `.${path.replace("/", ".")}-`;
  return pages.slice(doomed + 1).filter(({ key }) => {
    const other = pathOf(key);
    return other !== path && !`.${other.split("/")[1] ?? ""}`.includes(records);
  });
}

function exactly(
  lines: readonly string[],
  ...allowed: readonly (readonly string[])[]
): { taken: number; failed: false } {
  const counts = allowed.map((expected) => common(lines, expected));
  const found = counts.findIndex((count, index) => count === allowed[index]?.length);
  if (found >= 0) return { taken: counts[found] ?? 0, failed: false };
  const at = counts[0] ?? 0;
  assert.fail(`line ${at} is ${excerptOf(lines[at])}, not ${excerptOf(allowed[0]?.[at])}`);
}

function assertPrefix(lines: readonly string[], wholes: readonly (readonly string[])[], outcome: string): void {
  const counts = wholes.map((whole) => common(lines, whole));
  assert.ok(counts.includes(lines.length), `line ${counts[0]} is ${excerptOf(lines[counts[0] ?? 0])} (${outcome})`);
}

function common(lines: readonly string[], expected: readonly string[]): number {
  let count = 0;
  while (count < expected.length && lines[count] === expected[count]) count += 1;
  return count;
}

function excerptOf(line: string | undefined): string {
  return line === undefined ? "missing" : line.slice(0, 80);
}

/** Returns all lines of a job. Lines of a page that only repeats the one before it are written only if they exceed the hold. `second`: the changed page has its second answer. */
function linesOf({ pages, doomed }: Job, { hold = defaultHold, doom }: Scenario, second: boolean): string[] {
  return pages.flatMap(({ lines, repeated }, index) => {
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    if (repeated && bytes <= hold) return [];
    return second && index === doomed && doom?.kind === "changed" ? lines.map(changed) : lines;
  });
}

/** Asserts that a complete run requested every page, and that only guesses in flight were requested beyond the end. */
export function checkRequests(
  scenario: Scenario,
  jobs: readonly Job[],
  result: RunResult,
  { asked, answered }: ChaosApi,
): void {
  const { concurrency, probeEnd } = scenario;
  const whole = result.exitCode === 0 && scenario.maxRecords === undefined;
  const once = whole && !probeEnd && !scenario.odd && !scenario.stalls && scenario.doom === undefined;
  const expected = new Map<string, string[]>();
  for (const { key } of jobs.flatMap(({ pages }) => pages)) {
    expected.set(pathOf(key), [...(expected.get(pathOf(key)) ?? []), key]);
  }
  for (const path of new Set([...asked.keys()].map(pathOf))) {
    const keys = expected.get(path);
    if (path === "login") continue;
    assert.ok(keys !== undefined, `${path} should not be requested`);
    const regular = scenario.datasetAt(path)?.regular === true;
    const beyond = [...asked.keys()].filter((key) => pathOf(key) === path && !keys.includes(key));
    // If a page has another length than assumed, the guesses after it are wrong, and requested again.
    const allowed = (concurrency - 1) * ((regular ? 1 : keys.length) + (probeEnd ? 1 : 0));
    assert.ok(beyond.length <= allowed, `${beyond.length} requests beyond the end, ${allowed} allowed: ${beyond}`);
    if (!once || !regular) continue;
    for (const key of keys) assert.equal(answered.get(key), 1, `good answers to ${key}`);
  }
  if (!whole) return;
  for (const key of [...expected.values()].flat()) assert.ok(asked.has(key), `${key} was never requested`);
}

/** Asserts that the last event has the exit code of the result, and that no error message shows a bug. */
export function checkEvents(result: RunResult, events: readonly RunEvent[]): void {
  assert.equal(events.at(-1)?.event, "run.end");
  assert.equal(events.at(-1)?.exitCode, result.exitCode);
  const failed = result.jobs.filter(({ verdict }) => verdict === "failed").length;
  if (result.exitCode === 0) assert.equal(failed, 0);
  for (const { level, message } of events)
    assert.ok(level !== "error" || !/bug|undefined|\[object/.test(message), message);
}
