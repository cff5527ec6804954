import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { listOf, objectOf, UnsupportedError } from "../described/values.ts";
import { meaningOf } from "./evaluate.ts";
import { parentValue } from "./fields.ts";
import { type Meaning, pythonText, valueMeaning } from "./meaning.ts";
import { settingList } from "./request.ts";
import { eachValue, knownValue, type ManifestScope } from "./scope.ts";

/**
 * The part of a stream that one job requests: for one value of a list, for each record of a parent, or for each element of a list
 * that only a run has.
 */
export interface Slice {
  /** The parent. A run sends the requests for each of its records. */
  readonly parent: SliceParent | undefined;
  /** Identity of the slice within its stream. */
  readonly key: Value;
  /** Expression for a list that only a run has. A run sends the requests for each of its elements. */
  readonly list: Value | undefined;
  /** Returns the value at a path of the slice; undefined if the slice has none. */
  read(path: readonly string[]): Meaning | undefined;
  /** The values that the partition router puts into requests, with the request options that name their places. */
  readonly options: readonly { readonly option: ValueObject; readonly meaning: Meaning }[];
  /** The job's `placeholders` that `read` and `options` have used so far. */
  readonly placeholders: Map<string, Value>;
}

export interface SliceParent {
  readonly stream: ValueObject;
  readonly slice: Slice;
  /** True if a run sends the requests only for those records that an incremental run of the parent reads. */
  readonly isIncremental: boolean;
  /**
   * A second parent. Its job is above the job of `stream` and of the ancestors of `stream`, so that a run sends the requests for each
   * pair of the parents' records.
   */
  readonly under: SliceParent | undefined;
}

/** The only slice of a stream that sends its requests once. */
export const wholeSlice: Slice = {
  parent: undefined,
  key: [],
  list: undefined,
  read: () => undefined,
  options: [],
  placeholders: new Map(),
};

/** Converts partition routers. Several routers give every combination of their slices. Throws `UnsupportedError`. */
export function slicesOf(routers: Value | undefined, scope: ManifestScope): readonly Slice[] {
  const all = listOf(routers).filter((router) => Object.keys(router).length > 0);
  return all.reduce<readonly Slice[]>(
    (slices, router) => slices.flatMap((slice) => slicesOfRouter(router, scope).map((one) => combine(slice, one))),
    [wholeSlice],
  );
}

function slicesOfRouter(router: ValueObject, scope: ManifestScope): readonly Slice[] {
  const reader = readers[String(router.type)];
  if (reader === undefined)
    throw new UnsupportedError(`it needs the partition router ${String(router.class_name ?? router.type)}`);
  return reader(router, scope);
}

/** Combines two slices. If both have a parent, the second parent is requested again for each record of the first. */
function combine(left: Slice, right: Slice): Slice {
  if (left === wholeSlice) return right;
  if (left.list !== undefined && right.list !== undefined)
    throw new UnsupportedError("it is repeated for each pair of values from two lists that only a run knows");
  const bothHaveParents = left.parent !== undefined && right.parent !== undefined;
  const placeholders = new Map<string, Value>();
  const levels = bothHaveParents ? depthOf(right.parent) : 0;
  const read = (path: readonly string[]): Meaning | undefined => {
    const leftMeaning = left.read(path);
    const found =
      leftMeaning === undefined
        ? right.read(path)
        : raisePlaceholder(leftMeaning, levels, left.placeholders, placeholders);
    for (const slice of bothHaveParents ? [right] : [left, right])
      for (const [name, value] of slice.placeholders) placeholders.set(name, value);
    return found;
  };
  return {
    parent: bothHaveParents ? withUnder(right.parent, left.parent) : (left.parent ?? right.parent),
    key: [left.key, right.key],
    list: left.list ?? right.list,
    read,
    get options() {
      const raisedOptions = left.options.map(({ option, meaning }) => ({
        option,
        meaning: raisePlaceholder(meaning, levels, left.placeholders, placeholders),
      }));
      const rightOptions = right.options;
      for (const [name, value] of right.placeholders) placeholders.set(name, value);
      return [...raisedOptions, ...rightOptions];
    },
    placeholders,
  };
}

/** Puts a parent below another one. If the parent has ancestors, the outermost ancestor is put below the other one. */
export function withUnder(parent: SliceParent | undefined, under: SliceParent | undefined): SliceParent | undefined {
  if (parent === undefined) return under;
  return { ...parent, under: withUnder(parent.under, under) };
}

/** Returns the number of jobs from the outermost ancestor of a parent to the parent itself. */
function depthOf(parent: SliceParent | undefined): number {
  return parent === undefined ? 0 : 1 + depthOf(parent.slice.parent) + depthOf(parent.under);
}

/** Renames a placeholder for a job that is some levels deeper: with 1, `id` becomes `2:id`. */
function raisePlaceholder(
  meaning: Meaning,
  levels: number,
  from: ReadonlyMap<string, Value>,
  to: Map<string, Value>,
): Meaning {
  const { placeholder } = meaning.kind === "run" ? objectOf(meaning.expression) : {};
  if (typeof placeholder !== "string") return meaning;
  const [, level = "1", plain = ""] = /^(?:(\d+):)?(.*)$/s.exec(placeholder) ?? [];
  const name = levels === 0 ? placeholder : `${Number(level) + levels}:${plain}`;
  to.set(name, from.get(placeholder) ?? "");
  return { kind: "run", expression: { placeholder: name } };
}

type Reader = (router: ValueObject, scope: ManifestScope) => readonly Slice[];

const lists: Reader = ({ values, cursor_field, request_option }, scope) => {
  const name = pythonText(knownValue(meaningOf(cursor_field ?? "", scope)));
  const list = listValues(values, scope);
  const options = (meaning: Meaning): Slice["options"] =>
    isObject(request_option) ? [{ option: request_option, meaning }] : [];
  if (!Array.isArray(list)) {
    const meaning: Meaning = { kind: "run", expression: { [eachValue]: list } };
    return [
      {
        ...wholeSlice,
        key: list,
        list,
        placeholders: new Map(),
        read: ([step]) => (step === name ? meaning : undefined),
        options: options(meaning),
      },
    ];
  }
  const items: readonly Value[] = list;
  if (items.length > 100)
    throw new UnsupportedError(`it is repeated for ${items.length} values, but at most 100 are possible`);
  return items.map((item): Slice => {
    const meaning = valueMeaning(item);
    return {
      ...wholeSlice,
      key: item,
      placeholders: new Map(),
      read: ([step, ...rest]) => (step === name && rest.length === 0 ? meaning : undefined),
      options: options(meaning),
    };
  });
};

/** Returns the values of a list, or the expression that gives the list in a run. */
function listValues(values: Value | undefined, scope: ManifestScope): readonly Value[] | ValueObject {
  if (Array.isArray(values)) return values.map((value: Value) => knownValue(meaningOf(value, scope)));
  const meaning = meaningOf(values ?? "", scope);
  if (meaning.kind === "run" && meaning.setting !== undefined && scope.settings.isList(meaning.setting))
    return settingList(meaning.expression);
  if (meaning.kind === "run") throw new UnsupportedError("it is repeated for each value of a list that is computed");
  const value = knownValue(meaning);
  if (Array.isArray(value)) return value;
  throw new UnsupportedError("the list of values for which it is repeated is not known");
}

const substreams: Reader = ({ parent_stream_configs }, scope) =>
  listOf(parent_stream_configs).flatMap((config) => {
    const stream = objectOf(config.stream);
    const routers = retrieverOf(stream).partition_router;
    return slicesOf(routers, scope).map((slice) => childSlice(config, stream, slice, scope));
  });

export function retrieverOf(stream: ValueObject): ValueObject {
  return objectOf(stream.retriever);
}

function childSlice(config: ValueObject, stream: ValueObject, slice: Slice, scope: ManifestScope): Slice {
  const name = pythonText(knownValue(meaningOf(config.partition_field ?? "", scope)));
  const key = pythonText(knownValue(meaningOf(config.parent_key ?? "", scope)));
  const placeholders = new Map<string, Value>();
  const extra = listOfPaths(config.extra_fields);
  const valueInSlice = (path: readonly string[]): Meaning | undefined => {
    const above = slice.read(path);
    return above === undefined ? undefined : raisePlaceholder(above, 1, slice.placeholders, placeholders);
  };
  const valueInParent = (path: readonly string[], steps: readonly string[]): Meaning => {
    const { root, path: source, pattern } = parentValue(path, stream, scope);
    if (root === "stream_slice") {
      const found = valueInSlice(source);
      if (found === undefined) throw new UnsupportedError(`its parent's slices have no ${source.join(".")}`);
      return found;
    }
    const placeholder = steps.join("_").replace(/[^\w-]+/g, "_");
    const plain = fieldPath(source);
    const cut = { path: plain, function: "regex", args: [{ placeholder: "value" }, pattern ?? "", 1] };
    placeholders.set(placeholder, pattern === undefined ? plain : cut);
    return { kind: "run", expression: { placeholder } };
  };
  const read = (path: readonly string[]): Meaning | undefined => {
    const [step = "", ...rest] = path;
    if (step === name) return valueInParent([...key.split("/"), ...rest], [name, ...rest]);
    if (step === "extra_fields" && rest.length > 0) {
      const extraField =
        extra.find((one) => one.join("/") === rest.join("/") || one.join(".") === rest.join(".")) ?? rest;
      return valueInParent(extraField, extraField);
    }
    if (step !== "parent_slice" || rest.length === 0) return undefined;
    return valueInSlice(rest);
  };
  const { request_option: option } = config;
  return {
    parent: { stream, slice, isIncremental: config.incremental_dependency === true, under: undefined },
    key: [String(stream.name ?? ""), slice.key],
    list: undefined,
    read,
    get options() {
      const meaning = isObject(option) ? read([name]) : undefined;
      return isObject(option) && meaning !== undefined ? [{ option, meaning }] : [];
    },
    placeholders,
  };
}

function fieldPath(steps: readonly string[]): string {
  if (steps.some((step) => step.includes(".")))
    throw new UnsupportedError(`a name in its parent's records contains a dot: ${steps.join("/")}`);
  return steps.join(".");
}

function listOfPaths(value: Value | undefined): readonly (readonly string[])[] {
  return Array.isArray(value)
    ? value.map((path: Value) => (Array.isArray(path) ? path.map(pythonText) : [pythonText(path)]))
    : [];
}

const groups: Reader = ({ underlying_partition_router: router, group_size }, scope) => {
  const size = Number(pythonText(knownValue(meaningOf(group_size ?? 1, scope))));
  return slicesOf(router, scope).map((slice) => {
    if (slice.parent === undefined) throw new UnsupportedError("it groups values that do not come from a parent");
    const batchPlaceholders = (): void => {
      for (const [name, path] of slice.placeholders)
        if (typeof path === "string") slice.placeholders.set(name, { path, batch: size });
    };
    return {
      ...slice,
      read: (path) => {
        const found = slice.read(path);
        batchPlaceholders();
        return found;
      },
    };
  });
};

const readers: Readonly<Record<string, Reader>> = {
  ListPartitionRouter: lists,
  SubstreamPartitionRouter: substreams,
  GroupingPartitionRouter: groups,
  CartesianProductStreamSlicer: ({ stream_slicers }, scope) => slicesOf(stream_slicers, scope),
};
