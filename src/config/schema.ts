import { pointerTo } from "../core/values/path.ts";
import { isObject, type Value, type ValueObject } from "../core/values/value.ts";
import { schemaText } from "../generated/schema.ts";

/** The keywords of a schema that are read for messages and for rewriting. `allowed` and `case` are not keywords of JSON Schema. */
export interface Schema {
  readonly title?: string;
  readonly $ref?: string;
  readonly if?: { readonly required: readonly string[] };
  readonly then?: Schema;
  readonly else?: Schema;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  readonly allowed?: string;
  readonly case?: "upper";
  readonly required?: readonly string[];
  readonly discriminator?: { readonly propertyName: string };
  readonly oneOf?: readonly Schema[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

interface Document extends Schema {
  readonly definitions: { readonly [name: string]: Schema };
}

let documentSchema: Document | undefined;

/** Returns the schema of the whole document, as `schemas/` defines it. */
export function rootSchema(): Schema {
  documentSchema ??= JSON.parse(schemaText) as Document;
  return documentSchema;
}

/** Resolves the references, conditions and alternatives of a schema for a value. If no alternative fits, all of them remain. */
export function resolveSchema(schema: Schema, value: Value | undefined): Schema {
  if (schema.$ref !== undefined) {
    return resolveSchema(referencedSchema(schema.$ref), value);
  }
  if (schema.if !== undefined) {
    const holds = isObject(value) && schema.if.required.every((name) => Object.hasOwn(value, name));
    return resolveSchema((holds ? schema.then : schema.else) ?? {}, value);
  }
  const branch = branches(schema).find(
    ({ tag }) => isObject(value) && tag === value[schema.discriminator?.propertyName ?? ""],
  );
  return branch?.schema ?? schema;
}

/** Returns the definition that a reference names. The definition may be a reference, too. */
export function referencedSchema(reference: string): Schema {
  return (rootSchema() as Document).definitions[reference.replace("#/definitions/", "")] ?? {};
}

/** Returns the alternatives of a schema, each with the value of its discriminator (`type` or `method`). */
export function branches(schema: Schema): readonly { readonly tag: string; readonly schema: Schema }[] {
  const property = schema.discriminator?.propertyName ?? "";
  return (schema.oneOf ?? []).map((alternative) => {
    const resolved = resolveSchema(alternative, undefined);
    return { tag: resolved.properties?.[property]?.const ?? "", schema: resolved };
  });
}

/** Returns the schema of a member, given the resolved schema of its container. An unknown member has the empty schema. */
export function memberSchema(schema: Schema, container: Value, step: string): Schema {
  if (Array.isArray(container)) return schema.items ?? {};
  const propertySchema = Object.hasOwn(schema.properties ?? {}, step) ? schema.properties?.[step] : undefined;
  return propertySchema ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : {});
}

/** The place of a value that `rewrite` visits. */
export interface MemberPlace {
  readonly pointer: string;
  /** The schema as written, and the schema resolved for the value. */
  readonly written: Schema;
  readonly schema: Schema;
  /** The value's name in an object, and the resolved schema of that object. Absent for the document and for elements of lists. */
  readonly member?: { readonly name: string; readonly objectSchema: Schema } | undefined;
}

/**
 * The changes that `rewrite` makes. A value that becomes undefined is dropped; an element of a list becomes `{}` instead, so that
 * the others keep their places.
 */
export interface Changes {
  /** Called before the members of a value are visited. Returns the value whose members are visited. */
  enter?(value: Value, place: MemberPlace): Value | undefined;
  /** Called after the members were visited. `before`: the value that `enter` was given. */
  leave?(value: Value, place: MemberPlace, before: Value): Value | undefined;
}

/** Rewrites a document along the schema. Members that the schema does not know are unchanged. */
export function rewrite(document: Value, changes: Changes): Value {
  const visit = (before: Value, place: MemberPlace): Value | undefined => {
    const entered = changes.enter === undefined ? before : changes.enter(before, place);
    if (entered === undefined) return undefined;
    const value = visitMembers(entered, place);
    return changes.leave === undefined ? value : changes.leave(value, place, before);
  };
  const visitMembers = (value: Value, { pointer, schema }: MemberPlace): Value => {
    const visitMember = (member: Value, step: string, name?: string): Value | undefined => {
      const writtenSchema = memberSchema(schema, value, step);
      if (Object.keys(writtenSchema).length === 0) return member;
      const resolved = resolveSchema(writtenSchema, member);
      const memberPlace = name === undefined ? undefined : { name, objectSchema: schema };
      return visit(member, {
        pointer: pointerTo(pointer, step),
        written: writtenSchema,
        schema: resolved,
        member: memberPlace,
      });
    };
    if (Array.isArray(value)) return value.map((item: Value, index) => orEmpty(visitMember(item, String(index))));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, member]) => [name, visitMember(member, name, name)] as const);
    return Object.fromEntries(entries.flatMap(([name, member]) => (member === undefined ? [] : [[name, member]])));
  };
  const root = rootSchema();
  return orEmpty(visit(document, { pointer: "", written: root, schema: resolveSchema(root, document) }));
}

function orEmpty(value: Value | undefined): Value {
  return value === undefined ? {} : value;
}

/** Returns the value at a path into the document, and its schema; the empty schema for a place that the schema does not know. */
export function locate(
  document: Value,
  steps: readonly string[],
): { readonly schema: Schema; readonly value: Value | undefined } {
  let value: Value | undefined = document;
  let schema = resolveSchema(rootSchema(), value);
  for (const step of steps) {
    if (value === undefined || value === null || typeof value !== "object") return { schema: {}, value: undefined };
    const next: Value | undefined = (value as ValueObject)[step];
    schema = resolveSchema(memberSchema(schema, value, step), next);
    value = next;
  }
  return { schema, value };
}

/** Returns the types that a schema allows, the preferred one first. */
export function typesOf(schema: Schema): readonly string[] {
  return schema.type === undefined ? [] : typeof schema.type === "string" ? [schema.type] : schema.type;
}

/** Describes the values that a schema allows; "" if it allows any value. */
export function allowedText(schema: Schema): string {
  if (schema.allowed !== undefined) return schema.allowed;
  if (schema.enum !== undefined) return alternatives(schema.enum);
  const tags = branches(schema).map(({ tag }) => tag);
  if (tags.length > 0)
    return `an object with ${JSON.stringify(schema.discriminator?.propertyName)} ${alternatives(tags)}`;
  return typesOf(schema)
    .map((type) => typeNames[type] ?? type)
    .join(" or ");
}

/** Returns `"a", "b" or "c"`. */
export function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

const typeNames: { readonly [type: string]: string } = {
  string: "a string",
  object: "an object",
  array: "a list",
  boolean: "true or false",
  integer: "an integer",
  number: "a number",
  null: "null",
};
