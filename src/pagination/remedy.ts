import { type ListPick, pickText } from "../core/runs/response-source.ts";
import { shellArgument } from "../core/text/shell.ts";
import { type Path, pathText } from "../core/values/path.ts";
import type { Value } from "../core/values/value.ts";
import type { Scroller } from "../generated/configuration.ts";
import type { More } from "../knowledge/signals.ts";
import type { SignalPlace } from "../knowledge/sources.ts";

/** Returns advice with a field of the configuration that follows a sign of a next page; undefined if no field is sure to follow it. */
export function remedyFor({ kind, origin, pick, object }: More, method: Scroller["method"]): string | undefined {
  if ("member" in origin) return undefined;
  switch (kind) {
    case "address":
      return method === "response.url"
        ? followText(urlKey(origin))
        : paginationText(`"method": "response.url", ${urlKey(origin)}`);
    case "token":
      return method === "response.param"
        ? followText(`"responseParam": ${source(origin)}`)
        : paginationText(`"method": "response.param", "responseParam": ${source(origin)}${tokenParameter(object)}`);
    case "list":
      return pick === undefined || !("path" in origin)
        ? undefined
        : paginationText(`"method": "response.url", "urlKey": ${JSON.stringify(pickSource(origin.path, pick))}`);
    case "link":
      return paginationText('"method": "link"');
    default:
      return undefined;
  }
}

/** Like `remedyFor`, but returns advice with options of `spile get`. */
export function optionsFor(more: More): string | undefined {
  const { kind, origin, pick, object } = more;
  if ("member" in origin) return undefined;
  const next =
    "header" in origin
      ? `header:${origin.header}`
      : origin.path.some((name) => name.includes("."))
        ? undefined
        : pathText(origin.path);
  if (kind === "link") return followText("--paging link");
  if (next === undefined) return undefined;
  const source = shellArgument(`${next}${pick === undefined ? "" : pickText(pick)}`);
  if (kind === "list") return pick && followText(`--paging response.url --next ${source}`);
  if (kind === "address") return followText(`--paging response.url --next ${source}`);
  // There are no options that send each member of an object.
  return kind === "token" && object !== "members"
    ? followText(`--paging response.param --next ${source} --token-param ...`)
    : undefined;
}

/** Returns the field `queryParam`; "" if each member of the token is sent as a parameter of its own name. */
function tokenParameter(object: More["object"]): string {
  return object === "members" ? "" : `, "queryParam": ...`;
}

function pickSource(path: Path, { where, value }: ListPick): object {
  return { path: pathText(path), where, value: pathText(value) };
}

/** Advice for a job without paging if the answer does not show how to continue. */
export const initAdvice = "spile init can find how the API pages";

function followText(field: string): string {
  return `${field} would follow it`;
}

function paginationText(fields: string): string {
  return followText(`"pagination": {${fields}}`);
}

function urlKey(origin: SignalPlace): string {
  const dotted = "path" in origin ? dottedPath(origin.path) : undefined;
  if (dotted === undefined) return `"urlKey": ${source(origin)}`;
  return `"urlKey": ${JSON.stringify(dotted.path)}, "delimiter": ${JSON.stringify(dotted.delimiter)}`;
}

function source(origin: SignalPlace): string {
  return JSON.stringify(configuredSource(origin));
}

/**
 * Returns a place as the configuration writes it; undefined for a member of a header. `member`: if the place contains an object,
 * the member with the value.
 */
export function configuredSource(origin: SignalPlace, member?: string): Value | undefined {
  if ("header" in origin) return origin.member === undefined ? { header: origin.header } : undefined;
  const path = member === undefined ? origin.path : [...origin.path, member];
  return dottedPath(path) ?? pathText(path);
}

/** Returns a path with another delimiter if its keys contain dots; undefined for other paths. */
function dottedPath(path: Path): { path: string; delimiter: string } | undefined {
  if (!path.some((name) => name.includes("."))) return undefined;
  const delimiter = ["/", "|", ">"].find((text) => !path.some((name) => name.includes(text))) ?? "|";
  return { path: path.join(delimiter), delimiter };
}
