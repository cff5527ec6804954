import { SpileError } from "../core/errors.ts";
import { type Path, parsePath, pathText } from "../core/path.ts";
import { isObject, type Value } from "../core/value.ts";
import type { Job } from "../generated/configuration.ts";
import type { Parent, Substitution } from "./plan.ts";

/** A placeholder of a child job. */
export interface Placeholder {
  /** As it stands between the braces, the level included. */
  readonly name: string;
  /** 1 is the parent, 2 its parent. */
  readonly level: number;
  /** The path as configured. */
  readonly text: string;
  readonly path: Path;
  /** The job that the value comes from, for people. */
  readonly source: string;
  /** The function applied to the value. */
  readonly apply: ((value: Value) => Value) | undefined;
}

/**
 * The placeholders of a job; `ancestors` are the labels of the jobs above it, the nearest first; `evaluate` gets the
 * function of the object form, with the context `placeholder`.
 */
export function placeholdersOf(
  job: Job,
  ancestors: readonly string[],
  evaluate: (expression: Value, contexts: Readonly<Record<string, Value>>) => Value,
): readonly Placeholder[] {
  return Object.entries(job.placeholders ?? {}).map(([name, configured]) => {
    const level = Number(/^([0-9]+):/.exec(name)?.[1] ?? 1);
    const { path, function: function_, args } = typeof configured === "string" ? { path: configured } : configured;
    const call = function_ === undefined ? undefined : { function: function_, ...(args === undefined ? {} : { args }) };
    return {
      name,
      level,
      text: path,
      path: parsePath(path),
      source: ancestors[level - 1] ?? "",
      apply: call && ((value) => evaluate(call, { placeholder: { value } })),
    };
  });
}

/**
 * Every combination of the placeholders' values under the given parents (nearest first), the last varying fastest: a
 * list gives each of its items in turn, an empty one nothing (contract C-11.2).
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

/** The function is applied to the value as it stands, and may make a list or take one. */
function substitutions(placeholder: Placeholder, parents: readonly Parent[]): readonly Substitution[] {
  const { name, level, path, text, apply } = placeholder;
  const parent = parents[level - 1];
  if (parent === undefined) {
    const message = `looks ${level} levels up, but the job has ${parents.length} above it`;
    throw new SpileError("configuration", `placeholder ${JSON.stringify(name)} ${message}`);
  }
  const found = parent.get(pathText(path));
  if (found === undefined) throw wrong(placeholder, "has nothing");
  const value = apply === undefined ? found : apply(found);
  return (Array.isArray(value) ? (value as readonly Value[]) : [value]).map((item) => {
    if (isObject(item) || Array.isArray(item)) throw wrong(placeholder, "has an object or a list in a list");
    if (item === null) throw wrong(placeholder, "has null");
    return { name, path: text, value: item, raw: apply !== undefined };
  });
}

function wrong({ name, text, source }: Placeholder, what: string): SpileError {
  return new SpileError(
    "data",
    `placeholder ${JSON.stringify(name)}: a record of ${JSON.stringify(source)} ${what} at ${JSON.stringify(text)}, where a string, a number or a boolean should be; "recursionFilter" can leave such records out`,
  );
}
