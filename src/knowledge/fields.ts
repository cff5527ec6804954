import type { Path } from "../core/values/path.ts";
import type { FieldZone } from "./places.ts";
import { isTranslated, rememberingNames, singular, wordsOf } from "./words.ts";

/** Meaning of the name of a field beside the records, or of a header. The value and its neighbours decide whether it counts. */
export interface Role {
  /**
   * - `more`: a flag that is true if there is more. `last`: a flag that is true on the last page.
   * - `total`: the number of all records. `count`: the number of all records, or of the page's. `pages`: the number of pages.
   * - `next`: an address or token of the next page.
   * - `back`: the address of the previous page (`before_url`), which has older records if a list begins with its newest ones.
   * - `token`: may say where the next page begins (`cursor`, `after`). It counts only near the records.
   * - `lead`: may lead to the next page (`older`). It counts only if its value is an address of the same list.
   * - `end`: a token or address for the next synchronisation (`next_sync_token`). If it is set, there is no next page.
   * - `estimate`: an estimate of the number of all records. `remaining`: the number of records or pages that follow.
   * - `links`: a list of links, each with its relation.
   * - `partial`: says that records of this page are missing (`timed_out`, `unreachable`, `_shards.failed`).
   * - `progress`: the state of the work on the request (`status`, `jobComplete`).
   * - `beside`: means nothing by itself, but changes the meaning of its neighbours (`limit`, `before`).
   * - `data`: shows that the object may be a record (`id`, `currency`).
   * - `failure`: in the root, may report a failure (`error`, `success`).
   */
  readonly kind:
    | "more"
    | "last"
    | "total"
    | "count"
    | "pages"
    | "estimate"
    | "remaining"
    | "next"
    | "lead"
    | "back"
    | "token"
    | "end"
    | "links"
    | "partial"
    | "progress"
    | "beside"
    | "data"
    | "failure";
  readonly words: readonly string[];
  /** True for a flag that counts only beside a token or an address (`done`). */
  readonly needsNext?: true;
  /** True for a flag whose values may be 0 and 1. */
  readonly numeric?: true;
  /**
   * True for a flag that counts also when it says that this page is the last. `truncated` does not: a page that is not truncated
   * need not be the last.
   */
  readonly ends?: true;
  /** True for a `next` whose value always counts as an address. */
  readonly address?: true;
  /** True if the name has this meaning only if its other words are those of the data field: `total_orders` beside `orders`. */
  readonly ofData?: true;
  /** True if the name contains a word of another language. Such names are often names of data. */
  readonly translated?: true;
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const pagingNouns = set(
  "page pages item items result results record records row rows entry entries data available collection in",
);
const recordNouns = set(
  "item items record records result results row rows hit hits element elements entry entries object objects doc docs document documents size",
);
const totalWords = set("total count counts number num nb n of all full overall matched matching available found");
const pageWords = set("page pages count total last number num nb n of all");
const addressNouns = set("url uri link links href path page pages result results record records item items odata");
const addressWords = set("url uri link links href path");
const tokenNouns = set(
  "token cursor key page offset start marker after id position continuation index skip since range partition pagination paging",
);
const certainTokens = set("continuation resumption bookmark marker iterator");
const tokenEndings = set("token id key");
const ends = set("last done end finished complete completed");
const partials = set("truncated incomplete partial");
/** Nouns in names such as `end_of_stream`. Other names of this form, such as `end_of_month`, may be data. */
const streamNouns = set("stream list feed file data records results items entries rows pages");
const answerNouns = set("search query response listing");
/** First words of flags such as `on_last_page` and `at_end`. */
const arrivals = set("at on reached");

const partial = (name: string): readonly [string, Role["kind"]] => [name, "partial"];

/** Meanings of names that no rule covers, by their words. A name that only one API uses needs only a row here. */
const exactWords: ReadonlyMap<string, Role["kind"]> = new Map([
  ["filter count", "total"],
  ["records filtered", "total"],
  ["i total records", "total"],
  ["i total display records", "total"],
  ["nhits", "total"],
  ["open search total results", "total"],
  ["odata count", "total"],
  ["last evaluated key", "next"],
  ["continue", "next"],
  ["next row number", "next"],
  ["page state", "next"],
  ["next page state", "next"],
  ["next search after", "next"],
  ["search continue", "next"],
  ["query locator", "next"],
  ["sforce locator", "next"],
  ["microsoft dynamics crm more records", "more"],
  ...["timed out", "terminated early", "incomplete results", "incomplete search", "unreachable", "failed"].map(partial),
  ...["missing zones", "missing locations", "missing regions", "warning", "warnings", "remark"].map(partial),
]);

/** Names of fields in the root that may report a failure. */
const failures = set("error errors success ok status");

/** Names of fields that change the meaning of the fields beside them: the place and the size of this page. */
const besides: ReadonlySet<string> = new Set([
  ...["start", "skip", "limit", "size", "page", "before", "start cursor", "page size", "per page", "max results"],
  ...["current page", "page number"],
]);

/** Names of fields of a record. A total or a state beside them may belong to the record. */
const recordFields: ReadonlySet<string> = new Set(["uuid", "guid", "currency", "subtotal", "sub total", "tax", "vat"]);

const listsOfLinks = set("link links");

/** Returns whether a path is that of a field in the root that may report a failure. */
export function isFailureField(path: Path): boolean {
  return path.length === 1 && failures.has((path[0] ?? "").toLowerCase());
}

/** Returns the meaning of a field of this name in an object of this zone; undefined if it says nothing about paging or failure. */
export function roleIn(zone: FieldZone, name: string): Role | undefined {
  if (zone === "root" && failures.has(name.toLowerCase())) return { kind: "failure", words: [name.toLowerCase()] };
  const role = roleOf(name);
  if (zone !== "other" || role === undefined) return role;
  // In an object whose name is not about paging, only three kinds of fields count: ArcGIS' `properties.exceededTransferLimit`,
  // Elasticsearch's `_shards.failed`, and the state of a request (`status.state`).
  const counts = role.kind === "progress" || /exceeded|^failed$/.test(role.words.join(" "));
  return counts && /^(more|partial|progress)$/.test(role.kind) ? role : undefined;
}

/** Returns the meaning of a field of this name; undefined if it says nothing about paging. */
export const roleOf = rememberingNames((name): Role | undefined => {
  const words = wordsOf(name);
  const exact = name === "__count" ? "total" : exactWords.get(words.join(" "));
  if (exact !== undefined) return { kind: exact, words };
  for (const rule of rules) {
    const role = rule(words);
    if (role !== undefined) return { ...role, words, ...(isTranslated(name) ? { translated: true } : {}) };
  }
  return undefined;
});

type Rule = (words: readonly string[]) => Omit<Role, "words"> | undefined;

const rules: readonly Rule[] = [
  (words) => (words.length === 1 && listsOfLinks.has(words[0] ?? "") ? { kind: "links" } : undefined),
  flagOf,
  partialOf,
  progressOf,
  pagesOf,
  remainingOf,
  estimateOf,
  totalOf,
  synchronisationOf,
  nextOf,
  moreAddressOf,
  backAddressOf,
  tokenOf,
  (words) => (besides.has(words.join(" ")) ? { kind: "beside" } : undefined),
  (words) => (recordFields.has(words.join(" ")) || isIdentity(words) ? { kind: "data" } : undefined),
  (words) => (words.some((word) => /^(next|more|older|forward)$/.test(word)) ? { kind: "lead" } : undefined),
];

/** Returns the role of flags: `has_more`, `isLastPage`, `no_more_results`, `truncated`, `end_of_stream`, `at_end`, `done`. */
function flagOf(all: readonly string[]): Omit<Role, "words"> | undefined {
  const negated = all.some((word) => word === "no" || word === "not");
  const words = all.filter((word) => word !== "no" && word !== "not");
  const asks = /^(has|have|is)$/.test(words[0] ?? "");
  const arrives = arrivals.has(words[0] ?? "");
  // `can_load_more` means the same as `has_more`.
  const verbs = /^(can )?(load|fetch|get) more\b/.test(words.join(" ")) ? words.indexOf("more") : 0;
  const [first = "", ...rest] = words.slice(asks || arrives ? 1 : verbs);
  const numeric = asks ? { numeric: true as const } : {};
  const flag = (isMore: boolean, how: Partial<Role>): Omit<Role, "words"> => ({
    kind: isMore === negated ? "last" : "more",
    ...numeric,
    ...how,
  });
  const isNouns = rest.every((word) => pagingNouns.has(word)) && rest.length <= 3;
  if (arrives) return ends.has(first) && isNouns ? flag(false, { ends: true }) : undefined;
  if (first === "more" && isNouns) return flag(true, { ends: true });
  if (first === "additional" && asks && isNouns) return flag(true, { ends: true });
  // `HasMoreShards` beside `Shards`.
  if (first === "more" && asks && rest.length === 1) return flag(true, { ends: true, ofData: true });
  if (first === "next" && asks && isNouns) return flag(true, { ends: true });
  const isAnswer = rest.length === 1 && answerNouns.has(rest[0] ?? "");
  if (partials.has(first) && (isNouns || isAnswer)) return flag(true, {});
  const isNoun = pagingNouns.has(first) || answerNouns.has(first);
  if (rest.length === 1 && isNoun && partials.has(rest[0] ?? "")) return flag(true, {});
  if (first === "exceeded" && rest.includes("limit")) return flag(true, {});
  if (exceedsLimit([first, ...rest])) return flag(true, {});
  if (first === "end" && rest[0] === "of" && rest.length === 2)
    return flag(false, streamNouns.has(rest[1] ?? "") ? { ends: true } : {});
  if ((first === "eof" && rest.length === 0) || /^(end reached|final page)$/.test([first, ...rest].join(" ")))
    return flag(false, { ends: true });
  if (!ends.has(first) || !isNouns) return undefined;
  if (asks || (first === "last" && rest.length === 0)) return flag(false, { ends: true });
  // The value of `last_page` is usually a number of pages, so `pagesOf` judges this name.
  return first === "last" ? undefined : flag(false, { ends: true, needsNext: true });
}

/**
 * Returns whether a name says that a limit cut the result: `max_results_exceeded`, `result_limit_reached`, `too_many_results`. A
 * limit without a noun may be that of a customer's plan.
 */
function exceedsLimit(words: readonly string[]): boolean {
  const isNoun = (word: string): boolean => recordNouns.has(word) || /^(page|search|query)$/.test(word);
  if (words[0] === "too" && words[1] === "many") return words.length > 2 && words.slice(2).every(isNoun);
  const limited = words.slice(0, -1);
  return (
    /^(reached|exceeded|hit)$/.test(words.at(-1) ?? "") &&
    limited.some((word) => /^(limit|max|maximum)$/.test(word)) &&
    limited.some(isNoun) &&
    limited.every((word) => isNoun(word) || /^(limit|max|maximum)$/.test(word))
  );
}

/** Returns the role of names such as `UnprocessedKeys`. All other names that mean missing records are in `exactWords`. */
function partialOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  return words[0] === "unprocessed" && words.length === 2 ? { kind: "partial" } : undefined;
}

const workNouns = set(
  "job query processing process execution dispatch async report request export task operation run statement search bulk",
);

/** Returns the role of states: `status`, `jobState`, `processingStatus`, `jobComplete`, `ready`, `is_running`. */
function progressOf(all: readonly string[]): Omit<Role, "words"> | undefined {
  const words = all[0] === "is" ? all.slice(1) : all;
  const last = words.at(-1) ?? "";
  if (!words.slice(0, -1).every((word) => workNouns.has(word))) return undefined;
  const isState = /^(status|state|ready|running|pending)$/.test(last);
  const isEnd = words.length > 1 && /^(complete|completed|done|finished)$/.test(last);
  return isState || isEnd ? { kind: "progress" } : undefined;
}

/** Words before `id` in names that do not identify a record, such as those of the exchange. `workNouns` are such words, too. */
const otherIdentities = set("request trace session correlation client response message snapshot tracking batch");

/** Returns whether a name is that of a record's identity (`id`, `order_id`), and not of the work on the request (`job_id`). */
function isIdentity(words: readonly string[]): boolean {
  const others = words.slice(0, -1);
  return words.at(-1) === "id" && !others.some((word) => workNouns.has(word) || otherIdentities.has(word));
}

function pagesOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  if (!words.every((word) => pageWords.has(word))) return undefined;
  const counts = ["count", "last", "total"].some((word) => words.includes(word));
  return words.includes("pages") || (words.includes("page") && counts) ? { kind: "pages" } : undefined;
}

/** Returns the role of names such as `remainingItemCount`. A lone `remaining` counts only in an object of paging. */
function remainingOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  const others = words.filter((word) => word !== "remaining" && !totalWords.has(word));
  const isRest = words.includes("remaining") && others.every((word) => recordNouns.has(word) || /^pages?$/.test(word));
  return isRest ? { kind: "remaining" } : undefined;
}

/** Returns the role of names such as `estimatedTotalHits`. */
function estimateOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  const rest = words.filter((word) => !/^(estimated?|approximate|approx)$/.test(word));
  const role =
    rest.length < words.length ? totalOf(rest.map((word) => (word === "matches" ? "results" : word))) : undefined;
  return role === undefined || role.ofData === true ? undefined : { kind: "estimate" };
}

function totalOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  if (words.length === 1 && words[0] === "count") return { kind: "count" };
  if (words.length === 1 && (words[0] === "hits" || words[0] === "found")) return { kind: "total" };
  const has = (...some: string[]): boolean => some.some((word) => words.includes(word));
  const isOther = (word: string): boolean =>
    !totalWords.has(word) && !recordNouns.has(word) && !(has("total") && word === "filtered");
  const others = words.filter((word) => isOther(word) && word !== "odata" && word !== "opensearch");
  if (others.length > 1) return undefined;
  const counts =
    has("count", "counts", "num", "nb", "n") || (has("number") && has("of", "matched", "found", "available"));
  const isAll = has("all", "full", "overall", "matched", "found", "available");
  const nouns = others.length > 0 || isAll || words.some((word) => recordNouns.has(word));
  if (!has("total") && !(counts && nouns)) return undefined;
  // A `result_count` may be only the number of the page's records.
  const kind = isAll || has("total", "nb") ? "total" : "count";
  return others.length === 0 ? { kind } : { kind, ofData: true };
}

/** Returns the role of a token or address for the next synchronisation: `nextSyncToken`, `@odata.deltaLink`. */
function synchronisationOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  const synchronises = words.includes("sync") || words.includes("delta");
  return synchronises && words.some((word) => /^(token|link|url)$/.test(word)) ? { kind: "end" } : undefined;
}

/** Returns the role of names such as `nextPageLink`, `cursor_next` and `after_url`. */
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

/** Returns the role of names such as `more_topics_url` beside `topics`. */
function moreAddressOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  const isMore = words.length === 3 && words[0] === "more" && /^(url|path|link)$/.test(words[2] ?? "");
  return isMore ? { kind: "next", address: true, ofData: true } : undefined;
}

/** Returns the role of `before_url`. */
function backAddressOf([first, second = "", ...rest]: readonly string[]): Omit<Role, "words"> | undefined {
  return first === "before" && addressWords.has(second) && rest.length === 0 ? { kind: "back" } : undefined;
}

/** Returns the role of tokens without the word "next": `continuation_token`, `search_after`, `end_cursor`, a lone `cursor`. */
function tokenOf(words: readonly string[]): Omit<Role, "words"> | undefined {
  const [first = "", second, ...rest] = words;
  const isEnded = second === undefined || (tokenEndings.has(second) && rest.length === 0);
  if (certainTokens.has(first) && isEnded) return { kind: "next" };
  if (first === "scroll" && (second === "token" || second === "key") && rest.length === 0) return { kind: "next" };
  const pair = `${first} ${second ?? ""}`;
  if (
    /^(search after|page cursor|page token|pagination token)$/.test(pair) &&
    rest.every((word) => tokenEndings.has(word))
  )
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
