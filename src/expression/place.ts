import { isObject, type Value } from "../core/values/value.ts";

/**
 * A value in which expressions are evaluated, and what they may read there beside settings and times (contract C-4.1,
 * C-4.2).
 */
export interface ExpressionPlace {
  readonly pointer: string;
  readonly value: Value;
  readonly contexts: readonly string[];
  /**
   * `expression`: the value itself may be one; otherwise it is a map, whose members may be. `headers`: names and values
   * of headers. `paths`: plain strings are paths into the login's answer.
   */
  readonly kind?: "headers" | "paths" | "expression";
}

/** Returns the place at a JSON pointer. Undefined: there is no value. */
export function placeAt(
  pointer: string,
  value: Value | undefined,
  contexts: readonly string[] = [],
  kind?: ExpressionPlace["kind"],
): readonly ExpressionPlace[] {
  if (value === undefined || (kind !== undefined && kind !== "expression" && !isObject(value))) return [];
  return [kind === undefined ? { pointer, value, contexts } : { pointer, value, contexts, kind }];
}
