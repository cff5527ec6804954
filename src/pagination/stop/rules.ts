import type { PageSummary } from "../../core/runs/page.ts";
import type { Scroller } from "../../generated/configuration.ts";
import type { Reason, StopRule } from "../paginator.ts";
import { forceStop, maxPages } from "./force-stop.ts";
import { limitStop } from "./limit-stop.ts";
import { nextPageFlag } from "./next-page-flag.ts";
import { pageCount } from "./page-count.ts";
import { alikePage, earlierPage, endlessRepetition, repeatedPage } from "./repeated-page.ts";

/** Returns the stop rules of a job in the order in which they apply. Each may end the job (contract C-6.9). */
export function stopRules(scroller: Scroller, requestsNamePage: boolean, pages: number | undefined): StopRule[] {
  const hasPages = scroller.method !== "none";
  const neighbour = requestsNamePage ? repeatedPage : endlessRepetition;
  const repeats = hasPages ? [neighbour, alikePage(requestsNamePage), earlierPage(requestsNamePage)] : [];
  const rules: StopRule[] = [configuredEnd(requestsNamePage), ...repeats, toleratedEnd(hasPages, requestsNamePage)];
  if (scroller.method === "none") return rules;
  if (scroller.limitStop !== undefined) rules.push(...limitStop(scroller.limitStop));
  if (scroller.pageCount !== undefined) rules.push(pageCount(scroller.pageCount));
  if (scroller.nextPageFlag !== undefined) rules.push(nextPageFlag(scroller.nextPageFlag));
  if (scroller.forceStop !== undefined) rules.push(...forceStop(scroller.forceStop));
  if (pages !== undefined) rules.push(maxPages(pages));
  return rules;
}

/**
 * Ends the job at an answer that the configuration treats as the end, by a rule of `api.http.responses` or by the order of an
 * increment. `requestsNamePage`: the job's requests name the page.
 */
function configuredEnd(requestsNamePage: boolean): StopRule {
  return {
    rank: "word",
    stop(summary) {
      const { ruled: text } = summary;
      if (text === undefined) return undefined;
      return { kind: "complete", text, certain: true, isRuled: true, ...doubtAfterResume(summary, requestsNamePage) };
    },
    words: "",
  };
}

/**
 * Returns the doubt about an answer without records that ends a job just after a resume: an API may answer an expired token or
 * address in the same way. A page number does not expire (contract C-11.9).
 */
export function doubtAfterResume(
  { resumed, records }: PageSummary,
  requestsNamePage: boolean,
): Pick<Reason, "doubt" | "mayHaveExpired"> {
  if (resumed === undefined || records > 0 || (resumed === "place" && requestsNamePage)) return {};
  const doubt = "the job was resumed here, and its place may have expired since (a run without --resume starts over)";
  return { doubt, mayHaveExpired: true };
}

/**
 * Ends the job at an error status that `http.ignoreErrors` tolerates. If the job has pages, the end is doubted: the status need
 * not mean that the pages have ended (contract C-6.10).
 */
function toleratedEnd(hasPages: boolean, requestsNamePage: boolean): StopRule {
  return {
    rank: "word",
    stop(summary) {
      const { ended, status } = summary;
      if (ended !== "tolerated") return undefined;
      const text = `ended with status ${status}, which ignoreErrors tolerates`;
      const doubt =
        'no total confirms that all records came ("limitStop": {"field": ...} would end the job at the API\'s own total)';
      return {
        kind: "complete",
        text,
        isRuled: true,
        warning: { key: "tolerated", text: `the job ${text}` },
        doubt: hasPages ? doubt : undefined,
        ...doubtAfterResume(summary, requestsNamePage),
      };
    },
    words: "",
  };
}
