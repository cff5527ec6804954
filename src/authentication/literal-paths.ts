import type { Fault } from "../core/errors.ts";
import { pointerTo } from "../core/values/path.ts";
import { isObject, type Value } from "../core/values/value.ts";

/**
 * Returns advice on how to write a text of `apiRequest` that is not a plausible path, so that it is sent unchanged (contract
 * C-4.4). Undefined for a plausible path.
 */
export function literalRemedy(path: string): string | undefined {
  if (!isLiteral(path)) return undefined;
  return `write a literal text as {"function": "concat", "args": [${JSON.stringify(path)}]}`;
}

/**
 * Returns warnings about texts of `apiRequest` that are read as paths into the login's answer but are not plausible paths.
 */
export function literalPaths(value: Value, pointer: string): Fault[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, path]) => {
    const remedy = typeof path === "string" ? literalRemedy(path) : undefined;
    if (remedy === undefined) return [];
    const message = `${JSON.stringify(path)} is read as a path into the login's answer; ${remedy}`;
    return [{ pointer: pointerTo(pointer, name), message }];
  });
}

/**
 * Returns whether a text looks like a media type, credentials with their scheme, or a sentence. Names in JSON rarely contain these
 * characters.
 */
function isLiteral(path: string): boolean {
  return /[\s/;=,]/.test(path.trim());
}
