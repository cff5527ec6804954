import { isObject, type Value } from "../core/values/value.ts";

/**
 * A value in which expressions are evaluated, and the contexts that they may read there besides settings and times
 * (contract C-4.1, C-4.2).
 */
export interface ExpressionPlace {
  readonly pointer: string;
  readonly value: Value;
  readonly contexts: readonly string[];
  /**
   * `expression`: the value itself may be an expression; otherwise it is a map whose members may be expressions.
   * `headers`: names and values of headers. `paths`: plain strings are paths into the login's answer.
   */
  readonly kind?: "headers" | "paths" | "expression";
}

/** Returns a list with the place at a JSON pointer. It is empty if there is no value, or if the value is not a map as `kind` requires. */
export function placeAt(
  pointer: string,
  value: Value | undefined,
  contexts: readonly string[] = [],
  kind?: ExpressionPlace["kind"],
): readonly ExpressionPlace[] {
  if (value === undefined || (kind !== undefined && kind !== "expression" && !isObject(value))) return [];
  return [kind === undefined ? { pointer, value, contexts } : { pointer, value, contexts, kind }];
}
