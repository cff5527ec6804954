import { counted } from "../../../core/text/counted.ts";
import { exactNumber, type Value, type ValueObject } from "../../../core/values/value.ts";
import { plainName } from "../../../knowledge/words.ts";
import { type FirstPage, isCount, keyOf, nameOf, type PageField, placeText } from "../first-answer/first-page.ts";
import { namesIn } from "../first-answer/names.ts";
import { compareRecords } from "../first-answer/same-records.ts";
import { modelOf, placesFor } from "../first-answer/style.ts";
import {
  type FinalPaging,
  othersText,
  type Prober,
  requestText,
  type TrialResult,
  type TriedPage,
} from "../trials/prober.ts";
import { echoedGuesses, echoedPlaces, isAmong, movedBy, seenText, sizeParameter } from "./counting.ts";
import {
  endRule,
  firstRecords,
  flagOn,
  type Hypothesis,
  type HypothesisSearch,
  isLast,
  type PagingKind,
  promisesMore,
  type Refine,
  secondIsEmpty,
  type TestResult,
  withRequestedSize,
} from "./kind.ts";

/** Looks for parameters with a number of records to skip. */
export const byOffset: HypothesisSearch = (page) => {
  const count = page.place.records.length;
  const offsetParameter = page.requestParameters.find(({ meaning, value }) => meaning === "offset" && isCount(value));
  const movedParameter = movedBy(page, count);
  const echo = page.fields.find(
    ({ meaning, value }) => meaning === "offset" && (value === 0 || value === 1 || String(value) === "0"),
  );
  const size = sizeParameter(page);
  // The page size has the same `$` as the offset (`$limit` beside `$skip`).
  const sizeBeside = (place: Value): Value =>
    hasDollar(place) && size.requestedSize === undefined && typeof size.place === "string"
      ? `$${size.place}`
      : size.place;
  const label = (place: Value): string => {
    const beside = sizeBeside(place);
    const sizeText = beside === false ? `pages of ${count}` : `page size ${placeText(beside)}`;
    return `offset paging by ${placeText(place)} (${sizeText})`;
  };
  const first = Number(offsetParameter?.value ?? movedParameter?.before ?? echo?.value ?? 0) === 1 ? 1 : 0;
  const offset = (place: Value, reason: string, isGuess: boolean): Hypothesis => ({
    kind: "offset",
    label: label(place),
    reason,
    isGuess,
    paging: {
      method: "offset",
      limit: count,
      ...(sizeBeside(place) === "limit" ? {} : { limitParam: sizeBeside(place) }),
      ...(place === "offset" ? {} : { offsetParam: place }),
      ...(first === 1 ? { offsetFromJob: true } : {}),
      // The first request stays as it is. But if the API gave fewer records than requested, it must ask for this smaller number.
      ...(size.requestedSize === undefined || size.requestedSize === count ? { firstPageParams: false } : {}),
    },
    drops: size.requestedSize === undefined || size.requestedSize === count ? [] : [keyOf(size.place)],
    sets: first === 1 ? [{ place, value: 1 }] : undefined,
    echo: echo === undefined ? undefined : { field: echo, by: count },
  });
  if (movedParameter !== undefined) return [offset(movedParameter.place, seenText(movedParameter), false)];
  if (offsetParameter !== undefined)
    return [offset(offsetParameter.place, `the request has ${placeText(offsetParameter.place)}`, false)];
  const echoPlaces = echo === undefined ? [] : [...echoedPlaces(page, echo), ...dollarEcho(page, echo)];
  const statedHypotheses = echoPlaces.map((place) =>
    offset(place, `the answer has the field "${echo?.path.join(".")}"`, false),
  );
  const echoes = echo === undefined ? [] : echoedGuesses(page, echo);
  const guesses = [...usualOffsets(nameOf(size.place), page), ...echoes].filter((place) => !isAmong(place, echoPlaces));
  return [...statedHypotheses, ...guesses.map((name) => offset(name, "many APIs page like this", true))];
};

/** Returns the name of a field with a `$` before it, as some APIs write their parameters, if the request shows no style. */
function dollarEcho(page: FirstPage, { path }: PageField): readonly string[] {
  return modelOf(page) === undefined && page.description.method === "GET" ? [`$${path.at(-1) ?? ""}`] : [];
}

function hasDollar(place: Value): boolean {
  return typeof place === "string" && place.startsWith("$");
}

/** Names of offsets to guess, each as its words, the likeliest first. */
const guessedOffsets = namesIn(
  "offset, skip, start, start at, from, start index, begin, first result, result offset, first, index, " +
    "page start, start row, start position",
);

/** For each page size's name, the names of the offset that APIs combine with it. */
const pairedOffsets: Readonly<Record<string, string>> = {
  top: "skip",
  take: "skip",
  rows: "start",
  size: "from",
  max: "first",
  maxresults: "start at, start index",
  pagesize: "start index",
};

/** Returns the places of offsets to guess if the page size has this name, the likeliest first. */
function usualOffsets(size: string, page: FirstPage): readonly Value[] {
  const likeliest = namesIn(pairedOffsets[plainName(size)] ?? "");
  return [...placesFor([...likeliest, ...guessedOffsets], page), "$skip", "$offset", "_skip", "page[offset]"];
}

/** Checks that the second page begins right after the first one, and finds the end of the list. */
const refine: Refine = async (hypothesis, pages, prober) => {
  const remarks: string[] = [];
  if (pages.first.records.length > 1) {
    const trial = await skippingAllButOne(hypothesis, prober);
    const gap = gapText(trial, pages.first);
    if (trial.isOutOfRequests)
      remarks.push(`whether records are missing between the pages was not tested, because ${prober.memory.stopReason}`);
    else if (gap !== "") return `does not hold: ${gap}`;
  }
  const filtered = await filteredText(hypothesis, pages.second, prober);
  return filtered === "" ? finalOffset(hypothesis, pages.second, remarks, prober) : filtered;
};

/**
 * Requests an offset far beyond the list. If the API refuses it, a rule for this refusal ends the paging. If no rule is certain,
 * the first short page ends it, without a probe.
 */
async function endOfOffsets(final: FinalPaging, hypothesis: Hypothesis, prober: Prober): Promise<FinalPaging> {
  const { trouble, failed, isOutOfRequests } = await skipping(
    prober.page.place.records.length * 100_000,
    hypothesis,
    prober,
  );
  if (isOutOfRequests || trouble === "" || failed === undefined) return final;
  const rule = endRule(failed);
  if (rule !== undefined)
    return { ...final, responses: [rule], remarks: [...final.remarks, `${trouble}: that ends the paging`] };
  const { probeEnd: _, ...paging } = final.paging;
  const end = `${trouble}: a short page ends the paging; if the last page is full, the run fails with this answer`;
  return { ...final, paging, remarks: [...final.remarks, end] };
}

/** Requests one page that begins with the last record of the first page. */
function skippingAllButOne(hypothesis: Hypothesis, prober: Prober): Promise<TrialResult> {
  return skipping(prober.page.place.records.length - 1, hypothesis, prober);
}

/** Requests one page after `count` records. */
function skipping(count: number, { paging, drops }: Hypothesis, prober: Prober): Promise<TrialResult> {
  const start = paging.offsetFromJob === true ? 1 : 0;
  const place = paging.offsetParam ?? "offset";
  return prober.try(
    { ...paging, firstPageParams: true, offsetFromJob: true },
    [...drops, keyOf(place), keyOf(paging.limitParam ?? "limit")],
    1,
    [{ place, value: exactNumber(String(start + count)) }],
  );
}

/**
 * Explains how an answer to `skippingAllButOne` shows a gap: it begins neither with the last record of the first page nor with
 * the first page itself. "" if it shows none.
 */
function gapText({ pages: [answer], trouble }: TrialResult, first: TriedPage): string {
  // An API that accepts only offsets of whole pages answers with an error, or rounds down.
  if (trouble !== "" || answer === undefined || answer.records.length === 0) return "";
  const one = compareRecords(first.records.slice(-1), answer.records.slice(0, 1));
  if (one.kind === "same" || compareRecords(first.records, answer.records).kind === "same") return "";
  return `if asked to skip ${first.records.length - 1} records, the API does not begin with the last record of its first page`;
}

/**
 * Explains that the API removes records from a page after cutting the list into pages, so that the second page is not full
 * although more records follow. A run would take it for the last page, or request a part of it again. "" if nothing shows this.
 */
async function filteredText(hypothesis: Hypothesis, second: TriedPage, prober: Prober): Promise<string> {
  const size = prober.page.place.records.length;
  if (second.records.length === 0 || second.records.length >= size) return "";
  const skippedTwo = await skipping(2 * size, hypothesis, prober);
  const [answer] = skippedTwo.pages;
  if (skippedTwo.isOutOfRequests || skippedTwo.trouble !== "" || answer === undefined) return "";
  const hasOtherRecords = compareRecords(second.records, answer.records).kind === "different";
  const isNotFirstPage = compareRecords(prober.page.place.records, answer.records).kind === "different";
  return hasOtherRecords && isNotFirstPage
    ? `does not hold: the second page has ${second.records.length} of ${size} records, and ${requestText(answer.exchanged)} gave others: the API does not fill its pages, so a short page does not show the end`
    : "";
}

/** Returns the simplest form of an offset paging that still gives the first page, with the fields that end it. */
async function finalOffset(
  hypothesis: Hypothesis,
  second: TriedPage,
  remarks: readonly string[],
  prober: Prober,
): Promise<FinalPaging> {
  const { paging, drops: testedDrops, sets } = hypothesis;
  const offsetKey = keyOf(paging.offsetParam ?? "offset");
  let final: Omit<FinalPaging, "remarks"> = { paging, drops: testedDrops, sets };
  const { firstPageParams: _, ...simple } = paging;
  if (paging.offsetFromJob !== true) {
    const isInRequest = prober.page.requestParameters.some((parameter) => parameter.key === offsetKey);
    const drops = [
      ...new Set([...testedDrops, ...(isInRequest ? [offsetKey] : []), keyOf(paging.limitParam ?? "limit")]),
    ];
    const first = await firstRecords(simple, drops, prober);
    const isSame = first !== undefined && compareRecords(prober.page.place.records, first).kind === "same";
    if (isSame) final = { paging: simple, drops };
  }
  const flag = flagOn(second, prober);
  const hasTotal = prober.extent.total !== undefined;
  const end: ValueObject = {
    ...flag,
    ...(hasTotal || flag !== undefined ? {} : { probeEnd: true }),
  };
  const ending = { ...final, paging: { ...final.paging, ...end }, remarks };
  return end.probeEnd === true || final.paging.probeEnd === true ? endOfOffsets(ending, hypothesis, prober) : ending;
}

/**
 * Tests a guessed offset with a request that skips all records of the first page but the last. The answer must begin with this
 * last record and continue with others, if there are any. If it begins one record earlier, the API counts from 1.
 */
async function testGuessedOffset(hypothesis: Hypothesis, prober: Prober): Promise<TestResult> {
  const { isOutOfRequests, trouble, pages } = await skippingAllButOne(hypothesis, prober);
  const [answer] = pages;
  const { records } = prober.page.place;
  if (isOutOfRequests) return { verdict: "not tried", isOutOfRequests };
  if (trouble !== "" || answer === undefined) return { verdict: `does not hold: ${trouble}`, isOutOfRequests };
  const requestLine = requestText(answer.exchanged);
  const whole = compareRecords(records, answer.records);
  if (whole.kind === "same" && answer.records.length > 1)
    return { verdict: `does not hold: ${requestLine} gave the same records (by "${whole.by}")`, isOutOfRequests };
  if (isLast(answer.records, records) && !promisesMore(prober.extent, records.length)) {
    const evidence = `${hypothesis.label}: ${requestLine} gave the last record of the first page and no more: ${counted(records.length, "record")} are all there are now`;
    const final = await finalOffset(
      { ...hypothesis, paging: withRequestedSize(hypothesis.paging, prober) },
      answer,
      [],
      prober,
    );
    return { verdict: { ...final, remarks: [evidence, ...final.remarks] }, isOutOfRequests };
  }
  const repeatedCount = [1, 2].find((count) => continuesAfter(records, answer.records, count));
  if (repeatedCount === undefined) {
    const what = answer.records.length === 0 ? "gave no records" : "did not continue after the first page";
    return { verdict: `does not hold: ${requestLine} ${what}`, isOutOfRequests, more: othersText(answer, whole) };
  }
  prober.memory.follow();
  const others = counted(answer.records.length - repeatedCount, "other record");
  const comparison = compareRecords(records, answer.records.slice(repeatedCount));
  const by = "by" in comparison ? ` (by "${comparison.by}")` : "";
  const last = repeatedCount === 1 ? "the last record" : "the last two records";
  const evidence = `${hypothesis.label}: ${requestLine} gave ${last} of the first page, then ${others}${by}`;
  const counting = repeatedCount === 1 ? hypothesis : fromOne(hypothesis);
  const why = repeatedCount === 2 ? await otherFirstPage(counting, prober) : "";
  const filtered = why === "" ? await filteredText(counting, answer, prober) : why;
  if (filtered !== "") return { verdict: filtered, isOutOfRequests, more: othersText(answer, whole) };
  const final = await finalOffset(counting, answer, [], prober);
  const remarks = repeatedCount === 1 ? [] : [`${placeText(placeOf(hypothesis))} counts from 1`];
  return { verdict: { ...final, remarks: [evidence, ...remarks, ...final.remarks] }, isOutOfRequests };
}

/** Returns whether an answer begins with the last `count` records of the first page and continues with others. */
export function continuesAfter(first: readonly Value[], answer: readonly Value[], count: number): boolean {
  const beginning = compareRecords(first.slice(-count), answer.slice(0, count));
  return beginning.kind === "same" && compareRecords(first, answer.slice(count)).kind === "different";
}

/** Converts an offset hypothesis to one in which the first record has the number 1. */
export function fromOne(hypothesis: Hypothesis): Hypothesis {
  const place = placeOf(hypothesis);
  const paging = { ...hypothesis.paging, offsetFromJob: true };
  return { ...hypothesis, paging, sets: [{ place, value: exactNumber("1") }] };
}

/**
 * Explains that the list does not begin at 1; "" if it does. An API that removes records from a page after cutting the list may
 * seem to count from 1 although it counts from 0.
 */
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

/**
 * Checks that the last record comes if all others are skipped. The second page has shown that nothing comes if all are skipped.
 */
const refineWhole: Refine = async (hypothesis, { first, second }, prober) => {
  if (first.records.length > 1) {
    const { pages, trouble } = await skippingAllButOne(hypothesis, prober);
    if (trouble !== "" || !isLast(pages[0]?.records ?? [], first.records)) return secondIsEmpty;
  } else if (hypothesis.isGuess) return secondIsEmpty;
  return finalOffset({ ...hypothesis, paging: withRequestedSize(hypothesis.paging, prober) }, second, [], prober);
};

export const offset: PagingKind = {
  testGuess: async (hypothesis, prober) =>
    prober.page.place.records.length > 1 ? testGuessedOffset(hypothesis, prober) : undefined,
  refine,
  refineWhole,
};
