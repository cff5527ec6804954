import { type Parameter, phpStyle, type QueryItem, type QueryStyle } from "../../core/requests/request.ts";
import { percentEncode } from "../../core/text/percent-encoding.ts";
import { isObject, scalarText, type Value } from "../../core/values/value.ts";

/**
 * Returns the text of a query or of a form's body. Nested values become `a[0]=x`, true becomes 1 and false 0, unless `style` says
 * otherwise. Null, empty lists and empty objects are dropped. A space becomes %20. Raw pieces of an address stay unchanged.
 */
export function queryText(items: readonly QueryItem[], style: QueryStyle = phpStyle): string {
  return items.flatMap((item) => ("raw" in item ? [item.raw] : pairs(item.name, item.value, style))).join("&");
}

function pairs(name: string, value: Value, style: QueryStyle): string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return listPairs(name, value, style);
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => pairs(`${name}[${key}]`, item, style));
  return [`${percentEncode(name)}=${percentEncode(textOf(value, style))}`];
}

/** Writes a list. A list that contains lists or objects keeps its indices, since nothing else would separate its elements. */
function listPairs(name: string, list: readonly Value[], style: QueryStyle): string[] {
  const items = list.filter((item) => item !== null);
  if (style.lists === "indices" || items.some((item) => Array.isArray(item) || isObject(item))) {
    return list.flatMap((item, index) => pairs(`${name}[${index}]`, item, style));
  }
  if (items.length === 0) return [];
  const key = percentEncode(style.lists === "brackets" ? `${name}[]` : name);
  const texts = items.map((item) => percentEncode(textOf(item, style)));
  return style.lists === "comma" ? [`${key}=${texts.join(",")}`] : texts.map((text) => `${key}=${text}`);
}

function textOf(value: Value, { booleans }: QueryStyle): string {
  if (typeof value === "boolean" && booleans === "words") return String(value);
  return value === false ? "0" : (scalarText(value) ?? "");
}

/** Returns the text that one item adds to a query, so that it can be searched for secrets. */
export function itemText(item: QueryItem, style?: QueryStyle): string {
  return queryText([item], style);
}

/** Returns the last parameter of each name, in the order in which the names first occur. */
export function lastOfEach(parameters: readonly Parameter[]): readonly Parameter[] {
  const values = new Map<string, Parameter>();
  for (const parameter of parameters) values.set(parameter.name, parameter);
  return [...values.values()];
}
