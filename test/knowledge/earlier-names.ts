/**
 * Names that spile knew from a list before it had rules for names (src/knowledge/). The tests assert that each of them keeps its
 * meaning.
 *
 * Meanings of fields beside the records, and of response headers, for paging (docs/contract.md, C-6.11):
 *
 * - `total`: the number of all records. `count`: the same, or only the page's own number or size.
 * - `pages`: the number of all pages.
 * - `more`: a flag that is true if there is more. `last`: a flag that is false if there is more.
 * - `next`: the place of the next page, as a text, or a list or object that contains one. `number`: also as a number above 0.
 *   `address`: like `number`, but a number counts only beside `page` or `pages`.
 * - `links`: a list of links, each with its relation.
 * - `beside`: means nothing by itself, but changes the meaning of its neighbours. `offset`: the same, but a token of Airtable is
 *   the place of the next page.
 * - `failure`: in the root of a page without records, a sign that the request has failed (C-6.15).
 */
export type Meaning =
  | "total"
  | "count"
  | "pages"
  | "more"
  | "last"
  | "next"
  | "number"
  | "address"
  | "links"
  | "beside"
  | "offset"
  | "failure";

/**
 * Names of fields and their meanings. A name of several words covers its spellings in snake, camel, Pascal and kebab case; any
 * other name is meant literally.
 */
export const evidenceFields: readonly (readonly [name: string, meaning: Meaning])[] = [
  ["total", "total"],
  ["total count", "total"],
  ["total results", "total"],
  ["total records", "total"],
  ["total elements", "total"],
  ["total items", "total"],
  ["total entries", "total"],
  ["total size", "total"],
  ["total rows", "total"],
  ["total hits", "total"],
  ["total docs", "total"],
  ["nb hits", "total"],
  ["num found", "total"],
  ["filter count", "total"],
  ["records total", "total"],
  ["records filtered", "total"],
  ["total number of results", "total"],
  ["@odata.count", "total"],
  ["odata.count", "total"],
  ["__count", "total"],
  ["count", "count"],
  ["total pages", "pages"],
  ["page count", "pages"],
  ["last page", "pages"],
  ["nb pages", "pages"],
  ["pages", "pages"],
  ["total number of pages", "pages"],
  ["has more", "more"],
  ["has next", "more"],
  ["has next page", "more"],
  ["has more items", "more"],
  ["more items in collection", "more"],
  ["more data available", "more"],
  ["has more page", "more"],
  ["more records", "more"],
  ["more result", "more"],
  ["more", "more"],
  ["is truncated", "more"],
  ["truncated", "more"],
  ["partial", "more"],
  ["exceeded transfer limit", "more"],
  ["incomplete results", "more"],
  ["is last", "last"],
  ["is last page", "last"],
  ["last", "last"],
  ["end of stream", "last"],
  ["end of records", "last"],
  ["next", "address"],
  ["next url", "next"],
  ["next link", "next"],
  ["next href", "next"],
  ["next uri", "next"],
  ["next page url", "next"],
  ["next page uri", "next"],
  ["next page link", "next"],
  ["next records url", "next"],
  ["next page token", "next"],
  ["next token", "next"],
  ["next page cursor", "next"],
  ["next marker", "next"],
  ["continue", "next"],
  ["continuation", "next"],
  ["continuation token", "next"],
  ["last evaluated key", "next"],
  ["@odata.nextLink", "next"],
  ["odata.nextLink", "next"],
  ["__next", "next"],
  ["next page", "number"],
  ["next offset", "number"],
  ["next cursor", "number"],
  ["links", "links"],
  ["_links", "links"],
  ["start", "beside"],
  ["offset", "offset"],
  ["skip", "beside"],
  ["limit", "beside"],
  ["size", "beside"],
  ["page", "beside"],
];

/** Objects beside the records in which these fields are searched, including one level inside them. */
export const evidencePlaces: readonly string[] = [
  "meta",
  "_meta",
  "metadata",
  "_metadata",
  "response metadata",
  "pagination",
  "paging",
  "page",
  "pages",
  "page info",
  "page context",
  "info",
  "result info",
  "additional data",
  "links",
  "_links",
  "cursor",
  "cursors",
];

/** Names in the root that report a failed request. */
export const failureFields: readonly string[] = ["error", "errors", "success", "ok", "status"];

/**
 * Forms in which a response header reports more records: `range` as in `items 0-24/100`, `relation` as in `Link`, `fields` as
 * members of an object; all others are read as a field.
 */
export type HeaderMeaning = "total" | "pages" | "number" | "range" | "relation" | "fields";

export const evidenceHeaders: readonly (readonly [name: string, meaning: HeaderMeaning])[] = [
  ["X-Total-Count", "total"],
  ["X-Total", "total"],
  ["X-WP-Total", "total"],
  ["Total-Count", "total"],
  ["Total", "total"],
  ["X-Pagination-Total-Count", "total"],
  ["X-Pagination-Item-Count", "total"],
  ["Content-Range", "range"],
  ["X-Total-Pages", "pages"],
  ["X-WP-TotalPages", "pages"],
  ["X-Pagination-Page-Count", "pages"],
  ["X-Pages", "pages"],
  ["X-Next-Page", "number"],
  ["X-Next-Cursor", "number"],
  ["X-Continuation-Token", "number"],
  ["x-ms-continuation", "number"],
  ["x-ms-continuationtoken", "number"],
  ["x-ms-continuation-NextPartitionKey", "number"],
  ["Next-Range", "number"],
  ["X-Pagination", "fields"],
  ["Link", "relation"],
];

/** Returns the spellings of a name: `total count` is total_count, totalCount, TotalCount and total-count. */
export function spellings(name: string): readonly string[] {
  const words = name.split(" ");
  if (!/^[a-z ]+$/.test(name)) return [name];
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  return [...new Set([words.join("_"), camel, pascal, words.join("-")])];
}
