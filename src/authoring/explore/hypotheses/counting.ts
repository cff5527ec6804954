import { type Value, type ValueObject, valueText } from "../../../core/value.ts";
import { plainName, wordsOf } from "../../../knowledge/words.ts";
import type { FirstPage, Observed } from "../first-answer/first-page.ts";
import { guessedOffsets, guessedPages, offsetNames, pageNames, prefixOf, sizeNames } from "../first-answer/names.ts";
import { isCount, isHeader, nameOf, placeLike, placeText } from "../first-answer/places.ts";
import { modelOf, placesFor } from "../first-answer/style.ts";
import type { Hypothesis, Look } from "./hypothesis.ts";

/*
 * Ways of paging in which the client counts: records to skip, or pages.
 */

/** Records to skip. */
export const byOffset: Look = (page) => {
  const count = page.place.records.length;
  const given = page.given.find(({ plain, value }) => offsetNames.has(plain) && isCount(value));
  const seen = movedBy(page, count);
  const echo = page.fields.find(
    ({ plain, value }) => offsetNames.has(plain) && (value === 0 || value === 1 || String(value) === "0"),
  );
  const size = sizeParameter(page);
  const label = (place: Value): string => `offset paging by ${placeText(place)} (page size ${placeText(size.place)})`;
  const first = Number(given?.value ?? seen?.before ?? echo?.value ?? 0) === 1 ? 1 : 0;
  const offset = (place: Value, because: string, guessed: boolean): Hypothesis => ({
    kind: "offset",
    label: label(place),
    because,
    guessed,
    paging: {
      method: "offset",
      limit: count,
      ...(size.place === "limit" ? {} : { limitParam: size.place }),
      ...(place === "offset" ? {} : { offsetParam: place }),
      ...(first === 1 ? { offsetFromJob: true } : {}),
      // What is asked for is not what is given: then the first request too must ask for less.
      ...(size.asked === undefined || size.asked === count ? { firstPageParams: false } : {}),
    },
    drops: size.asked === undefined || size.asked === count ? [] : [nameOf(size.place)],
    sets: first === 1 ? [{ place, value: 1 }] : undefined,
    echo: echo === undefined ? undefined : { field: echo, by: count },
  });
  if (seen !== undefined) return [offset(seen.place, seenText(seen), false)];
  if (given !== undefined)
    return [offset(given.place, `the request has ${placeText(given.place)}`, false), ...pagesByOffset(given.place)];
  const echoed = echo === undefined ? [] : [placeLike(page, echo)];
  const told = echoed.map((place) => offset(place, `the answer tells its "${echo?.path.join(".")}"`, false));
  const guesses = usualOffsets(nameOf(size.place), page).filter((place) => !isAmong(place, echoed));
  return [...told, ...guesses.map((name) => offset(name, "many APIs page so", true))];
};

/** What is called an offset may count pages. */
function pagesByOffset(place: Value): readonly Hypothesis[] {
  return [
    {
      kind: "page number",
      label: `page numbers by ${placeText(place)}`,
      because: "what is called an offset may count pages",
      guessed: false,
      paging: { method: "pagenum", pageParam: place, firstPage: 0, firstPageParams: false },
      drops: [],
    },
  ];
}

/** Pages by number. */
export const byPageNumber: Look = (page) => {
  const given = page.given.find(({ plain, value }) => pageNames.has(plain) && isCount(value));
  const seen = movedBy(page, 1);
  const echo = page.fields.find(
    ({ plain, value }) => pageNames.has(plain) && isCount(value as Value) && Number(value) <= 1,
  );
  const size = page.given.find(({ plain, value }) => sizeNames.has(plain) && isCount(value));
  const count = page.place.records.length;
  // A page size of that name counts as the paging's own: one that the API does not give would end it on the first page.
  const capped = size?.place === "limit" && Number(size.value) !== count;
  const number = (place: Value, because: string, guessed: boolean): Hypothesis => ({
    kind: "page number",
    label: `page numbers by ${placeText(place)}`,
    because,
    guessed,
    paging: {
      method: "pagenum",
      ...(place === "page" ? {} : { pageParam: place }),
      firstPage: seen === undefined ? Number(given?.value ?? echo?.value ?? 1) : Number(seen.after) - 1,
      ...(capped ? { limit: count } : { firstPageParams: false }),
    },
    drops: capped ? ["limit"] : [],
    echo: echo === undefined ? undefined : { field: echo, by: 1 },
  });
  if (seen !== undefined) return [number(seen.place, seenText(seen), false)];
  if (given !== undefined) return [number(given.place, `the request has ${placeText(given.place)}`, false)];
  const echoed = echo === undefined ? [] : [placeLike(page, echo)];
  const told = echoed.map((place) => number(place, `the answer tells its "${echo?.path.join(".")}"`, false));
  const guesses = usualPages(page).filter((place) => !isAmong(place, echoed));
  return [...told, ...guesses.map((name) => number(name, "many APIs page so", true))];
};

function isAmong(place: Value, places: readonly Value[]): boolean {
  return places.some((other) => valueText(other) === valueText(place));
}

/** Offsets that go with a page size of that name. */
const paired: Readonly<Record<string, readonly (readonly string[])[]>> = {
  top: [["skip"]],
  take: [["skip"]],
  rows: [["start"]],
  size: [["from"]],
  max: [["first"]],
  maxresults: [
    ["start", "at"],
    ["start", "index"],
  ],
  pagesize: [["start", "index"]],
};

/** Places of offsets that go with a page size of that name, the likeliest first. */
function usualOffsets(size: string, page: FirstPage): readonly Value[] {
  const own = paired[plainName(size)] ?? [];
  return [...placesFor([...own, ...guessedOffsets.filter((words) => !own.includes(words))], page), "page[offset]"];
}

/** Where the size is in brackets that say page already, its number stands there too: `page[number]`. */
function usualPages(page: FirstPage): readonly Value[] {
  const isBracketed = nameOf(modelOf(page) ?? "").includes("[");
  if (isBracketed) return placesFor([["number"], ...guessedPages], page);
  return [...placesFor(guessedPages, page), "page[number]"];
}

/** Words of parameters whose 0 or 1 is a choice, and no position. */
const choiceWords =
  /^(is|has|with|without|include|includes|exclude|show|hide|only|all|active|enabled|disabled|desc|descending|asc|reverse|sort|order|embed|expand|pretty|debug|verbose|flag|version|v|id|ids|count|total|archived|deleted|status|type|level|depth)$/;

/** A parameter of another name that is 0 or 1 may count pages or records. */
export const byZeroOrOne: Look = (page, told) => {
  if (page.given.some(({ plain }) => pageNames.has(plain) || offsetNames.has(plain))) return [];
  const given = page.given.filter(
    ({ plain, name, value, place }) =>
      /^[01]$/.test(String(value)) &&
      !isHeader(place) &&
      !sizeNames.has(plain) &&
      !wordsOf(name).some((word) => choiceWords.test(word)),
  );
  return given
    .slice(0, 1)
    .flatMap((one) => [
      ...byPageNumber({ ...page, given: [...page.given, { ...one, plain: "page" }] }, told),
      ...byOffset({ ...page, given: [...page.given, { ...one, plain: "offset" }] }, told).filter(
        ({ kind }) => kind === "offset",
      ),
    ]);
};

/** The parameter that was seen to grow by so much, from 0 or 1 where it was not sent at first. */
function movedBy({ observed }: FirstPage, by: number): Observed | undefined {
  if (observed === undefined || !isCount(observed.after)) return undefined;
  const after = Number(observed.after);
  const moved =
    observed.before === undefined ? after === by || after === by + 1 : after - Number(observed.before) === by;
  return moved ? observed : undefined;
}

function seenText({ place, before, after }: Observed): string {
  return `${placeText(place)} was seen to go from ${before ?? "nothing"} to ${after}`;
}

/** What a user may wonder about: another page size than the request asked for. */
export function sizeNotes(page: FirstPage, { limit }: ValueObject): readonly string[] {
  const { place, asked } = sizeParameter(page);
  const count = page.place.records.length;
  if (asked === undefined || asked <= count) return [];
  const gives = `the request asks for ${asked} a page by ${placeText(place)}, and the API gives ${count}`;
  return [`${gives}: ${limit === count ? "so many are asked for" : "pages are of that size"}`];
}

interface SizeParameter {
  readonly place: Value;
  /** How many records the request asks for. */
  readonly asked: number | undefined;
}

/** The parameter of the page size: the request's own, else one the answer names with its number of records, else `limit`. */
function sizeParameter(page: FirstPage): SizeParameter {
  const count = page.place.records.length;
  // A prefixed name counts only where it was heeded: `credit_limit` is no page size.
  const given = page.given.find(
    ({ name, plain, value }) =>
      sizeNames.has(plain) && isCount(value) && Number(value) > 0 && (prefixOf(name) === "" || Number(value) === count),
  );
  if (given !== undefined) return { place: given.place, asked: Number(given.value) };
  const echo = page.fields.find(
    ({ plain, value }) => sizeNames.has(plain) && plain !== "count" && Number(value) === count,
  );
  return { place: echo === undefined ? "limit" : placeLike(page, echo), asked: undefined };
}
