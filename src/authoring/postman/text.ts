import type { Value } from "../../core/values/value.ts";
import { isCredential } from "../../knowledge/credentials.ts";
import { concatenated, type Meaning, sayable, valueMeaning } from "../airbyte/meaning.ts";
import type { ManifestSettings } from "../airbyte/settings.ts";
import { Unsayable } from "../airbyte/unsayable.ts";

/** Converts a text with variables in double braces to a value. Throws `Unsayable` for the random values of Postman. */
export function textOf(text: string, settings: ManifestSettings, isSecret = false): Value {
  const pieces = text.split(/(\{\{[^{}]*\}\})/).map((piece, index): Meaning => {
    const name = index % 2 === 1 ? piece.slice(2, -2).trim() : "";
    if (name === "") return valueMeaning(piece);
    if (name === "$timestamp") return { kind: "run", expression: { function: "time" } };
    if (name.startsWith("$")) throw new Unsayable(`it sends the random value ${name}`);
    return settings.read([name], { isSecret });
  });
  return sayable(concatenated(pieces)) ?? "";
}

/** Returns the value of a parameter. A credential in plain text becomes a setting; the scheme before it stays text. */
export function parameterValue(name: string, text: string, settings: ManifestSettings): Value {
  if (!isCredential(name) || text === "") return textOf(text, settings);
  const [, scheme = "", rest = ""] = /^((?:Bearer|Token|Basic|Key|ApiKey) +)?([\s\S]*)$/i.exec(text) ?? [];
  if (/\{\{/.test(rest)) return textOf(text, settings, true);
  const hidden = settings.read([name], { isSecret: true });
  return sayable(concatenated([valueMeaning(scheme), hidden])) ?? "";
}
