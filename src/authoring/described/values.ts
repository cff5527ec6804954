import { isObject, plainText, type Value, type ValueObject } from "../../core/values/value.ts";

/** Thrown for a part of a description that no configuration can express. The message names that part. */
export class UnsupportedError extends Error {}

/** Returns a value of a description if it is an object, else an empty object. */
export function objectOf(value: Value | undefined): ValueObject {
  return isObject(value) ? value : {};
}

/** Returns the objects of a list. A single object counts as a list of one. */
export function listOf(value: Value | undefined): readonly ValueObject[] {
  return Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : [];
}

/** Joins texts and expressions to a text if possible, else to a `concat` expression. Adjacent texts become one. */
export function joinedValue(...pieces: readonly Value[]): Value {
  const mergedPieces: Value[] = [];
  for (const piece of pieces) {
    const before = mergedPieces.at(-1);
    if (isObject(piece)) mergedPieces.push(piece);
    else if (typeof before === "string") mergedPieces[mergedPieces.length - 1] = before + plainText(piece);
    else mergedPieces.push(plainText(piece));
  }
  const filledPieces = mergedPieces.filter((piece) => piece !== "");
  return filledPieces.length <= 1
    ? (filledPieces[0] ?? "")
    : { function: "concat", args: filledPieces.flatMap(concatArguments) };
}

/** Returns the arguments of a `concat` expression; for any other value, a list of that value alone. */
export function concatArguments(piece: Value): readonly Value[] {
  return isObject(piece) && piece.function === "concat" && Array.isArray(piece.args) ? piece.args : [piece];
}

/** Joins a base and a path, each a text or an expression, by one slash. An empty path adds nothing. */
export function joinedAddress(base: Value, path: Value): Value {
  if (path === "") return base;
  const parts = [...concatArguments(base)];
  const last = parts.at(-1);
  if (typeof last === "string") parts[parts.length - 1] = `${last.replace(/(?<!\/)\/+$/, "")}/`;
  else parts.push("/");
  const [start, ...rest] = concatArguments(path);
  const begin = typeof start === "string" ? start.replace(/^\/+/, "") : (start ?? "");
  return joinedValue(...parts, begin, ...rest);
}
