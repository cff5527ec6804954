import { isCredential } from "../../knowledge/credentials.ts";
import { singular } from "../../knowledge/words.ts";
import type { ListOperation } from "./lists.ts";

/** A list in the tree of jobs. The values in its path come from settings and from the records of the lists above it. */
export interface Nested {
  readonly operation: ListOperation;
  /** The leading values of the path, which come from settings because no list contains them. */
  readonly settings: readonly PathSetting[];
  /** The placeholders of the endpoint, those of the outermost list first. */
  readonly filled: readonly FilledPlaceholder[];
  readonly children: readonly Nested[];
}

/** A value of a path that a setting gives. */
export interface PathSetting {
  /** The parameter's name in the path. */
  readonly parameter: string;
  readonly setting: string;
}

export interface FilledPlaceholder {
  /** The placeholder's name: `id`, `2:org` if a grandparent's record has the value. */
  readonly placeholder: string;
  /** The parameter's name in the path. */
  readonly parameter: string;
  /** The field of the parent's record that gives the value. */
  readonly field: string;
}

export interface Nesting {
  /** The lists at the top of the tree. */
  readonly roots: readonly Nested[];
  /** Reasons why values in paths come from settings. */
  readonly reasons: readonly { readonly path: string; readonly reason: string }[];
}

/** Puts each list with values in its path below the list that gives them: `/users/{id}/orders` below `/users`. */
export function nest(lists: readonly ListOperation[]): Nesting {
  const reasons: { readonly path: string; readonly reason: string }[] = [];
  const parents = new Map<ListOperation, Parent>();
  for (const operation of lists.filter(({ path }) => parametersOf(path).length > 0)) {
    const found = parentOf(operation, lists);
    if (typeof found === "string") reasons.push({ path: operation.path, reason: found });
    else parents.set(operation, found);
  }
  const nested = (operation: ListOperation, fields: readonly string[], settings: readonly string[]): Nested => {
    const names = parametersOf(operation.path);
    const namesFromRecords = names.slice(settings.length);
    return {
      operation,
      settings: settings.map((setting, index) => ({ parameter: names[index] ?? "", setting })),
      filled: namesFromRecords.map((parameter, index) => {
        const level = namesFromRecords.length - index;
        return {
          placeholder: level === 1 ? parameter : `${level}:${parameter}`,
          parameter,
          field: fields[index] ?? "",
        };
      }),
      children: lists.flatMap((one) => {
        const parent = parents.get(one);
        return parent?.above === operation ? [nested(one, [...fields, parent.field], settings)] : [];
      }),
    };
  };
  const roots = lists.filter((one) => !parents.has(one));
  return { roots: roots.map((root) => nested(root, [], settingsOf(root.path))), reasons };
}

/** Names of parameters that mean nothing without the word before them. */
const bareNames = /^(id|uuid|guid|key|name|code|number|slug|type)$/i;

/** Returns the names of the settings for the values of a path: `user_id` for `/users/{id}`. */
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
  /** The field of the parent's records that holds the last value of the path. */
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
  if (above === undefined) return `no list at ${segments.slice(0, index).join("/") || "/"} gives its {${parameter}}`;
  const field = fieldFor(parameter, above);
  return field === undefined ? `no field of the records of ${above.path} gives its {${parameter}}` : { above, field };
}

/**
 * Returns the field that holds the value of a parameter. For `userId`, this is the field `userId` of a user, or else `id`; for
 * `slug`, it is `slug`; for any other `...id`, it is `id`.
 */
function fieldFor(parameter: string, { fields, path }: ListOperation): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  const list = plain(path.split("/").findLast((segment) => segment !== "" && !segment.includes("{")) ?? "");
  const word = plain(parameter);
  const nouns = [list, list.replace(/ies$/, "y"), list.replace(/es$/, ""), list.replace(/s$/, "")];
  const behindNouns = nouns.filter((one) => one !== "" && word.startsWith(one)).map((one) => word.slice(one.length));
  const wantedNames = [
    word,
    ...behindNouns.map((rest) => (rest === "" ? "id" : rest)),
    ...(/id$/.test(word) ? ["id"] : []),
  ];
  return wantedNames.map((name) => fields.find((field) => plain(field) === name)).find((field) => field !== undefined);
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

/** Returns a path without the names of its parameters. */
function shapeOf(path: string): string {
  return path.replace(/\{[^{}]*\}/g, "{}").replace(/\/$/, "");
}
