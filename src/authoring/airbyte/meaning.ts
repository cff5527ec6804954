import { doubleOf, isNumber, isObject, plainText, type Value } from "../../core/values/value.ts";
import { joinedValue, UnsupportedError } from "../described/values.ts";
import { dateText } from "./dates.ts";

/** The result of an expression of a manifest, as far as it is known without a run. */
export type Meaning =
  /** A value that is known now. */
  | { readonly kind: "value"; readonly value: Value }
  /** An expression of the configuration. `setting`: the path of the setting, if the expression does nothing but read one. */
  | { readonly kind: "run"; readonly expression: Value; readonly setting?: readonly string[] }
  /** A time: an expression that gives Unix seconds, and the format in which Python prints the time. */
  | { readonly kind: "time"; readonly seconds: Value; readonly format: string }
  /** A place: in the settings (`config`), in the slice (`stream_slice`), or in a value that only a run has, such as `response`. */
  | { readonly kind: "place"; readonly root: string; readonly path: readonly string[] }
  /** An optional setting without a value, or another value that does not exist. */
  | { readonly kind: "absent"; readonly name: string };

export function valueMeaning(value: Value): Meaning {
  return { kind: "value", value };
}

/** Returns the text that Python prints for a value. */
export function pythonText(value: Value): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null) return "None";
  return plainText(value);
}

/** Returns whether Python counts a value as true. */
export function isTruthy(value: Value): boolean {
  if (isNumber(value)) return doubleOf(value) !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== "";
}

/** Returns the value to write into the configuration; undefined if it is absent. Throws `UnsupportedError` for a place. */
export function configurationValue(meaning: Meaning): Value | undefined {
  switch (meaning.kind) {
    case "value":
      return meaning.value;
    case "run":
      return meaning.expression;
    case "time":
      return dateText(meaning.format, meaning.seconds);
    case "absent":
      return undefined;
    case "place":
      throw new UnsupportedError(`${placeText(meaning)} has no value yet when it is read`);
  }
}

export function placeText({ root, path }: { readonly root: string; readonly path: readonly string[] }): string {
  return [root, ...path].join(".");
}

/** Concatenates the texts of values, as a template does. An absent value adds nothing. */
export function concatenated(meanings: readonly Meaning[]): Meaning {
  const joined = joinedValue(
    ...meanings.flatMap((meaning) =>
      meaning.kind === "value" ? pythonText(meaning.value) : (configurationValue(meaning) ?? []),
    ),
  );
  return typeof joined === "string" ? valueMeaning(joined) : { kind: "run", expression: joined };
}
