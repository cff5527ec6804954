import { isNumber, isObject, type Value } from "../../../core/value.ts";
import { type FirstPage, type Given, type PageField, pathValue } from "./first-page.ts";
import { lastIdNames, offsetNames, pageNames, sizeNames, tokenNames } from "./names.ts";

/** A field's name as a parameter: beside the others of a JSON body, where they are nested. */
export function placeLike(page: FirstPage, field: PageField): Value {
  const name = field.path.at(-1) ?? "";
  const sibling = page.given.find(
    ({ place, plain }) => isObject(place) && (sizeNames.has(plain) || pageNames.has(plain) || offsetNames.has(plain)),
  );
  if (!isObject(sibling?.place) || typeof sibling.place.path !== "string") return name;
  const steps = sibling.place.path.split(".");
  return pathValue([...steps.slice(0, -1), name]);
}

/** Is it a number that paging counts with? */
export function isCount(value: Value | undefined): boolean {
  const text = typeof value === "string" ? value : isNumber(value) ? value.toString() : "";
  return /^[0-9]{1,7}$/.test(text);
}

/** A flag as `nextPageFlag.field` takes it. */
export function flagField(field: PageField): Value {
  return field.path.length === 1 ? (field.path[0] ?? "") : pathValue(field.path);
}

/** The name of a parameter, or the path of a place in a body; "" for a header. */
export function nameOf(place: Value): string {
  return typeof place === "string" ? place : isObject(place) && typeof place.path === "string" ? place.path : "";
}

/** A place for people: `"cursor"`, `"variables.after" of the body`. */
export function placeText(place: Value): string {
  if (typeof place === "string") return `"${place}"`;
  if (isObject(place) && typeof place.header === "string") return `the header ${place.header}`;
  return `"${nameOf(place)}" of the body`;
}

/** Is it a header, and no parameter? */
export function isHeader(place: Value): boolean {
  return isObject(place) && place.header !== undefined;
}

/** Parameters that say where to begin, and do not name the beginning (`cursor=*`), so that `given` may be taken back to the first page. */
export function isPosition({ plain, value }: Given): "page" | "offset" | "token" | undefined {
  if (pageNames.has(plain) && isCount(value)) return "page";
  if (offsetNames.has(plain) && isCount(value)) return "offset";
  // `after`, `since_id` and the like may just as well be filters.
  const sure = tokenNames.has(plain) && !lastIdNames.has(plain) && !/^(before|maxid|pageid)$/.test(plain);
  const begins = value === "*" || value === "-1";
  return (sure || plain === "startingafter") && typeof value === "string" && value !== "" && !begins
    ? "token"
    : undefined;
}
