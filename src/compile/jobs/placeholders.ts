import { jobLabel } from "../../config/jobs.ts";
import { SpileError } from "../../core/errors.ts";
import { type Path, parsePath, pathText } from "../../core/values/path.ts";
import { isObject, scalarText, type Value } from "../../core/values/value.ts";
import type { Placeholder as Configured, Job } from "../../generated/configuration.ts";
import type { Parent, Substitution } from "../plan.ts";
import { encodeForPath } from "./endpoint.ts";

/** A placeholder of a child job. */
export interface Placeholder {
  /** The text between the braces, with the level. */
  readonly name: string;
  /** Number of levels up to the record: 1 for the parent, 2 for its parent. */
  readonly level: number;
  /** The path as configured. */
  readonly writtenPath: string;
  readonly path: Path;
  /** The job that the value comes from, for people. */
  readonly source: string;
  /** The function applied to the value. */
  readonly apply: ((value: Value) => Value) | undefined;
  /** The rule by which values are joined; undefined if they are not joined. */
  readonly batch: Batch | undefined;
}

/** The rule for up to `size` values in one request: a joined text, or a list with each value under `key`, if given. */
type Batch = { readonly size: number } & (
  | { readonly separator: string }
  | { readonly isList: true; readonly key: string | undefined }
);

/**
 * Returns the placeholders of a job. `ancestors`: the jobs above it, the nearest first. `evaluate`: evaluates the function of
 * the object form, with the context `placeholder`.
 */
export function placeholdersOf(
  job: Job,
  ancestors: readonly Job[],
  evaluate: (expression: Value, contexts: Readonly<Record<string, Value>>) => Value,
): readonly Placeholder[] {
  return Object.entries(job.placeholders ?? {}).map(([name, configured]) => {
    const level = levelOf(name);
    const { path, function: function_, args, batch, separator = ",", as, key } = objectForm(configured);
    const form = as === "list" ? { isList: true as const, key } : { separator };
    const call = function_ === undefined ? undefined : { function: function_, ...(args === undefined ? {} : { args }) };
    const source = ancestors[level - 1];
    return {
      name,
      level,
      writtenPath: path,
      path: parsePath(path),
      source: source === undefined ? "" : jobLabel(source),
      apply: call && ((value) => evaluate(call, { placeholder: { value } })),
      batch: batch === undefined ? undefined : { size: batch, ...form },
    };
  });
}

/** Returns the level in a placeholder's name (`2:id`); 1 is the parent. */
export function levelOf(name: string): number {
  return Number(/^([0-9]+):/.exec(name)?.[1] ?? 1);
}

/** Returns the names of a job's placeholders that join the values of several parents. */
export function batchedNames({ placeholders = {} }: Job): readonly string[] {
  return Object.keys(placeholders).filter((name) => objectForm(placeholders[name] ?? "").batch !== undefined);
}

/** Returns the names of a job's placeholders that are lists. */
export function listNames({ placeholders = {} }: Job): readonly string[] {
  return Object.keys(placeholders).filter((name) => objectForm(placeholders[name] ?? "").as === "list");
}

function objectForm(configured: Configured): Exclude<Configured, string> {
  return typeof configured === "string" ? { path: configured } : configured;
}

/**
 * Yields every combination of the placeholders' values under the given parents (nearest first). The last placeholder varies
 * fastest. A list gives each of its items in turn, an empty list gives no combination (contract C-11.2).
 */
export function* combinations(
  placeholders: readonly Placeholder[],
  parents: readonly Parent[],
): Generator<readonly Substitution[]> {
  const [first, ...rest] = placeholders;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const substitution of substitutions(first, parents)) {
    for (const others of combinations(rest, parents)) yield [substitution, ...others];
  }
}

function substitutions(placeholder: Placeholder, parents: readonly Parent[]): readonly Substitution[] {
  const { name, level, writtenPath, apply, batch } = placeholder;
  const parent = parents[level - 1];
  if (parent === undefined) {
    const message = `looks ${level} levels up, but the job has ${parents.length} above it`;
    throw new SpileError("configuration", `placeholder ${JSON.stringify(name)} ${message}`);
  }
  if (batch !== undefined) return [joinValues(placeholder, parent, batch)];
  return valuesOf(placeholder, parent).map((value) => {
    return { name, path: writtenPath, value, raw: apply && textOf(value) };
  });
}

/**
 * Yields the parents of a page unchanged or, if a placeholder has a batch, one parent for each request, which has only a list of up
 * to `size` values for this placeholder. Throws SpileError `data` if a parent has no value for it.
 */
export function* grouped(placeholders: readonly Placeholder[], parents: Iterable<Parent>): Generator<Parent> {
  const batched = placeholders.find(({ batch }) => batch !== undefined);
  if (batched?.batch === undefined) {
    yield* parents;
    return;
  }
  const { size } = batched.batch;
  const key = pathText(batched.path);
  let values: Value[] = [];
  for (const parent of parents) {
    for (const value of valuesOf(batched, parent)) {
      values.push(value);
      if (values.length < size) continue;
      yield new Map([[key, values]]);
      values = [];
    }
  }
  if (values.length > 0) yield new Map([[key, values]]);
}

/**
 * Joins the values of a batch. In a text, each value is percent-encoded separately, so that no value can look like two. The result
 * of a function is joined unchanged.
 */
function joinValues({ name, path, apply }: Placeholder, group: Parent, batch: Batch): Substitution {
  const values = group.get(pathText(path)) as readonly Value[];
  if ("isList" in batch) {
    const { key } = batch;
    return {
      name,
      path: undefined,
      value: key === undefined ? values : values.map((one) => ({ [key]: one })),
      raw: undefined,
    };
  }
  const { separator } = batch;
  const texts = values.map(textOf);
  const raw = (apply === undefined ? texts.map(encodeForPath) : texts).join(separator);
  return { name, path: undefined, value: texts.join(separator), raw };
}

/** Returns the values of a placeholder for a parent. The function is applied to the whole value; it may take or return a list. */
function valuesOf(placeholder: Placeholder, parent: Parent): readonly Value[] {
  const { path, apply } = placeholder;
  const found = parent.get(pathText(path));
  if (found === undefined) throw wrong(placeholder, "has nothing");
  const value = apply === undefined ? found : apply(found);
  const values = Array.isArray(value) ? (value as readonly Value[]) : [value];
  for (const item of values) {
    if (isObject(item) || Array.isArray(item)) throw wrong(placeholder, "has an object or a list in a list");
    if (item === null) throw wrong(placeholder, "has null");
  }
  return values;
}

function textOf(value: Value): string {
  return scalarText(value) ?? "";
}

function wrong({ name, writtenPath, source }: Placeholder, what: string): SpileError {
  return new SpileError(
    "data",
    `placeholder ${JSON.stringify(name)}: a record of ${JSON.stringify(source)} ${what} at ${JSON.stringify(writtenPath)}, but the value must be a string, a number or a boolean; "recursionFilter" can drop such records`,
  );
}
