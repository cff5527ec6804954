import { isEmpty } from "../core/emptiness.ts";
import type { Fault } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import { isNumber, isObject, type Value } from "../core/value.ts";
import { memberSchema, resolveSchema, rootSchema, type Schema, typesOf } from "./schema.ts";

export interface PhpForms {
  readonly document: Value;
  readonly warnings: readonly Fault[];
}

/**
 * A document as PHP takes it, before it is checked (contract C-2.4): a known field that is not required and holds null or
 * "" is absent, a scalar in the place of a boolean counts by PHP's truth, and a `forceStop` that is no object does nothing,
 * with a warning. What stands under names that the schema does not know is left alone.
 */
export function takeAsPhp(document: Value): PhpForms {
  const warnings: Fault[] = [];
  return { document: taken(document, resolveSchema(rootSchema(), document), "", warnings), warnings };
}

function taken(value: Value, schema: Schema, at: string, warnings: Fault[]): Value {
  if (Array.isArray(value)) {
    return value.map((item: Value, index) => member(item, schema.items ?? {}, pointer(at, index), warnings));
  }
  if (!isObject(value)) return value;
  const entries: [string, Value][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const known = memberSchema(schema, value, name);
    const here = pointer(at, name);
    if (isAbsent(inner, known, schema.required?.includes(name) ?? false)) continue;
    if (name === "forceStop" && Object.hasOwn(schema.properties ?? {}, name) && typeof inner !== "object") {
      warnings.push({ pointer: here, message: 'does nothing: it is no object with "pages", "time" or "volume"' });
      continue;
    }
    entries.push([name, member(inner, known, here, warnings)]);
  }
  return Object.fromEntries(entries);
}

function member(value: Value, schema: Schema, at: string, warnings: Fault[]): Value {
  const resolved = resolveSchema(schema, value);
  if (typesOf(resolved)[0] === "boolean" && (typeof value === "string" || isNumber(value))) return !isEmpty(value);
  return taken(value, resolved, at, warnings);
}

/** A name that the schema only describes, such as a setting, keeps whatever it holds. */
function isAbsent(value: Value, schema: Schema, required: boolean): boolean {
  if (required || (value !== null && value !== "")) return false;
  return (
    schema.$ref !== undefined || schema.type !== undefined || schema.enum !== undefined || schema.oneOf !== undefined
  );
}
