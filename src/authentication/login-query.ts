import { decodeForm, type Parameter, type QueryItem } from "../core/requests/request.ts";
import { isObject, scalarText, type Value, type ValueObject } from "../core/values/value.ts";

/**
 * Adds the parameters of a login to a query without replacing any (contract C-3.8). If the query already has a parameter of the same
 * name, all its values and then the login's value are sent as `name[0]`, `name[1]`, ... at the end of the query.
 */
export function mergeLoginParameters(
  query: readonly QueryItem[],
  parameters: readonly Parameter[],
): readonly QueryItem[] {
  const isInQuery = ({ name }: Parameter): boolean => query.some((item) => isOf(item, name) && isSent(item));
  const inOrder = [...parameters.filter((one) => !isInQuery(one)), ...parameters.filter(isInQuery)];
  return inOrder.reduce((items, { name, value }) => mergeLoginParameter(items, name, value), query);
}

function mergeLoginParameter(query: readonly QueryItem[], name: string, value: Value): readonly QueryItem[] {
  const matching = query.filter((item) => isOf(item, name) && isSent(item));
  const others = query.filter((item) => !isOf(item, name));
  if (matching.length === 0) return [...others, { name, value }];
  if (isEcho(matching, name, value)) return query;
  let nextIndex = 0;
  const itemOf = (element: Value): QueryItem => ({ name, value: { [nextIndex++]: element } });
  const moved = matching.flatMap((item): QueryItem[] => {
    if ("raw" in item) {
      const [key, text] = rawPair(item.raw);
      if (key === name) return [itemOf(text)];
      const [, index] = /^\[(\d*)\]/.exec(key.slice(name.length)) ?? [];
      if (index !== undefined) nextIndex = Math.max(nextIndex, (index === "" ? nextIndex : Number(index)) + 1);
      return [item];
    }
    if (Array.isArray(item.value)) return item.value.map(itemOf);
    return isObject(item.value) ? [item] : [itemOf(item.value)];
  });
  return [...others, ...moved, itemOf(value)];
}

/**
 * Returns whether the items are already the list `name[0]`, `name[1]`, ... that ends with the login's value. An earlier request
 * sent this list, and the next page's address repeats it. If each request added one more value, no address would ever come again,
 * and spile would not notice an API that leads in a circle.
 */
function isEcho(items: readonly QueryItem[], name: string, value: Value): boolean {
  const pairs = items.map((item) => ("raw" in item ? rawPair(item.raw) : ["", ""]));
  const isList = pairs.length > 1 && pairs.every(([key], index) => key === `${name}[${index}]`);
  return isList && pairs.at(-1)?.[1] === scalarText(value);
}

function isOf(item: QueryItem, name: string): boolean {
  return item.name === name || ("raw" in item && rawPair(item.raw)[0] === name);
}

/** Returns whether an item is sent. Null, empty lists and empty objects are not (contract C-3.2). */
function isSent(item: QueryItem): boolean {
  return "raw" in item || !isNothing(item.value);
}

function isNothing(value: Value): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isNothing);
  return isObject(value) && Object.values(value satisfies ValueObject).every(isNothing);
}

function rawPair(raw: string): readonly [name: string, value: string] {
  const end = raw.indexOf("=");
  return end < 0 ? [decodeForm(raw), ""] : [decodeForm(raw.slice(0, end)), decodeForm(raw.slice(end + 1))];
}
