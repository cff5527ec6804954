import { type Role, roleOf } from "./fields.ts";
import { wordsOf } from "./words.ts";

/** Reading of a header: by its role, as a range (`items 0-24/100`), as links, or as an object of fields. */
export type HeaderRole = Role | "range" | "relation" | "fields";

/** Headers that are read in their own way. */
const special: ReadonlyMap<string, HeaderRole> = new Map<string, HeaderRole>([
  ["content-range", "range"],
  ["link", "relation"],
  ["x-pagination", "fields"],
]);

/** Makers and groups that stand before a header's words: `X-WP-Total`, `x-ms-continuation`, `X-Pagination-Total-Count`. */
const prefixes: ReadonlySet<string> = new Set(["x", "wp", "ms", "pagination", "paging", "partition"]);

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

/** Returns the headers of a response that tell of paging, by their names. */
export function headerRoles(
  names: readonly string[] = commonNames,
): readonly { readonly name: string; readonly role: HeaderRole }[] {
  const spelled = new Map(names.map((name) => [name.toLowerCase(), name]));
  return [...spelled].flatMap(([lower, name]) => {
    const role = headerRole(name);
    return role === undefined ? [] : [{ name: usualSpelling.get(lower) ?? name, role }];
  });
}

/** Returns what a header says by its name; undefined if it says nothing of paging. */
export function headerRole(name: string): HeaderRole | undefined {
  const specialRole = special.get(name.toLowerCase());
  if (specialRole !== undefined) return specialRole;
  const role = roleOf(
    wordsOf(name)
      .filter((word) => !prefixes.has(word))
      .join("_"),
  );
  // A page's own place and links of other kinds are told in headers, too.
  return role === undefined || ["beside", "links", "token", "end"].includes(role.kind) ? undefined : role;
}

/** Returns the total of a `Content-Range`; undefined for a range of bytes, which is none of records. */
export function rangeTotal(value: string): string | undefined {
  return /^(?!bytes\b)[\w-]+\s+(?:[0-9]+-[0-9]+|\*)\/([0-9]+)$/i.exec(value)?.[1];
}
