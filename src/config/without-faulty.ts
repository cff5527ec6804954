import { pointer } from "../core/path.ts";
import { isObject, type Value } from "../core/value.ts";
import { memberSchema, resolveSchema, rootSchema, type Schema, typesOf } from "./schema.ts";
import type { SchemaFault } from "./validate.ts";

/**
 * A document without the values that faults point at, so that the rest can be checked too. What stands in a list, or
 * under a name of the user's own where an object should stand, leaves an empty object, so that its neighbours keep their
 * places and others can name it.
 */
export function withoutFaulty(document: Value, faults: readonly SchemaFault[]): Value {
  // A fault of a missing or unknown field points at the object that should hold it, which stays.
  const wrong = new Set(faults.filter(({ kind }) => kind === "value").map((fault) => fault.pointer));
  return wrong.size === 0 ? document : (without(document, "", rootSchema(), wrong) ?? {});
}

function without(value: Value, at: string, given: Schema, wrong: ReadonlySet<string>): Value | undefined {
  if (wrong.has(at)) return undefined;
  const schema = resolveSchema(given, value);
  const inner = (key: string, member: Value): Value | undefined =>
    without(member, pointer(at, key), memberSchema(schema, value, key), wrong);
  if (Array.isArray(value)) return value.map((item, index) => inner(String(index), item) ?? {});
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, member]): [string, Value][] => {
    const result = inner(key, member) ?? (isNamedObject(schema, key) ? {} : undefined);
    const isLost = result === undefined || (isEmptied(member, result) && isOptional(schema, key));
    return isLost ? [] : [[key, result]];
  });
  return Object.fromEntries(kept);
}

/** Nothing is known of an object of which nothing is left: not even which of its fields it lacks. */
function isEmptied(before: Value, after: Value): boolean {
  return isObject(before) && isObject(after) && Object.keys(before).length > 0 && Object.keys(after).length === 0;
}

function isOptional({ properties = {}, required = [] }: Schema, key: string): boolean {
  return Object.hasOwn(properties, key) && !required.includes(key);
}

/** Is it one of a collection of objects under names of the user's own? */
function isNamedObject(schema: Schema, key: string): boolean {
  const member = resolveSchema(memberSchema(schema, {}, key), undefined);
  const isObjectSchema = typesOf(member)[0] === "object" || member.oneOf !== undefined;
  return isObjectSchema && !Object.hasOwn(schema.properties ?? {}, key);
}
