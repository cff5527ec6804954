import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import type { Bundle } from "./bundle.ts";

/** A module that exports `validate(data)` and needs no Ajv when it runs. */
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
    code: { source: true, esm: true, lines: false, optimize: 2 },
  });
  ajv.addVocabulary(["tsType", "allowed"]);
  ajv.addSchema(schema, "configuration");
  return standalone.default(ajv, { validate: "configuration" });
}
