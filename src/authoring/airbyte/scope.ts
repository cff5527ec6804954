import { isObject, type Value } from "../../core/values/value.ts";
import { UnsupportedError } from "../described/values.ts";
import { configurationValue, isTruthy, type Meaning, placeText, pythonText, valueMeaning } from "./meaning.ts";
import type { ManifestSettings } from "./settings.ts";

/** The values that an expression may read. */
export interface ManifestScope {
  readonly settings: ManifestSettings;
  /** The stream's `$parameters`. */
  readonly parameters: Value;
  /** Returns the value at a path of the slice; undefined if the slice has none. */
  readonly slice: (path: readonly string[]) => Meaning | undefined;
}

/**
 * Name of the only member of an object that stands for one element of a list whose elements only a run has. The member's value is
 * the expression for the list. A run sends a request for each element.
 */
export const eachValue = "each value";

/** Thrown for a template that reads a name which the slices of the stream do not have. */
export class MissingInSlice extends UnsupportedError {}

/** Replaces a place in the settings or in the slice by its value. Returns other meanings unchanged. */
export function resolvePlace(meaning: Meaning, scope: ManifestScope): Meaning {
  if (meaning.kind !== "place") return meaning;
  const { root, path } = meaning;
  if (root === "config") {
    if (path.length === 0) throw new UnsupportedError("the settings are used as a whole");
    const value = scope.settings.read(path);
    return isObject(value) ? { kind: "run", expression: value, setting: path } : valueMeaning(value);
  }
  if (root === "stream_slice" && path.length > 0) {
    const found = scope.slice(path);
    if (found === undefined) throw new MissingInSlice(`its slices have no ${path.join(".")}`);
    return found;
  }
  return meaning;
}

/** Returns a member of a value; for a place, the place of its member. */
export function member(of: Meaning, key: Meaning): Meaning {
  const step = knownValue(key);
  if (of.kind === "place") return { ...of, path: [...of.path, pythonText(step)] };
  if (of.kind === "value") {
    const { value } = of;
    const found = Array.isArray(value)
      ? value.at(Number(pythonText(step)))
      : isObject(value)
        ? value[pythonText(step)]
        : undefined;
    return found === undefined ? { kind: "absent", name: pythonText(step) } : valueMeaning(found);
  }
  if (of.kind === "absent") return of;
  throw new UnsupportedError("it reads a member of a value that only a run knows");
}

/** Returns a value that is known without a run; null if it is absent. Throws `UnsupportedError` for any other value. */
export function knownValue(meaning: Meaning | undefined): Value {
  if (meaning?.kind === "value") return meaning.value;
  if (meaning === undefined || meaning.kind === "absent") return null;
  throw new UnsupportedError(
    meaning.kind === "place"
      ? `it computes with ${placeText(meaning)}`
      : "it computes with a value that only a run knows",
  );
}

/** Returns the value to write into the configuration; null if it is absent. */
export function valueOrNull(meaning: Meaning): Value {
  return configurationValue(meaning) ?? null;
}

/**
 * Returns whether Python counts a value as true. For a setting, see `ManifestSettings.isPresent`. Any other expression of the
 * configuration counts as true. Throws `UnsupportedError` for a place that only a run has.
 */
export function truth(meaning: Meaning, scope: ManifestScope): boolean {
  if (meaning.kind === "value") return isTruthy(meaning.value);
  if (meaning.kind === "absent") return false;
  if (meaning.kind === "time") return true;
  if (meaning.kind === "run")
    return meaning.setting === undefined || truth({ kind: "place", root: "config", path: meaning.setting }, scope);
  const { root, path } = meaning;
  if (root === "config" && path.length > 0) {
    if (scope.settings.isPresent(path)) return true;
    scope.settings.decide(path);
    return false;
  }
  if (root === "stream_slice") return path.length === 0 || scope.slice(path) !== undefined;
  throw new UnsupportedError(`it depends on ${placeText(meaning)}`);
}

/**
 * Returns a value for a comparison. A setting is compared now and not in a run, with its default or the value of `--set`: the
 * configuration is written for the result.
 */
export function comparable(meaning: Meaning | undefined, scope: ManifestScope): Value {
  if (meaning?.kind === "place" && meaning.root === "config") return scope.settings.decide(meaning.path);
  const resolvedMeaning = meaning === undefined ? undefined : resolvePlace(meaning, scope);
  if (resolvedMeaning?.kind === "run" && resolvedMeaning.setting !== undefined)
    return scope.settings.decide(resolvedMeaning.setting);
  return knownValue(resolvedMeaning);
}
