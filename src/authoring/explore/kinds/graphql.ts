import { isObject, type Value } from "../../../core/values/value.ts";
import { type FirstPage, pathValue } from "../first-answer/first-page.ts";

/** The place of the cursor in a GraphQL request, and the query itself if it had to be changed. */
export interface GraphqlCursor {
  readonly place: Value;
  /** Query with the added variable; undefined if the request's own query has one. */
  readonly query: string | undefined;
}

/**
 * Returns the variable that a GraphQL query passes to `after`. Adds a variable to a simple query that has none. Undefined for any
 * other query.
 */
export function graphqlCursor({ description }: FirstPage): GraphqlCursor | undefined {
  const query = description.params.find(({ name }) => name === "query")?.value;
  if (description.method !== "POST" || typeof query !== "string") return undefined;
  const variables = description.params.find((one) => one.name === "variables")?.value;
  if (variables !== undefined && variables !== null && !isObject(variables)) return undefined;
  const name = /\b(?:after|cursor)\s*:\s*\$(\w+)/.exec(query)?.[1];
  if (name !== undefined) return { place: pathValue(["variables", name]), query: undefined };
  const cursorQuery = withCursor(query);
  return cursorQuery === undefined ? undefined : { place: pathValue(["variables", "after"]), query: cursorQuery };
}

/**
 * Corrects a query that the API refused: gives the cursor's variable the type that the API's message names (`used in position
 * expecting type "Cursor"`). Undefined if the message names none.
 */
export function withNamedType(query: string, message: string): string | undefined {
  const [, named, mismatched] =
    /expecting type [\\"'`]*([\w[\]!]+)|\$after\b[^$()]*\(String \/ ([\w[\]!]+)\)/.exec(message) ?? [];
  const type = named ?? mismatched;
  const typed = type === undefined ? query : query.replace(/\$after: String\b/, `$after: ${type}`);
  return typed === query ? undefined : typed;
}

/**
 * Converts `{ users(first: 10) {...} }` to `query($after: String) { users(first: 10, after: $after) {...} }`. Undefined for queries
 * that are not so simple.
 */
function withCursor(query: string): string | undefined {
  const sizes = [...query.matchAll(/\bfirst\s*:\s*[$\w]+/g)];
  if (sizes.length !== 1 || /\bafter\b/.test(query)) return undefined;
  const cursorQuery = query.replace(/\bfirst\s*:\s*[$\w]+/, (size) => `${size}, after: $after`);
  const [whole, head = "", variables] =
    /^\s*(query\b\s*(?:\w+\s*)?)?(?:\(([^()]*)\)\s*)?(?=\{)/.exec(cursorQuery) ?? [];
  if (whole === undefined) return undefined;
  const declared = [variables ?? "", "$after: String"].filter((text) => text.trim() !== "").join(", ");
  return `${head.trim() === "" ? "query" : head.trim()}(${declared}) ${cursorQuery.slice(whole.length)}`;
}
