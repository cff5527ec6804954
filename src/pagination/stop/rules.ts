import type { Scroller } from "../../generated/configuration.ts";
import type { StopRule } from "../paginator.ts";
import { forceStop, maxPages } from "./force-stop.ts";
import { limitStop } from "./limit-stop.ts";
import { nextPageFlag } from "./next-page-flag.ts";
import { pageCount } from "./page-count.ts";
import { alikePage, earlierPage, repeatedPage, standingPage } from "./repeated-page.ts";
import { ruled } from "./ruled.ts";
import { tolerated } from "./tolerated.ts";

/** Returns the rules of a job in the order in which they apply. Any one may end it (contract C-6.9). */
export function stopRules(scroller: Scroller, recordsTell: boolean, pages: number | undefined): StopRule[] {
  const pagesOn = scroller.method !== "none";
  const neighbour = recordsTell ? repeatedPage : standingPage;
  const repeats = pagesOn ? [neighbour, alikePage(recordsTell), earlierPage(recordsTell)] : [];
  const rules: StopRule[] = [ruled(recordsTell), ...repeats, tolerated(pagesOn, recordsTell)];
  if (scroller.method === "none") return rules;
  if (scroller.limitStop !== undefined) rules.push(...limitStop(scroller.limitStop));
  if (scroller.pageCount !== undefined) rules.push(pageCount(scroller.pageCount));
  if (scroller.nextPageFlag !== undefined) rules.push(nextPageFlag(scroller.nextPageFlag));
  if (scroller.forceStop !== undefined) rules.push(...forceStop(scroller.forceStop));
  if (pages !== undefined) rules.push(maxPages(pages));
  return rules;
}
