import type { Parameter, QueryItem } from "../core/request.ts";
import { isObject, scalarText, type Value } from "../core/value.ts";

/**
 * A query, or a form's body, in the style of PHP's http_build_query: nested values as `a[0]=x`, true is 1,
 * false is 0, null and empty lists and objects are dropped, a space is %20. Pieces of an address keep their bytes.
 */
export function queryText(items: readonly QueryItem[]): string {
  return items.flatMap((item) => ("raw" in item ? [item.raw] : pairs(item.name, item.value))).join("&");
}

function pairs(name: string, value: Value): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: Value, index) => pairs(`${name}[${index}]`, item));
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => pairs(`${name}[${key}]`, item));
  return [`${percentEncode(name)}=${percentEncode(value === false ? "0" : (scalarText(value) ?? ""))}`];
}

/** RFC 3986: everything but unreserved characters. Half a surrogate pair becomes U+FFFD. */
function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The parameters' names and values a parameter would put into a query: what is searched for secrets. */
export function itemText(item: QueryItem): string {
  return queryText([item]);
}

/** Of one name the last value counts, in the first one's place. */
export function lastOfEach(parameters: readonly Parameter[]): readonly Parameter[] {
  const values = new Map<string, Parameter>();
  for (const parameter of parameters) values.set(parameter.name, parameter);
  return [...values.values()];
}
