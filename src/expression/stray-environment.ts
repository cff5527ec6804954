import type { Fault } from "../core/errors.ts";
import { pointerTo } from "../core/values/path.ts";
import { isNumber, isObject, type Value } from "../core/values/value.ts";

/** The remedy for `{"env": NAME}` outside of `config`, where the environment is not read (contract C-2.6). */
export const environmentRemedy =
  '{"env": ...} is allowed only as a member of "config": give it a name there and write {"attr": <that name>} here';

/** Returns warnings about values `{"env": NAME}`, at any depth. A run sends these values unchanged. */
export function strayEnvironment(value: Value, pointer: string): Fault[] {
  if (isNumber(value)) return [];
  if (looksLikeVariable(value)) return [{ pointer, message: environmentRemedy }];
  if (!Array.isArray(value) && !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => strayEnvironment(inner, pointerTo(pointer, key)));
}

export function looksLikeVariable(value: Value): boolean {
  if (!isObject(value) || Object.keys(value).length !== 1) return false;
  return typeof value.env === "string" && /^[A-Z_][A-Z0-9_]*$/.test(value.env);
}
