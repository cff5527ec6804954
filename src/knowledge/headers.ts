import { type Role, roleOf } from "./fields.ts";
import { rememberingNames, wordsOf } from "./words.ts";

/** The way in which a header is read: by its role, as a range (`items 0-24/100`), as links, or as an object of fields. */
export type HeaderRole = Role | "range" | "relation" | "fields";

/** Headers that are not read by the role of their names. */
const special: ReadonlyMap<string, HeaderRole> = new Map<string, HeaderRole>([
  ["content-range", "range"],
  ["x-content-range", "range"],
  ["link", "relation"],
]);

/** Names of headers that contain an object: `X-Pagination`, `Paging-Headers`. */
const objectNames = /^(x-)?(pagination|paging)(-(headers?|info|meta(data)?))?$/i;

/** Words that mean the records in the names of headers. In a body they may mean other things. */
const headerNouns = new Set(["resource", "resources", "list", "collection"]);

/** Prefixes of vendors and groups in names of headers: `X-WP-Total`, `x-ms-continuation`, `X-Pagination-Total-Count`. */
const prefixes: ReadonlySet<string> = new Set(["x", "wp", "pw", "ms", "nomad", "pagination", "paging", "partition"]);

/** Headers that are looked up if the names of a response's headers are not known. */
const commonNames = [
  ...[
    "X-Total-Count",
    "X-Total",
    "X-WP-Total",
    "Total-Count",
    "Total",
    "X-Pagination-Total-Count",
    "X-Pagination-Item-Count",
  ],
  ...[
    "Content-Range",
    "X-Total-Pages",
    "X-WP-TotalPages",
    "X-Pagination-Page-Count",
    "X-Pages",
    "X-Next-Page",
    "X-Next-Cursor",
  ],
  ...["X-Continuation-Token", "x-ms-continuation", "x-ms-continuationtoken", "x-ms-continuation-NextPartitionKey"],
  ...["Next-Range", "Next-Page", "Total-Records", "Total-Objects", "X-Pagination", "Link"],
];

const usualSpelling = new Map(commonNames.map((name) => [name.toLowerCase(), name]));

/** Returns those of the given headers that are about paging, by their names. */
export function headerRoles(
  names: readonly string[] = commonNames,
): readonly { readonly name: string; readonly role: HeaderRole }[] {
  const spelled = new Map(names.map((name) => [name.toLowerCase(), name]));
  return [...spelled].flatMap(([lower, name]) => {
    const role = headerRole(name);
    return role === undefined ? [] : [{ name: usualSpelling.get(lower) ?? name, role }];
  });
}

/** Returns the role of a header by its name; undefined if the header is not about paging. */
export const headerRole = rememberingNames((name): HeaderRole | undefined => {
  const specialRole = special.get(name.toLowerCase());
  if (specialRole !== undefined) return specialRole;
  if (objectNames.test(name)) return "fields";
  const words = wordsOf(name).filter((word) => !prefixes.has(word));
  const role = roleOf(words.map((word) => (headerNouns.has(word) ? "items" : word)).join("_"));
  return role === undefined || otherKinds.has(role.kind) || role.words[0] === "hits" ? undefined : role;
});

/** Kinds of roles that do not count in a header, such as the position of the page itself. */
const otherKinds = new Set<Role["kind"]>([
  "beside",
  "links",
  "token",
  "end",
  "lead",
  "partial",
  "progress",
  "estimate",
]);

/** Returns the total of a `Content-Range`, with or without a unit; undefined for a range of bytes, which does not count records. */
export function rangeTotal(value: string): string | undefined {
  return /^(?:(?!bytes\b)[\w-]+\s+)?(?:[0-9]+-[0-9]+|\*)\/([0-9]+)$/i.exec(value)?.[1];
}
