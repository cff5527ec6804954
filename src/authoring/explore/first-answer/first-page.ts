import { decodeForm, splitAddress } from "../../../core/request.ts";
import { headerOf, type WholeResponse } from "../../../core/transport.ts";
import { isNumber, isObject, plainText, type Value, valueText } from "../../../core/value.ts";
import { plainName } from "../../../knowledge/words.ts";
import type { RequestDescription } from "../../request-description.ts";
import { isPagingHeader, plainHeader, plainParameter } from "./names.ts";
import type { RecordsPlace } from "./records-place.ts";

/** A scalar of a response that stands beside its records. */
export interface PageField {
  readonly path: readonly string[];
  /** Its name as names are compared. */
  readonly plain: string;
  readonly value: string | number | boolean;
}

/** A parameter that the request has. */
export interface Given {
  /** As paging names it: a name, or a place in a JSON body. */
  readonly place: Value;
  /** Its own name. */
  readonly name: string;
  readonly plain: string;
  readonly value: Value;
}

/** The first answer, taken apart for those who look for paging. */
export interface FirstPage {
  readonly description: RequestDescription;
  readonly response: WholeResponse;
  readonly document: Value;
  readonly place: RecordsPlace;
  readonly fields: readonly PageField[];
  readonly given: readonly Given[];
  /** A parameter that was seen to change from the first request to the next one. */
  readonly observed: Observed | undefined;
  header(name: string): string | undefined;
}

/** Values as texts; undefined where a request has no such parameter. */
export interface Observed {
  readonly place: Value;
  readonly plain: string;
  readonly before: string | undefined;
  readonly after: string;
}

export function describeFirstPage(
  description: RequestDescription,
  response: WholeResponse,
  document: Value,
  place: RecordsPlace,
  following?: RequestDescription | undefined,
): FirstPage {
  return {
    description,
    response,
    document,
    place,
    // What stands in a map at the root is records.
    fields: place.list && !(place.map !== undefined && place.path.length === 0) ? fieldsOf(document, place.path) : [],
    given: givenParameters(description),
    observed: following === undefined ? undefined : observedChange(description, following),
    header: (name) => headerOf(response, name),
  };
}

/** The one parameter that differs in the following request; undefined where several do. */
function observedChange(first: RequestDescription, following: RequestDescription): Observed | undefined {
  const before = new Map(givenParameters(first).map(({ place, value }) => [valueText(place), plainText(value)]));
  const changed = givenParameters(following).filter(
    ({ place, value }) => before.get(valueText(place)) !== plainText(value),
  );
  const [one] = changed;
  if (one === undefined || changed.length > 1) return undefined;
  return { place: one.place, plain: one.plain, before: before.get(valueText(one.place)), after: plainText(one.value) };
}

const deepest = 4;

/** The scalars in a response's objects, its records and other lists left out. */
export function fieldsOf(document: Value, records: readonly string[]): PageField[] {
  const walk = (value: Value, path: readonly string[]): PageField[] => {
    const inside = isObject(value) || (Array.isArray(value) && path.length === 0 && records.length > 0);
    if (!inside || path.length > deepest) return [];
    return Object.entries(value).flatMap(([name, inner]): PageField[] => {
      const at = [...path, name];
      if (at.length === records.length && at.every((step, index) => step === records[index])) return [];
      const scalar = isNumber(inner) ? Number(inner) : inner;
      if (typeof scalar === "string" || typeof scalar === "number" || typeof scalar === "boolean") {
        return [{ path: at, plain: plainName(name), value: scalar }];
      }
      return walk(inner, at);
    });
  };
  return walk(document, []);
}

/** The parameters of a request, those of its address and those deeper in a JSON body too, and headers that count. */
export function givenParameters({ address, params, method, headers }: RequestDescription): Given[] {
  const { query } = splitAddress(new URL(address));
  const ofAddress = query.flatMap((item): Given[] => {
    const [name = "", ...rest] = ("raw" in item ? item.raw : "").split("=");
    const decoded = decodeForm(name);
    return [{ place: decoded, name: decoded, plain: plainParameter(decoded), value: decodeForm(rest.join("=")) }];
  });
  const ofHeaders = headers
    .filter(([name, value]) => isPagingHeader(name) && /^[0-9]{1,7}$/.test(value))
    .map(([name, value]) => ({ place: { header: name }, name: `the header ${name}`, plain: plainHeader(name), value }));
  const ofParameters = params.flatMap(({ name, value }) => within([name], value, method === "POST"));
  return [...ofAddress, ...ofParameters, ...ofHeaders];
}

function within(path: readonly string[], value: Value, deeper: boolean): Given[] {
  const name = path.at(-1) ?? "";
  if (deeper && isObject(value) && path.length < deepest) {
    return Object.entries(value).flatMap(([key, inner]) => within([...path, key], inner, deeper));
  }
  const place = path.length === 1 ? name : pathValue(path);
  return [{ place, name, plain: plainParameter(name), value }];
}

/** A path as the configuration writes it: with another delimiter where keys hold dots. */
export function pathValue(path: readonly string[]): { readonly path: string; readonly delimiter?: string } {
  const delimiter = delimiterOf(path);
  return delimiter === "." ? { path: path.join(".") } : { path: path.join(delimiter), delimiter };
}

/** A character that no key of the path holds: a dot where that is possible. */
export function delimiterOf(path: readonly string[]): string {
  return [".", "/", "|", ">", "~"].find((one) => path.every((step) => !step.includes(one))) ?? "\t";
}
