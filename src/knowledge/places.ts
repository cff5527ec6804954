import { rememberingNames, wordsOf } from "./words.ts";

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words in the names of objects of paging. Such an object is beside the records and contains fields about paging. */
const placeWords = set(
  "meta metadata page pages paging pager pagination info links link cursor cursors hypermedia navigation",
);

/**
 * Other names of objects of paging. A name that only contains such a word is not one: a total in `dns_records` counts other
 * records.
 */
const placeNames: ReadonlySet<string> = new Set(["records", "additional data", "queries", "attr", "header"]);

/**
 * Names of objects of paging that may also be about other things: a menu, the fields of a query, the attributes of an element.
 */
const doubtfulPlaces: ReadonlySet<string> = new Set(["navigation", "records", "queries", "attr", "header"]);

/** Names of objects in an object of paging that contain totals of the records: `meta.results.total`. */
const figurePlaces: ReadonlySet<string> = new Set(["results", "records"]);

/** Words in the names of objects that are not about paging, even if a word such as `page` is beside them. */
const otherPlaces = set(
  "next prev previous rate ratelimit limit limits usage quota facet facets aggregation aggregations shards",
);

/**
 * Place of an object: the root, an object on the way to the records (`way`), an object of paging (`place`), an object inside one
 * (`inner`), or any other object beside the records.
 */
export type FieldZone = "root" | "way" | "place" | "inner" | "other";

/**
 * Returns the zone of the object in the member `name` of an object in `zone`; undefined if no field of the inner object counts.
 */
export function zoneOf(zone: FieldZone, name: string): FieldZone | undefined {
  if (zone === "inner" || zone === "other") return undefined;
  if (isPlaceName(name)) return zone === "place" ? "inner" : "place";
  if (zone === "place") return figurePlaces.has(name.toLowerCase()) ? "inner" : undefined;
  return "other";
}

/**
 * Returns whether an object of this name may be about other things than paging. A field with a name of one word then needs a
 * field of paging beside it.
 */
export function isDoubtfulPlace(name: string): boolean {
  return doubtfulPlaces.has(wordsOf(name).join(" "));
}

/** Returns whether an object of this name beside the records is an object of paging. */
export const isPlaceName = rememberingNames((name): boolean => {
  const words = wordsOf(name);
  if (words.some((word) => otherPlaces.has(word))) return false;
  return words.some((word) => placeWords.has(word)) || placeNames.has(words.join(" "));
});
