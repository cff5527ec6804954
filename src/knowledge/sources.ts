import { type Evidence, type Watched, watchedOf, watchKey } from "../core/runs/page.ts";
import { type Path, pathText } from "../core/values/path.ts";
import { isObject } from "../core/values/value.ts";
import type { ExchangeFacts } from "./exchange-facts.ts";
import { type Role, roleOf } from "./fields.ts";
import { headerRoles, rangeTotal } from "./headers.ts";
import { linkTarget } from "./link-header.ts";
import { parsedText } from "./parsed-text.ts";
import { isPlaceName } from "./places.ts";

/** The place of a sign of more records: a path of the body, a header, or a member of a header that contains an object. */
export type SignalPlace = { readonly path: Path } | { readonly header: string; readonly member?: string };

/** A field or header whose name has a meaning, and the fields beside it. */
export interface NamedField {
  readonly origin: SignalPlace;
  readonly role: Role;
  readonly value: Watched;
  /** The name of the object that contains the field; "" for the root and for headers. */
  readonly parent: string;
  /** The fields of the same object whose names have a meaning, including this field; empty for a header. */
  readonly beside: readonly Neighbour[];
  /**
   * True for a header, and for a field in the root, in the object that directly contains the records, or in an object of paging.
   */
  readonly isNear: boolean;
}

export interface Neighbour {
  readonly role: Role;
  readonly value: Watched;
}

/** Returns the fields and headers of an exchange whose names have a meaning (`Role`). */
export function sourcesOf(exchange: ExchangeFacts): readonly NamedField[] {
  return [...bodySources(exchange.evidence, exchange.dataPath), ...headerSources(exchange)];
}

function bodySources(evidence: readonly Evidence[], dataPath: Path | undefined): NamedField[] {
  const groups = new Map<string, Neighbour[]>();
  const meaningful = evidence.flatMap(({ path, value }) => {
    const role = roleOf(path.at(-1) ?? "");
    if (role === undefined) return [];
    const around = watchKey(path.slice(0, -1));
    const group = groups.get(around) ?? [];
    groups.set(around, group);
    group.push({ role, value });
    return [{ path, role, value, beside: group }];
  });
  const holder = dataPath === undefined ? undefined : watchKey(dataPath.slice(0, -1));
  return meaningful.map(({ path, ...rest }) => {
    const parent = path.at(-2) ?? "";
    const isHolder = path.length === 1 || (holder !== undefined && watchKey(path.slice(0, -1)) === holder);
    return { origin: { path }, parent, isNear: isHolder || isPlaceName(parent), ...rest };
  });
}

function headerSources({ headerNames, header }: ExchangeFacts): NamedField[] {
  return headerRoles(headerNames).flatMap(({ name, role }): NamedField[] => {
    const text = header(name)?.trim() ?? "";
    if (text === "") return [];
    if (role === "fields") return memberSources(name, text);
    const value: Watched = { type: "string", text: role === "range" ? (rangeTotal(text) ?? "") : text, empty: false };
    const link = role === "relation" ? linkTarget(text, "next") : undefined;
    if (role === "relation") {
      const links: Role = { kind: "links", words: [] };
      const target: Watched = { type: "string", text: link ?? "", empty: link === undefined };
      return [{ origin: { header: name }, role: links, value: target, parent: "", beside: [], isNear: true }];
    }
    const meaning: Role = role === "range" ? { kind: "total", words: [] } : role;
    return [{ origin: { header: name }, role: meaning, value, parent: "", beside: [], isNear: true }];
  });
}

/** Returns the members of a header that contains an object (`X-Pagination`), as fields beside the records. */
function memberSources(header: string, text: string): NamedField[] {
  const object = parsedText(text);
  if (!isObject(object)) return [];
  const evidence = Object.entries(object).map(([name, value]): Evidence => ({ path: [name], value: watchedOf(value) }));
  return bodySources(evidence, undefined).map((source) => {
    const member = "path" in source.origin ? pathText(source.origin.path) : "";
    return { ...source, origin: { header, member } };
  });
}
