import type { JobResult, RunResult } from "../core/runs/run.ts";
import type { EvidencePage, RunAccount, Shares, Timeline } from "./run-account.ts";
import { type RunVerdict, verdictOf, verdicts } from "./run-verdict.ts";
import { type Summary, summaryOf } from "./summary.ts";
import { cutText } from "./words.ts";

/** The figures of a job in a report. `durationMs` and `waitMs` are undefined if the job's dataset sent no request. */
export interface JobFigures extends JobResult {
  /** Time from the dataset's first request, or the wait before it, to its last answer. */
  readonly durationMs: number | undefined;
  /** Sum of the dataset's waits for a rate limit and before retries. Concurrent waits are added up. */
  readonly waitMs: number | undefined;
  /** The page at which the job became suspect or failed. */
  readonly evidence: EvidencePage | undefined;
}

/** One shard of a merged run. */
export interface ShardFigures {
  readonly index: number;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly bytes: number;
}

/** Sums of the jobs that a report does not list. */
export interface Rest extends Pick<JobResult, "pages" | "records" | "bytes" | "requests" | "retries"> {
  readonly jobs: number;
}

/** Everything that a report shows. The page also contains it as JSON, in which the fields of `--summary` have the same names. */
export interface ReportFigures extends Omit<Summary, "jobs"> {
  readonly configuration: string;
  readonly verdict: RunVerdict;
  /** The message of the first failure. */
  readonly failure: string | undefined;
  /** Suspect and failed jobs come first, and children follow their parents. */
  readonly jobs: readonly JobFigures[];
  readonly rest: Rest | undefined;
  /** Milliseconds of each share; they add up to `durationMs`. Absent if the run did not begin. */
  readonly time: Shares | undefined;
  readonly timeline: Timeline | undefined;
  readonly advice: string | undefined;
  /** The slowest shards of a merged run. */
  readonly shards: readonly ShardFigures[] | undefined;
}

export interface FiguresOptions {
  readonly configuration: string;
  /** Undefined if the run did not begin. */
  readonly account?: RunAccount | undefined;
  readonly shards?: readonly ShardFigures[] | undefined;
  /** Maximum number of jobs, and of shards, that are listed. */
  readonly maxListed: number;
}

export function figuresOf(
  result: RunResult,
  { configuration, account, shards, maxListed }: FiguresOptions,
): ReportFigures {
  const { jobs, ...summary } = summaryOf(result);
  const ordered = worstFirst(jobs);
  const time = account?.shares(summary.durationMs);
  return {
    ...summary,
    configuration: cutText(configuration),
    verdict: verdictOf(result),
    failure: result.failure && cutText(result.failure.message, 1000),
    jobs: ordered.slice(0, maxListed).map((job) => jobFigures(job, account)),
    rest: restOf(ordered.slice(maxListed)),
    time,
    timeline: account?.timeline(summary.durationMs),
    advice: account && time && adviceFor({ ...summary, jobs }, time, account),
    shards: shards && slowestFirst(shards).slice(0, maxListed),
  };
}

function jobFigures(job: JobResult, account: RunAccount | undefined): JobFigures {
  const found = account?.dataset(job.dataType);
  const evidence = job.verdict === "suspect" ? found?.suspect : job.verdict === "failed" ? found?.failed : undefined;
  return {
    ...job,
    job: cutText(job.job),
    dataType: cutText(job.dataType),
    ...(job.parent === undefined ? {} : { parent: cutText(job.parent) }),
    reason: cutText(job.reason),
    durationMs: found && Math.round(found.to - found.from),
    waitMs: found && Math.round(found.waitMs),
    evidence: evidence && { ...evidence, url: evidence.url && cutText(evidence.url, 500) },
  };
}

/**
 * Returns the top-level jobs, each followed by its children: first those that failed, or have a child that failed, then those that
 * are suspect, or have a suspect child, then the others.
 */
function worstFirst(jobs: readonly JobResult[]): readonly JobResult[] {
  const families: JobResult[][] = [];
  for (const job of jobs) {
    const family = families.at(-1);
    if (job.parent === undefined || family === undefined) families.push([job]);
    else family.push(job);
  }
  const rank = (family: readonly JobResult[]): number =>
    Math.min(...family.map(({ verdict }) => verdicts.indexOf(verdict)));
  return families
    .map((family) => ({ family: inTreeOrder(family), rank: Math.min(rank(family), verdicts.indexOf("limited")) }))
    .sort((one, other) => one.rank - other.rank)
    .flatMap(({ family }) => family);
}

/** Returns a top-level job and its children, with each child below its parent. */
function inTreeOrder([first, ...others]: readonly JobResult[]): readonly JobResult[] {
  if (first === undefined) return [];
  const below = (parent: string): JobResult[] =>
    others.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.dataType)]);
  return [first, ...below(first.dataType)];
}

function restOf(jobs: readonly JobResult[]): Rest | undefined {
  if (jobs.length === 0) return undefined;
  const sum = (name: Exclude<keyof Rest, "jobs">): number => jobs.reduce((total, job) => total + job[name], 0);
  return {
    jobs: jobs.length,
    pages: sum("pages"),
    records: sum("records"),
    bytes: sum("bytes"),
    requests: sum("requests"),
    retries: sum("retries"),
  };
}

function slowestFirst(shards: readonly ShardFigures[]): readonly ShardFigures[] {
  const duration = ({ startedAt, endedAt }: ShardFigures): number => Date.parse(endedAt) - Date.parse(startedAt);
  return [...shards].sort((one, other) => duration(other) - duration(one));
}

/** Minimum duration of a run that gets advice. */
const minAdvisedMs = 1000;

/** Returns what took most of the run's time, and a remedy; undefined if spile knows none. */
function adviceFor(
  { durationMs, jobs }: Pick<Summary, "durationMs" | "jobs">,
  time: Shares,
  { maxConcurrent, canRunAhead }: Pick<RunAccount, "maxConcurrent" | "canRunAhead">,
): string | undefined {
  if (durationMs < minAdvisedMs) return undefined;
  const share = (ms: number): number => ms / durationMs;
  const pages = jobs.reduce((sum, job) => sum + job.pages, 0);
  const records = jobs.reduce((sum, job) => sum + job.records, 0);
  if (share(time.reader) >= 0.5)
    return "Most of the time passed waiting for the output: the program or the disk that takes the records is slower than the API. With -o FILE, the run does not wait for a program.";
  if (share(time.retry) >= 0.25)
    return "Much of the time passed waiting before retries: the API answered with errors, or not at all. If its errors say that requests come too fast, set api.http.rateLimit.";
  if (share(time.answer + time.transfer) < 0.5) return undefined;
  if (maxConcurrent <= 1 && canRunAhead && pages >= 5)
    return "Most of the time passed waiting for the API, one request at a time. --concurrency auto finds the fastest number of concurrent pages.";
  if (pages >= 20 && records / pages < 50)
    return `Most of the time passed waiting for the API, and a page holds ${Math.round(records / pages)} records on average. Larger pages, if the API allows them, need fewer requests.`;
  return undefined;
}
