import type { Value } from "../../../core/value.ts";
import type { FirstPage } from "../first-answer/first-page.ts";
import { offsetNames, pageNames, plainName, sizeNames, tokenNames } from "../parameters/names.ts";
import { graphqlCursor } from "./graphql.ts";

/** Names of parameters for a token of that name, beside those that follow from its own name. */
const known: Readonly<Record<string, readonly string[]>> = {
  next: ["cursor", "next", "after", "offset"],
  lastid: ["after_id", "after"],
  nextcursor: ["cursor", "start_cursor", "after"],
  endcursor: ["after", "cursor"],
  nexttoken: ["next_token", "pagination_token", "token"],
  nextpage: ["page"],
  after: ["after"],
  cursor: ["cursor"],
  scrollid: ["scroll_id"],
  // CouchDB's list of changes.
  lastseq: ["since"],
  // DynamoDB.
  lastevaluatedkey: ["ExclusiveStartKey", "exclusiveStartKey"],
};

/** What no request calls its token. */
const neverSent = new Set(["endcursor", "next", "lastevaluatedkey", "lastid"]);

/** So many parameters are worth a request each. */
const most = 4;

/**
 * Where a token may go in the next request: into a parameter that the request has, into the variable of a GraphQL query, into
 * one of its own name less its `next`, into those that APIs use for such a name.
 */
export function tokenParameters(name: string, page: FirstPage): readonly Value[] {
  const { observed } = page;
  const field = page.fields.find(({ path }) => path.at(-1) === name);
  const carried = page.fields.some(({ path, value }) => path.at(-1) === name && String(value) === observed?.after);
  if (observed !== undefined && carried) return [observed.place];
  const graphql = graphqlCursor(page);
  if (graphql !== undefined) return [graphql.place];
  const plain = plainName(name);
  const own = [withoutNext(name), name].filter((one) => !neverSent.has(plainName(one)));
  // A number is a page's rather than a token.
  const numbered = plain === "next" && /^[0-9]{1,5}$/.test(String(field?.value));
  const kind =
    plain === "nextpage" || numbered
      ? pageNames
      : /^next(offset|skip|start)$|^offset$/.test(plain)
        ? offsetNames
        : tokenNames;
  const given = page.given.filter((one) => kind.has(one.plain)).map(({ place }) => place);
  const hinted = [...(numbered ? ["page"] : []), ...own, ...(known[plain] ?? [])].filter((one) => one !== "");
  const places = new Map<string, Value>();
  for (const place of [...given, ...styled(hinted, page), ...hinted]) {
    const key = plainName(typeof place === "string" ? place : JSON.stringify(place));
    if (!places.has(key)) places.set(key, place);
  }
  return [...places.values()].slice(0, most);
}

/** In the manner of a `page[size]` that the request has: `page[cursor]`. */
function styled(names: readonly string[], page: FirstPage): readonly string[] {
  const size = page.given.find(({ plain, name }) => sizeNames.has(plain) && name.includes("["))?.name;
  const [, before, after] = /^(.*\[)[^\]]*(\])$/.exec(size ?? "") ?? [];
  return before === undefined ? [] : names.map((name) => `${before}${name}${after}`);
}

/** `nextPageToken` is `pageToken`, `next_cursor` is `cursor`, `NextMarker` is `Marker`. */
function withoutNext(name: string): string {
  const [, , rest = ""] = /^(next[_-]?)(.*)$/i.exec(name) ?? [];
  if (rest === "") return name;
  return /^[a-z]/.test(name) ? rest.charAt(0).toLowerCase() + rest.slice(1) : rest;
}
