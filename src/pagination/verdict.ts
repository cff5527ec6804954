import type { PageSummary, Verdict } from "../core/page.ts";
import { printable } from "../core/printable.ts";
import { evidenceOfMore, greatest } from "./evidence.ts";
import type { Reason, StopRule } from "./paginator.ts";
import type { Progress } from "./progress.ts";

/** What the end of a job depends on beside its pages. */
export interface Judging {
  readonly rules: readonly StopRule[];
  /** Is the response searched for evidence of more? */
  readonly evidence: boolean;
  /** Is a `nextPageFlag` configured? It then stands for the other flags and links. */
  readonly flag: boolean;
  /** Dotted paths that the method itself reads: it has judged them already. */
  readonly read: readonly string[];
  /** Is the end asked for once more after a short page? */
  readonly probeEnd: boolean;
  /** The data field as configured, for the message. */
  readonly dataField: string | undefined;
}

/** How a job ended that ends for `reason` after this page (contract C-6.10, C-6.11). */
export function judge(reason: Reason, summary: PageSummary, progress: Progress, judging: Judging): Verdict {
  const objections = reason.kind === "complete" ? doubts(summary, progress, judging) : [];
  const missing = missingField(progress, judging.dataField);
  const expected = expectedTotal(progress);
  const suspect = reason.kind === "suspect" || objections.length > 0 || missing !== undefined;
  const parts = [clause(reason, objections), ...(missing === undefined ? [] : [missing])];
  return {
    kind: suspect ? "suspect" : reason.kind,
    reason: parts.join("; "),
    ...(expected === undefined ? {} : { expected }),
    ...(reason.byCommand && !suspect ? { byCommand: true } : {}),
  };
}

/** The configured total and flag speak first; only where they raise no doubt, what stands beside the records does. */
function doubts(summary: PageSummary, progress: Progress, { rules, evidence, flag, read }: Judging): string[] {
  const configured = rules.flatMap((rule) => rule.objection?.(summary, progress) ?? []);
  if (configured.length > 0 || !evidence || progress.total !== null) return configured;
  return evidenceOfMore(summary, progress, flag ? () => false : (path) => !read.includes(path));
}

function clause(reason: Reason, objections: readonly string[]): string {
  const remedy = reason.remedy === undefined ? "" : `; ${reason.remedy}`;
  if (reason.kind === "suspect") return reason.text + remedy;
  if (objections.length === 0) return reason.text;
  const but = objections.join(" and ");
  return reason.doubted === undefined ? `${reason.text}, but ${but}${remedy}` : `${reason.doubted} (${but})`;
}

function missingField({ elsewhere }: Progress, dataField: string | undefined): string | undefined {
  if (elsewhere === null) return undefined;
  const name = dataField === undefined ? "dataField" : `dataField ${JSON.stringify(dataField)}`;
  return `${name} is not in the response, but "${printable(elsewhere)}" holds objects`;
}

function expectedTotal({ total, totals }: Progress): number | undefined {
  const number = total === null ? Number(greatest(totals)?.total ?? Number.NaN) : Number(total);
  return Number.isSafeInteger(number) ? number : undefined;
}
