import { isObject, type Value, type ValueObject } from "../core/value.ts";
import { schemaText } from "../generated/schema.ts";

/** What messages and coercion read of a schema. */
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

let parsed: Document | undefined;

/** The schema of the whole document, as `schemas/` defines it. */
export function rootSchema(): Schema {
  parsed ??= JSON.parse(schemaText) as Document;
  return parsed;
}

/** `schema` without references and alternatives, as it stands for `value`; without a fitting alternative, the whole. */
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

/** Returns the definition that a reference leads to, which may be a reference itself. */
export function referencedSchema(reference: string): Schema {
  return (rootSchema() as Document).definitions[reference.replace("#/definitions/", "")] ?? {};
}

/** The alternatives of a schema by the value of their discriminator (`type`, `method`). */
export function branches(schema: Schema): readonly { readonly tag: string; readonly schema: Schema }[] {
  const property = schema.discriminator?.propertyName ?? "";
  return (schema.oneOf ?? []).map((alternative) => {
    const resolved = resolveSchema(alternative, undefined);
    return { tag: resolved.properties?.[property]?.const ?? "", schema: resolved };
  });
}

/** The schema of a member of a value with (resolved) schema `schema`. */
export function memberSchema(schema: Schema, container: Value, step: string): Schema {
  if (Array.isArray(container)) return schema.items ?? {};
  const known = Object.hasOwn(schema.properties ?? {}, step) ? schema.properties?.[step] : undefined;
  return known ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : {});
}

/** Schema and value at the end of a path of steps into the document. */
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

/** The types a schema allows, the preferred one first. */
export function typesOf(schema: Schema): readonly string[] {
  return schema.type === undefined ? [] : typeof schema.type === "string" ? [schema.type] : schema.type;
}

/** What is allowed, in words. */
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

/** `"a", "b" or "c"`. */
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
