import { SpileError } from "../errors.ts";
import { percentEncode } from "../text/percent-encoding.ts";
import { scalarText, type Value } from "../values/value.ts";
import type { QueryItem, Request } from "./request.ts";

/*
 * A value of paging inside the endpoint, as in `users/page/{page}` (contract C-26.5). While a request is built, a mark replaces the
 * braces. An address keeps the characters of the mark, and no percent-encoded value of a placeholder can contain them.
 */

const markBegin = "!(spile:";
const anyMark = /!\(spile:[^()!]*\)!/g;

function markOf(name: string): string {
  return `${markBegin}${encodeURIComponent(name)})!`;
}

/** Returns an endpoint with a mark in place of each `{name}`. */
export function markEndpoint(endpoint: string, names: readonly string[]): string {
  return names.reduce((text, name) => text.replaceAll(`{${name}}`, markOf(name)), endpoint);
}

/**
 * Replaces the mark of `name` in a request's address by a value, percent-encoded. Throws SpileError `configuration` if the endpoint
 * has no such mark, `data` if the value is not a text or would change the path.
 */
export function withEndpointValue(request: Request, name: string, value: Value): Request {
  const text = scalarText(value);
  const mark = markOf(name);
  if (!request.url.includes(mark) && !request.query.some((item) => "raw" in item && item.raw.includes(mark))) {
    throw new SpileError("configuration", `the endpoint holds no {${name}}, which paging replaces with its value`);
  }
  if (text === undefined)
    throw new SpileError("data", `the value for {${name}} in the endpoint is a list or an object`);
  const url = request.url.replaceAll(mark, percentEncode(text));
  if (dotSegments(url) > dotSegments(request.url)) {
    throw new SpileError(
      "data",
      `the value ${JSON.stringify(text)} for {${name}} would change the path of the address`,
    );
  }
  return { ...request, url, query: replaceInQuery(request.query, mark, percentEncode(text)) };
}

/** Returns the request without the marks that no value has replaced. */
export function withoutMarks(request: Request): Request {
  const isMarked = (text: string): boolean => text.includes(markBegin);
  if (!isMarked(request.url) && !request.query.some((item) => "raw" in item && isMarked(item.raw))) return request;
  return { ...request, url: request.url.replace(anyMark, ""), query: replaceInQuery(request.query, anyMark, "") };
}

function replaceInQuery(query: readonly QueryItem[], mark: string | RegExp, text: string): readonly QueryItem[] {
  return query.map((item) => ("raw" in item ? { ...item, raw: item.raw.replaceAll(mark, text) } : item));
}

function dotSegments(address: string): number {
  return address.split("/").filter((segment) => segment === "." || segment === "..").length;
}
