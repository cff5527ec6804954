import { type ErrorKind, SpileError } from "../core/errors.ts";
import type { Value } from "../core/values/value.ts";
import type { AuthenticationOptions } from "./environment.ts";

/**
 * Evaluates the value at a pointer of the configuration. Throws an error of the kind `fault` if a context lacks a value or a
 * function cannot take one.
 */
export function evaluateAt(
  pointer: string,
  value: Value,
  contexts: Readonly<Record<string, Value>>,
  options: AuthenticationOptions,
  fault: ErrorKind = "configuration",
): Value {
  try {
    return options.evaluate(value, contexts);
  } catch (cause) {
    if (!(cause instanceof SpileError)) throw cause;
    throw new SpileError(cause.kind === "data" ? fault : cause.kind, cause.message, { cause, pointer });
  }
}
