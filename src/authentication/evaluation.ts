import { type ErrorKind, SpileError } from "../core/errors.ts";
import type { Value } from "../core/values/value.ts";
import type { AuthenticationOptions } from "./environment.ts";

/**
 * Evaluates the value at a pointer of the configuration. Errors get the pointer. An error of the kind `data`, such as a value that
 * a context lacks, becomes an error of the kind `dataErrorKind`.
 */
export function evaluateAt(
  pointer: string,
  value: Value,
  contexts: Readonly<Record<string, Value>>,
  options: AuthenticationOptions,
  dataErrorKind: ErrorKind = "configuration",
): Value {
  try {
    return options.evaluate(value, contexts);
  } catch (cause) {
    if (!(cause instanceof SpileError)) throw cause;
    throw new SpileError(cause.kind === "data" ? dataErrorKind : cause.kind, cause.message, { cause, pointer });
  }
}
