import type { PageSummary } from "../core/runs/page.ts";
import { askedNotice, movedTotal } from "./evidence.ts";
import type { Warning } from "./paginator.ts";
import { comesRound, type ScrollProgress } from "./scroll-progress.ts";
import type { Judging } from "./verdict.ts";

/** Returns the warnings that a page causes, whether the job goes on or not. */
export function notices(
  before: ScrollProgress,
  progress: ScrollProgress,
  summary: PageSummary,
  judging: Judging,
  recordsTell: boolean,
): Warning[] {
  const { rules, mayRemain, evidence } = judging;
  const warnings = rules.flatMap((rule) => rule.notice?.(summary, progress) ?? []);
  const moved = movedTotal(before, progress, mayRemain);
  if (moved !== undefined) warnings.push(moved);
  const sizeNotice = evidence ? askedNotice(summary, progress, judging) : undefined;
  if (sizeNotice !== undefined) warnings.push(sizeNotice);
  if (recordsTell && comesRound(summary, before)) {
    const text = `page ${progress.pages} holds the same ${summary.records} records as an earlier page, not the one before it`;
    warnings.push({ key: "round", text });
  }
  return warnings;
}
