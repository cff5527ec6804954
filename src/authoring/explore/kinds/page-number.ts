import { counted } from "../../../core/text/counted.ts";
import type { Value, ValueObject } from "../../../core/values/value.ts";
import { wordsOf } from "../../../knowledge/words.ts";
import { type FirstPage, isCount, isHeader, keyOf, nameOf, placeText } from "../first-answer/first-page.ts";
import { namesIn } from "../first-answer/names.ts";
import { numberInPath } from "../first-answer/path-number.ts";
import { compareRecords } from "../first-answer/same-records.ts";
import { modelOf, placesFor } from "../first-answer/style.ts";
import type { FinalPaging, Prober, TriedPage } from "../trials/prober.ts";
import { echoedGuesses, echoedPlaces, isAmong, movedBy, seenText } from "./counting.ts";
import {
  endRule,
  firstRecords,
  flagOn,
  type Hypothesis,
  type HypothesisSearch,
  type PagingKind,
  type Refine,
  withRequestedSize,
} from "./kind.ts";
import { byOffset } from "./offset.ts";

/** Suggests page numbers: in a parameter of the request, else in one that the answer suggests or that has a usual name. */
export const byPageNumber: HypothesisSearch = (page) => {
  const pageParameter = page.requestParameters.find(({ meaning, value }) => meaning === "page" && isCount(value));
  const movedParameter = movedBy(page, 1);
  const echo = page.fields.find(
    ({ meaning, value }) => meaning === "page" && isCount(value as Value) && Number(value) <= 1,
  );
  const size = page.requestParameters.find(({ meaning, value }) => meaning === "size" && isCount(value));
  const count = page.place.records.length;
  // The paging regards `limit` as its own page size. If the API gives fewer records than that, the first page would end the
  // paging.
  const isCapped = size?.place === "limit" && Number(size.value) !== count;
  const hypothesisAt = (place: Value, reason: string, isGuess: boolean): Hypothesis => ({
    kind: "page number",
    label: `page numbers by ${placeText(place)}`,
    reason,
    isGuess,
    paging: {
      method: "pagenum",
      ...(place === "page" ? {} : { pageParam: place }),
      firstPage:
        movedParameter === undefined
          ? Number(pageParameter?.value ?? echo?.value ?? 1)
          : Number(movedParameter.after) - 1,
      // In lists of lists, it is unknown whether the page size counts the inner records or the outer elements.
      ...(page.place.group !== undefined
        ? { limit: "unknown" }
        : isCapped
          ? { limit: count }
          : { firstPageParams: false }),
    },
    drops: isCapped && page.place.group === undefined ? ["limit"] : [],
    echo: echo === undefined ? undefined : { field: echo, by: 1 },
  });
  if (movedParameter !== undefined) return [hypothesisAt(movedParameter.place, seenText(movedParameter), false)];
  if (pageParameter !== undefined)
    return [hypothesisAt(pageParameter.place, `the request has ${placeText(pageParameter.place)}`, false)];
  const echoPlaces = echo === undefined ? [] : echoedPlaces(page, echo);
  const statedHypotheses = echoPlaces.map((place) =>
    hypothesisAt(place, `the answer has the field "${echo?.path.join(".")}"`, false),
  );
  const echoes = echo === undefined ? [] : echoedGuesses(page, echo);
  const guesses = [...usualPages(page), ...echoes].filter((place) => !isAmong(place, echoPlaces));
  return [...statedHypotheses, ...guesses.map((name) => hypothesisAt(name, "many APIs page like this", true))];
};

/** The name in braces that replaces the number in the path. */
const endpointName = "page";

/** Looks for a page number in the path, after a word for pages: `users/page/1`. */
export const byPathNumber: HypothesisSearch = ({ description }, { more }) => {
  const found = numberInPath(description.address);
  // After `pages`, the number may be the id of a page: then it counts only if the answer says that there is more.
  const isFirst =
    found !== undefined && found.number <= 1 && (found.kind === "counts" || (found.kind === "page" && more !== ""));
  if (!isFirst) return [];
  const place = { endpoint: endpointName };
  return [
    {
      kind: "page number",
      label: `page numbers by ${placeText(place)}`,
      reason: `the path names page ${found.number}`,
      isGuess: false,
      address: found.withText(`{${endpointName}}`),
      paging: { method: "pagenum", pageParam: place, firstPage: found.number },
      drops: [],
    },
  ];
};

/** Names of page numbers to guess, the likeliest first. */
const guessedPages = namesIn(
  "page, page number, p, page no, page index, pg, page num, current page, paged, skip pages, pagina",
);

/** Returns the usual places of page numbers. If the page size is `page[size]`, the first is `page[number]`. */
function usualPages(page: FirstPage): readonly Value[] {
  const isBracketed = nameOf(modelOf(page) ?? "").includes("[");
  if (isBracketed) return placesFor([["number"], ...guessedPages], page);
  return [...placesFor(guessedPages, page), "page[number]", "$page"];
}

/** Words in the names of parameters whose 0 or 1 is a choice, not a position. */
const choiceWords =
  /^(is|has|with|without|include|includes|exclude|show|hide|only|all|active|enabled|disabled|desc|descending|asc|reverse|sort|order|embed|expand|pretty|debug|verbose|flag|version|v|id|ids|count|total|archived|deleted|status|type|level|depth)$/;

/** Looks for a parameter whose value is 0 or 1 and whose name has no known meaning: it may count pages or records. */
export const byZeroOrOne: HypothesisSearch = (page, extent) => {
  if (page.requestParameters.some(({ meaning }) => meaning === "page" || meaning === "offset")) return [];
  const binaryParameters = page.requestParameters.filter(
    ({ meaning, name, value, place }) =>
      /^[01]$/.test(String(value)) &&
      !isHeader(place) &&
      meaning !== "size" &&
      !wordsOf(name).some((word) => choiceWords.test(word)),
  );
  return binaryParameters
    .slice(0, 1)
    .flatMap((one) => [
      ...byPageNumber({ ...page, requestParameters: [...page.requestParameters, { ...one, meaning: "page" }] }, extent),
      ...byOffset(
        { ...page, requestParameters: [...page.requestParameters, { ...one, meaning: "offset" }] },
        extent,
      ).filter(({ kind }) => kind === "offset"),
    ]);
};

/** Finds the number of the first page and the end. */
const refine: Refine = async (hypothesis, pages, prober) => {
  const numberedPaging = await firstNumber(hypothesis, pages.second, prober);
  if (typeof numberedPaging === "string") return numberedPaging;
  const { paging, drops, remarks } = numberedPaging;
  const end = await endOfPages(paging, drops, pages, prober);
  if (typeof end === "string") return end;
  const { fields, responses } = end;
  return { paging: { ...paging, ...fields }, drops, responses, remarks: [...remarks, ...end.remarks] };
};

/**
 * Finds whether pages count from 0 or from 1: by the number in the request or the answer, else by the number that gives the first
 * page. If the request has number 1, and nothing else confirms it, number 0 is tried as well. If page 1, page 2 and a page without
 * a number all differ, the first page has number 0. If neither number gives the first page, returns a text that says why the
 * hypothesis fails.
 */
async function firstNumber(hypothesis: Hypothesis, second: TriedPage, prober: Prober): Promise<FinalPaging | string> {
  const { paging, echo } = hypothesis;
  const { firstPage, firstPageParams: _, ...rest } = paging;
  const place = paging.pageParam ?? "page";
  const isInRequest = prober.page.requestParameters.some((parameter) => parameter.key === keyOf(place));
  const drops = [...hypothesis.drops, ...(isInRequest ? [keyOf(place)] : [])];
  const isGiven = isInRequest || hypothesis.address !== undefined;
  const from = (number: Value | undefined): ValueObject =>
    Number(number) === 1 ? rest : { ...rest, firstPage: Number(number) };
  const first = await firstRecords(from(firstPage), drops, prober);
  const isFirst = first !== undefined && compareRecords(prober.page.place.records, first).kind === "same";
  let final = from(firstPage);
  const remarks: string[] = [];
  if (!hypothesis.isGuess) {
    // The request or the answer states the number. If the form without `firstPageParams` gives another page, the tested form stays.
    if (!isFirst) final = { ...paging };
    if (isGiven && echo === undefined && prober.page.observed === undefined && Number(firstPage) === 1) {
      const before = await firstRecords({ ...rest, firstPage: 0 }, drops, prober);
      if (
        before !== undefined &&
        before.length > 0 &&
        compareRecords(prober.page.place.records, before).kind === "different"
      ) {
        final = { ...rest, firstPage: 0 };
        remarks.push(`pages count from 0: ${placeText(place)} = 0 gave ${counted(before.length, "other record")}`);
      }
    }
  } else if (first !== undefined && !isFirst && isBetween(first, second, prober)) {
    final = { ...rest, firstPage: 0, firstPageParams: false };
    remarks.push(
      `pages count from 0: ${placeText(place)} = 1 gave ${counted(first.length, "record")} that neither the first page nor page 2 has`,
    );
  } else if (!isFirst && firstPage === 0) {
    final = { ...paging };
  } else if (!isFirst) {
    const zero = await firstRecords({ ...rest, firstPage: 0 }, drops, prober);
    if (zero === undefined || compareRecords(prober.page.place.records, zero).kind !== "same") {
      return "does not hold: neither page 0 nor page 1 proved to be the first";
    }
    final = { ...rest, firstPage: 0 };
    remarks.push(`pages count from 0: ${placeText(place)} = 0 gave the first page`);
  }
  return { paging: final, drops, remarks };
}

/** Returns whether records form a page between the first page and the one that page 2 gave. */
function isBetween(records: readonly Value[], second: TriedPage, { page }: Prober): boolean {
  if (records.length === 0 || compareRecords(page.place.records, records).kind !== "different") return false;
  return second.records.length === 0 || compareRecords(second.records, records).kind === "different";
}

/** The fields and rules that end the paging. */
interface End {
  readonly fields: ValueObject;
  readonly responses?: readonly ValueObject[] | undefined;
  readonly remarks: readonly string[];
}

/**
 * Finds how the API shows its end: by a flag on each page, else by its answer beyond the last page. If a run would never end,
 * returns a text that says why the hypothesis fails.
 */
async function endOfPages(
  paging: ValueObject,
  drops: readonly string[],
  pages: { readonly second: TriedPage },
  prober: Prober,
): Promise<End | string> {
  const { extent, page } = prober;
  const count = page.place.records.length;
  const flag = flagOn(pages.second, prober);
  if (flag !== undefined) return { fields: flag, remarks: [] };
  const last =
    extent.pages?.number ?? (extent.total === undefined ? undefined : Math.ceil(extent.total.number / count));
  const beyond = Number(paging.firstPage ?? 1) + (last ?? 100_000);
  const trial = await prober.try({ ...paging, firstPage: beyond, firstPageParams: true }, drops, 1);
  if (trial.isOutOfRequests)
    return {
      fields: {},
      remarks: [`no page beyond the last one was tried, because ${prober.memory.stopReason}`],
    };
  const [answer] = trial.pages;
  const isEmpty = trial.trouble === "" && (answer?.records.length ?? 0) === 0;
  const isRepeated = trial.trouble === "" && !isEmpty;
  if (
    isRepeated &&
    last !== undefined &&
    compareRecords(page.place.records, answer?.records ?? []).kind === "different" &&
    !(await isLastAgain({ ...paging, firstPage: beyond - 1, firstPageParams: true }, drops, answer, prober))
  ) {
    return {
      fields: {},
      remarks: [
        `page ${beyond} has records too, though the API says that there are ${counted(last, "page")}: its total is not trusted`,
      ],
    };
  }
  const pageCount = extent.pages?.source;
  if (pageCount !== undefined && (await countsPages(beyond - 1, paging, drops, prober))) {
    const remark = `the paging ends at the number of pages in ${extent.pages?.shownText}`;
    return { fields: { pageCount }, remarks: [remark] };
  }
  if (isEmpty) return { fields: {}, remarks: [] };
  const why = isRepeated ? "the API gives records again beyond its last page" : trial.trouble;
  if (extent.total?.source !== undefined)
    return { fields: { limitStop: { field: extent.total.source } }, remarks: [`${why}: the total ends the paging`] };
  const rule = trial.failed === undefined ? undefined : endRule(trial.failed);
  if (rule !== undefined) return { fields: {}, responses: [rule], remarks: [`${why}: that ends the paging`] };
  const endless = await endlessText(paging, drops, beyond, answer, prober);
  if (endless !== "") return `does not hold: ${endless}`;
  const size = page.requestParameters.find((parameter) => Number(parameter.value) === count);
  const limitParam = size === undefined ? false : size.place;
  const limitFields = { limit: count, ...(limitParam === "limit" ? {} : { limitParam }) };
  const full = trial.trouble === "" ? "" : "; if the last page is full, the run fails with this answer";
  return { fields: limitFields, remarks: [`${why}: a page with fewer than ${count} records ends the paging${full}`] };
}

/**
 * Returns whether the stated number of pages is certain: the total and the page size give the same number, or the page with that
 * number has records, and not those of the first page. Otherwise the number may count something else, such as records.
 */
async function countsPages(
  last: number,
  paging: ValueObject,
  drops: readonly string[],
  prober: Prober,
): Promise<boolean> {
  const { extent, page } = prober;
  const { records } = page.place;
  if (extent.total !== undefined && Math.ceil(extent.total.number / records.length) === extent.pages?.number)
    return true;
  const found = await firstRecords({ ...paging, firstPage: last, firstPageParams: true }, drops, prober);
  const { kind } = compareRecords(records, found ?? []);
  return kind !== "empty" && (kind !== "same" || extent.pages?.number === 1);
}

/** Returns whether `before` gives the same records as `answer`: the API then repeats its last page for every greater number. */
async function isLastAgain(
  before: ValueObject,
  drops: readonly string[],
  answer: TriedPage | undefined,
  prober: Prober,
): Promise<boolean> {
  const records = await firstRecords(before, drops, prober);
  return records !== undefined && compareRecords(records, answer?.records ?? []).kind === "same";
}

/**
 * Explains that the API gives further records even far beyond its last page, or may do so. Returns "" if the answer has fewer
 * records than a page, or the next page repeats it: both end a run.
 */
async function endlessText(
  paging: ValueObject,
  drops: readonly string[],
  beyond: number,
  answer: TriedPage | undefined,
  prober: Prober,
): Promise<string> {
  if (answer === undefined || answer.records.length < prober.page.place.records.length) return "";
  const next = await prober.try({ ...paging, firstPage: beyond + 1, firstPageParams: true }, drops, 1);
  if (next.isOutOfRequests)
    return `page ${beyond} has records again, and page ${beyond + 1} was not tried, because ${prober.memory.stopReason}`;
  const hasOthers = compareRecords(answer.records, next.pages[0]?.records ?? []).kind === "different";
  return hasOthers && next.trouble === ""
    ? `pages ${beyond} and ${beyond + 1} have other records again, so the paging would never end`
    : "";
}

/** Paging by page numbers. */
export const pageNumber: PagingKind = {
  refine,
  // An empty page 2 has two possible reasons: the list has a single page, or it has two pages, numbered 0 and 1.
  async refineWhole(hypothesis, { second }, prober) {
    const numberedPaging = await firstNumber(hypothesis, second, prober);
    return typeof numberedPaging === "string"
      ? numberedPaging
      : { ...numberedPaging, paging: withRequestedSize(numberedPaging.paging, prober) };
  },
};
