import type { JobResult, RunResult } from "../core/runs/run.ts";
import type { EvidencePage, RunAccount, Shares, Timeline } from "./run-account.ts";
import { type RunVerdict, verdictOf, verdicts } from "./run-verdict.ts";
import { type Summary, summaryOf } from "./summary.ts";
import { cutText } from "./words.ts";

/** The figures of a job in a report. */
export interface JobFigures extends JobResult {
  /** Time from the job's first request to its last answer. */
  readonly durationMs: number | undefined;
  /** Waits for a rate limit and for retries. Waits of concurrent pages are added up. */
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

/** Everything that a report shows. The file contains it as JSON, with the names of `--summary`. */
export interface ReportFigures extends Omit<Summary, "jobs"> {
  readonly configuration: string;
  readonly verdict: RunVerdict;
  /** The message of the failure that ended the run. */
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
  readonly most: number;
}

/** Returns the figures of a run. */
export function figuresOf(result: RunResult, { configuration, account, shards, most }: FiguresOptions): ReportFigures {
  const { jobs, ...summary } = summaryOf(result);
  const ordered = worstFirst(jobs);
  const time = account?.shares(summary.durationMs);
  return {
    ...summary,
    configuration: cutText(configuration),
    verdict: verdictOf(result),
    failure: result.failure && cutText(result.failure.message, 1000),
    jobs: ordered.slice(0, most).map((job) => jobFigures(job, account)),
    rest: restOf(ordered.slice(most)),
    time,
    timeline: account?.timeline(summary.durationMs),
    advice: account && time && adviceFor({ ...summary, jobs }, time, account),
    shards: shards && slowestFirst(shards).slice(0, most),
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

/** Returns top-level jobs, each followed by its children. Families with the worst verdicts come first. */
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
    .map((family) => ({ family: childrenBeneath(family), rank: Math.min(rank(family), verdicts.indexOf("limited")) }))
    .sort((one, other) => one.rank - other.rank)
    .flatMap(({ family }) => family);
}

/** Returns a family in the order of its tree. */
function childrenBeneath([first, ...others]: readonly JobResult[]): readonly JobResult[] {
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
  const took = ({ startedAt, endedAt }: ShardFigures): number => Date.parse(endedAt) - Date.parse(startedAt);
  return [...shards].sort((one, other) => took(other) - took(one));
}

/** Milliseconds below which a run needs no advice. */
const shortRun = 1000;

/** Returns the one change that would make the run fastest, if there is one. */
function adviceFor(
  { durationMs, jobs }: Pick<Summary, "durationMs" | "jobs">,
  time: Shares,
  { sideBySide, runsAhead }: Pick<RunAccount, "sideBySide" | "runsAhead">,
): string | undefined {
  if (durationMs < shortRun) return undefined;
  const share = (ms: number): number => ms / durationMs;
  const pages = jobs.reduce((sum, job) => sum + job.pages, 0);
  const records = jobs.reduce((sum, job) => sum + job.records, 0);
  if (share(time.reader) >= 0.5)
    return "The output held the run back: whatever takes the records is slower than the API. With -o FILE the run does not wait for a reader.";
  if (share(time.retry) >= 0.25)
    return "Retries held the run back: the API answered with errors, or not at all. If these say that requests come too fast, set api.http.rateLimit.";
  if (share(time.answer + time.transfer) < 0.5) return undefined;
  if (sideBySide <= 1 && runsAhead && pages >= 5)
    return "Most of the time passed waiting for the API, one request at a time. --concurrency auto finds how many pages side by side are fastest.";
  if (pages >= 20 && records / pages < 50)
    return `Most of the time passed waiting for the API, and a page holds ${Math.round(records / pages)} records on average. A larger page, if the API allows one, needs fewer requests.`;
  return undefined;
}
