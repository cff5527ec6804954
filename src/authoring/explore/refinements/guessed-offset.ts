import { counted } from "../../../core/counted.ts";
import { exactNumber, type Value } from "../../../core/value.ts";
import { placeText } from "../first-answer/places.ts";
import { compareRecords } from "../first-answer/same-records.ts";
import type { Hypothesis } from "../hypotheses/hypothesis.ts";
import { othersText, type Prober, type Refined, requestText } from "../trials/prober.ts";
import { filteredText, finalOffset, skippingAllButOne } from "./offset.ts";
import { isLast, owes, sized } from "./whole-list.ts";

/** What a test of a hypothesis has shown. */
export interface Tested {
  /** Its final form, or why it does not hold. */
  readonly verdict: Refined | string;
  /** It could not be tried, for want of requests. */
  readonly refused: boolean;
  /** Says that it may hold, though it was refused. */
  readonly doubt?: string | undefined;
  /** Says that there are more records than those of the first page, though it does not hold. */
  readonly more?: string;
}

/**
 * An offset that nothing speaks of is proven by one request: asked to skip all records of the first page but one, the API must
 * begin with that one, and go on with others where there are any. Beginning with the one before it, it counts from 1.
 */
export async function testGuessedOffset(hypothesis: Hypothesis, prober: Prober): Promise<Tested> {
  const { refused, trouble, pages } = await skippingAllButOne(hypothesis, prober);
  const [answer] = pages;
  const { records } = prober.page.place;
  if (refused) return { verdict: "not tried", refused };
  if (trouble !== "" || answer === undefined) return { verdict: `does not hold: ${trouble}`, refused };
  const asked = requestText(answer.exchanged);
  const whole = compareRecords(records, answer.records);
  if (whole.kind === "same" && answer.records.length > 1)
    return { verdict: `does not hold: ${asked} gave the same records (by "${whole.by}")`, refused };
  if (isLast(answer.records, records) && !owes(prober.told, records.length)) {
    const evidence = `${hypothesis.label}: ${asked} gave the last record of the first page and no more: ${counted(records.length, "record")} are all there are now`;
    const final = await finalOffset({ ...hypothesis, paging: sized(hypothesis.paging, prober) }, answer, [], prober);
    return { verdict: { ...final, remarks: [evidence, ...final.remarks] }, refused };
  }
  const begins = [1, 2].find((own) => goesOnBehind(records, answer.records, own));
  if (begins === undefined) {
    const what = answer.records.length === 0 ? "gave no records" : "did not go on behind the first page";
    return { verdict: `does not hold: ${asked} ${what}`, refused, more: othersText(answer, whole) };
  }
  prober.follow();
  const others = counted(answer.records.length - begins, "other record");
  const goesOn = compareRecords(records, answer.records.slice(begins));
  const by = "by" in goesOn ? ` (by "${goesOn.by}")` : "";
  const last = begins === 1 ? "the last record" : "the last two records";
  const evidence = `${hypothesis.label}: ${asked} gave ${last} of the first page, then ${others}${by}`;
  const counting = begins === 1 ? hypothesis : fromOne(hypothesis);
  const why = begins === 2 ? await otherFirstPage(counting, prober) : "";
  const filtered = why === "" ? await filteredText(counting, answer, prober) : why;
  if (filtered !== "") return { verdict: filtered, refused, more: othersText(answer, whole) };
  const final = await finalOffset(counting, answer, [], prober);
  const remarks = begins === 1 ? [] : [`${placeText(placeOf(hypothesis))} counts from 1`];
  return { verdict: { ...final, remarks: [evidence, ...remarks, ...final.remarks] }, refused };
}

/** Does it begin with so many records that the first page ends with, and go on with others? */
function goesOnBehind(first: readonly Value[], answer: readonly Value[], own: number): boolean {
  const begins = compareRecords(first.slice(-own), answer.slice(0, own));
  return begins.kind === "same" && compareRecords(first, answer.slice(own)).kind === "different";
}

/** The same, its first record number 1. */
function fromOne(hypothesis: Hypothesis): Hypothesis {
  const place = placeOf(hypothesis);
  const paging = { ...hypothesis.paging, offsetFromJob: true };
  return { ...hypothesis, paging, sets: [{ place, value: exactNumber("1") }] };
}

/** Says that 1 is not where the list begins: an API that leaves records out after it has cut a page seems to count from 1. */
async function otherFirstPage({ paging, drops, sets }: Hypothesis, prober: Prober): Promise<string> {
  const { pages, trouble } = await prober.try({ ...paging, firstPageParams: true }, drops, 1, sets);
  const [first] = pages;
  if (trouble !== "" || first === undefined) return "";
  return compareRecords(prober.page.place.records, first.records).kind === "same"
    ? ""
    : `does not hold: ${requestText(first.exchanged)} does not begin with the first record`;
}

function placeOf({ paging }: Hypothesis): Value {
  return paging.offsetParam ?? "offset";
}
