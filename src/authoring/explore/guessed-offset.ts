import { counted } from "../../core/counted.ts";
import { type Bench, type Refined, requestText } from "./bench.ts";
import type { Hypothesis } from "./hypothesis.ts";
import { finalOffset, skippingAllButOne } from "./refine.ts";
import { compareRecords } from "./same-records.ts";
import { isLast, owes, sized } from "./whole-list.ts";

/**
 * An offset that nothing speaks of is proven by one request: asked to skip all records of the first page but one, the API must
 * begin with that one, and go on with others where there are any.
 */
export async function testGuessedOffset(
  hypothesis: Hypothesis,
  bench: Bench,
): Promise<{ readonly verdict: Refined | string; readonly refused: boolean }> {
  const tried = await skippingAllButOne(hypothesis, bench);
  const { refused, trouble } = tried;
  const [answer] = tried.pages;
  const { records } = bench.page.place;
  if (refused) return { verdict: "not tried", refused };
  if (trouble !== "" || answer === undefined) return { verdict: `does not hold: ${trouble}`, refused };
  const whole = compareRecords(records, answer.records);
  if (whole.kind === "same" && answer.records.length > 1) {
    return {
      verdict: `does not hold: ${requestText(answer.exchanged)} gave the same records (by "${whole.by}")`,
      refused,
    };
  }
  const shown = `${hypothesis.label}: ${requestText(answer.exchanged)} gave the last record of the first page`;
  if (isLast(answer.records, records) && !owes(bench.told, records.length)) {
    const evidence = `${shown} and no more: ${counted(records.length, "record")} are all there are now`;
    const final = await finalOffset({ ...hypothesis, paging: sized(hypothesis.paging, bench) }, answer, [], bench);
    return { verdict: { ...final, remarks: [evidence, ...final.remarks] }, refused };
  }
  const begins = compareRecords(records.slice(-1), answer.records.slice(0, 1));
  const goesOn = compareRecords(records, answer.records.slice(1));
  if (begins.kind !== "same" || goesOn.kind !== "different") {
    const what = answer.records.length === 0 ? "gave no records" : "did not go on behind the first page";
    return { verdict: `does not hold: ${requestText(answer.exchanged)} ${what}`, refused };
  }
  const evidence = `${shown}, then ${counted(answer.records.length - 1, "other record")} (by "${goesOn.by}")`;
  const final = await finalOffset(hypothesis, answer, [], bench);
  return { verdict: { ...final, remarks: [evidence, ...final.remarks] }, refused };
}
