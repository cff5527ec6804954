import { isObject, type Value } from "../core/values/value.ts";
import { type MemberPlace, memberSchema, resolveSchema, rewrite, typesOf } from "./schema.ts";
import type { SchemaFault } from "./validate.ts";

/**
 * Returns a document without the values that faults point at, so that the rest can be checked too. An element of a list, or
 * an object under a name of the user's own, becomes an empty object, so that its neighbours keep their places and others can
 * name it.
 */
export function withoutFaulty(document: Value, faults: readonly SchemaFault[]): Value {
  // A fault about a missing or unknown field points at the object around it, which stays.
  const wrong = new Set(faults.filter(({ kind }) => kind === "value").map(({ pointer }) => pointer));
  if (wrong.size === 0) return document;
  return rewrite(document, {
    enter: (value, place) => (!wrong.has(place.pointer) ? value : isNamedObject(place) ? {} : undefined),
    // If nothing is left of an object, nothing is known about it, not even which of its fields are missing.
    leave: (value, place, before) => (isEmptied(before, value) && isOptional(place) ? undefined : value),
  });
}

function isEmptied(before: Value, after: Value): boolean {
  return isObject(before) && isObject(after) && Object.keys(before).length > 0 && Object.keys(after).length === 0;
}

function isOptional({ member }: MemberPlace): boolean {
  if (member === undefined) return false;
  const { properties = {}, required = [] } = member.of;
  return Object.hasOwn(properties, member.name) && !required.includes(member.name);
}

/** Returns whether the value belongs to a collection of objects under names that users choose. */
function isNamedObject({ member }: MemberPlace): boolean {
  if (member === undefined || Object.hasOwn(member.of.properties ?? {}, member.name)) return false;
  const schema = resolveSchema(memberSchema(member.of, {}, member.name), undefined);
  return typesOf(schema)[0] === "object" || schema.oneOf !== undefined;
}
