import { SpileError } from "../errors.ts";
import { percentEncode } from "../text/percent-encoding.ts";
import { scalarText, type Value } from "../values/value.ts";
import type { QueryItem, Request } from "./request.ts";

/*
 * Paging values inside the endpoint, as in `users/page/{page}` (contract C-26.5). While a request is built, the slot
 * `!(spile:page)!` stands for `{page}`. The `URL` class keeps the characters of a slot, and the percent-encoded value of another
 * placeholder cannot contain them.
 */

const slotBegin = "!(spile:";
const anySlot = /!\(spile:[^()!]*\)!/g;

function slotOf(name: string): string {
  return `${slotBegin}${encodeURIComponent(name)})!`;
}

/** Returns an endpoint with a slot instead of each `{name}`. */
export function endpointWithSlots(endpoint: string, names: readonly string[]): string {
  return names.reduce((text, name) => text.replaceAll(`{${name}}`, slotOf(name)), endpoint);
}

/**
 * Replaces the slot of `name` in a request's address by a value, percent-encoded. Throws SpileError `configuration` if the endpoint
 * has no such slot. Throws SpileError `data` if the value is a list or an object, or would add a "." or ".." to the path.
 */
export function withEndpointValue(request: Request, name: string, value: Value): Request {
  const text = scalarText(value);
  const slot = slotOf(name);
  if (!request.url.includes(slot) && !request.query.some((item) => "raw" in item && item.raw.includes(slot))) {
    throw new SpileError(
      "configuration",
      `the endpoint does not contain {${name}}, which paging replaces with its value`,
    );
  }
  if (text === undefined)
    throw new SpileError("data", `the value for {${name}} in the endpoint is a list or an object`);
  const url = request.url.replaceAll(slot, percentEncode(text));
  if (dotSegments(url) > dotSegments(request.url)) {
    throw new SpileError(
      "data",
      `the value ${JSON.stringify(text)} for {${name}} would change the path of the address`,
    );
  }
  return { ...request, url, query: replaceInQuery(request.query, slot, percentEncode(text)) };
}

/** Returns the request without the slots that got no value. */
export function withoutSlots(request: Request): Request {
  const hasSlot = (text: string): boolean => text.includes(slotBegin);
  if (!hasSlot(request.url) && !request.query.some((item) => "raw" in item && hasSlot(item.raw))) return request;
  return { ...request, url: request.url.replace(anySlot, ""), query: replaceInQuery(request.query, anySlot, "") };
}

function replaceInQuery(query: readonly QueryItem[], slot: string | RegExp, text: string): readonly QueryItem[] {
  return query.map((item) => ("raw" in item ? { ...item, raw: item.raw.replaceAll(slot, text) } : item));
}

function dotSegments(address: string): number {
  return address.split("/").filter((segment) => segment === "." || segment === "..").length;
}
