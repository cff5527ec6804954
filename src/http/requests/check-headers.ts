import type { Fault } from "../../core/errors.ts";
import { isHeaderName, trimmedHeader, unfitCharacter } from "../../core/text/header-syntax.ts";
import { pointerTo } from "../../core/values/path.ts";
import { isNumber, type Value, type ValueObject } from "../../core/values/value.ts";
import { isExpression } from "../../expression/shape.ts";
import { environmentRemedy, looksLikeVariable } from "../../expression/stray-environment.ts";

/**
 * Returns the faults of header names and constant values that cannot be sent (contract C-3.5). Expressions are checked
 * when they are evaluated.
 */
export function checkHeaders(headers: ValueObject, pointer: string, contexts: readonly string[]): Fault[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const headerPointer = pointerTo(pointer, name);
    if (!isHeaderName(name)) {
      return [{ pointer: headerPointer, message: `${JSON.stringify(name)} cannot be the name of a header` }];
    }
    const reason = isExpression(value, contexts) ? undefined : unfit(value, contexts);
    return reason === undefined
      ? []
      : [{ pointer: headerPointer, message: `cannot be the value of a header: ${reason}` }];
  });
}

function unfit(value: Value, contexts: readonly string[]): string | undefined {
  if (typeof value === "string") return unfitText(trimmedHeader(value));
  if (value === null || typeof value === "boolean" || isNumber(value)) return undefined;
  if (looksLikeVariable(value)) return environmentRemedy;
  if (!Array.isArray(value)) return "an object is neither text nor an expression";
  for (const item of value) {
    if (isExpression(item, contexts)) continue;
    const reason =
      typeof item === "object" && item !== null && !isNumber(item)
        ? "an element of the list is neither text nor an expression"
        : unfit(item, contexts);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function unfitText(text: string): string | undefined {
  const character = unfitCharacter(text);
  if (character === undefined) return undefined;
  if (/[\r\n]/.test(text)) return "it holds a line break";
  return character <= "\u007f" ? "it holds a control character" : `${JSON.stringify(character)} is not in Latin-1`;
}

/** Returns a fault for each name of `requiredHeaders` that is missing from the headers at `pointer`. */
export function checkRequiredHeaders(
  required: readonly string[] | undefined,
  headers: ValueObject | undefined,
  pointer: string,
): Fault[] {
  const presentNames = new Set(Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
  return (required ?? [])
    .filter((name) => typeof name === "string" && !presentNames.has(name.toLowerCase()))
    .map((name) => ({
      pointer,
      message: `the header ${JSON.stringify(name)} is missing; "requiredHeaders" requires it`,
    }));
}
