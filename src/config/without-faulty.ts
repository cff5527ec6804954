import { isObject, type Value } from "../core/values/value.ts";
import { type MemberPlace, memberSchema, resolveSchema, rewrite, typesOf } from "./schema.ts";
import type { SchemaFault } from "./validate.ts";

/**
 * Returns a document without the faulty values, so that the rest can be checked. An element of a list becomes an empty object, so
 * that the elements after it keep their indexes. An object under a name that the user chose becomes empty, too, so that other
 * fields can still refer to it.
 */
export function withoutFaulty(document: Value, faults: readonly SchemaFault[]): Value {
  // A fault about a missing or unknown field points at the object around it, which stays.
  const wrong = new Set(faults.filter(({ kind }) => kind === "value").map(({ pointer }) => pointer));
  if (wrong.size === 0) return document;
  return rewrite(document, {
    enter: (value, place) => (!wrong.has(place.pointer) ? value : isNamedObject(place) ? {} : undefined),
    // An optional object without any field left is dropped, since its required fields would be reported as missing.
    leave: (value, place, before) => (isEmptied(before, value) && isOptional(place) ? undefined : value),
  });
}

function isEmptied(before: Value, after: Value): boolean {
  return isObject(before) && isObject(after) && Object.keys(before).length > 0 && Object.keys(after).length === 0;
}

function isOptional({ member }: MemberPlace): boolean {
  if (member === undefined) return false;
  const { properties = {}, required = [] } = member.objectSchema;
  return Object.hasOwn(properties, member.name) && !required.includes(member.name);
}

/** Returns whether a value is an object under a name that the user chose. */
function isNamedObject({ member }: MemberPlace): boolean {
  if (member === undefined || Object.hasOwn(member.objectSchema.properties ?? {}, member.name)) return false;
  const schema = resolveSchema(memberSchema(member.objectSchema, {}, member.name), undefined);
  return typesOf(schema)[0] === "object" || schema.oneOf !== undefined;
}
