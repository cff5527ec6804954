import { isNumber, isObject, plainText, type Value } from "../../core/values/value.ts";
import { dateText } from "./dates.ts";
import { Unsayable } from "./unsayable.ts";

/** The result of evaluating an expression of a manifest without a run. */
export type Meaning =
  /** A value that is known now. */
  | { readonly kind: "value"; readonly value: Value }
  /** An expression of the configuration. `setting`: its path, if the expression only reads a setting. */
  | { readonly kind: "run"; readonly expression: Value; readonly setting?: readonly string[] }
  /** A moment: an expression that gives Unix seconds, and the format in which Python prints it. */
  | { readonly kind: "time"; readonly seconds: Value; readonly format: string }
  /** A place in something that a run receives: `response`, `headers`, `last_record`, `next_page_token`, `record`. */
  | { readonly kind: "place"; readonly root: string; readonly path: readonly string[] }
  /** An optional setting without a value. */
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
  if (isNumber(value)) return Number(value) !== 0;
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== "";
}

/** Returns the value to write into a configuration; undefined if it is to be left out. */
export function sayable(meaning: Meaning): Value | undefined {
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
      throw new Unsayable(`${placeText(meaning)} is read where a request cannot read it`);
  }
}

export function placeText({ root, path }: { readonly root: string; readonly path: readonly string[] }): string {
  return [root, ...path].join(".");
}

/** Joins texts as a template does; adjacent pieces with known values are merged. */
export function concatenated(meanings: readonly Meaning[]): Meaning {
  const pieces: Value[] = [];
  for (const meaning of meanings) {
    const said = sayable(meaning);
    if (said === undefined) continue;
    const before = pieces.at(-1);
    if (meaning.kind !== "value") pieces.push(said);
    else if (typeof before === "string") pieces[pieces.length - 1] = before + pythonText(said);
    else pieces.push(pythonText(said));
  }
  const filled = pieces.filter((piece) => piece !== "");
  const [only = ""] = filled;
  if (filled.length <= 1) return typeof only === "string" ? valueMeaning(only) : { kind: "run", expression: only };
  return { kind: "run", expression: { function: "concat", args: filled.flatMap(concatArguments) } };
}

/** Joins values of a configuration: texts, and expressions, which are objects. */
export function joinedValue(...pieces: readonly Value[]): Value {
  const meanings = pieces.map(
    (piece): Meaning => (isObject(piece) ? { kind: "run", expression: piece } : valueMeaning(piece)),
  );
  return sayable(concatenated(meanings)) ?? "";
}

/** Returns the arguments of a `concat` expression; any other value is the only one. */
export function concatArguments(piece: Value): readonly Value[] {
  return isObject(piece) && piece.function === "concat" && Array.isArray(piece.args) ? piece.args : [piece];
}
