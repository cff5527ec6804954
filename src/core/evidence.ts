/**
 * What a field beside the records, or a response header, says of more records (docs/contract.md, C-6.11):
 *
 * - `total`: the number of all records. `count`: the same, or only the page's own number or size.
 * - `pages`: the number of all pages.
 * - `more`: a flag that is true where there is more. `last`: one that is false there.
 * - `next`: where the next page is, as a text, or a list or object that holds one. `number`: also as a number above 0.
 *   `address`: as `number`, but a number counts only where `page` or `pages` stands beside it.
 * - `links`: a list of links, each with its relation.
 * - `beside`: says nothing itself, but something of its neighbours.
 * - `failure`: in the root of a page without records, that the request went wrong (C-6.15).
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
  | "failure";

/**
 * Names of fields, each with what it says. Words stand for their spellings in snake, camel, Pascal and kebab case; any
 * other name is meant as it is written.
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
  ["@odata.count", "total"],
  ["odata.count", "total"],
  ["count", "count"],
  ["total pages", "pages"],
  ["page count", "pages"],
  ["last page", "pages"],
  ["nb pages", "pages"],
  ["pages", "pages"],
  ["has more", "more"],
  ["has next", "more"],
  ["has next page", "more"],
  ["has more items", "more"],
  ["more items in collection", "more"],
  ["more data available", "more"],
  ["more", "more"],
  ["is truncated", "more"],
  ["truncated", "more"],
  ["partial", "more"],
  ["incomplete results", "more"],
  ["is last", "last"],
  ["is last page", "last"],
  ["last", "last"],
  ["next", "address"],
  ["next url", "next"],
  ["next link", "next"],
  ["next href", "next"],
  ["next uri", "next"],
  ["next page url", "next"],
  ["next page uri", "next"],
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
  ["next page", "number"],
  ["next offset", "number"],
  ["next cursor", "number"],
  ["links", "links"],
  ["_links", "links"],
  ["start", "beside"],
  ["offset", "beside"],
  ["skip", "beside"],
  ["limit", "beside"],
  ["size", "beside"],
  ["page", "beside"],
];

/** Objects beside the records, and once more in one of these, in which such fields are looked for too. */
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
  "info",
  "result info",
  "additional data",
  "links",
  "_links",
  "cursor",
  "cursors",
];

/** Names in the root that tell that the request went wrong. */
export const failureFields: readonly string[] = ["error", "errors", "success", "ok", "status"];

/** How a response header tells of more: `range` as `items 0-24/100` does, `relation` as `Link` does, else as a field. */
export type HeaderMeaning = "total" | "pages" | "number" | "range" | "relation";

export const evidenceHeaders: readonly (readonly [name: string, meaning: HeaderMeaning])[] = [
  ["X-Total-Count", "total"],
  ["X-Total", "total"],
  ["X-WP-Total", "total"],
  ["Total-Count", "total"],
  ["X-Pagination-Total-Count", "total"],
  ["Content-Range", "range"],
  ["X-Total-Pages", "pages"],
  ["X-WP-TotalPages", "pages"],
  ["X-Next-Page", "number"],
  ["X-Next-Cursor", "number"],
  ["Link", "relation"],
];

/** The spellings of a name: `total count` is total_count, totalCount, TotalCount and total-count. */
export function spellings(name: string): readonly string[] {
  const words = name.split(" ");
  if (!/^[a-z ]+$/.test(name)) return [name];
  const pascal = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const camel = pascal.charAt(0).toLowerCase() + pascal.slice(1);
  return [...new Set([words.join("_"), camel, pascal, words.join("-")])];
}
