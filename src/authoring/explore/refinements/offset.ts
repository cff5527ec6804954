import { exactNumber, type ValueObject } from "../../../core/value.ts";
import { nameOf } from "../first-answer/places.ts";
import { compareRecords } from "../first-answer/same-records.ts";
import type { Hypothesis } from "../hypotheses/hypothesis.ts";
import { type Prober, type Refined, requestText, type Tried, type TriedPage } from "../trials/prober.ts";
import { endRule } from "./end-rule.ts";
import { flagOn, type Refine, startingWith } from "./refinement.ts";

/** Offsets: does the second page begin right behind the first, and how does the paging end? */
export const offset: Refine = async (hypothesis, pages, prober) => {
  const remarks: string[] = [];
  if (pages.first.records.length > 1) {
    const tried = await skippingAllButOne(hypothesis, prober);
    const gap = gapText(tried, pages.first);
    if (tried.refused) remarks.push(`that nothing lies between the pages was not tried, as ${prober.why()}`);
    else if (gap !== "") return `does not hold: ${gap}`;
  }
  const filtered = await filteredText(hypothesis, pages.second, prober);
  return filtered === "" ? finalOffset(hypothesis, pages.second, remarks, prober) : filtered;
};

/** Nothing tells the end: far behind the last record the API may answer with an error, and is then not asked for more than it has. */
async function endOfOffsets(final: Refined, hypothesis: Hypothesis, prober: Prober): Promise<Refined> {
  const { trouble, failed, refused } = await skipping(prober.page.place.records.length * 100_000, hypothesis, prober);
  if (refused || trouble === "" || failed === undefined) return final;
  const rule = endRule(failed);
  if (rule !== undefined)
    return { ...final, responses: [rule], remarks: [...final.remarks, `${trouble}: that ends the paging`] };
  const { probeEnd: _, ...paging } = final.paging;
  const end = `${trouble}: a short page ends the paging; a last page that is full ends a run with that answer`;
  return { ...final, paging, remarks: [...final.remarks, end] };
}

/** One page from the last record of the first page on. */
export function skippingAllButOne(hypothesis: Hypothesis, prober: Prober): Promise<Tried> {
  return skipping(prober.page.place.records.length - 1, hypothesis, prober);
}

/** One page behind so many records. */
function skipping(count: number, { paging, drops }: Hypothesis, prober: Prober): Promise<Tried> {
  const start = paging.offsetFromJob === true ? 1 : 0;
  const place = paging.offsetParam ?? "offset";
  return prober.try(
    { ...paging, firstPageParams: true, offsetFromJob: true },
    [...drops, nameOf(place), nameOf(paging.limitParam ?? "limit")],
    1,
    [{ place, value: exactNumber(String(start + count)) }],
  );
}

/** Asked for one record earlier, the page must begin with the last record of the first page, or be the first page itself. */
function gapText({ pages: [answer], trouble }: Tried, first: TriedPage): string {
  // An API that takes only whole pages says so, or rounds down.
  if (trouble !== "" || answer === undefined || answer.records.length === 0) return "";
  const one = compareRecords(first.records.slice(-1), answer.records.slice(0, 1));
  if (one.kind === "same" || compareRecords(first.records, answer.records).kind === "same") return "";
  return `asked to skip ${first.records.length - 1} records, the API does not begin with the last one of its first page`;
}

/**
 * Says that pages lose records after they were cut: the second one is not full, and others are behind what was asked for. A run
 * takes the first page that is not full for the last one, or asks for a part of it again. "": nothing shows that.
 */
export async function filteredText(hypothesis: Hypothesis, second: TriedPage, prober: Prober): Promise<string> {
  const size = prober.page.place.records.length;
  if (second.records.length === 0 || second.records.length >= size) return "";
  const behind = await skipping(2 * size, hypothesis, prober);
  const [answer] = behind.pages;
  if (behind.refused || behind.trouble !== "" || answer === undefined) return "";
  const goesOn = compareRecords(second.records, answer.records).kind === "different";
  const isOther = compareRecords(prober.page.place.records, answer.records).kind === "different";
  return goesOn && isOther
    ? `does not hold: the second page has ${second.records.length} of ${size} records, and ${requestText(answer.exchanged)} gave others: pages are not filled, so that their end cannot be seen`
    : "";
}

/** An offset paging in its simplest form that gives the first page, with its end. */
export async function finalOffset(
  hypothesis: Hypothesis,
  second: TriedPage,
  remarks: readonly string[],
  prober: Prober,
): Promise<Refined> {
  const { paging, drops: taken, sets } = hypothesis;
  const offsetName = nameOf(paging.offsetParam ?? "offset");
  let final: Omit<Refined, "remarks"> = { paging, drops: taken, sets };
  const { firstPageParams: _, ...simple } = paging;
  if (paging.offsetFromJob !== true) {
    const own = prober.page.given.some((given) => given.name === offsetName);
    const drops = [...new Set([...taken, ...(own ? [offsetName] : []), nameOf(paging.limitParam ?? "limit")])];
    const first = await startingWith(simple, drops, prober);
    const same = first !== undefined && compareRecords(prober.page.place.records, first).kind === "same";
    if (same) final = { paging: simple, drops };
  }
  const flag = flagOn(second, prober);
  const total = prober.told.total !== undefined;
  const end: ValueObject = {
    ...(flag === undefined ? {} : { nextPageFlag: flag }),
    ...(total || flag !== undefined ? {} : { probeEnd: true }),
  };
  const ending = { ...final, paging: { ...final.paging, ...end }, remarks };
  return end.probeEnd === true || final.paging.probeEnd === true ? endOfOffsets(ending, hypothesis, prober) : ending;
}
