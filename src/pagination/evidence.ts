import { type PageSummary, watchKey } from "../core/page.ts";
import { placeName } from "../core/request-place.ts";
import { readSource, type SourceInResponse } from "../core/response-source.ts";
import { hidesNextLink } from "../knowledge/link-header.ts";
import { asManyAsAsked, isFullPage, isUsualSize } from "../knowledge/parameters.ts";
import { moreOf, type SignalPlace, saysEnd, signalPlaceName, signalsOf } from "../knowledge/signals.ts";
import type { Warning } from "./paginator.ts";
import { reached, reachOf, type ScrollProgress } from "./scroll-progress.ts";
import { came, indistinct, sameNumber } from "./stop/limit-stop.ts";
import { changedTotal, fallenTotal, pagesOf, totalOf } from "./totals.ts";

/** What is needed of a job to weigh what its pages tell. */
export interface Weighing {
  /** Where `nextPageFlag` is read: it then stands for the other flags and links, unless the job's only page lacks it. */
  readonly flag: SourceInResponse | undefined;
  /** What the method itself reads: it has judged that already. */
  readonly read: readonly SourceInResponse[];
  /** May a total count only what is still to come? */
  readonly mayRemain: boolean;
  /** Is nothing said of how the job pages? Then a page as full as was asked for may have more behind it. */
  readonly isUnpaged: boolean;
  /** What says that there is one page, in the words of a configuration or of options. */
  readonly onePage: string;
  /** What would follow a page that is told of; where it is not told how to come by it, undefined is given. */
  remedy(more: ReturnType<typeof moreOf>[number] | undefined): string | undefined;
}

/** A clause that speaks against an end, and what would be right. */
export interface Objection {
  readonly text: string;
  readonly remedy?: string | undefined;
  /** Does it say that there is more? */
  readonly more?: boolean;
}

/** What beside the records speaks against the end of a job. */
export function evidenceOfMore(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): Objection[] {
  // A flag that says that this is the last page outweighs a total; one that fell is another matter.
  const ended = summary.records > 0 && summary.ended === "document" && saysEnd(summary);
  const counted = [...figures(progress, weighing.mayRemain, ended)];
  const only = progress.pages === 1;
  // The method itself has not judged what it reads where the lack of a flag ended the job.
  const lacksFlag = weighing.flag !== undefined && only && readSource(weighing.flag, summary) === undefined;
  const flagged = weighing.flag !== undefined && !lacksFlag;
  const told = summary.records > 0 && summary.ended === "document" && !flagged;
  if (told && only && summary.status === 206 && !knowsTotal(progress, weighing.mayRemain))
    counted.push({ text: "it was answered with 206, a part" });
  if (only && summary.status === 202 && summary.records === 0) counted.push(accepted);
  if (told && hidesNextLink(summary.header("Link") ?? ""))
    counted.push({ text: "the header Link speaks of a next page and cannot be read" });
  const own = new Set(weighing.read.map(originKey));
  const isOwn = (place: SignalPlace): boolean => own.has(originKey(place));
  const more = told
    ? moreOf(summary, { reached: hasReached(progress, summary, weighing) }).find(
        ({ origin }) => lacksFlag || !isOwn(origin),
      )
    : undefined;
  if (more !== undefined) counted.push({ text: `${signalPlaceName(more.origin)} ${more.says}` });
  if (told && only && counted.length === 0) counted.push(...asked(summary, progress, weighing));
  const isFollowed = more !== undefined && isOwn(more.origin);
  const remedy = only && counted.length > 0 && !isFollowed ? weighing.remedy(more) : undefined;
  return counted.map((objection) => ({ remedy, more: true, ...objection }));
}

/** What an API says that is still at work on the answer. */
const accepted: Objection = {
  text: "it was answered with 202, accepted and not done",
  more: false,
  remedy: 'the rule {"when": {"status": 202}, "then": "retry"} of "responses" asks again',
};

/** The doubt in a page that has exactly as many records as its request asked for. */
function asked(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): Objection[] {
  // Where a page ends in the order of the increment, the next run goes on from there.
  if (summary.ascending === true) return [];
  const text = askedText(summary, progress, weighing);
  if (text === undefined) return [];
  return [
    { text, more: false, remedy: `configure how the API pages; should these be all, ${weighing.onePage} says so` },
  ];
}

/** The warning for such a page where the next run goes on from its last record. */
export function askedNotice(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): Warning | undefined {
  const text = summary.ascending === true && progress.pages === 1 ? askedText(summary, progress, weighing) : undefined;
  if (text === undefined) return undefined;
  const goesOn = "the next run goes on from the last one; configure how the API pages to read more at once";
  return { key: "asked", text: `${text}: ${goesOn}` };
}

function askedText(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): string | undefined {
  if (!mayHaveMore(summary, progress, weighing)) return undefined;
  const found = asManyAsAsked(summary);
  return (
    found && `${summary.records} records came, exactly as many as ${JSON.stringify(placeName(found.place))} asks for`
  );
}

/** May a job have more records, of which nothing is said in the configuration, and nothing in its only page? */
function mayHaveMore(summary: PageSummary, progress: ScrollProgress, { isUnpaged, mayRemain }: Weighing): boolean {
  if (!isUnpaged || summary.single || summary.ended !== "document") return false;
  const knowsAll = totalOf(progress.totals, reachOf(progress, mayRemain)) ?? pagesOf(progress.totals);
  return knowsAll === undefined && signalsOf(summary).ends.length === 0;
}

/** Words for the end of a job whose only page has as many records as pages often have; undefined for any other. */
export function usualSizeText(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): string | undefined {
  if (progress.pages !== 1 || !mayHaveMore(summary, progress, weighing) || !isUsualSize(summary.records))
    return undefined;
  return `${summary.records} is a usual page size`;
}

function knowsTotal(progress: ScrollProgress, mayRemain: boolean): boolean {
  return progress.total !== null || totalOf(progress.totals, reachOf(progress, mayRemain)) !== undefined;
}

/**
 * Does a total say that this is all? The total of a job's only page may just count the page: where the page
 * has as many records as pages often have, or as were asked for, it proves nothing.
 */
function hasReached(progress: ScrollProgress, summary: PageSummary, { mayRemain }: Weighing): boolean {
  const reach = reachOf(progress, mayRemain);
  if (totalOf(progress.totals, reach)?.total !== BigInt(reach.records)) return false;
  return progress.pages > 1 || !isFullPage(summary);
}

function originKey(origin: SignalPlace | SourceInResponse): string {
  if ("path" in origin) return watchKey(origin.path);
  return "header" in origin ? origin.header.toLowerCase() : "";
}

function* figures(progress: ScrollProgress, mayRemain: boolean, ended: boolean): Generator<Objection> {
  const { totals, skipped, records, dropped } = progress;
  const reach = reachOf(progress, mayRemain);
  const top = totalOf(totals, reach);
  if (top !== undefined && top.total > BigInt(reach.records) && !ended) {
    yield { text: `${top.name} is ${top.total} and ${came(skipped, records)}` };
  } else if (top !== undefined && top.total > BigInt(reach.records - dropped)) {
    yield { text: indistinct(top.name, String(top.total), progress) };
  }
  const fallen = fallenTotal(totals, reach);
  if (fallen !== undefined) {
    yield {
      text: `${fallen.name} fell from ${fallen.told.top} to ${fallen.told.latest} while ${came(skipped, records)}`,
    };
  }
  const pages = pagesOf(totals);
  if (pages !== undefined && pages.total > BigInt(reach.pages) && !ended) {
    const after = progress.skippedPages === 0 ? "" : ` after the first ${progress.skippedPages}`;
    yield { text: `${pages.name} is ${pages.total} and ${progress.pages} came${after}` };
  }
}

/** Does a total seen, configured or found, equal what came? Where the last page is `repeated`, a number of pages may do so too. */
export function allCame(progress: ScrollProgress, mayRemain: boolean, repeated: boolean): boolean {
  if (progress.total !== null) return sameNumber(progress.total, String(reached(progress)));
  const reach = reachOf(progress, mayRemain);
  const top = totalOf(progress.totals, reach);
  if (top === undefined && repeated) return pagesOf(progress.totals)?.total === BigInt(reach.pages - 1);
  return top?.total === BigInt(reach.records);
}

/** A total that is not what it was: rows came or went while the job ran (contract C-6.14). */
export function movedTotal(before: ScrollProgress, after: ScrollProgress, mayRemain: boolean): Warning | undefined {
  const configured =
    before.total !== null && after.total !== null && !sameNumber(before.total, after.total)
      ? { name: "the total of limitStop.field", from: before.total, to: after.total }
      : undefined;
  const changed = configured ?? changedTotal(before.totals, after.totals, mayRemain);
  if (changed === undefined) return undefined;
  const { name, from, to } = changed;
  const what = `${name} changed from ${from} to ${to} during the job`;
  return { key: "moved", text: `${what}: records came or went, so some may be missing or doubled` };
}
