import { rememberingNames, wordsOf } from "./words.ts";

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words in the names of objects beside the records that contain fields of paging. */
const placeWords = set(
  "meta metadata page pages paging pager pagination info links link cursor cursors hypermedia navigation",
);

/** Whole names of such objects. Their words alone do not suffice: a total in `dns_records` counts other records. */
const placeNames: ReadonlySet<string> = new Set(["records", "additional data", "queries", "attr", "header"]);

/** Names of such objects that may also be about other things: a menu, the fields of a query, the attributes of an element. */
const doubtfulPlaces: ReadonlySet<string> = new Set(["navigation", "records", "queries", "attr", "header"]);

/** Names of objects in a place that contain the figures of the records: `meta.results.total`. */
const figurePlaces: ReadonlySet<string> = new Set(["results", "records"]);

/** Words of names of other objects, even beside words such as `page`. They contain no fields of paging. */
const otherPlaces = set(
  "next prev previous rate ratelimit limit limits usage quota facet facets aggregation aggregations shards",
);

/**
 * Place of an object: the root, an object on the way to the records, one beside them whose name is about paging (`place`), one
 * inside such an object (`inner`), or any other one beside the records.
 */
export type FieldZone = "root" | "way" | "place" | "inner" | "other";

/** Returns the zone of the member `name` of an object in `zone`; undefined if no field in it counts. */
export function zoneOf(zone: FieldZone, name: string): FieldZone | undefined {
  if (zone === "inner" || zone === "other") return undefined;
  if (isPlaceName(name)) return zone === "place" ? "inner" : "place";
  if (zone === "place") return figurePlaces.has(name.toLowerCase()) ? "inner" : undefined;
  return "other";
}

/** Returns whether an object of this name may be about other things than paging. Names of one word mean nothing in it. */
export function isDoubtfulPlace(name: string): boolean {
  return doubtfulPlaces.has(wordsOf(name).join(" "));
}

/** Returns whether the name of an object beside the records says that it holds fields of paging. */
export const isPlaceName = rememberingNames((name): boolean => {
  const words = wordsOf(name);
  if (words.some((word) => otherPlaces.has(word))) return false;
  return words.some((word) => placeWords.has(word)) || placeNames.has(words.join(" "));
});
