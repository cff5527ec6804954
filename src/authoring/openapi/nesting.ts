import type { ListOperation } from "./lists.ts";

/** A list that is asked for once for each record of another, and how its path's values come from the lists above it. */
export interface Nested {
  readonly operation: ListOperation;
  /** The endpoint's placeholders: their names in braces, and the fields that fill them; the outermost list's first. */
  readonly filled: readonly Filled[];
  readonly children: readonly Nested[];
}

export interface Filled {
  /** As a placeholder is called: `id`, `2:org` where a grandparent's record has the value. */
  readonly placeholder: string;
  /** The parameter as the path calls it. */
  readonly parameter: string;
  readonly field: string;
}

export interface Nesting {
  /** The lists whose paths hold no values, those that hang on them below. */
  readonly roots: readonly Nested[];
  /** Lists that hang on nothing, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/** Hangs the lists with values in their paths below the lists that give these: `/users/{id}/orders` below `/users`. */
export function nest(lists: readonly ListOperation[]): Nesting {
  const left: { readonly path: string; readonly why: string }[] = [];
  const parents = new Map<ListOperation, { readonly above: ListOperation; readonly field: string }>();
  for (const operation of lists.filter(({ path }) => parametersOf(path).length > 0)) {
    const found = parentOf(operation, lists);
    if (typeof found === "string") left.push({ path: operation.path, why: found });
    else parents.set(operation, found);
  }
  const fieldsTo = (operation: ListOperation): readonly string[] => {
    const parent = parents.get(operation);
    return parent === undefined ? [] : [...fieldsTo(parent.above), parent.field];
  };
  const nested = (operation: ListOperation): Nested => ({
    operation,
    filled: filledBy(operation.path, fieldsTo(operation)),
    children: lists.filter((one) => parents.get(one)?.above === operation).map(nested),
  });
  const roots = lists.filter(({ path }) => parametersOf(path).length === 0);
  const reached = new Set(roots.flatMap((root) => all(nested(root))));
  for (const { path } of [...parents.keys()].filter((one) => !reached.has(one)))
    left.push({ path, why: "the list that gives its values is left out itself" });
  return { roots: roots.map(nested), left };
}

function all({ operation, children }: Nested): ListOperation[] {
  return [operation, ...children.flatMap(all)];
}

function filledBy(path: string, fields: readonly string[]): Filled[] {
  const names = parametersOf(path);
  return names.map((parameter, index) => {
    const level = names.length - index;
    const placeholder = level === 1 ? parameter : `${level}:${parameter}`;
    return { placeholder, parameter, field: fields[index] ?? "" };
  });
}

/** The nearest list above a path, and the field of its records that its last value is. A text says why there is none. */
function parentOf(
  { path }: ListOperation,
  lists: readonly ListOperation[],
): { readonly above: ListOperation; readonly field: string } | string {
  const segments = path.split("/");
  const at = segments.findLastIndex((segment) => segment.includes("{"));
  const parameter = /^\{([^{}]+)\}$/.exec(segments[at] ?? "")?.[1];
  if (parameter === undefined) return "its value is only a part of a word of the path";
  const prefix = shapeOf(segments.slice(0, at).join("/"));
  const above = lists.find((one) => shapeOf(one.path) === prefix);
  if (above === undefined) return `no list at ${segments.slice(0, at).join("/") || "/"} gives its {${parameter}}`;
  const field = fieldFor(parameter, above);
  return field === undefined ? `no field of the records of ${above.path} is its {${parameter}}` : { above, field };
}

/** `userId` is a user's `userId`, or else its `id`; `slug` is its `slug`; whatever else is called `...id` its `id`. */
function fieldFor(parameter: string, { fields, path }: ListOperation): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const list = plain(path.split("/").findLast((segment) => segment !== "" && !segment.includes("{")) ?? "");
  const word = plain(parameter);
  const singular = [list, list.replace(/ies$/, "y"), list.replace(/es$/, ""), list.replace(/s$/, "")];
  const own = singular.filter((one) => one !== "" && word.startsWith(one)).map((one) => word.slice(one.length));
  const wanted = [word, ...own.map((rest) => (rest === "" ? "id" : rest)), ...(/id$/.test(word) ? ["id"] : [])];
  return wanted.map((name) => fields.find((field) => plain(field) === name)).find((field) => field !== undefined);
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

/** A path without the names of its values. */
function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, "{}").replace(/\/$/, "");
}
