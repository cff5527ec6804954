import { doubleOf, isNumber, type Value, type ValueObject } from "../../core/values/value.ts";
import { bracketPath, meaningOf, type ParameterMeaning } from "../../knowledge/parameters.ts";
import { sourceOf } from "../explore/first-answer/first-page.ts";
import { objectOf } from "./values.ts";

/** Page size if a description contains none. */
const usualSize = 100;

/** The parameters, fields and headers of an operation whose names may suggest paging. */
export interface NamedPlaces {
  /** The parameters in the form of OpenAPI. */
  readonly parameters: readonly ValueObject[];
  /** Paths of the answer's fields that may contain the address of the next page, and of those that may contain its token. */
  readonly addresses: readonly (readonly string[])[];
  readonly tokens: readonly (readonly string[])[];
  /** The names of the answer's headers. */
  readonly headers: readonly string[];
}

/** Returns the `api.pagination` or the scroller that the names of an operation suggest; undefined if they suggest none. */
export function namedPaging({ parameters, addresses, tokens, headers }: NamedPlaces): ValueObject | undefined {
  const query = parameters.filter((parameter) => parameter.in === "query");
  const parameterFor = (meaning: ParameterMeaning): ValueObject | undefined =>
    query.find(({ name }) => meaningOf(bracketPath(String(name))) === meaning);
  const [address] = addresses;
  const [token] = tokens;
  const [cursor, offset, page, size] = [
    parameterFor("token"),
    parameterFor("offset"),
    parameterFor("page"),
    parameterFor("size"),
  ];
  const limit = sizeOf(size);
  if (cursor !== undefined && token !== undefined) {
    return {
      method: "response.param",
      responseParam: sourceOf(token),
      queryParam: String(cursor.name),
      includeParams: true,
    };
  }
  if (address !== undefined) return { method: "response.url", urlKey: sourceOf(address), includeParams: true };
  if (headers.some((name) => name.toLowerCase() === "link")) return { method: "link", includeParams: true };
  if (offset !== undefined) {
    return {
      method: "offset",
      limit,
      ...renamedField("limitParam", size, "limit"),
      ...renamedField("offsetParam", offset, "offset"),
      probeEnd: true,
    };
  }
  // If no parameter leads to a next page, but one sets the page size, only one page can be requested. A run then doubts a page of
  // the default size, or each page with records if the default is unknown.
  if (page === undefined) return size === undefined ? undefined : { method: "none", fullPage: defaultOf(size) ?? 1 };
  const first = objectOf(page.schema).minimum ?? objectOf(page.schema).default;
  const sizeFields = size === undefined ? {} : { limit, ...renamedField("limitParam", size, "limit"), probeEnd: true };
  return {
    method: "pagenum",
    ...renamedField("pageParam", page, "page"),
    ...(Number(first) === 0 ? { firstPage: 0 } : {}),
    ...sizeFields,
  };
}

function renamedField(field: string, parameter: ValueObject | undefined, usual: string): ValueObject {
  const name = parameter === undefined ? usual : String(parameter.name);
  return name === usual ? {} : { [field]: name };
}

function defaultOf({ schema }: ValueObject): number | undefined {
  const value = Number(objectOf(schema).default ?? Number.NaN);
  return Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

/** Returns the largest page size that a description allows, else its default, else the usual size; at most 10,000. */
function sizeOf(parameter: ValueObject | undefined): number {
  const { maximum, default: defaultSize } = objectOf(parameter?.schema);
  const size = [maximum, defaultSize].find(
    (value: Value | undefined) => isNumber(value) && doubleOf(value) >= 1 && Number.isInteger(doubleOf(value)),
  );
  return Math.min(size === undefined ? usualSize : Number(size), 10_000);
}
