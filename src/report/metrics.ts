import { areFinished, type JobResult, type RunResult } from "../core/runs/run.ts";
import type { RunAccount } from "./run-account.ts";
import { verdicts } from "./run-verdict.ts";

export interface MetricsOptions {
  /** The label `config` of every series. */
  readonly config: string;
  readonly account?: RunAccount | undefined;
  /** The text of the file that these metrics replace. */
  readonly before: string;
  /** True if options have left out jobs or datasets. */
  readonly isPartial: boolean;
}

interface Series {
  readonly help: string;
  readonly type: "gauge";
  readonly samples: readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
}

const lastSuccess = "spile_last_success_timestamp_seconds";

/**
 * Returns the metrics of a run in the text format of Prometheus. All are gauges, since each run
 * counts from 0 again. Each series occurs once for each job, because a collector refuses a file that repeats a series.
 */
export function metricsText(result: RunResult, { config, account, before, isPartial }: MetricsOptions): string {
  const jobs = [...mergedJobs(result.jobs).values()];
  const perJob = (help: string, value: (job: JobResult) => number): Series => ({
    help,
    type: "gauge",
    samples: jobs.map((job) => [{ config, job: job.job }, value(job)]),
  });
  const ofRun = (help: string, value: number): Series => ({ help, type: "gauge", samples: [[{ config }, value]] });
  const endSeconds = (result.startedAt.getTime() + result.durationMs) / 1000;
  const success = isSuccess(result, isPartial) ? endSeconds : previousSuccess(before, config);
  const waitMs = (job: JobResult): number => account?.dataset(job.dataType)?.waitMs ?? 0;
  const series: Readonly<Record<string, Series>> = {
    spile_records: perJob("Records written by the last run.", ({ records }) => records),
    spile_pages: perJob("Pages read by the last run.", ({ pages }) => pages),
    spile_requests: perJob(
      "Requests sent by the last run, retries and redirects included.",
      ({ requests }) => requests,
    ),
    spile_retries: perJob("Retries of the last run.", ({ retries }) => retries),
    spile_wait_seconds: perJob("Time spent in waits for rate limits and retries.", (job) => seconds(waitMs(job))),
    spile_duration_seconds: ofRun("Duration of the last run.", seconds(result.durationMs)),
    spile_job_verdict: {
      help: "Verdict of the job: 1 for its verdict, 0 for the others.",
      type: "gauge",
      samples: jobs.flatMap((job) =>
        verdicts.map((verdict) => [{ config, job: job.job, verdict }, job.verdict === verdict ? 1 : 0] as const),
      ),
    },
    spile_exit_code: ofRun("Exit code of the last run.", result.exitCode),
    ...(success === undefined
      ? {}
      : { [lastSuccess]: ofRun("Time of the last run that fetched everything.", success) }),
  };
  return Object.entries(series).map(seriesText).join("");
}

/** Returns whether a run moves the time of a state, which it does if it fetched everything (contract C-11.8). */
function isSuccess({ failure, jobs }: RunResult, isPartial: boolean): boolean {
  return failure === undefined && !isPartial && areFinished(jobs);
}

/** Merges the jobs of one name, such as those of iterations: adds up their figures, and keeps the worst verdict. */
function mergedJobs(jobs: readonly JobResult[]): ReadonlyMap<string, JobResult> {
  const merged = new Map<string, JobResult>();
  for (const job of jobs) {
    const existing = merged.get(job.job);
    merged.set(job.job, existing === undefined ? job : added(existing, job));
  }
  return merged;
}

function added(one: JobResult, other: JobResult): JobResult {
  const worst = verdicts.indexOf(other.verdict) < verdicts.indexOf(one.verdict) ? other : one;
  return {
    ...worst,
    records: one.records + other.records,
    pages: one.pages + other.pages,
    requests: one.requests + other.requests,
    retries: one.retries + other.retries,
  };
}

function seriesText([name, { help, type, samples }]: readonly [string, Series]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(([labels, value]) => `${name}${labelsText(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Returns the time of the last success according to an earlier file. */
function previousSuccess(before: string, config: string): number | undefined {
  const start = `${lastSuccess}${labelsText({ config })} `;
  const line = before.split("\n").find((text) => text.startsWith(start));
  const value = Number(line?.slice(start.length) || Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
