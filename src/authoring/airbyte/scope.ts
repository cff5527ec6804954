import { isObject, type Value } from "../../core/values/value.ts";
import { isTruthy, type Meaning, placeText, pythonText, sayable, valueMeaning } from "./meaning.ts";
import type { ManifestSettings } from "./settings.ts";
import { Unsayable } from "./unsayable.ts";

/** The names that an expression may read, besides the settings. */
export interface ManifestScope {
  readonly settings: ManifestSettings;
  readonly parameters: Value;
  /** Returns what a slice holds under a name; undefined if it holds nothing of this name. */
  readonly slice: (path: readonly string[]) => Meaning | undefined;
}

/** A name that no slice of the stream holds: a template reads nothing there. */
export class MissingInSlice extends Unsayable {}

/** Turns a place in the settings or in the slice into what it holds. */
export function settled(meaning: Meaning, scope: ManifestScope): Meaning {
  if (meaning.kind !== "place") return meaning;
  const { root, path } = meaning;
  if (root === "config") {
    if (path.length === 0) throw new Unsayable("the settings are used as a whole");
    return scope.settings.read(path);
  }
  if (root === "stream_slice" && path.length > 0) {
    const found = scope.slice(path);
    if (found === undefined) throw new MissingInSlice(`its slices have no ${path.join(".")}`);
    return found;
  }
  return meaning;
}

/** Returns a member of a value, or a place further in. */
export function member(of: Meaning, key: Meaning): Meaning {
  const step = known(key);
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
  throw new Unsayable("it reads a member of a value that only a run knows");
}

/** Returns a value that is known now. Throws `Unsayable`. */
export function known(meaning: Meaning | undefined): Value {
  if (meaning?.kind === "value") return meaning.value;
  if (meaning === undefined || meaning.kind === "absent") return null;
  throw new Unsayable(
    meaning.kind === "place" ? `it computes with ${placeText(meaning)}` : "it computes with a value of the run",
  );
}

/** Returns the value of a configuration; null for what is left out. */
export function said(meaning: Meaning): Value {
  return sayable(meaning) ?? null;
}

/** Returns whether a meaning is true. A required setting counts as given; other settings decide by their defaults. */
export function truth(meaning: Meaning, scope: ManifestScope): boolean {
  if (meaning.kind === "value") return isTruthy(meaning.value);
  if (meaning.kind === "absent") return false;
  if (meaning.kind === "time") return true;
  if (meaning.kind === "run") return true;
  const { root, path } = meaning;
  if (root === "config" && path.length > 0) {
    if (scope.settings.isPresent(path)) return true;
    scope.settings.decide(path);
    return false;
  }
  if (root === "stream_slice") return path.length === 0 || scope.slice(path) !== undefined;
  throw new Unsayable(`it depends on ${placeText(meaning)}`);
}

/** Returns the value that a comparison sees. */
export function comparable(meaning: Meaning | undefined, scope: ManifestScope): Value {
  if (meaning?.kind === "place" && meaning.root === "config") return scope.settings.decide(meaning.path);
  const settledMeaning = meaning === undefined ? undefined : settled(meaning, scope);
  if (settledMeaning?.kind === "run" && settledMeaning.setting !== undefined)
    return scope.settings.decide(settledMeaning.setting);
  return known(settledMeaning);
}
