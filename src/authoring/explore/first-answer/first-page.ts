import { decodeForm, type Parameter, splitAddress } from "../../../core/requests/request.ts";
import { headerOf, type WholeResponse } from "../../../core/requests/transport.ts";
import {
  doubleOf,
  exactNumber,
  isNumber,
  isObject,
  plainText,
  type Value,
  valueText,
} from "../../../core/values/value.ts";
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

/** A text, number, true or false in a response, outside of its records. */
export interface PageField {
  readonly path: readonly string[];
  /** The field's name in the form in which names are compared. */
  readonly plain: string;
  /** Meaning that a parameter with the field's name would have. */
  readonly meaning: ParameterMeaning | undefined;
  readonly value: string | number | boolean;
}

/** A parameter that the request has. */
export interface RequestParameter {
  /** The parameter's place as `api.pagination` writes it: a name, or a place in a JSON body. */
  readonly place: Value;
  /** Distinguishes the parameter from others with the same name in the request. */
  readonly key: string;
  /** The parameter's name without the names of the objects around it. */
  readonly name: string;
  /** The parameter's name in the form in which names are compared, without a vendor's prefix or the name of a group. */
  readonly plain: string;
  readonly meaning: ParameterMeaning | undefined;
  readonly value: Value;
}

/** The first answer, split into the parts in which paging is searched for. */
export interface FirstPage {
  readonly description: RequestDescription;
  readonly response: WholeResponse;
  readonly document: Value;
  readonly place: RecordsPlace;
  readonly fields: readonly PageField[];
  readonly requestParameters: readonly RequestParameter[];
  /** The parameter that changed from this request to the next one of a recorded session. */
  readonly observed: ObservedParameter | undefined;
  header(name: string): string | undefined;
}

/** A parameter that differs between two requests, with its values as texts. */
export interface ObservedParameter {
  readonly place: Value;
  /** Undefined if the first request lacks the parameter. */
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
    // If the document itself is a map of records, its members are records, not fields.
    fields: place.list && !(place.map !== undefined && place.path.length === 0) ? fieldsOf(document, place.path) : [],
    requestParameters: givenParameters(description),
    observed: following === undefined ? undefined : observedChange(description, following),
    header: (name) => headerOf(response, name),
  };
}

/** Returns the one parameter that differs in the following request; undefined if none or several differ. */
function observedChange(first: RequestDescription, following: RequestDescription): ObservedParameter | undefined {
  const before = new Map(givenParameters(first).map(({ place, value }) => [valueText(place), plainText(value)]));
  const changedParameters = givenParameters(following).filter(
    ({ place, value }) => before.get(valueText(place)) !== plainText(value),
  );
  const [one] = changedParameters;
  if (one === undefined || changedParameters.length > 1) return undefined;
  return { place: one.place, before: before.get(valueText(one.place)), after: plainText(one.value) };
}

const maxDepth = 4;

/**
 * Returns the fields of a response that are at most five levels deep. Fields in the records or in another list are left out,
 * unless that list is the response itself and contains the list of records.
 */
export function fieldsOf(document: Value, records: readonly string[]): PageField[] {
  const walk = (value: Value, path: readonly string[]): PageField[] => {
    const hasMembers = isObject(value) || (Array.isArray(value) && path.length === 0 && records.length > 0);
    if (!hasMembers || path.length > maxDepth) return [];
    return Object.entries(value).flatMap(([name, inner]): PageField[] => {
      const memberPath = [...path, name];
      if (memberPath.length === records.length && memberPath.every((step, index) => step === records[index])) return [];
      const scalar = isNumber(inner) ? doubleOf(inner) : inner;
      if (typeof scalar === "string" || typeof scalar === "number" || typeof scalar === "boolean") {
        return [{ path: memberPath, plain: plainName(name), meaning: meaningOf([name]), value: scalar }];
      }
      return walk(inner, memberPath);
    });
  };
  return walk(document, []);
}

/**
 * Returns the parameters of a request: in its address, in its query, and deep in a JSON body. A paging header counts as a parameter
 * if its value is a number.
 */
function givenParameters({ address, params, query = [], method, headers }: RequestDescription): RequestParameter[] {
  const inQuery = (name: string, value: Value): RequestParameter => {
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
      const shownName = `the header ${name}`;
      const plain = plainName(name.replace(/^x-/i, ""));
      return { place: { header: name }, key: shownName, name: shownName, plain, meaning: meaningOfHeader(name), value };
    });
  const ofParameters = params.flatMap(({ name, value }) => parametersIn([name], value, method === "POST"));
  return [...ofAddress, ...ofQuery, ...ofParameters, ...ofHeaders];
}

function parametersIn(path: readonly string[], value: Value, isJsonBody: boolean): RequestParameter[] {
  const name = path.at(-1) ?? "";
  if (isJsonBody && isObject(value) && path.length < maxDepth) {
    return Object.entries(value).flatMap(([key, inner]) => parametersIn([...path, key], inner, isJsonBody));
  }
  const place = path.length === 1 ? name : pathValue(path);
  return [{ place, key: keyOf(place), ...namedBy(path), value }];
}

/** Describes a parameter. `path`: its name, after the names of the objects around it. */
function namedBy(path: readonly string[]): Pick<RequestParameter, "name" | "plain" | "meaning"> {
  const name = path.at(-1) ?? "";
  const steps = bracketPath(name);
  const fullPath = path.length === 1 ? steps : [...path.slice(0, -1), ...steps];
  const last = steps.at(-1) ?? name;
  return { name, plain: plainName(last.slice(prefixOf(last).length)), meaning: meaningOf(fullPath) };
}

/** Writes a path for the configuration, with another delimiter if keys contain dots. */
export function pathValue(path: readonly string[]): { readonly path: string; readonly delimiter?: string } {
  const delimiter = delimiterOf(path);
  return delimiter === "." ? { path: path.join(".") } : { path: path.join(delimiter), delimiter };
}

/** Returns a character that no key of the path contains, preferably a dot. */
export function delimiterOf(path: readonly string[]): string {
  return [".", "/", "|", ">", "~"].find((one) => path.every((step) => !step.includes(one))) ?? "\t";
}

/** Returns whether a value is an integer of at most 7 digits, as page numbers, offsets and page sizes are. */
export function isCount(value: Value | undefined): boolean {
  const text = typeof value === "string" ? value : isNumber(value) ? value.toString() : "";
  return /^[0-9]{1,7}$/.test(text);
}

/** Writes a field for `nextPageFlag.field`. */
export function flagField(field: PageField): Value {
  return field.path.length === 1 ? (field.path[0] ?? "") : pathValue(field.path);
}

/** Returns the name of a parameter, or the path of a place in a body; "" for a header. */
export function nameOf(place: Value): string {
  if (!isObject(place)) return typeof place === "string" ? place : "";
  const name = place.query ?? place.path;
  return typeof name === "string" ? name : "";
}

/** Returns the place of a parameter in the query of a request that has a body. */
export function queryPlace(name: string): Value {
  const delimiter = delimiterOf([name]);
  return delimiter === "." ? { query: name } : { query: name, delimiter };
}

export function isInQuery(place: Value): boolean {
  return isObject(place) && place.query !== undefined;
}

/** Returns a text that distinguishes a place from others with the same name. */
export function keyOf(place: Value): string {
  return isInQuery(place) ? `?${nameOf(place)}` : nameOf(place);
}

/** Describes a place for people: `"cursor"`, `"variables.after" of the body`, `{page} in the path`. */
export function placeText(place: Value): string {
  if (typeof place === "string") return `"${place}"`;
  if (isObject(place) && typeof place.header === "string") return `the header ${place.header}`;
  if (isObject(place) && typeof place.endpoint === "string") return `{${place.endpoint}} in the path`;
  return `"${nameOf(place)}" of the ${isInQuery(place) ? "query" : "body"}`;
}

/** Returns whether a place is a header, not a parameter. */
export function isHeader(place: Value): boolean {
  return isObject(place) && place.header !== undefined;
}

/**
 * Returns the kind of a parameter that says where a page begins. Undefined for other parameters, and for a token that asks for
 * the first page (`*`).
 */
export function positionKind({
  plain,
  name,
  meaning,
  value,
}: RequestParameter): "page" | "offset" | "token" | undefined {
  if (meaning === "page" && isCount(value)) return "page";
  if (meaning === "offset" && isCount(value)) return "offset";
  // `after`, `since_id` and the like may just as well be filters.
  const isSure = meaning === "token" && !isLastId(name) && !/^(before|maxid|startid|pageid)$/.test(plain);
  const isBeginning = value === "*" || value === "-1";
  return (isSure || plain === "startingafter") && typeof value === "string" && value !== "" && !isBeginning
    ? "token"
    : undefined;
}

/** Returns the number of the first page or record, if the parameter asks for a later one; undefined otherwise. */
function beginning(parameter: RequestParameter): number | undefined {
  const kind = positionKind(parameter);
  const start = kind === "page" || parameter.plain === "startindex" ? 1 : 0;
  return (kind === "page" || kind === "offset") && Number(parameter.value) > start ? start : undefined;
}

/**
 * Changes a request so that it asks for the first page: a page number above 1 becomes 1, an offset becomes 0 (`startIndex` becomes
 * 1), a token is removed. Changes parameters (in a body only those at its top), headers, and `page/2` in the path. `notes` lists
 * the changes.
 */
export function fromBeginning(description: RequestDescription): {
  readonly description: RequestDescription;
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const alone = { ...description, address: new URL(description.address).origin, params: [], query: [], headers: [] };
  const fromFirstPage = (parameter: Parameter, [given]: readonly RequestParameter[]): readonly Parameter[] => {
    const isTop = given !== undefined && (given.place === given.name || isInQuery(given.place));
    const kind = isTop ? positionKind(given) : undefined;
    const first = isTop && kind !== undefined ? beginning(given) : undefined;
    if (first !== undefined) {
      notes.push(`"${parameter.name}" was ${Number(parameter.value)}: it is set to ${first}, where the list begins`);
      return [{ name: parameter.name, value: exactNumber(String(first)) }];
    }
    if (kind !== "token") return [parameter];
    notes.push(`"${parameter.name}" is left out: it asks for a later page, but the list is read from its beginning`);
    return [];
  };
  const params = description.params.flatMap((one) => fromFirstPage(one, givenParameters({ ...alone, params: [one] })));
  const query = description.query?.flatMap((one) => fromFirstPage(one, givenParameters({ ...alone, query: [one] })));
  const headers = description.headers.map((header): readonly [string, string] => {
    const [given] = givenParameters({ ...alone, headers: [header] });
    const first = given === undefined ? undefined : beginning(given);
    if (first === undefined) return header;
    notes.push(`the header ${header[0]} was ${header[1]}: it is set to ${first}, where the list begins`);
    return [header[0], `${first}`];
  });
  const { address } = description;
  const inPath = numberInPath(address);
  if (inPath?.kind !== "counts" || inPath.number < 2)
    return { description: { ...description, params, query, headers }, notes };
  notes.push(`the path names page ${inPath.number}: it is set to 1, where the list begins`);
  return { description: { ...description, address: inPath.withText("1"), params, query, headers }, notes };
}

/** A value, and the place in the request where it goes. */
export interface Placed {
  readonly place: Value;
  readonly value: Value;
}

/** Writes a path as a source for the configuration: a text, or an object with another delimiter if keys contain dots. */
export function sourceOf(path: readonly string[]): Value {
  return path.some((step) => step.includes(".")) ? pathValue(path) : path.join(".");
}
