import type { Path } from "../core/values/path.ts";
import { rememberingNames, singular, wordsOf } from "./words.ts";

/** Meaning of the name of a field beside the records, or of a header. The value and its neighbours decide the rest. */
export interface Role {
  /**
   * - `more`: a flag that is true if there is more; `last`: one that is true at the end.
   * - `total`: the number of all records. `count`: the same, or only the page's own number. `pages`: the number of pages.
   * - `next`: an address or token of the next page.
   * - `back`: the address of the page before (`before_url`). If a list begins with its newest records, it leads to older ones.
   * - `token`: a place that may be where the next page begins (`cursor`, `after`): it counts only at some places.
   * - `end`: what an API gives for the next synchronisation: there is no next page.
   * - `links`: a list of links, each with its relation.
   * - `beside`: means nothing by itself, but changes the meaning of its neighbours (`limit`, `before`).
   * - `failure`: in the root, a word of an error.
   */
  readonly kind:
    | "more"
    | "last"
    | "total"
    | "count"
    | "pages"
    | "next"
    | "back"
    | "token"
    | "end"
    | "links"
    | "beside"
    | "failure";
  readonly words: readonly string[];
  /** True for a flag that counts only beside a token or an address (`done`). */
  readonly needsNext?: true;
  /** True for a flag whose values may be 0 and 1. */
  readonly numeric?: true;
  /**
   * True for a flag that outweighs all other evidence if it says that this page is the last. `truncated` does not: a page that is
   * not truncated need not be the last.
   */
  readonly ends?: true;
  /** True for a `next` whose value always counts as an address. */
  readonly address?: true;
  /** True if the name has this meaning only together with a word of the data field. */
  readonly ofData?: true;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const pagingNouns = set(
  "page pages item items result results record records row rows entry entries data available collection in",
);
const recordNouns = set(
  "item items record records result results row rows hit hits element elements entry entries object objects doc docs document documents size",
);
const totalWords = set("total count counts number num nb of all matched available found");
const pageWords = set("page pages count total last number num nb of all");
const addressNouns = set("url uri link links href path page pages result results record records item items odata");
const addressWords = set("url uri link links href path");
const tokenNouns = set(
  "token cursor key page offset start marker after id position continuation index skip since range partition",
);
const certainTokens = set("continuation bookmark marker iterator");
const tokenEndings = set("token id key");
const ends = set("last done end finished complete completed");
const partials = set("truncated incomplete partial");

/** Meanings of names that no rule covers, by their words. A name that only one API uses needs only a row here. */
const exactWords: ReadonlyMap<string, Role["kind"]> = new Map([
  ["filter count", "total"],
  ["records filtered", "total"],
  ["odata count", "total"],
  ["last evaluated key", "next"],
  ["continue", "next"],
  ["next row number", "next"],
  ["query locator", "next"],
  ["sforce locator", "next"],
  ["microsoft dynamics crm more records", "more"],
]);

/** Names in the root that report a failure. */
const failures = set("error errors success ok status");

/** Fields that say which page this is, and how large a page is. */
const besides: ReadonlySet<string> = new Set([
  ...["start", "skip", "limit", "size", "page", "before", "start cursor", "page size", "per page", "max results"],
]);

const listsOfLinks = set("link links");

/** Returns whether a path is a field of the root that may report a failure. */
export function isFailureField(path: Path): boolean {
  return path.length === 1 && failures.has((path[0] ?? "").toLowerCase());
}

/** Words in the names of objects beside the records that contain fields of paging. */
const placeWords = set(
  "meta metadata page pages paging pager pagination info links link cursor cursors hypermedia navigation",
);

/** Whole names of such objects, by their words: a total in `dns_records` counts other records. */
const placeNames: ReadonlySet<string> = new Set(["records", "additional data"]);

/** Words in the names of objects that look like such objects but are not. */
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
  return zone === "place" ? undefined : "other";
}

/** Returns whether the name of an object beside the records says that it holds fields of paging. */
export const isPlaceName = rememberingNames((name): boolean => {
  const words = wordsOf(name);
  if (words.some((word) => otherPlaces.has(word))) return false;
  return words.some((word) => placeWords.has(word)) || placeNames.has(words.join(" "));
});

/** Returns the meaning of a field of this name in an object of this zone; undefined if it says nothing about paging or failure. */
export function roleIn(zone: FieldZone, name: string): Role | undefined {
  if (zone === "root" && failures.has(name.toLowerCase())) return { kind: "failure", words: [name.toLowerCase()] };
  const role = roleOf(name);
  // In an object with any other name beside the records, only this counts: ArcGIS' `properties.exceededTransferLimit`.
  return zone !== "other" || (role?.kind === "more" && role.words.includes("exceeded")) ? role : undefined;
}

/** Returns the meaning of a field of this name; undefined if it says nothing about paging. */
export const roleOf = rememberingNames((name): Role | undefined => {
  const words = wordsOf(name);
  const exact = name === "__count" ? "total" : exactWords.get(words.join(" "));
  if (exact !== undefined) return { kind: exact, words };
  for (const rule of rules) {
    const role = rule(words);
    if (role !== undefined) return { ...role, words };
  }
  return undefined;
});

type Rule = (words: readonly string[]) => Omit<Role, "words"> | undefined;

const rules: readonly Rule[] = [
  (words) => (words.length === 1 && listsOfLinks.has(words[0] ?? "") ? { kind: "links" } : undefined),
  flagOf,
  pagesOf,
  totalOf,
  synchronisation,
  nextOf,
  moreAddress,
  backAddress,
  lastingToken,
  (words) => (besides.has(words.join(" ")) ? { kind: "beside" } : undefined),
];

/** `has_more`, `isLastPage`, `no_more_results`, `truncated`, `exceededTransferLimit`, `end_of_stream`, `done`. */
function flagOf(all: readonly string[]): Omit<Role, "words"> | undefined {
  const negated = all.some((word) => word === "no" || word === "not");
  const words = all.filter((word) => word !== "no" && word !== "not");
  const asks = /^(has|have|is)$/.test(words[0] ?? "");
  const [first = "", ...rest] = asks ? words.slice(1) : words;
  const numeric = asks ? { numeric: true as const } : {};
  const flag = (isMore: boolean, how: Partial<Role>): Omit<Role, "words"> => ({
    kind: isMore === negated ? "last" : "more",
    ...numeric,
    ...how,
  });
  const isNouns = rest.every((word) => pagingNouns.has(word)) && rest.length <= 3;
  if (first === "more" && isNouns) return flag(true, { ends: true });
  // `HasMoreShards` beside `Shards`.
  if (first === "more" && asks && rest.length === 1) return flag(true, { ends: true, ofData: true });
  if (first === "next" && asks && isNouns) return flag(true, { ends: true });
  if (partials.has(first) && isNouns) return flag(true, {});
  if (words.length === 2 && pagingNouns.has(words[0] ?? "") && partials.has(words[1] ?? "")) return flag(true, {});
  if (first === "exceeded" && rest.includes("limit")) return flag(true, {});
  if (first === "end" && rest[0] === "of" && rest.length === 2) return flag(false, {});
  if (!ends.has(first) || !isNouns) return undefined;
  if (asks || (first === "last" && rest.length === 0)) return flag(false, { ends: true });
  // A number in such a field is the number of the last page.
  return first === "last" ? undefined : flag(false, { ends: true, needsNext: true });
}

function pagesOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  if (!words.every((word) => pageWords.has(word))) return undefined;
  const counts = ["count", "last", "total"].some((word) => words.includes(word));
  return words.includes("pages") || (words.includes("page") && counts) ? { kind: "pages" } : undefined;
}

function totalOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  if (words.length === 1 && words[0] === "count") return { kind: "count" };
  if (words.length === 1 && (words[0] === "hits" || words[0] === "found")) return { kind: "total" };
  const others = words.filter((word) => !totalWords.has(word) && !recordNouns.has(word) && word !== "odata");
  if (others.length > 1) return undefined;
  const has = (...some: string[]): boolean => some.some((word) => words.includes(word));
  const counts = has("count", "counts", "num", "nb") || (has("number") && has("of", "matched", "found", "available"));
  const nouns =
    others.length > 0 || words.some((word) => recordNouns.has(word)) || has("matched", "found", "available");
  if (!has("total") && !(counts && nouns)) return undefined;
  // A `result_count` may count only the page itself.
  const kind = has("total", "all", "matched", "found", "available", "nb") ? "total" : "count";
  return others.length === 0 ? { kind } : { kind, ofData: true };
}

/** `nextSyncToken`, `@odata.deltaLink`: where the next synchronisation begins. */
function synchronisation(words: readonly string[]): Omit<Role, "words"> | undefined {
  const synchronises = words.includes("sync") || words.includes("delta");
  return synchronises && words.some((word) => /^(token|link|url)$/.test(word)) ? { kind: "end" } : undefined;
}

/** `next`, `nextPageLink`, `cursor_next`, `after_url`. */
function nextOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  const address = words.some((word) => addressWords.has(word)) ? { address: true as const } : {};
  if (words.length === 2 && words[0] === "after" && addressWords.has(words[1] ?? ""))
    return { kind: "next", ...address };
  if (!words.includes("next")) return undefined;
  const rest = words.filter((word) => word !== "next");
  return rest.every((word) => addressNouns.has(word) || tokenNouns.has(word))
    ? { kind: "next", ...address }
    : undefined;
}

/** `more_topics_url` beside `topics`. */
function moreAddress(words: readonly string[]): Omit<Role, "words"> | undefined {
  const isMore = words.length === 3 && words[0] === "more" && /^(url|path|link)$/.test(words[2] ?? "");
  return isMore ? { kind: "next", address: true, ofData: true } : undefined;
}

/** Returns the role of `before_url`. */
function backAddress([first, second = "", ...rest]: readonly string[]): Omit<Role, "words"> | undefined {
  return first === "before" && addressWords.has(second) && rest.length === 0 ? { kind: "back" } : undefined;
}

/** `continuation_token`, `iterator`, `search_after`, `end_cursor`; a lone `cursor`, `after` or `offset` at some places. */
function lastingToken(words: readonly string[]): Omit<Role, "words"> | undefined {
  const [first = "", second, ...rest] = words;
  const isEnded = second === undefined || (tokenEndings.has(second) && rest.length === 0);
  if (certainTokens.has(first) && isEnded) return { kind: "next" };
  if (first === "scroll" && (second === "token" || second === "key") && rest.length === 0) return { kind: "next" };
  const pair = `${first} ${second ?? ""}`;
  if (/^(search after|page cursor)$/.test(pair) && rest.every((word) => tokenEndings.has(word)))
    return { kind: "next" };
  if (pair === "end cursor" && rest.length === 0) return { kind: "token" };
  return /^(cursor|after|offset)$/.test(first) && isEnded ? { kind: "token" } : undefined;
}

/** Returns whether all words of a name are words of paging or of the data field, in the singular or the plural. */
export function namesData({ words }: Role, data: readonly string[]): boolean {
  const nouns = new Set(data.flatMap((name) => wordsOf(name)).map(singular));
  return words.every(
    (word) => totalWords.has(word) || recordNouns.has(word) || isOfMore(word) || nouns.has(singular(word)),
  );
}

function isOfMore(word: string): boolean {
  return word === "more" || word === "has" || addressWords.has(word) || word === "odata";
}
