import { SpileError } from "../core/errors.ts";
import type { Method, Parameter } from "../core/requests/request.ts";
import { printable } from "../core/text/printable.ts";
import { isObject, parseValue, type Value, type ValueObject } from "../core/values/value.ts";
import { describeAddress } from "./address.ts";
import type { JobDraft } from "./configuration-draft.ts";
import { type MethodName, pagingMethods } from "./paging-methods.ts";
import type { RequestDescription } from "./request-description.ts";

/** The options of the command line that describe a request and its paging. */
export interface OneLine {
  readonly header?: readonly string[] | undefined;
  readonly param?: readonly (readonly [name: string, value: string])[] | undefined;
  readonly jsonParam?: readonly (readonly [name: string, json: string])[] | undefined;
  readonly method?: Method | undefined;
  readonly data?: string | undefined;
  readonly user?: string | undefined;
  readonly records?: string | undefined;
  readonly format?: string | undefined;
  readonly paging?: MethodName | undefined;
  readonly limit?: number | "unknown" | undefined;
  readonly limitParam?: string | undefined;
  readonly offsetParam?: string | undefined;
  readonly pageParam?: string | undefined;
  readonly firstPage?: number | undefined;
  readonly next?: string | undefined;
  readonly tokenParam?: string | undefined;
  readonly pageCount?: string | undefined;
}

type PagingOption =
  | "limit"
  | "limitParam"
  | "offsetParam"
  | "pageParam"
  | "firstPage"
  | "next"
  | "tokenParam"
  | "pageCount";

interface MethodRow {
  /** The options of the method, with the field of `api.pagination` that each one sets. */
  readonly fields: { readonly [Option in PagingOption]?: string };
  /** The options that the method requires. */
  readonly needs: readonly PagingOption[];
  /** True if requests after the first one omit the job's parameters, unless `includeParams` is true. */
  readonly omitsParams?: true;
}

const countField = { pageCount: "pageCount" };

const methods = {
  offset: {
    fields: { limit: "limit", limitParam: "limitParam", offsetParam: "offsetParam", ...countField },
    needs: ["limit"],
  },
  pagenum: {
    fields: { limit: "limit", limitParam: "limitParam", pageParam: "pageParam", firstPage: "firstPage", ...countField },
    needs: [],
  },
  "response.url": { fields: { next: "urlKey", ...countField }, needs: [], omitsParams: true },
  "response.param": {
    fields: { next: "responseParam", tokenParam: "queryParam", ...countField },
    needs: ["next", "tokenParam"],
    omitsParams: true,
  },
  cursor: { fields: { next: "idKey", tokenParam: "param", ...countField }, needs: ["next", "tokenParam"] },
  link: { fields: countField, needs: [], omitsParams: true },
  none: { fields: {}, needs: [] },
} as const satisfies Record<MethodName, MethodRow>;

/** The options as the command line spells them. */
const optionSpelling: { readonly [Option in PagingOption]: string } = {
  limit: "--limit",
  limitParam: "--limit-param",
  offsetParam: "--offset-param",
  pageParam: "--page-param",
  firstPage: "--first-page",
  next: "--next",
  tokenParam: "--token-param",
  pageCount: "--page-count",
};

/** Returns the request and the job that an address and options describe. Throws usage errors. */
export function readOneLine(
  address: string,
  options: OneLine,
): { readonly description: RequestDescription; readonly job: JobDraft } {
  const { method = options.data === undefined ? "GET" : "POST" } = options;
  if (method === "GET" && options.data !== undefined) {
    throw new SpileError("usage", "option --data is the body of a POST: leave --method out, or make it POST or FORM");
  }
  const params = [
    ...bodyParameters(options.data),
    ...(options.param ?? []).map(parameter),
    ...(options.jsonParam ?? []).map(jsonParameter),
  ];
  const addressParts = describeAddress(address);
  const user = options.user === undefined ? addressParts.user : userOf(options.user);
  const headers = (options.header ?? []).map(headerOf);
  return {
    description: { ...addressParts, method, params, headers, user },
    job: { dataField: options.records, format: options.format, pagination: paginationOf(options, params.length > 0) },
  };
}

/** Returns `api.pagination`; undefined without options for paging. Throws a usage error if they do not fit together. */
function paginationOf(options: OneLine, hasParameters: boolean): ValueObject | undefined {
  const optionNames = (Object.keys(optionSpelling) as PagingOption[]).filter((name) => options[name] !== undefined);
  const { paging } = options;
  if (paging === undefined) {
    const [first] = optionNames;
    if (first === undefined) return undefined;
    const takingMethods = pagingMethods.filter((method) => first in methods[method].fields).join(" or ");
    throw new SpileError(
      "usage",
      `option ${optionSpelling[first]} configures paging, so it needs --paging ${takingMethods}`,
    );
  }
  const { fields, needs, omitsParams }: MethodRow = methods[paging];
  const foreignOption = optionNames.find((name) => fields[name] === undefined);
  if (foreignOption !== undefined) {
    const names = Object.keys(fields).map((name) => optionSpelling[name as PagingOption]);
    const takes = names.length === 0 ? "takes no such option" : `takes ${names.join(", ")}`;
    throw new SpileError(
      "usage",
      `option ${optionSpelling[foreignOption]} does not belong to --paging ${paging}, which ${takes}`,
    );
  }
  const missing = needs.find((name) => options[name] === undefined);
  if (missing !== undefined) throw new SpileError("usage", `--paging ${paging} needs ${optionSpelling[missing]}`);
  return {
    method: paging,
    ...Object.fromEntries(
      optionNames.map((name) => [fields[name] ?? name, fieldValue(name, options[name] ?? "", paging)]),
    ),
    ...(omitsParams && hasParameters ? { includeParams: true } : {}),
  };
}

function fieldValue(name: PagingOption, value: string | number, paging: MethodName): Value {
  if (typeof value === "number" || name === "limit") return value;
  // The id of a cursor is a plain path in the record, without a prefix such as `last:`.
  if (name === "next") return paging === "cursor" ? value : sourceValue(value);
  if (name === "pageCount") return sourceValue(value);
  // With `limitParam: false`, requests contain no page size.
  return name === "limitParam" && value === "false" ? false : placeValue(value);
}

/** Converts the notation of a source in a response: a path, `links[rel=next].href`, `header:NAME` or `last:PATH`. */
function sourceValue(text: string): Value {
  const [, path, where, value] = /^([^[\]]+)\[([^[\]=]+=[^[\]]+)\](?:\.(.+))?$/.exec(text) ?? [];
  if (path !== undefined && where !== undefined) {
    const [name = "", ...wanted] = where.split("=");
    return { path, where: { [name]: wanted.join("=") }, ...(value === undefined ? {} : { value }) };
  }
  return memberForPrefix(text, { "header:": "header", "last:": "lastRecord" });
}

/**
 * Converts the notation of a place in a request: a name, `path:a.b`, `query:a.b`, `header:NAME`, or `endpoint:NAME` for braces in
 * the address.
 */
function placeValue(text: string): Value {
  return memberForPrefix(text, { "path:": "path", "query:": "query", "header:": "header", "endpoint:": "endpoint" });
}

/** Converts a text with one of these prefixes to an object whose only member is the rest; returns any other text unchanged. */
function memberForPrefix(text: string, prefixes: Readonly<Record<string, string>>): Value {
  const found = Object.entries(prefixes).find(([prefix]) => text.startsWith(prefix) && text.length > prefix.length);
  return found === undefined ? text : { [found[1]]: text.slice(found[0].length) };
}

function parameter([name, value]: readonly [name: string, value: string]): Parameter {
  return { name, value };
}

function jsonParameter([name, json]: readonly [name: string, json: string]): Parameter {
  return { name, value: readJson(json, `option --json-param: the value of ${JSON.stringify(printable(name))}`) };
}

function bodyParameters(data: string | undefined): readonly Parameter[] {
  if (data === undefined) return [];
  const value = readJson(data, "option --data: the given text");
  if (!isObject(value)) throw new SpileError("usage", "option --data: the given text is JSON, but not an object");
  return Object.entries(value).map(([name, inner]) => ({ name, value: inner }));
}

function readJson(text: string, what: string): Value {
  try {
    return parseValue(text);
  } catch (error) {
    throw new SpileError("usage", `${what} is not JSON`, { cause: error });
  }
}

function headerOf(text: string): readonly [name: string, value: string] {
  const [, name = "", value = ""] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === "") throw new SpileError("usage", "option --header: the given text is not of the form 'Name: value'");
  return [name, value.trim()];
}

function userOf(text: string): { readonly name: string; readonly password: string } {
  const colon = text.indexOf(":");
  if (colon < 0) throw new SpileError("usage", "option --user: the given text is not of the form name:password");
  return { name: text.slice(0, colon), password: text.slice(colon + 1) };
}
