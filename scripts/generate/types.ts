import { compile, type JSONSchema } from "json-schema-to-typescript";
import type { Bundle } from "./bundle.ts";

const heading = 'import type { Value, ValueObject } from "../core/values/value.ts";\n';

/** The TypeScript types of every definition, named as it is. */
export async function typesOf(schema: Bundle): Promise<string> {
  const definitions = Object.fromEntries(
    Object.entries(schema.definitions).map(([name, definition]) => [name, typed(definition)]),
  );
  // A name of its own, dropped again below: json-schema-to-typescript wants a root.
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

/** Without the root, without the remarks on it, and nothing to be assigned to. */
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
  // An empty list replaces an empty object in some files, never in the types.
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
