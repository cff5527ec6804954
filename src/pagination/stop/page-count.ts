import type { PageSummary } from "../../core/runs/page.ts";
import {
  type ConfiguredSource,
  readSource,
  sourceName,
  sourceOf,
  sourceText,
} from "../../core/runs/response-source.ts";
import { counted } from "../../core/text/counted.ts";
import type { StopRule } from "../paginator.ts";
import type { ScrollProgress } from "../scroll-progress.ts";
import { reachesTotal } from "./limit-stop.ts";

/** Returns the rule that stops at the number of pages in a field. Before this number is known, no page is requested ahead (C-26.4). */
export function pageCount(configured: ConfiguredSource): StopRule {
  const source = sourceOf(configured);
  const field = sourceName(source);
  const read = (summary: PageSummary): string | undefined => {
    const text = summary.ended === "document" ? readSource(source, summary)?.text : undefined;
    if (text === undefined || !/^[0-9]+$/.test(text)) return undefined;
    // If the page has records, 0 cannot be the number of pages.
    return summary.records > 0 && /^0+$/.test(text) ? undefined : text;
  };
  return {
    sources: [source],
    rank: "word",
    stop(summary, progress) {
      const count = read(summary);
      if (!reachesTotal(reachedPages(progress), count)) return undefined;
      return { kind: "complete", text: `ended with page ${reachedPages(progress)}: ${field} is ${count}` };
    },
    wouldStop: (progress) => progress.pageCount === null || reachesTotal(reachedPages(progress), progress.pageCount),
    pages: read,
    objection(_, progress) {
      if (progress.pageCount === null || reachesTotal(reachedPages(progress), progress.pageCount)) return undefined;
      return `${field} is ${progress.pageCount} and ${counted(reachedPages(progress), "page")} came`;
    },
    notice(summary) {
      if (summary.ended !== "document" || read(summary) !== undefined) return undefined;
      const text = `pageCount ${field} has no number of pages: the job continues until another rule ends it`;
      return { key: "pages", text };
    },
    words: `until the number of pages ${sourceText(source)} is reached`,
  };
}

/** Returns the number of pages that were received or skipped so far. */
function reachedPages({ skippedPages, pages }: ScrollProgress): number {
  return skippedPages + pages;
}
