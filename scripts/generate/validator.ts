import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import type { Bundle } from "./bundle.ts";

const annotations = ["title", "description", "examples", "default", "allowed", "case", "tsType"];

/** Returns the text of a module that exports `validate(data)` and needs no Ajv at run time. */
export function validatorOf(schema: Bundle): string {
  const ajv = new Ajv({
    allErrors: true,
    discriminator: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    inlineRefs: false,
    messages: false,
    unicodeRegExp: false,
    code: { source: true, esm: true, lines: true, optimize: 2 },
  });
  ajv.addSchema(bare(schema) as object, "configuration");
  return standalone.default(ajv, { validate: "configuration" });
}

/**
 * Returns a schema without annotations. A pattern replaces `minLength: 1`, which would need a part of Ajv at run time. `names`: the
 * value maps names of properties or definitions to schemas.
 */
function bare(value: unknown, names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => names || !annotations.includes(key))
      .map(([key, inner]) => {
        if (key === "minLength" && !names) return ["pattern", "[^]"];
        return [key, bare(inner, !names && (key === "properties" || key === "definitions"))];
      }),
  );
}
