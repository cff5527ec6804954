import { decodeForm, type Parameter, splitAddress } from "../../../core/requests/request.ts";
import { headerOf, type WholeResponse } from "../../../core/requests/transport.ts";
import { exactNumber, isNumber, isObject, plainText, type Value, valueText } from "../../../core/values/value.ts";
import {
  bracketPath,
  isLastId,
  meaningOf,
  meaningOfHeader,
  type ParameterMeaning,
} from "../../../knowledge/parameters.ts";
import type { RecordsPlace } from "../../../knowledge/records.ts";
import { plainName } from "../../../knowledge/words.ts";
import type { RequestDescription } from "../../request-description.ts";
import { isPagingHeader, prefixOf } from "./names.ts";
import { numberInPath } from "./path-number.ts";

/** A scalar of a response that stands beside its records. */
export interface PageField {
  readonly path: readonly string[];
  /** Its name as names are compared. */
  readonly plain: string;
  /** Meaning that a parameter of its name would have. */
  readonly meaning: ParameterMeaning | undefined;
  readonly value: string | number | boolean;
}

/** A parameter that the request has. */
export interface Given {
  /** As paging names it: a name, or a place in a JSON body. */
  readonly place: Value;
  /** Tells it from others of its name in the request. */
  readonly key: string;
  /** Its own name. */
  readonly name: string;
  /** Its name as names are compared, less a maker's prefix or the name of a group. */
  readonly plain: string;
  readonly meaning: ParameterMeaning | undefined;
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

/** Values as texts; undefined if a request has no such parameter. */
export interface Observed {
  readonly place: Value;
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
    // The members of a map at the root are records.
    fields: place.list && !(place.map !== undefined && place.path.length === 0) ? fieldsOf(document, place.path) : [],
    given: givenParameters(description),
    observed: following === undefined ? undefined : observedChange(description, following),
    header: (name) => headerOf(response, name),
  };
}

/** The one parameter that differs in the following request; undefined if several do. */
function observedChange(first: RequestDescription, following: RequestDescription): Observed | undefined {
  const before = new Map(givenParameters(first).map(({ place, value }) => [valueText(place), plainText(value)]));
  const changed = givenParameters(following).filter(
    ({ place, value }) => before.get(valueText(place)) !== plainText(value),
  );
  const [one] = changed;
  if (one === undefined || changed.length > 1) return undefined;
  return { place: one.place, before: before.get(valueText(one.place)), after: plainText(one.value) };
}

const deepest = 4;

/** The scalars in a response's objects, its records and other lists left out. */
export function fieldsOf(document: Value, records: readonly string[]): PageField[] {
  const walk = (value: Value, path: readonly string[]): PageField[] => {
    const inside = isObject(value) || (Array.isArray(value) && path.length === 0 && records.length > 0);
    if (!inside || path.length > deepest) return [];
    return Object.entries(value).flatMap(([name, inner]): PageField[] => {
      const memberPath = [...path, name];
      if (memberPath.length === records.length && memberPath.every((step, index) => step === records[index])) return [];
      const scalar = isNumber(inner) ? Number(inner) : inner;
      if (typeof scalar === "string" || typeof scalar === "number" || typeof scalar === "boolean") {
        return [{ path: memberPath, plain: plainName(name), meaning: meaningOf([name]), value: scalar }];
      }
      return walk(inner, memberPath);
    });
  };
  return walk(document, []);
}

/** The parameters of a request, those of its address and those deeper in a JSON body too, and headers that count. */
function givenParameters({ address, params, query = [], method, headers }: RequestDescription): Given[] {
  const inQuery = (name: string, value: Value): Given => {
    const place = method === "GET" ? name : queryPlace(name);
    return { place, key: keyOf(place), ...namedBy([name]), value };
  };
  const ofAddress = splitAddress(new URL(address)).query.map((item) => {
    const [name = "", ...rest] = ("raw" in item ? item.raw : "").split("=");
    return inQuery(decodeForm(name), decodeForm(rest.join("=")));
  });
  const ofQuery = query.map(({ name, value }) => inQuery(name, value));
  const ofHeaders = headers
    .filter(([name, value]) => isPagingHeader(name) && /^[0-9]{1,7}$/.test(value))
    .map(([name, value]) => {
      const shown = `the header ${name}`;
      const plain = plainName(name.replace(/^x-/i, ""));
      return { place: { header: name }, key: shown, name: shown, plain, meaning: meaningOfHeader(name), value };
    });
  const ofParameters = params.flatMap(({ name, value }) => within([name], value, method === "POST"));
  return [...ofAddress, ...ofQuery, ...ofParameters, ...ofHeaders];
}

function within(path: readonly string[], value: Value, deeper: boolean): Given[] {
  const name = path.at(-1) ?? "";
  if (deeper && isObject(value) && path.length < deepest) {
    return Object.entries(value).flatMap(([key, inner]) => within([...path, key], inner, deeper));
  }
  const place = path.length === 1 ? name : pathValue(path);
  return [{ place, key: keyOf(place), ...namedBy(path), value }];
}

/** Reads a parameter's name, given with the names of the objects around it. */
function namedBy(path: readonly string[]): Pick<Given, "name" | "plain" | "meaning"> {
  const name = path.at(-1) ?? "";
  const steps = bracketPath(name);
  const own = path.length === 1 ? steps : [...path.slice(0, -1), ...steps];
  const last = steps.at(-1) ?? name;
  return { name, plain: plainName(last.slice(prefixOf(last).length)), meaning: meaningOf(own) };
}

/** A path as the configuration writes it: with another delimiter where keys hold dots. */
export function pathValue(path: readonly string[]): { readonly path: string; readonly delimiter?: string } {
  const delimiter = delimiterOf(path);
  return delimiter === "." ? { path: path.join(".") } : { path: path.join(delimiter), delimiter };
}

/** Returns a character that no key of the path holds: a dot if possible. */
export function delimiterOf(path: readonly string[]): string {
  return [".", "/", "|", ">", "~"].find((one) => path.every((step) => !step.includes(one))) ?? "\t";
}

/** Returns a field's name as a parameter: in the query, or beside the others of a JSON body, if they are there. */
export function placeLike(page: FirstPage, field: PageField): Value {
  const name = field.path.at(-1) ?? "";
  const sibling = page.given.find(
    ({ place, meaning }) => isObject(place) && meaning !== undefined && meaning !== "token",
  );
  if (sibling !== undefined && isInQuery(sibling.place)) return queryPlace(name);
  if (!isObject(sibling?.place) || typeof sibling.place.path !== "string") return name;
  const steps = sibling.place.path.split(".");
  return pathValue([...steps.slice(0, -1), name]);
}

/** Returns whether a value is a number that paging counts with. */
export function isCount(value: Value | undefined): boolean {
  const text = typeof value === "string" ? value : isNumber(value) ? value.toString() : "";
  return /^[0-9]{1,7}$/.test(text);
}

/** A flag as `nextPageFlag.field` takes it. */
export function flagField(field: PageField): Value {
  return field.path.length === 1 ? (field.path[0] ?? "") : pathValue(field.path);
}

/** Returns the name of a parameter, or the path of a place in a body; "" for a header. */
export function nameOf(place: Value): string {
  if (!isObject(place)) return typeof place === "string" ? place : "";
  const name = place.query ?? place.path;
  return typeof name === "string" ? name : "";
}

/** Returns a parameter of the query, for a request whose other parameters are in its body. */
export function queryPlace(name: string): Value {
  const delimiter = delimiterOf([name]);
  return delimiter === "." ? { query: name } : { query: name, delimiter };
}

export function isInQuery(place: Value): boolean {
  return isObject(place) && place.query !== undefined;
}

/** Returns a text that tells a place from others of its name. */
export function keyOf(place: Value): string {
  return isInQuery(place) ? `?${nameOf(place)}` : nameOf(place);
}

/** A place for people: `"cursor"`, `"variables.after" of the body`, `{page} in the path`. */
export function placeText(place: Value): string {
  if (typeof place === "string") return `"${place}"`;
  if (isObject(place) && typeof place.header === "string") return `the header ${place.header}`;
  if (isObject(place) && typeof place.endpoint === "string") return `{${place.endpoint}} in the path`;
  return `"${nameOf(place)}" of the ${isInQuery(place) ? "query" : "body"}`;
}

/** Returns whether a place is a header, and no parameter. */
export function isHeader(place: Value): boolean {
  return isObject(place) && place.header !== undefined;
}

/** Parameters that say where to begin, and do not name the beginning (`cursor=*`), so that `given` may be taken back to the first page. */
export function isPosition({ plain, name, meaning, value }: Given): "page" | "offset" | "token" | undefined {
  if (meaning === "page" && isCount(value)) return "page";
  if (meaning === "offset" && isCount(value)) return "offset";
  // `after`, `since_id` and the like may just as well be filters.
  const sure = meaning === "token" && !isLastId(name) && !/^(before|maxid|startid|pageid)$/.test(plain);
  const begins = value === "*" || value === "-1";
  return (sure || plain === "startingafter") && typeof value === "string" && value !== "" && !begins
    ? "token"
    : undefined;
}

/** The number that a list begins with, where another one is given; undefined if none is, or it counts nothing. */
function beginning(given: Given): number | undefined {
  const kind = isPosition(given);
  const start = kind === "page" || given.plain === "startindex" ? 1 : 0;
  return (kind === "page" || kind === "offset") && Number(given.value) > start ? start : undefined;
}

/**
 * Takes a request back to the beginning of the list: a page number above 1 becomes 1, an offset 0, a token goes. Only its
 * parameters, those at the top of a body too, and the end of its path are looked at; `notes` say what was changed.
 */
export function fromBeginning(description: RequestDescription): {
  readonly description: RequestDescription;
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const alone = { ...description, address: new URL(description.address).origin, params: [], query: [], headers: [] };
  const begun = (parameter: Parameter, [given]: readonly Given[]): readonly Parameter[] => {
    const isTop = given !== undefined && (given.place === given.name || isInQuery(given.place));
    const kind = isTop ? isPosition(given) : undefined;
    const first = isTop && kind !== undefined ? beginning(given) : undefined;
    if (first !== undefined) {
      notes.push(`"${parameter.name}" was ${Number(parameter.value)}: the list is taken from its beginning, ${first}`);
      return [{ name: parameter.name, value: exactNumber(String(first)) }];
    }
    if (kind !== "token") return [parameter];
    notes.push(
      `"${parameter.name}" is left out: it says where one page began, and the list is taken from its beginning`,
    );
    return [];
  };
  const params = description.params.flatMap((one) => begun(one, givenParameters({ ...alone, params: [one] })));
  const query = description.query?.flatMap((one) => begun(one, givenParameters({ ...alone, query: [one] })));
  const headers = description.headers.map((header): readonly [string, string] => {
    const [given] = givenParameters({ ...alone, headers: [header] });
    const first = given === undefined ? undefined : beginning(given);
    if (first === undefined) return header;
    notes.push(`the header ${header[0]} was ${header[1]}: the list is taken from its beginning, ${first}`);
    return [header[0], `${first}`];
  });
  const { address } = description;
  const inPath = numberInPath(address);
  if (inPath?.kind !== "counts" || inPath.number < 2)
    return { description: { ...description, params, query, headers }, notes };
  notes.push(`the path names page ${inPath.number}: the list is taken from its beginning, 1`);
  return { description: { ...description, address: inPath.replaced("1"), params, query, headers }, notes };
}

/** A value for a place in the request. */
export interface Placed {
  readonly place: Value;
  readonly value: Value;
}

/** Returns a path as fields of the configuration take it: a text, unless keys hold dots. */
export function sourceOf(path: readonly string[]): Value {
  return path.some((step) => step.includes(".")) ? pathValue(path) : path.join(".");
}
