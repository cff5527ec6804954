import { compile, type JSONSchema } from "json-schema-to-typescript";
import type { Bundle } from "./bundle.ts";

const heading = 'import type { Value, ValueObject } from "../core/values/value.ts";\n';

/** Returns the TypeScript types of all definitions, each with the name of its definition. */
export async function typesOf(schema: Bundle): Promise<string> {
  const definitions = Object.fromEntries(
    Object.entries(schema.definitions).map(([name, definition]) => [name, typed(definition)]),
  );
  // json-schema-to-typescript needs a root with a name, which is dropped below.
  const text = await compile({ definitions, type: "object", additionalProperties: false } as JSONSchema, "Root", {
    bannerComment: heading,
    additionalProperties: true,
    unreachableDefinitions: true,
    format: false,
    declareExternallyReferenced: true,
    unknownAny: true,
  });
  return `${tidy(text)}\n`;
}

/** Drops the root and the comments that mention it, and makes all properties readonly. */
function tidy(text: string): string {
  return text
    .replace(/export interface Root \{\s*\}\n/, "")
    .replace(
      /( \*\s*\n)? \* This interface was referenced by `Root`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g,
      "",
    )
    .replace(/\/\*\*\n \*\/\n/g, "")
    .replace(/^("[^"]+"|\w+)(\??: )/gm, "  readonly $1$2")
    .replace(/^\[k: string\]/gm, "  readonly [k: string]")
    .replace(/(\??: )(\w+)\[\]$/gm, "$1readonly $2[]")
    .replace(/ +$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/**
 * Returns the parts of a schema that the types need: titles would rename the types, and a `tsType` replaces the reference or
 * other keywords beside it.
 */
function typed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => typed(item));
  if (typeof value !== "object" || value === null) return value;
  const schema = value as Record<string, unknown>;
  const { description, tsType } = schema;
  if (typeof tsType === "string") return { description, tsType };
  const result: Record<string, unknown> = {};
  // An empty list may replace an empty object in some files, but not in the types.
  const entries = Object.entries(schema.maxItems === 0 ? { ...schema, type: "object", maxItems: undefined } : schema);
  for (const [key, inner] of entries) {
    if (
      ["title", "examples", "default", "allowed", "case", "discriminator", "minLength", "minProperties"].includes(key)
    )
      continue;
    if (key === "properties") {
      result[key] = Object.fromEntries(
        Object.entries(inner as object).map(([name, property]) => [name, typed(property)]),
      );
    } else result[key] = typed(inner);
  }
  return result;
}
