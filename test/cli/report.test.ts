import assert from "node:assert/strict";
import { test } from "node:test";
import { createReport, type ReportOptions } from "../../src/cli/report.ts";
import { ConfigurationError, SpileError } from "../../src/core/errors.ts";
import type { RunEvent } from "../../src/core/runs/event.ts";
import type { JobResult, RunResult } from "../../src/core/runs/run.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";

function reportText(options: Partial<ReportOptions>, act: (report: ReturnType<typeof createReport>) => void): string {
  let text = "";
  const report = createReport({
    write: (part) => {
      text += part;
    },
    format: "text",
    verbosity: "normal",
    color: false,
    strict: false,
    secrets: new Secrets(),
    ...options,
  });
  act(report);
  return text;
}

const events: readonly RunEvent[] = [
  { event: "run.start", level: "info", message: "2 jobs" },
  { event: "login", level: "info", message: "logged in" },
  { event: "request", level: "debug", message: "GET /users?limit=2", method: "GET" },
  { event: "retry", level: "info", message: "status 500, again in 1 s", job: "users", page: 2, waitMs: 1000 },
  { event: "page", level: "info", message: "2 records", job: "users", page: 2, records: 2, bytes: 40 },
  { event: "warning", level: "warning", message: "no data", job: "users", page: 3 },
  { event: "error", level: "error", message: "status 403", job: "users" },
  { event: "job.end", level: "info", message: "complete", job: "users", verdict: "complete" },
  { event: "run.end", level: "info", message: "done", exitCode: 0 },
];

const names = (text: string) => text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).event]));
const emitAll = (report: ReturnType<typeof createReport>) => events.forEach(report.emit);

test("each verbosity shows its events on one line each, with job and page", () => {
  assert.equal(
    reportText({}, emitAll),
    "debug GET /users?limit=2\nwarning users page 3: no data\nerror users: status 403\n",
  );
  assert.equal(reportText({ verbosity: "quiet" }, emitAll), "error users: status 403\n");
  assert.match(
    reportText({ verbosity: "verbose" }, emitAll),
    /^info 2 jobs\ninfo logged in\ndebug .*\ninfo users page 2: status 500.*\ninfo users page 2: 2 records\nwarning/,
  );
});

test("lines of JSON keep the names of events and fields", () => {
  assert.deepEqual(names(reportText({ format: "json" }, emitAll)), [
    "request",
    "warning",
    "error",
    "job.end",
    "run.end",
  ]);
  assert.deepEqual(
    names(reportText({ format: "json", verbosity: "verbose" }, emitAll)),
    events.map(({ event }) => event),
  );
  const line = JSON.parse(reportText({ format: "json" }, (report) => events.slice(5, 6).forEach(report.emit)));
  assert.deepEqual(Object.keys(line), ["time", "level", "event", "message", "job", "page"]);
  assert.equal(new Date(line.time).toISOString(), line.time);
});

test("only the level is coloured", () => {
  const text = reportText({ color: true }, (report) => events.slice(5, 6).forEach(report.emit));
  assert.equal(text, "\u001b[33mwarning\u001b[0m users page 3: no data\n");
});

test("a failure is reported in one masked line, and each fault of a configuration in a line of its own", () => {
  const secrets = new Secrets();
  secrets.add("hunter2hunter2");
  const fault = (error: unknown) => reportText({ secrets }, (report) => report.fault(error));
  assert.equal(
    fault(new SpileError("data", "not JSON: \u001b[31m\nhunter2hunter2", { job: "users", page: 2 })),
    "error users page 2: not JSON: \\x1b[31m\\x0a***\n",
  );
  assert.equal(
    fault(
      new ConfigurationError([
        { pointer: "/api", message: "missing" },
        { pointer: "/config/jobs", message: "empty" },
      ]),
    ),
    "error /api: missing\nerror /config/jobs: empty\n",
  );
  assert.equal(fault(new SpileError("configuration", "wrong", { pointer: "/api/x" })), "error /api/x: wrong\n");
});

test("the name of a job is printed on one line, even if it contains a line break", () => {
  const name = "users\n\u001b[31m";
  const events = reportText({}, (report) =>
    report.emit({ event: "warning", level: "warning", message: "x", job: name }),
  );
  assert.equal(events, "warning users\\x0a\\x1b[31m: x\n");
  const ended = reportText({}, (report) => report.summary(result({ ...job, job: name })));
  assert.match(ended, /^info users\\x0a\\x1b\[31m complete: .*\n$/);
});

const job: JobResult = {
  job: "users",
  dataType: "users",
  verdict: "complete",
  reason: "a short page ended it",
  pages: 3,
  records: 1,
  bytes: 12_345,
  requests: 4,
  retries: 1,
  logins: 1,
};
const result = (...jobs: JobResult[]): RunResult => ({
  exitCode: 0,
  failure: undefined,
  records: 1,
  jobs,
  startedAt: new Date(0),
  durationMs: 5,
});

test("the summary has a line for each job, at the level of its verdict", () => {
  const suspect = { ...job, verdict: "suspect", reason: "the API has 7" } as const;
  const failed = { ...job, verdict: "failed", reason: "status 403" } as const;
  const behind = { ...failed, reason: "not run: users has failed" } as const;
  const all = (report: ReturnType<typeof createReport>) => report.summary(result(job, suspect, failed, behind));
  const tail = "users suspect: 1 record, 3 pages, 12.3 kB, 1 retry (the API has 7)\n";
  assert.equal(
    reportText({}, all),
    `info users complete: 1 record, 3 pages, 12.3 kB, 1 retry (a short page ended it)
warning ${tail}error users failed: 1 record, 3 pages, 12.3 kB, 1 retry
error users failed: 1 record, 3 pages, 12.3 kB, 1 retry (not run: users has failed)\n`,
  );
  assert.equal(reportText({ verbosity: "quiet" }, all), "");
  assert.equal(reportText({ verbosity: "quiet", strict: true }, all), `error ${tail}`);
  assert.equal(reportText({ format: "json" }, all), "");
});

test("a write error is not reported if the reader has left", () => {
  const closed = (report: ReturnType<typeof createReport>) => {
    report.fault(new SpileError("closedPipe", "the reader has closed stdout"));
    report.emit({ event: "run.end", level: "info", message: "", exitCode: 141 });
    report.summary({ ...result(job), exitCode: 141 });
  };
  assert.equal(reportText({}, closed), "");
  assert.equal(reportText({ format: "json" }, closed), "");
});

test("notes are printed for people only, not as JSON and not with -q", () => {
  const note = (report: ReturnType<typeof createReport>) => report.note("hello\n");
  assert.equal(reportText({}, note), "hello\n");
  assert.equal(reportText({ verbosity: "quiet" }, note), "");
  assert.equal(reportText({ format: "json" }, note), "");
});

test("a long wait is a warning if no progress line shows it", () => {
  const retry: RunEvent = {
    event: "retry",
    level: "warning",
    message: "GET x: answered 503; retry 1 of 10 in 20 s",
    waitMs: 20_000,
  };
  const emit = (report: ReturnType<typeof createReport>) => report.emit(retry);
  const progress = { count: () => undefined, clear: () => undefined, stop: () => undefined };
  assert.equal(reportText({}, emit), `warning ${retry.message}\n`);
  assert.equal(reportText({ progress }, emit), "");
  assert.equal(reportText({ progress, verbosity: "verbose" }, emit), `warning ${retry.message}\n`);
});
