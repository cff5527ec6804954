import { SpileError } from "../core/errors.ts";
import { type Path, parsePath, pathText } from "../core/path.ts";
import { isObject, scalarText, type Value } from "../core/value.ts";
import type { Job } from "../generated/configuration.ts";
import type { Parent } from "./plan.ts";

/** A placeholder with its value: what `{name}` in an endpoint becomes. */
export interface Substitution {
  readonly name: string;
  /** The path as configured: it names the column `parent_<path>`. */
  readonly path: string;
  readonly value: Value;
  /** A function's result goes into the address as it is; a plain value is percent-encoded for its place. */
  readonly raw: boolean;
}

/** A placeholder of a child job. */
export interface Placeholder {
  /** As it stands between the braces, the level included. */
  readonly name: string;
  /** 1 is the parent, 2 its parent. */
  readonly level: number;
  readonly path: Path;
  /** The function applied to the value. */
  readonly apply: ((value: Value) => Value) | undefined;
}

/** The placeholders of a job; `evaluate` gets the function of the object form, with the context `placeholder`. */
export function placeholdersOf(
  job: Job,
  evaluate: (expression: Value, contexts: Readonly<Record<string, Value>>) => Value,
): readonly Placeholder[] {
  return Object.entries(job.placeholders ?? {}).map(([name, configured]) => {
    const level = /^([0-9]+):/.exec(name)?.[1];
    const { path, function: function_, args } = typeof configured === "string" ? { path: configured } : configured;
    const call = function_ === undefined ? undefined : { function: function_, ...(args === undefined ? {} : { args }) };
    return {
      name,
      level: level === undefined ? 1 : Number(level),
      path: parsePath(path),
      apply: call && ((value) => evaluate(call, { placeholder: { value } })),
    };
  });
}

/**
 * Every combination of the placeholders' values under the given parents (nearest first), the last varying fastest: a
 * list gives each of its items in turn, an empty one nothing (spec 11, "children").
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

function substitutions({ name, level, path, apply }: Placeholder, parents: readonly Parent[]): readonly Substitution[] {
  const parent = parents[level - 1];
  const shown = `placeholder ${JSON.stringify(name)}`;
  if (parent === undefined) {
    throw new SpileError(
      "configuration",
      `${shown} looks ${level} levels up, but the job has ${parents.length} above it`,
    );
  }
  const found = parent.get(pathText(path));
  if (found === undefined) {
    throw new SpileError("data", `${shown}: a parent's record has nothing at ${JSON.stringify(pathText(path))}`);
  }
  return (Array.isArray(found) ? (found as readonly Value[]) : [found]).map((item) => {
    const value = apply === undefined ? item : apply(item);
    if (isObject(value) || Array.isArray(value) || value === null) {
      throw new SpileError(
        "data",
        `${shown}: the value at ${JSON.stringify(pathText(path))} must be a string, a number or a boolean`,
      );
    }
    return { name, path: pathText(path), value, raw: apply !== undefined };
  });
}

/** An endpoint with its placeholders replaced. Throws where a value would climb out of its place in the path. */
export function substitute(endpoint: string, substitutions: readonly Substitution[]): string {
  let result = endpoint;
  for (const substitution of substitutions) {
    const braces = `{${substitution.name}}`;
    if (!result.includes(braces)) continue;
    const text = scalarText(substitution.value) ?? "";
    // An endpoint that begins with a placeholder takes an address as it is; the origin rule guards it.
    const raw = substitution.raw || (result.startsWith(braces) && endpoint.startsWith(braces));
    result = result.replaceAll(braces, () => (raw ? text : encode(text)));
    if (!raw) checkSegments(result, substitution);
  }
  return result;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%2F", "/");
}

function checkSegments(endpoint: string, { name, value }: Substitution): void {
  const path = endpoint.split(/[?#]/, 1)[0] ?? "";
  if (path.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw new SpileError(
      "data",
      `placeholder ${JSON.stringify(name)}: the value ${JSON.stringify(scalarText(value))} would change the path of the address`,
    );
  }
}
