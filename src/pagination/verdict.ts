import { fieldName, type Remedies } from "../core/field-name.ts";
import type { PageSummary, Verdict } from "../core/runs/page.ts";
import { printable } from "../core/text/printable.ts";
import { allReceived, evidenceOfMore, type Objection, usualSizeText, type Weighing } from "./evidence.ts";
import type { Reason, StopRule } from "./paginator.ts";
import { reachedRecords, reachOf, type ScrollProgress } from "./scroll-progress.ts";
import { sameNumber } from "./stop/limit-stop.ts";
import { fallenTotal, totalOf } from "./totals.ts";

/** The properties of a job on which its verdict depends, besides its pages. */
export interface Judging extends Weighing {
  readonly rules: readonly StopRule[];
  /** True if responses are searched for evidence of more records, and of failure. */
  readonly evidence: boolean;
  /** True if the job requests one more page after a short one. */
  readonly probeEnd: boolean;
  /** True if each request skips a number of elements, and the records are in lists inside the elements. */
  readonly countsElements: boolean;
  /** The data field as configured, for messages. */
  readonly dataField: string | undefined;
  readonly remedies?: Remedies | undefined;
}

/**
 * Returns the verdict on a job that ended for `reason` after a page. `size`: the page size in its request (contract C-6.11 to
 * C-6.15).
 */
export function judge(
  reason: Reason,
  summary: PageSummary,
  progress: ScrollProgress,
  judging: Judging,
  size?: number,
): Verdict {
  const ruled = reason.isRuled === true ? { isRuled: true } : {};
  const doubt = allReceived(progress, judging.mayCountRemaining, reason.repeated !== undefined)
    ? undefined
    : reason.doubt;
  if (reason.certain === true && doubt === undefined) return { kind: reason.kind, reason: reason.text, ...ruled };
  const page = reason.repeated === "earlier" ? { ...summary, records: 0 } : summary;
  const objections = reason.kind === "complete" && reason.certain !== true ? doubts(page, progress, judging, size) : [];
  const missingText = missingField(progress, judging);
  const expected = expectedTotal(progress, judging.mayCountRemaining);
  const suspect = reason.kind === "suspect" || objections.length > 0 || (doubt ?? missingText) !== undefined;
  const usual = suspect || !judging.evidence ? undefined : usualSizeText(page, progress, judging);
  const parts = [clause(reason, doubt, objections), missingText, usual].filter((part) => part !== undefined);
  return {
    kind: suspect ? "suspect" : reason.kind,
    reason: parts.join("; "),
    ...(expected === undefined ? {} : { expected }),
    ...(reason.byCommand ? { byCommand: true } : {}),
    ...(doubt !== undefined && reason.mayHaveExpired === true ? { expired: reason.text } : {}),
    ...ruled,
  };
}

/**
 * Returns the doubts about an end. If a configured total, number of pages or flag contradicts the end, or if pages have shifted,
 * other evidence of more records does not count. Failures always count.
 */
export function doubts(
  summary: PageSummary,
  progress: ScrollProgress,
  judging: Judging,
  size?: number,
): readonly Objection[] {
  const failure = [...failureDoubts(progress, judging), ...lostListDoubts(progress)];
  const contradicting = judging.rules.flatMap((rule) => rule.objection?.(summary, progress) ?? []);
  const configured =
    contradicting.length > 0
      ? contradicting.map((text) => ({ kind: "configured" as const, text }))
      : shiftDoubts(progress, judging);
  if (configured.length > 0) return [...configured, ...failure];
  if (!judging.evidence || isSettled(progress, size)) return failure;
  return [...evidenceOfMore(summary, progress, judging), ...failure];
}

/**
 * Returns whether the configured total proves that all records came. On a single full page it does not: the field may count just
 * that page.
 */
function isSettled(progress: ScrollProgress, size = Number.POSITIVE_INFINITY): boolean {
  const { total, pages, records } = progress;
  if (total === null || !sameNumber(total, String(reachedRecords(progress)))) return false;
  return pages > 1 || records < size;
}

/**
 * Returns the doubt about a total that fell while pages were requested by number or offset: records were removed, so later pages
 * have shifted. The doubt remains even if the total now equals the number of received records.
 */
function shiftDoubts(progress: ScrollProgress, { mayCountRemaining }: Judging): Objection[] {
  const isBelow = fallenTotal(progress.totals, reachOf(progress, mayCountRemaining)) !== undefined;
  if (mayCountRemaining || isBelow || progress.fallen === null) return [];
  const { name, from, to } = progress.fallen;
  const what = `${name} fell from ${from} to ${to} between two pages`;
  const text = `${what}: records were removed, so the pages shifted and some records may never have been requested`;
  return [{ kind: "earlier", text }];
}

function failureDoubts({ failure }: ScrollProgress, { remedies }: Judging): Objection[] {
  if (failure === null) return [];
  const { text, remedy } = failure;
  return [{ kind: "earlier", text, ...(remedies === "options" || remedy === null ? {} : { remedy }) }];
}

function lostListDoubts({ listLost }: ScrollProgress): Objection[] {
  if (listLost === null) return [];
  return [{ kind: "earlier", text: `page ${listLost} holds one value where the pages before it hold a list` }];
}

function clause(reason: Reason, doubt: string | undefined, objections: readonly Objection[]): string {
  const isEarlier = objections.length > 0 && objections.every(({ kind }) => kind === "earlier");
  const remedyForEnd = isEarlier ? undefined : reason.remedy;
  const chosenRemedy = remedyForEnd ?? objections.find((objection) => objection.remedy !== undefined)?.remedy;
  const remedy = chosenRemedy === undefined ? "" : `; ${chosenRemedy}`;
  if (reason.kind === "suspect") return reason.text + remedy;
  const but = objections.map(({ text }) => text).join(" and ");
  if (objections.length === 0) return doubt === undefined ? reason.text : `${reason.text}: ${doubt}`;
  const textIfMore = objections.some(({ kind }) => kind === "more") ? reason.textIfMore : undefined;
  return textIfMore === undefined ? `${reason.text}, but ${but}${remedy}` : `${textIfMore} (${but})${remedy}`;
}

function missingField({ elsewhere }: ScrollProgress, { dataField, remedies }: Judging): string | undefined {
  if (elsewhere === null) return undefined;
  const value = dataField === undefined ? "" : ` ${JSON.stringify(dataField)}`;
  return `${fieldName("dataField", remedies)}${value} is not in the response, but "${printable(elsewhere)}" contains objects`;
}

/** Returns the total that the API reports: the configured one, else one found as evidence. */
export function expectedTotal(progress: ScrollProgress, mayCountRemaining: boolean): number | undefined {
  const found = (): bigint | undefined => totalOf(progress.totals, reachOf(progress, mayCountRemaining))?.total;
  const number = Number(progress.total ?? found() ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : undefined;
}
