import { type Value, type ValueObject, valueText } from "../../../core/values/value.ts";
import { wordsOf } from "../../../knowledge/words.ts";
import {
  type FirstPage,
  isCount,
  type ObservedParameter,
  type PageField,
  placeText,
} from "../first-answer/first-page.ts";
import { prefixOf } from "../first-answer/names.ts";
import { distinctPlaces, hasNamingStyle, modelOf, placeBeside, placesFor } from "../first-answer/style.ts";

/**
 * Returns the places of a parameter whose name a field of the answer suggests, the likeliest first: in the style of the request's
 * page size, then exactly as the field.
 */
export function echoedPlaces(page: FirstPage, field: PageField): readonly Value[] {
  const styled = hasNamingStyle(page) ? placesFor([wordsOf(field.path.at(-1) ?? "")], page).slice(0, 1) : [];
  return distinctPlaces([...styled, placeBeside(modelOf(page), field.path.at(-1) ?? "")]);
}

/**
 * Returns names to guess for a parameter whose name a field of the answer suggests: `pagination[page]`, `$page`. Empty unless the
 * request is a GET that shows no style.
 */
export function echoedGuesses(page: FirstPage, field: PageField): readonly string[] {
  const isOpen = modelOf(page) === undefined && page.description.method === "GET";
  const name = field.path.at(-1) ?? "";
  return isOpen ? [...inGroupOf(field, name), `$${name}`] : [];
}

/** Returns a name in brackets after the name of the object that holds a field: `pagination[page]`. */
export function inGroupOf({ path }: PageField, name: string): readonly string[] {
  const [group] = path.slice(-2, -1);
  return group === undefined ? [] : [`${group}[${name}]`];
}

export function isAmong(place: Value, places: readonly Value[]): boolean {
  return places.some((other) => valueText(other) === valueText(place));
}

/**
 * Returns the parameter of a recorded session that grew by `by` from one request to the next. If the first request did not send
 * it, it must have grown from 0 or 1.
 */
export function movedBy({ observed }: FirstPage, by: number): ObservedParameter | undefined {
  if (observed === undefined || !isCount(observed.after)) return undefined;
  const after = Number(observed.after);
  const hasMoved =
    observed.before === undefined ? after === by || after === by + 1 : after - Number(observed.before) === by;
  return hasMoved ? observed : undefined;
}

export function seenText({ place, before, after }: ObservedParameter): string {
  return `${placeText(place)} went from ${before ?? "nothing"} to ${after} in the recorded requests`;
}

/** Returns a note if the first page has fewer records than the request asks for. */
export function sizeNotes(page: FirstPage, { limit }: ValueObject): readonly string[] {
  const { place, requestedSize } = sizeParameter(page);
  const count = page.place.records.length;
  if (requestedSize === undefined || requestedSize <= count || page.place.group !== undefined) return [];
  const gives = `the request asks for ${requestedSize} a page by ${placeText(place)}, but the API gives ${count}`;
  return [`${gives}: ${limit === count ? `the configuration asks for ${count}` : `pages have ${count} records`}`];
}

interface SizeParameter {
  /** `false` if neither the request nor the answer names a parameter: the size is then known, but not sent. */
  readonly place: Value;
  /** Number of records that the request asks for. */
  readonly requestedSize: number | undefined;
}

/** Returns the request's page size, else a parameter with the name of a field that equals the number of records. */
export function sizeParameter(page: FirstPage): SizeParameter {
  const count = page.place.records.length;
  // A name with a prefix counts only if the page has that many records: `credit_limit` is no page size.
  const parameter = page.requestParameters.find(
    ({ name, meaning, value }) =>
      meaning === "size" && isCount(value) && Number(value) > 0 && (prefixOf(name) === "" || Number(value) === count),
  );
  if (parameter !== undefined) return { place: parameter.place, requestedSize: Number(parameter.value) };
  const echo = page.fields.find(
    ({ meaning, plain, value }) => meaning === "size" && !/count$/.test(plain) && Number(value) === count,
  );
  return {
    place: echo === undefined ? false : placeBeside(modelOf(page), echo.path.at(-1) ?? ""),
    requestedSize: undefined,
  };
}
