import type { Fault } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import { isObject, type Value } from "../core/value.ts";

/** How a text of `apiRequest` that is no plausible path is written as it stands (contract C-4.4); undefined for one that is. */
export function literalRemedy(path: string): string | undefined {
  if (!isLiteral(path)) return undefined;
  return `a text that is meant as it stands is {"function": "concat", "args": [${JSON.stringify(path)}]}`;
}

/** Warnings for texts of `apiRequest`, which are paths into the login's answer, that are no plausible ones. */
export function literalPaths(value: Value, at: string): Fault[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, path]) => {
    const remedy = typeof path === "string" ? literalRemedy(path) : undefined;
    if (remedy === undefined) return [];
    const message = `${JSON.stringify(path)} is read as a path into the login's answer; ${remedy}`;
    return [{ pointer: pointer(at, name), message }];
  });
}

/** Media types, schemes of credentials, sentences: what a name in JSON hardly has. */
function isLiteral(path: string): boolean {
  return /[\s/;=,]/.test(path.trim());
}
