import type { RunAccount, Shares } from "./run-account.ts";
import type { Summary } from "./summary.ts";

/** Runs that are shorter (ms) need no advice. */
const shortRun = 1000;

/** Returns the one change that would make the run fastest, if there is one. */
export function adviceFor(
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
    return "Retries held the run back: the API answered with errors, or not at all. If these say that requests come too fast, api.http.rateLimit keeps below the limit.";
  if (share(time.answer + time.transfer) < 0.5) return undefined;
  if (sideBySide <= 1 && runsAhead && pages >= 5)
    return "Most of the time passed waiting for the API, one request at a time. --concurrency auto fetches as many pages side by side as the API rewards.";
  if (pages >= 20 && records / pages < 50)
    return `Most of the time passed waiting for the API, and a page holds ${Math.round(records / pages)} records on average. A larger page, if the API allows one, needs fewer requests.`;
  return undefined;
}
