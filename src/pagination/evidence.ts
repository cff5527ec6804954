import { placeName } from "../core/requests/request-place.ts";
import { type PageSummary, watchKey } from "../core/runs/page.ts";
import { readSource, type SourceInResponse } from "../core/runs/response-source.ts";
import { hidesNextLink } from "../knowledge/link-header.ts";
import { filledPageSize, isFullPage, isUsualSize } from "../knowledge/parameters.ts";
import { moreOf, saysEnd, signalPlaceName, signalsOf } from "../knowledge/signals.ts";
import type { SignalPlace } from "../knowledge/sources.ts";
import { unreadyOf } from "../knowledge/unfinished.ts";
import type { Warning } from "./paginator.ts";
import { reachedRecords, reachOf, type ScrollProgress } from "./scroll-progress.ts";
import { droppedClause, recordsText, sameNumber } from "./stop/limit-stop.ts";
import { changedTotal, estimateOf, fallenTotal, pagesOf, totalOf } from "./totals.ts";

/** The properties of a job that decide how its pages' evidence is weighed. */
export interface Weighing {
  /** The source of `nextPageFlag`. It replaces the other flags and links, unless the job's only page lacks it. */
  readonly flag: SourceInResponse | undefined;
  /** Sources that the paging method itself reads. It has already judged their values. */
  readonly methodSources: readonly SourceInResponse[];
  /** True if a total may count only the remaining records. */
  readonly mayCountRemaining: boolean;
  /** True if the job may have more than one page. */
  readonly hasPages: boolean;
  /** True if the configuration does not say how the job pages. Another page may then follow a page with as many records as requested. */
  readonly isUnpaged: boolean;
  /** The field of the configuration, or the option, that declares that there is only one page. */
  readonly onePage: string;
  /**
   * Returns advice on requesting the next page: a field or an option. `more`: a sign of a next page; undefined if the page does
   * not say how to reach it.
   */
  remedy(more: ReturnType<typeof moreOf>[number] | undefined): string | undefined;
}

/** A clause that contradicts an end, with advice. */
export interface Objection {
  readonly text: string;
  readonly remedy?: string | undefined;
  /**
   * - `more`: the answer says that there are more records. `full`: the page is as full as requested, so there may be more.
   * - `unready`: the answer is not the result yet.
   * - `earlier`: the cause is not the end of the job, so the remedy for the end does not help.
   * - `configured`: a field that the configuration names contradicts the end.
   */
  readonly kind: "more" | "full" | "unready" | "earlier" | "configured";
}

/** Returns the evidence that contradicts the end of a job: totals of all pages, and signs on the last page. */
export function evidenceOfMore(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): Objection[] {
  // If a flag says that this page is the last, a greater total counts only if duplicates were dropped. A total that fell counts
  // in any case.
  const hasEndFlag = summary.records > 0 && summary.ended === "document" && saysEnd(summary);
  const objections = [...totalObjections(progress, weighing.mayCountRemaining, hasEndFlag)];
  const isOnlyPage = progress.pages === 1;
  // If the job ended because its flag was missing, the method has not yet judged its own sources.
  const lacksFlag = weighing.flag !== undefined && isOnlyPage && readSource(weighing.flag, summary) === undefined;
  const followsFlag = weighing.flag !== undefined && !lacksFlag;
  const endedInDocument = summary.records > 0 && summary.ended === "document" && !followsFlag;
  // If no paging is configured, an empty page that names a next page is not the end.
  const isOnlyPageEmpty =
    isOnlyPage && !weighing.hasPages && summary.records === 0 && summary.ended === "document" && !followsFlag;
  if (endedInDocument && isOnlyPage && summary.status === 206 && !knowsTotal(progress, weighing.mayCountRemaining))
    objections.push({ kind: "more", text: "the API answered with status 206 (Partial Content)" });
  const isAccepted = isOnlyPage && summary.status === 202 && summary.records === 0;
  // After pages with records, an empty page is the usual end, and its `status` may be on every page.
  const unready = isAccepted ? accepted : reachedRecords(progress) === 0 ? unreadyOf(summary) : undefined;
  if (unready !== undefined) objections.push(unreadyEvidence(unready));
  if (endedInDocument && hidesNextLink(summary.header("Link") ?? ""))
    objections.push({ kind: "more", text: "the header Link cannot be read, although it mentions a next page" });
  // A list of links counts as a source of the method only if it contains the configured relation.
  const readable = weighing.methodSources.filter((one) => !isPicked(one) || readSource(one, summary) !== undefined);
  const ownSources = new Set(readable.map(originKey));
  const isOwn = (place: SignalPlace): boolean => ownSources.has(originKey(place));
  const allSigns =
    endedInDocument || isOnlyPageEmpty ? moreOf(summary, { reached: hasReached(progress, summary, weighing) }) : [];
  // A lone token beside an empty list is often the place where a later run begins, not a next page.
  const signs = allSigns.filter(
    (sign) => (lacksFlag || !isOwn(sign.origin)) && (endedInDocument || sign.isLone !== true),
  );
  const estimate = estimateOf(progress.totals);
  const isMore = isOnlyPage && weighing.isUnpaged && isFullPage(summary) && !hasEndFlag;
  if (isMore && estimate !== undefined && estimate.total > BigInt(progress.records) && signs.length === 0)
    objections.push({
      kind: "more",
      text: `${estimate.name} is ${estimate.total} and ${recordsText(progress.skipped, progress.records)}`,
    });
  const [more] = signs;
  if (more !== undefined) objections.push({ kind: "more", text: `${signalPlaceName(more.origin)} ${more.says}` });
  if (endedInDocument && isOnlyPage && objections.length === 0)
    objections.push(...exactSizeObjection(summary, progress, weighing));
  const isFollowed = more !== undefined && isOwn(more.origin);
  // A flag may say only that there is more, while a token beside it shows how to continue.
  const remedies = [...signs, undefined].map((sign) => weighing.remedy(sign));
  const remedy =
    isOnlyPage && objections.length > 0 && !isFollowed ? remedies.find((text) => text !== undefined) : undefined;
  return objections.map((objection) => ({ remedy, ...objection }));
}

/** The doubt about an answer with status 202 and without records. */
const accepted = {
  text: "the API answered with status 202 (Accepted), so the result is not ready",
  when: { status: 202 },
};

const ready = 'if this is the whole result, "evidence": false in the job accepts it';

function unreadyEvidence({ text, when }: { readonly text: string; readonly when: object }): Objection {
  const rule = `{"when": ${JSON.stringify(when)}, "then": "retry"}`;
  return { kind: "unready", text, remedy: `the rule ${rule} of "responses" asks again; ${ready}` };
}

/** Returns the doubt about a page with exactly as many records as its request asked for. */
function exactSizeObjection(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): Objection[] {
  // If the records are in the order of the increment, the next run continues after this page.
  if (summary.ascending === true) return [];
  const text = exactSizeText(summary, progress, weighing);
  if (text === undefined) return [];
  return [
    { kind: "full", text, remedy: `configure how the API pages, or set ${weighing.onePage} if these are all records` },
  ];
}

/** Returns the warning about a page with exactly as many records as requested, if the next run continues after its last record. */
export function exactSizeWarning(
  summary: PageSummary,
  progress: ScrollProgress,
  weighing: Weighing,
): Warning | undefined {
  const text =
    summary.ascending === true && progress.pages === 1 ? exactSizeText(summary, progress, weighing) : undefined;
  if (text === undefined) return undefined;
  const advice =
    "the next run continues after the last of these records; configure how the API pages to read more at once";
  return { key: "asked", text: `${text}: ${advice}` };
}

function exactSizeText(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): string | undefined {
  if (!mayHaveMore(summary, progress, weighing)) return undefined;
  const found = filledPageSize(summary);
  return (
    found && `${summary.records} records came, exactly as many as ${JSON.stringify(placeName(found.place))} asks for`
  );
}

/** Returns whether a job may have more records although neither the configuration nor its only page mentions them. */
function mayHaveMore(
  summary: PageSummary,
  progress: ScrollProgress,
  { isUnpaged, mayCountRemaining }: Weighing,
): boolean {
  if (!isUnpaged || summary.single || summary.ended !== "document") return false;
  const knowsAll = totalOf(progress.totals, reachOf(progress, mayCountRemaining)) ?? pagesOf(progress.totals);
  return knowsAll === undefined && signalsOf(summary).ends.length === 0;
}

/** Returns a remark on a job whose only page has as many records as pages usually have; undefined for other jobs. */
export function usualSizeText(summary: PageSummary, progress: ScrollProgress, weighing: Weighing): string | undefined {
  if (progress.pages !== 1 || !mayHaveMore(summary, progress, weighing) || !isUsualSize(summary.records))
    return undefined;
  return `${summary.records} is a usual page size`;
}

function knowsTotal(progress: ScrollProgress, mayCountRemaining: boolean): boolean {
  return progress.total !== null || totalOf(progress.totals, reachOf(progress, mayCountRemaining)) !== undefined;
}

/**
 * Returns whether a total proves that all records came. The total of a job's only page may count just that page, so it proves
 * nothing if that page has a usual size or exactly the requested number of records.
 */
function hasReached(progress: ScrollProgress, summary: PageSummary, { mayCountRemaining }: Weighing): boolean {
  const reach = reachOf(progress, mayCountRemaining);
  if (totalOf(progress.totals, reach)?.total !== BigInt(reach.records)) return false;
  return progress.pages > 1 || !isFullPage(summary);
}

function isPicked(source: SourceInResponse): boolean {
  return "path" in source && source.pick !== undefined;
}

function originKey(origin: SignalPlace | SourceInResponse): string {
  if ("path" in origin) return watchKey(origin.path);
  return "header" in origin ? origin.header.toLowerCase() : "";
}

function* totalObjections(
  progress: ScrollProgress,
  mayCountRemaining: boolean,
  hasEndFlag: boolean,
): Generator<Objection> {
  const { totals, skipped, records, dropped } = progress;
  const reach = reachOf(progress, mayCountRemaining);
  const top = totalOf(totals, reach);
  if (top !== undefined && top.total > BigInt(reach.records) && !hasEndFlag) {
    yield { kind: "more", text: `${top.name} is ${top.total} and ${recordsText(skipped, records)}` };
  } else if (top !== undefined && dropped > 0 && top.total > BigInt(reach.records - dropped)) {
    yield { kind: "more", text: droppedClause(top.name, String(top.total), progress) };
  }
  const fallen = fallenTotal(totals, reach);
  if (fallen !== undefined) {
    yield {
      kind: "more",
      text: `${fallen.name} fell from ${fallen.signal.top} to ${fallen.signal.latest} while ${recordsText(skipped, records)}`,
    };
  }
  const pages = pagesOf(totals);
  if (pages !== undefined && pages.total > BigInt(reach.pages) && !hasEndFlag) {
    const after = progress.skippedPages === 0 ? "" : ` after the first ${progress.skippedPages}`;
    yield { kind: "more", text: `${pages.name} is ${pages.total} and ${progress.pages} came${after}` };
  }
}

/**
 * Returns whether the API's total equals the number of records that were received or skipped. `repeated`: the last page repeats
 * an earlier one. If there is no total then, the API's number of pages is compared with the number of the other pages.
 */
export function allReceived(progress: ScrollProgress, mayCountRemaining: boolean, repeated: boolean): boolean {
  if (progress.total !== null) return sameNumber(progress.total, String(reachedRecords(progress)));
  const reach = reachOf(progress, mayCountRemaining);
  const top = totalOf(progress.totals, reach);
  if (top === undefined && repeated) return pagesOf(progress.totals)?.total === BigInt(reach.pages - 1);
  return top?.total === BigInt(reach.records);
}

/** Returns a warning if a total changed: records were added or removed during the job (contract C-6.14). */
export function movedTotal(
  before: ScrollProgress,
  after: ScrollProgress,
  mayCountRemaining: boolean,
): Warning | undefined {
  const configured =
    before.total !== null && after.total !== null && !sameNumber(before.total, after.total)
      ? { name: "the total of limitStop.field", from: before.total, to: after.total }
      : undefined;
  const changedFigure = configured ?? changedTotal(before.totals, after.totals, mayCountRemaining);
  if (changedFigure === undefined) return undefined;
  const { name, from, to } = changedFigure;
  const what = `${name} changed from ${from} to ${to} during the job`;
  return { key: "moved", text: `${what}: records were added or removed, so some may be missing or duplicated` };
}
