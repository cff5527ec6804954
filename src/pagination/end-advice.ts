import type { Remedies } from "../core/field-name.ts";
import { counted } from "../core/text/counted.ts";
import { shellArgument } from "../core/text/shell.ts";
import { isObject, type Value } from "../core/values/value.ts";
import { reachOf, type ScrollProgress } from "./scroll-progress.ts";
import { pagesOf, totalOf } from "./totals.ts";

/**
 * Returns a clause for the error message in case the API refuses the next page. If the API's number of pages or its total says
 * that this page is the last, the clause names the field that ends the job here. If its number of pages says that more pages
 * follow, the clause says that.
 */
export function endAdvice(
  progress: ScrollProgress,
  mayCountRemaining: boolean,
  remedies?: Remedies,
): string | undefined {
  const { totals } = progress;
  const reach = reachOf(progress, mayCountRemaining);
  const sourceAt = (name: string): Value => totals[name]?.source ?? null;
  const pages = pagesOf(totals);
  if (pages !== undefined && pages.total > BigInt(reach.pages))
    return `${pages.name} is ${pages.total}, and ${counted(reach.pages, "page")} came`;
  if (progress.pageCount === null && pages?.total === BigInt(reach.pages)) {
    const field = countField(sourceAt(pages.name), remedies);
    return field && `${pages.name} is ${pages.total}; ${field} ends the job with page ${pages.total}`;
  }
  const total = progress.total === null && remedies !== "options" ? totalOf(totals, reach) : undefined;
  if (total?.total !== BigInt(reach.records) || sourceAt(total.name) === null) return undefined;
  const field = `"limitStop": {"field": ${JSON.stringify(sourceAt(total.name))}}`;
  return `${total.name} is ${total.total}, and all came; ${field} ends the job then`;
}

function countField(source: Value, remedies: Remedies | undefined): string | undefined {
  if (source === null) return undefined;
  if (remedies !== "options") return `"pageCount": ${JSON.stringify(source)}`;
  const text =
    typeof source === "string" ? source : isObject(source) && source.header ? `header:${source.header}` : undefined;
  return text && `--page-count ${shellArgument(text)}`;
}
