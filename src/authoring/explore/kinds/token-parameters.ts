import { type Value, valueText } from "../../../core/value.ts";
import { plainName, wordsOf } from "../../../knowledge/words.ts";
import { type FirstPage, nameOf, pathValue } from "../first-answer/first-page.ts";
import { prefixOf } from "../first-answer/names.ts";
import { besides, modelOf, placesFor } from "../first-answer/style.ts";
import { graphqlCursor } from "./graphql.ts";

/** Words of parameters that APIs send a token in, whatever its field is called; the likeliest first. */
const usual: readonly (readonly string[])[] = [
  ["cursor"],
  ["after"],
  ["page", "token"],
  ["next", "token"],
  ["token"],
  ["start"],
  ["from"],
  ["next"],
  ["marker"],
  ["since"],
  ["starting", "after"],
  ["page", "cursor"],
  ["next", "cursor"],
  ["start", "cursor"],
  ["after", "cursor"],
  ["start", "after"],
  ["start", "key"],
  ["start", "token"],
  ["continuation", "token"],
  ["pagination", "token"],
  ["page", "id"],
  ["after", "id"],
  ["scroll", "id"],
  ["continuation"],
  ["bookmark"],
  ["position"],
  ["offset"],
  ["page"],
];

/** Fields whose parameter is named for what it does: their words, and those of the parameters that are tried first. */
const known: Readonly<Record<string, readonly (readonly string[])[]>> = {
  next: [["cursor"], ["next"], ["after"], ["offset"]],
  nextpage: [["cursor"], ["page", "token"]],
  lastid: [["after", "id"], ["after"]],
  endcursor: [["after"], ["cursor"]],
  nexttoken: [["next", "token"], ["pagination", "token"], ["token"]],
  // CouchDB's list of changes.
  lastseq: [["since"]],
  // DynamoDB.
  lastevaluatedkey: [["exclusive", "start", "key"]],
};

/** Names of fields that no request has for its token. */
const neverSent = new Set(["endcursor", "next", "lastevaluatedkey", "lastid"]);

/**
 * Returns the places that may take a token in the next request: a parameter that the request has, the variable of a GraphQL
 * query, a parameter of the token's name less its `next`, and those that APIs use for such a name.
 */
export function tokenParameters(name: string, page: FirstPage): readonly Value[] {
  const { observed } = page;
  const field = page.fields.find(({ path }) => path.at(-1) === name);
  const carried = page.fields.some(({ path, value }) => path.at(-1) === name && String(value) === observed?.after);
  if (observed !== undefined && carried) return [observed.place];
  const graphql = graphqlCursor(page);
  if (graphql !== undefined) return [graphql.place];
  const plain = plainName(name);
  // A number is a page's rather than a token.
  const counts = /^[0-9]{1,7}$/.test(String(field?.value)) && /^next(page)?$/.test(plain);
  const kind = counts ? "page" : /^next(offset|skip|start)$|^offset$/.test(plain) ? "offset" : "token";
  const given = page.given.filter(({ meaning }) => meaning === kind).map(({ place }) => place);
  const rest = wordsOf(name).filter((word) => word !== "next");
  const named = neverSent.has(plain) || (plain === "nextpage" && !counts) ? [] : [rest, wordsOf(name)];
  const related = ["start", "page", "from", "after"].map((word) => [word, ...rest]);
  const words = [...(counts ? [["page"]] : []), ...named, ...(known[plain] ?? []), ...related, ...usual];
  const styled = placesFor(
    words.filter(({ length }) => length > 0),
    page,
    name,
  );
  // The field's own spelling is the likeliest, unless the request's parameters have a manner of their own.
  const model = nameOf(modelOf(page) ?? "");
  const hasManner = model.includes("[") || model.includes(".") || prefixOf(model) !== "";
  const spelled = hasManner || counts || named.length === 0 ? [] : [withoutNext(name), name];
  const underscored = rest.length === 1 ? [`_${rest.join("")}`] : [];
  const beside = (one: string): Value => besides(modelOf(page), one);
  // A JSON body without a page size may hold its paging in an object.
  const isOpen = page.description.method === "POST" && modelOf(page) === undefined;
  const inner = isOpen ? ["pagination", "paging", "page"].map((group) => pathValue([group, withoutNext(name)])) : [];
  const places = [...given, ...spelled.map(beside), ...styled, ...inner, ...underscored.map(beside)].map(
    (place) => [valueText(place), place] as const,
  );
  return [...new Map(places).values()];
}

/** `nextPageToken` is `pageToken`, `next_cursor` and `cursor_next` are `cursor`, `NextMarker` is `Marker`. */
function withoutNext(name: string): string {
  const rest = name.replace(/^next[_-]?(?=.)|(?<=.)[_-]?next$/i, "");
  return /^[a-z]/.test(name) ? rest.charAt(0).toLowerCase() + rest.slice(1) : rest;
}
