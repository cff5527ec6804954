/** A link of a `Link` header: its target and its parameters. If a parameter is given twice, the first one counts. */
interface Link {
  readonly target: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Returns the target of the first link with a relation in a `Link` header (RFC 8288); if there are several headers, their texts
 * must be joined by commas. A link with `results="false"` does not count: Sentry sends it when there is no next page. A link
 * whose anchor is a relative address belongs to another resource. Returns undefined if there is no such link, or if the header
 * cannot be read.
 */
export function linkTarget(header: string, relation: string): string | undefined {
  const relationName = relation.toLowerCase();
  for (const { target, parameters } of linksOf(header) ?? []) {
    const relations = (parameters.get("rel") ?? "").toLowerCase().split(/\s+/);
    const isElsewhere = !/^$|^https?:/i.test(parameters.get("anchor") ?? "");
    if (relations.includes(relationName) && parameters.get("results") !== "false" && !isElsewhere)
      return target || undefined;
  }
  return undefined;
}

/** Returns whether a `Link` header that cannot be read mentions a next page. */
export function hidesNextLink(header: string): boolean {
  return /rel/i.test(header) && /next/i.test(header) && linksOf(header) === undefined;
}

/** Each pattern is tried where the previous match ended, and only once there, so the time is linear. */
const separator = /[\s,]*/y;
/** Some servers write the target without its brackets. */
const targetPattern = /<([^>]*)>|([^\s;<>"]+)(?=\s*;)/y;
/** A parameter may have no value; an empty parameter is skipped. */
const parameterPattern = /\s*;\s*(?:([^\s=;,"'<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(?!')([^\s;,"<>]*)))?)?/y;
const endPattern = /\s*(?:,|$)/y;

/** Returns the links of a header; undefined if it cannot be read. */
function linksOf(header: string): readonly Link[] | undefined {
  const links: Link[] = [];
  let index = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = index;
    const found = pattern.exec(header);
    if (found !== null) index = pattern.lastIndex;
    return found ?? undefined;
  };
  for (take(separator); index < header.length; take(separator)) {
    const found = take(targetPattern);
    if (found === undefined) return undefined;
    const parameters = new Map<string, string>();
    for (let part = take(parameterPattern); part !== undefined; part = take(parameterPattern)) {
      const [, name, quoted, single, bare = ""] = part;
      const key = name?.toLowerCase();
      if (key !== undefined && !parameters.has(key))
        parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? single ?? bare);
    }
    if (take(endPattern) === undefined) return undefined;
    links.push({ target: (found[1] ?? found[2] ?? "").trim(), parameters });
  }
  return links;
}
