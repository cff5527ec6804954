import type { Fault } from "../core/errors.ts";
import { pointer } from "../core/values/path.ts";
import { isNumber, isObject, type Value } from "../core/values/value.ts";

/** The remedy for `{"env": NAME}` outside `config`, which alone reads the environment (contract C-2.6). */
export const environmentRemedy =
  '{"env": ...} is read directly in "config" only: give it a name there, and write {"attr": <that name>} here';

/** Returns warnings for values that look like environment variables but are sent as they are. */
export function strayEnvironment(value: Value, at: string): Fault[] {
  if (isNumber(value)) return [];
  if (looksLikeVariable(value)) return [{ pointer: at, message: environmentRemedy }];
  if (!Array.isArray(value) && !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => strayEnvironment(inner, pointer(at, key)));
}

export function looksLikeVariable(value: Value): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  return typeof value.env === "string" && /^[A-Z_][A-Z0-9_]*$/.test(value.env);
}
