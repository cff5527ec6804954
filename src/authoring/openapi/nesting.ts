import { isCredential } from "../../knowledge/credentials.ts";
import { singular } from "../../knowledge/words.ts";
import type { ListOperation } from "./lists.ts";

/** A list in the tree of jobs. The values in its path come from settings and from the records of the lists above it. */
export interface NestedList {
  readonly operation: ListOperation;
  /** The first values of the path. They come from settings, because no list contains them. */
  readonly settings: readonly PathSetting[];
  /** The other values of the path; those from the outermost list come first. */
  readonly placeholders: readonly PathPlaceholder[];
  readonly children: readonly NestedList[];
}

/** A value of a path that comes from a setting. */
export interface PathSetting {
  /** The parameter's name in the path. */
  readonly parameter: string;
  readonly setting: string;
}

/** A value of a path that comes from the records of a list above. */
export interface PathPlaceholder {
  /** The placeholder's name: `id`, or `2:org` if the value is in the record of the parent's parent. */
  readonly placeholder: string;
  /** The parameter's name in the path. */
  readonly parameter: string;
  /** The field of the record that contains the value. */
  readonly field: string;
}

export interface Nesting {
  /** The lists at the top of the tree. */
  readonly roots: readonly NestedList[];
  /** Reasons why values in paths come from settings. */
  readonly reasons: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Puts a list with values in its path below the list whose records contain the last of them, if there is one: `/users/{id}/orders`
 * below `/users`.
 */
export function nest(lists: readonly ListOperation[]): Nesting {
  const reasons: { readonly path: string; readonly reason: string }[] = [];
  const parents = new Map<ListOperation, Parent>();
  for (const operation of lists.filter(({ path }) => parametersOf(path).length > 0)) {
    const found = parentOf(operation, lists);
    if (typeof found === "string") reasons.push({ path: operation.path, reason: found });
    else parents.set(operation, found);
  }
  const nestedList = (operation: ListOperation, fields: readonly string[], settings: readonly string[]): NestedList => {
    const names = parametersOf(operation.path);
    const namesFromRecords = names.slice(settings.length);
    return {
      operation,
      settings: settings.map((setting, index) => ({ parameter: names[index] ?? "", setting })),
      placeholders: namesFromRecords.map((parameter, index) => {
        const level = namesFromRecords.length - index;
        return {
          placeholder: level === 1 ? parameter : `${level}:${parameter}`,
          parameter,
          field: fields[index] ?? "",
        };
      }),
      children: lists.flatMap((one) => {
        const parent = parents.get(one);
        return parent?.above === operation ? [nestedList(one, [...fields, parent.field], settings)] : [];
      }),
    };
  };
  const roots = lists.filter((one) => !parents.has(one));
  return { roots: roots.map((root) => nestedList(root, [], settingsOf(root.path))), reasons };
}

/** Names of parameters that mean nothing without the word before them. */
const bareNames = /^(id|uuid|guid|key|name|code|number|slug|type)$/i;

/** Returns the names of the settings for the values of a path: `user_id` for `/users/{id}/orders`. */
function settingsOf(path: string): readonly string[] {
  const segments = path.split("/");
  return parametersOf(path).map((parameter) => {
    const before = segments[segments.findIndex((segment) => segment.includes(`{${parameter}}`)) - 1] ?? "";
    const isNamed = bareNames.test(parameter) && /^[A-Za-z][\w-]*$/.test(before);
    const name = isNamed ? `${singular(before)}_${parameter}` : parameter;
    return isCredential(name) ? `#${name}` : name;
  });
}

interface Parent {
  readonly above: ListOperation;
  /** The field of the records of `above` that contains the last value of the path. */
  readonly field: string;
}

/** Returns the nearest list above a path, or the reason why there is none. */
function parentOf({ path }: ListOperation, lists: readonly ListOperation[]): Parent | string {
  const segments = path.split("/");
  const index = segments.findLastIndex((segment) => segment.includes("{"));
  const parameter = /^\{([^{}]+)\}$/.exec(segments[index] ?? "")?.[1];
  if (parameter === undefined) return "its parameter is only a part of a path segment";
  const prefix = shapeOf(segments.slice(0, index).join("/"));
  const above = lists.find((one) => shapeOf(one.path) === prefix);
  if (above === undefined) return `no list at ${segments.slice(0, index).join("/") || "/"} contains its {${parameter}}`;
  const field = fieldFor(parameter, above);
  return field === undefined
    ? `no field of the records of ${above.path} contains its {${parameter}}`
    : { above, field };
}

/**
 * Returns the field of a list's records that contains the value of a path parameter; undefined if there is none. A field of the
 * parameter's name comes first. Without it, `userSlug` below `/users` is the field `slug`, `user` is `id`, and any name that ends
 * in `id` is `id`.
 */
function fieldFor(parameter: string, { fields, path }: ListOperation): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const list = plain(path.split("/").findLast((segment) => segment !== "" && !segment.includes("{")) ?? "");
  const word = plain(parameter);
  const nouns = [list, list.replace(/ies$/, "y"), list.replace(/es$/, ""), list.replace(/s$/, "")];
  const withoutNouns = nouns.filter((one) => one !== "" && word.startsWith(one)).map((one) => word.slice(one.length));
  const wantedNames = [
    word,
    ...withoutNouns.map((rest) => (rest === "" ? "id" : rest)),
    ...(/id$/.test(word) ? ["id"] : []),
  ];
  return wantedNames.map((name) => fields.find((field) => plain(field) === name)).find((field) => field !== undefined);
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

/** Returns a path with `{}` in place of its parameters, and without a slash at its end. */
function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, "{}").replace(/\/$/, "");
}
