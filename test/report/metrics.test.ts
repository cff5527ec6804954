import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobResult, RunResult } from "../../src/core/runs/run.ts";
import { metricsText } from "../../src/report/metrics.ts";

const startedAt = new Date("2026-01-02T03:04:05Z");

function job(name: string, figures: Partial<JobResult> = {}): JobResult {
  const counts = { pages: 1, records: 2, bytes: 3, requests: 4, retries: 5, logins: 0 };
  return { job: name, dataType: name, verdict: "complete", reason: "", ...counts, ...figures };
}

function result(jobs: readonly JobResult[], figures: Partial<RunResult> = {}): RunResult {
  return { exitCode: 0, failure: undefined, records: 2, jobs, startedAt, durationMs: 1500, ...figures };
}

/** Returns the series of a text, with their values. */
function seriesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const pairs = lines.map((line): [string, number] => {
    const cut = line.lastIndexOf(" ");
    return [line.slice(0, cut), Number(line.slice(cut + 1))];
  });
  assert.equal(new Set(pairs.map(([name]) => name)).size, pairs.length, "a series occurs twice");
  return new Map(pairs);
}

const options = { config: "a.json", before: "", isPartial: false };

test("each figure has its series, its help and its type", () => {
  const text = metricsText(result([job("users")]), options);
  const series = seriesOf(text);
  assert.deepEqual(Object.fromEntries(series), {
    'spile_records{config="a.json",job="users"}': 2,
    'spile_pages{config="a.json",job="users"}': 1,
    'spile_requests{config="a.json",job="users"}': 4,
    'spile_retries{config="a.json",job="users"}': 5,
    'spile_wait_seconds{config="a.json",job="users"}': 0,
    'spile_duration_seconds{config="a.json"}': 1.5,
    'spile_job_verdict{config="a.json",job="users",verdict="failed"}': 0,
    'spile_job_verdict{config="a.json",job="users",verdict="suspect"}': 0,
    'spile_job_verdict{config="a.json",job="users",verdict="limited"}': 0,
    'spile_job_verdict{config="a.json",job="users",verdict="complete"}': 1,
    'spile_exit_code{config="a.json"}': 0,
    'spile_last_success_timestamp_seconds{config="a.json"}': startedAt.getTime() / 1000 + 1.5,
  });
  const families = new Set([...series.keys()].map((name) => name.replace(/\{.*/, "")));
  for (const family of families) {
    assert.match(text, new RegExp(`^# HELP ${family} .+\\.$`, "m"));
    assert.match(text, new RegExp(`^# TYPE ${family} gauge$`, "m"));
  }
  assert.ok(text.endsWith("\n"));
});

test("jobs with one name are one series, with the worst verdict", () => {
  const text = metricsText(result([job("users"), job("users", { verdict: "suspect" }), job("users")]), options);
  const series = seriesOf(text);
  assert.equal(series.get('spile_records{config="a.json",job="users"}'), 6);
  assert.equal(series.get('spile_job_verdict{config="a.json",job="users",verdict="suspect"}'), 1);
  assert.equal(series.get('spile_job_verdict{config="a.json",job="users",verdict="complete"}'), 0);
});

test("names are escaped as label values", () => {
  const text = metricsText(result([job('a"b\\c\nd')]), options);
  assert.match(text, /^spile_records\{config="a.json",job="a\\"b\\\\c\\nd"\} 2$/m);
  assert.equal(seriesOf(text).size, 12);
});

test("if this run is not a success, the last success is that of the earlier file", () => {
  const success = 'spile_last_success_timestamp_seconds{config="a.json"}';
  const before = metricsText(result([job("users")]), options);
  const later = { startedAt: new Date("2026-01-03T00:00:00Z") };
  const failures: readonly RunResult[] = [
    result([job("users", { verdict: "suspect" })], later),
    result([job("users", { verdict: "limited", byCommand: true })], later),
    result([job("users", { verdict: "failed" })], { ...later, exitCode: 69 }),
  ];
  for (const failed of failures) {
    const text = metricsText(failed, { ...options, before });
    assert.equal(seriesOf(text).get(success), seriesOf(before).get(success));
    assert.equal(seriesOf(metricsText(failed, options)).has(success), false);
    assert.equal(seriesOf(metricsText(failed, { ...options, before, config: "b.json" })).size, 11);
  }
  const partial = metricsText(result([job("users")], later), { ...options, before, isPartial: true });
  assert.equal(seriesOf(partial).get(success), seriesOf(before).get(success));
  const limited = metricsText(result([job("users", { verdict: "limited" })], later), { ...options, before });
  assert.equal(seriesOf(limited).get(success), later.startedAt.getTime() / 1000 + 1.5);
});
