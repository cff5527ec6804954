import type { SpileError } from "../core/errors.ts";
import { withoutSlots } from "../core/requests/endpoint-place.ts";
import type { Failure, PageSummary } from "../core/runs/page.ts";
import { pathsOf } from "../core/runs/response-source.ts";
import type { Value } from "../core/values/value.ts";
import { failureOf } from "../knowledge/failure.ts";
import { figuresOf } from "../knowledge/signals.ts";
import { partialOf } from "../knowledge/unfinished.ts";
import { endAdvice } from "./end-advice.ts";
import { exactSizeWarning, movedTotal, type Objection } from "./evidence.ts";
import type { Move, Paginator, Reason, Warning } from "./paginator.ts";
import type { Advance, Position, Scroll } from "./scroll.ts";
import {
  begin,
  continuesInnerRecords,
  overlapsPrevious,
  progressAfter,
  reachedRecords,
  reachOf,
  repeats,
  repeatsEarlier,
  type ScrollPosition,
  type ScrollProgress,
} from "./scroll-progress.ts";
import type { Repetition } from "./seen-pages.ts";
import { exceeds, reachesTotal, sameNumber } from "./stop/limit-stop.ts";
import { type FallenTotal, fellBetween, type Totals, totalOf, withFigures } from "./totals.ts";
import { doubts, expectedTotal, type Judging, judge } from "./verdict.ts";

/** Combines a paginator with the stop rules and the verdict. */
export function compose(paginator: Paginator, judging: Judging): Scroll {
  const { rules, hasPages } = judging;
  const readsBody = (paginator.sources ?? []).some((source) => "path" in source);
  const requestText = (position: Position): string => {
    const { page } = positionOf(position);
    return JSON.stringify(paginator.requestKey?.(page) ?? page);
  };
  const sources = [...(paginator.sources ?? []), ...rules.flatMap((rule) => rule.sources ?? [])];
  return {
    watch: pathsOf(sources, "path"),
    lastRecord: pathsOf(sources, "lastRecord"),
    recordKey: paginator.recordKey,
    leads: (paginator.sources ?? []).some((source) => !("lastRecord" in source)),
    evidence: judging.evidence,
    sampled: judging.evidence && hasPages,
    probes: judging.probeEnd || (judging.countsElements && judging.evidence),
    volume: judging.rules.some((rule) => rule.volume === true),
    start(parameters, now) {
      const page = paginator.start(parameters);
      return {
        page,
        progress: begin(now, paginator.skipped?.(page) ?? { records: 0, pages: 0 }),
      } satisfies ScrollPosition;
    },
    request: (base, position) => withoutSlots(paginator.request(base, positionOf(position).page)),
    ahead(position) {
      const { page, progress } = positionOf(position);
      const guess = paginator.ahead?.(page);
      if (guess === undefined) return undefined;
      const assumed = { ...progress, pages: progress.pages + 1, records: progress.records + guess.records };
      if (rules.some((rule) => rule.wouldStop?.(assumed))) return undefined;
      return { page: guess.next, progress: assumed } satisfies ScrollPosition;
    },
    same: (a, b) => requestText(a) === requestText(b),
    advance(position, answered, now, seen) {
      const { page, progress: before } = positionOf(position);
      const overlaps = judging.probeEnd && (seen?.overlaps(answered) === true || overlapsPrevious(answered, before));
      const isShifted = judging.countsElements && judging.evidence && continuesInnerRecords(answered, before);
      const doubted = isShifted
        ? { ...answered, doubt: answered.doubt ?? innerOffsetDoubt(before.pages + 1) }
        : answered;
      const lostPageDoubt = readsBody ? lostPage(answered, before, judging) : undefined;
      const summary = { ...doubted, doubt: doubted.doubt ?? lostPageDoubt, ...(overlaps ? { overlaps } : {}) };
      const size = paginator.size?.(page) ?? undefined;
      const progress = withPage(before, summary, judging, size);
      const noticed = summary.notice === undefined ? [] : [summary.notice];
      const repetition = seen?.compareAndAdd(summary);
      const arrival = { page, summary, before, progress, repetition, size, now };
      const decision = decide(paginator, judging, arrival);
      if ("fail" in decision) {
        return {
          next: undefined,
          verdict: undefined,
          repeated: decision.repeated === true,
          warnings: noticed,
          failure: decision.fail,
        };
      }
      const isOld = "end" in decision && decision.end.repeated === "earlier";
      const provesRepetition = paginator.requestsNamePage && !isOld;
      const pageWarnings = [...notices(before, progress, summary, judging, provesRepetition), decision.warning];
      const warnings = pageWarnings.filter(
        (one): one is Warning => one !== undefined && !before.warned.includes(one.key),
      );
      const texts = [...noticed, ...warnings.map(({ text }) => text)];
      if ("end" in decision) return finish(decision, judging, arrival, texts);
      const keys = warnings.map(({ key }) => key);
      const next = {
        page: decision.next,
        progress: progressAfter(continued(progress), summary, { ...judging, warned: keys }),
      } satisfies ScrollPosition;
      const expected = expectedTotal(progress, judging.mayCountRemaining);
      const advice = judging.evidence ? endAdvice(progress, judging.mayCountRemaining, judging.remedies) : undefined;
      const extent = { reached: reachedRecords(progress), expected, endAdvice: advice };
      return { next, verdict: undefined, repeated: false, warnings: texts, ...extent };
    },
  };
}

type Decision =
  | { readonly next: Value; readonly warning?: Warning | undefined }
  /** `limit`: the user's limit that ends the job at the same page. */
  | { readonly end: Reason; readonly limit?: Reason | undefined; readonly warning?: Warning | undefined }
  | { readonly fail: SpileError; readonly repeated?: true };

/** A page that has come, with the progress before and after it. */
interface Arrival {
  /** The paginator's position. */
  readonly page: Value;
  readonly summary: PageSummary;
  /** The page size in the request; undefined if it has none. */
  readonly size: number | undefined;
  readonly before: ScrollProgress;
  readonly progress: ScrollProgress;
  readonly repetition: Repetition | undefined;
  readonly now: number;
}

/**
 * Decides how to continue: first by the rules of rank `word`, then by the paginator. A rule of rank `limit` ends the job only if
 * neither of them does. If one does, the limit still prevents a probe, and `finish` considers it.
 */
function decide(paginator: Paginator, judging: Judging, arrival: Arrival): Decision {
  const { page, summary, progress, repetition, now } = arrival;
  const [word, limit] = (["word", "limit"] as const).map((rank) => {
    for (const rule of judging.rules) {
      const reason = rule.rank === rank ? rule.stop(summary, progress, now, repetition) : undefined;
      if (reason !== undefined) return reason;
    }
    return undefined;
  });
  const move = moveAfter(word, () => paginator.next(page, summary, progress, now), paginator.requestsNamePage);
  if ("end" in move) {
    const probes = judging.probeEnd && limit === undefined && !totalReached(progress, judging.mayCountRemaining);
    if (probes && move.probe !== undefined) return { next: move.probe };
    return { end: move.end, limit, warning: move.end.warning };
  }
  if (limit !== undefined) return { end: limit };
  return move;
}

/**
 * Returns the move after a page. `word`: the reason of a rule of rank `word` that ends the job. If the page repeats an earlier one
 * and was requested by a token or an address, the paginator's own reason is preferred, because it names that value.
 */
function moveAfter(word: Reason | undefined, next: () => Move<Value>, requestsNamePage: boolean): Move<Value> {
  if (word === undefined) return next();
  const move = word.repeated === undefined || requestsNamePage ? undefined : next();
  const repeated = move !== undefined && ("fail" in move ? move.repeated : "end" in move && move.end.repeated);
  return repeated === undefined || repeated === false ? { end: word } : (move ?? { end: word });
}

function finish(
  { end, limit }: { end: Reason; limit?: Reason | undefined },
  judging: Judging,
  { summary, size, before, progress }: Arrival,
  warnings: readonly string[],
): Advance {
  const repeated = end.repeated !== undefined;
  // The records and totals of a repeated page do not count.
  const { records, totals, dropped, fallen } = before;
  const writtenProgress = repeated ? { ...progress, records, totals, dropped, fallen } : progress;
  const verdict = judge(end, summary, writtenProgress, judging, size);
  // If a limit of the user ends the job at this page anyway, more records are no reason for suspicion.
  const isLimited = limit !== undefined && end.kind === "complete" && verdict.kind === "suspect";
  const finalVerdict = isLimited ? judge(limit, summary, writtenProgress, judging, size) : verdict;
  return { next: undefined, verdict: finalVerdict, repeated, warnings };
}

/** Returns the doubts about the end of a job whose only page this is. */
export function doubtsAfterOnePage(summary: PageSummary, judging: Judging): readonly Objection[] {
  const progress = withPage(begin(0, { records: 0, pages: 0 }), summary, judging, undefined);
  return doubts(summary, progress, judging);
}

function withPage(
  before: ScrollProgress,
  summary: PageSummary,
  judging: Judging,
  size: number | undefined,
): ScrollProgress {
  const { rules, evidence } = judging;
  const isDocument = summary.ended === "document";
  // A last page often lacks the data field. But a page that is itself a list of objects contains records in another form.
  const mayBeLast = before.pages > 0 && summary.elsewhere !== ".";
  const listElsewhere = isDocument && !summary.found && !mayBeLast ? (summary.elsewhere ?? null) : null;
  const figures = evidence && summary.ended !== "tolerated" ? figuresOf(summary, size) : [];
  const failure = failureOn(summary, evidence);
  const totalText = rules.map((rule) => rule.total?.(summary)).find((text) => text !== undefined);
  const isAfterAll =
    summary.records === 0 && before.total !== null && sameNumber(before.total, String(reachedRecords(before)));
  // As in `withFigures`: the empty page after all records may report a total of 0.
  const total = isAfterAll && totalText === "0" ? undefined : totalText;
  const pageCount = rules.map((rule) => rule.pages?.(summary)).find((text) => text !== undefined);
  const allTotals = withFigures(before.totals, figures, summary, before);
  const lostList = evidence && before.isList && summary.single ? before.pages + 1 : null;
  return {
    ...before,
    pages: before.pages + 1,
    records: before.records + summary.records,
    emptyPages: summary.records === 0 ? before.emptyPages + 1 : 0,
    earlierPages: repeatsEarlier(summary, before)
      ? before.earlierPages + 1
      : repeats(summary, before)
        ? before.earlierPages
        : 0,
    samePages: repeats(summary, before) ? before.samePages + 1 : 0,
    bytes: before.bytes + (summary.volume ?? summary.bytes),
    dropped: before.dropped + summary.dropped,
    total: total ?? before.total,
    topTotal: total !== undefined && exceeds(total, before.topTotal ?? "-1") ? total : before.topTotal,
    pageCount: pageCount ?? before.pageCount,
    totals: allTotals,
    fallen: before.fallen ?? fallOf(before, { total, pageCount, totals: allTotals }) ?? null,
    isList: before.isList || (isDocument && summary.records > 0 && !summary.single),
    listLost: before.listLost ?? lostList,
    failure: before.failure ?? failure,
    elsewhere: before.elsewhere ?? listElsewhere,
  };
}

function failureOn(summary: PageSummary, evidence: boolean): ScrollProgress["failure"] {
  if (summary.doubt !== undefined) return { text: summary.doubt, remedy: null };
  const failure = summary.failure ?? (evidence ? failureOf(summary) : undefined);
  if (failure !== undefined) return { text: failure.text, remedy: acceptance(failure, summary) };
  const missing = evidence ? partialOf(summary) : undefined;
  return missing === undefined ? null : { text: missing.text, remedy: completion };
}

/**
 * Returns advice on accepting answers with this failure. A rule of `responses` is advised only for a page without records, since it
 * makes the page empty, and only if there is a condition that good pages do not meet. Otherwise the advice is "evidence": false.
 */
function acceptance({ when }: Failure, { records }: PageSummary): string {
  return records > 0 || when === undefined
    ? withoutEvidence
    : acceptanceText(`the rule {"when": ${JSON.stringify(when)}, "then": "empty"} in "responses"`);
}

function acceptanceText(field: string): string {
  return `if such an answer is not a failure, ${field} accepts it`;
}

const withoutEvidence = acceptanceText('"evidence": false in the job');

const completion =
  'run the job again, or narrow its query; if no records are missing, "evidence": false in the job accepts such answers';

/**
 * Returns the progress of a job that continues after a page. If a page reported a failure, the remedy is no longer a rule: that
 * would make the page empty, and an empty page may end the job before its other pages.
 */
function continued(progress: ScrollProgress): ScrollProgress {
  const { failure } = progress;
  if (failure === null || failure.remedy === null || failure.remedy === completion) return progress;
  return { ...progress, failure: { text: failure.text, remedy: withoutEvidence } };
}

/**
 * Returns the doubt about a page with status 200 and without a body, if the body of the page before gave its token or address. At
 * the end, an API sends a body without such a value, or status 204.
 */
function lostPage({ ended, status }: PageSummary, before: ScrollProgress, judging: Judging): string | undefined {
  const isLost = ended === "empty" && status === 200 && before.pages > 0 && judging.evidence && judging.hasPages;
  if (!isLost || totalReached(before, judging.mayCountRemaining)) return undefined;
  return `page ${before.pages + 1} has no body, although the API named it as the next page`;
}

/** Returns the first total that fell: a configured total or number of pages, else a total that was found as evidence. */
function fallOf(before: ScrollProgress, now: PageFigures): FallenTotal | undefined {
  const configured = [
    { name: "the total of limitStop.field", from: before.total, to: now.total },
    { name: "the number of pages at pageCount", from: before.pageCount, to: now.pageCount },
  ];
  for (const { name, from, to } of configured) {
    if (from !== null && to !== undefined && exceeds(from, to)) return { name, from, to };
  }
  return fellBetween(before.totals, now.totals);
}

/** The numbers of all records and all pages that a page reports. */
interface PageFigures {
  readonly total: string | undefined;
  readonly pageCount: string | undefined;
  readonly totals: Totals;
}

/** Returns whether at least as many records came as the API's total says. A probe is then unnecessary (contract C-6.7). */
function totalReached(progress: ScrollProgress, mayCountRemaining: boolean): boolean {
  if (progress.total !== null) return reachesTotal(reachedRecords(progress), progress.total);
  const reach = reachOf(progress, mayCountRemaining);
  const top = totalOf(progress.totals, reach);
  return top !== undefined && top.total <= BigInt(reach.records);
}

function innerOffsetDoubt(page: number): string {
  const what = `page ${page} begins with records of the page before it`;
  return `${what}: the API counts the records of the inner lists, but "offset" counts the elements that hold them; page by number or token`;
}

/** Returns the content of a position. Its type is certain, because only this file makes positions. */
function positionOf(position: Position): ScrollPosition {
  return position as ScrollPosition;
}

/** Returns the warnings that a page causes, whether the job continues or not. */
function notices(
  before: ScrollProgress,
  progress: ScrollProgress,
  summary: PageSummary,
  judging: Judging,
  provesRepetition: boolean,
): Warning[] {
  const { rules, mayCountRemaining, evidence } = judging;
  const warnings = rules.flatMap((rule) => rule.notice?.(summary, progress) ?? []);
  const moved = movedTotal(before, progress, mayCountRemaining);
  if (moved !== undefined) warnings.push(moved);
  const sizeNotice = evidence ? exactSizeWarning(summary, progress, judging) : undefined;
  if (sizeNotice !== undefined) warnings.push(sizeNotice);
  if (provesRepetition && repeatsEarlier(summary, before)) {
    const text = `page ${progress.pages} holds the same ${summary.records} records as an earlier page that is not the previous one`;
    warnings.push({ key: "round", text });
  }
  return warnings;
}
