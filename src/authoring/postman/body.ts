import { isObject, parseValue, type Value, type ValueObject } from "../../core/values/value.ts";
import { listOf, objectOf } from "../airbyte/manifest.ts";
import type { ManifestSettings } from "../airbyte/settings.ts";
import { Unsayable } from "../airbyte/unsayable.ts";
import { parameterValue, textOf } from "./text.ts";

interface Body {
  readonly method: "POST" | "FORM";
  readonly params: Readonly<Record<string, Value>>;
}

/** Reads the body of a POST. Throws `Unsayable`. */
export function bodyOf(body: ValueObject, settings: ManifestSettings): Body {
  const mode = String(body.mode ?? "none");
  if (mode === "none") return { method: "POST", params: {} };
  if (mode === "urlencoded") {
    const pairs = listOf(body.urlencoded).filter(({ disabled }) => disabled !== true);
    return {
      method: "FORM",
      params: Object.fromEntries(
        pairs.map(({ key, value }) => [String(key), parameterValue(String(key), String(value ?? ""), settings)]),
      ),
    };
  }
  if (mode === "graphql") {
    const { query, variables } = objectOf(body.graphql);
    const text = typeof variables === "string" && variables.trim() !== "" ? variables : "{}";
    return {
      method: "POST",
      params: { query: textOf(String(query ?? ""), settings), variables: jsonOf(text, settings) },
    };
  }
  if (mode !== "raw") throw new Unsayable(`its body is ${mode}: spile sends JSON objects and forms`);
  const raw = String(body.raw ?? "");
  if (raw.trim() === "") return { method: "POST", params: {} };
  const value = jsonOf(raw, settings);
  if (!isObject(value)) throw new Unsayable("its body is not a JSON object");
  return { method: "POST", params: value };
}

/** Reads JSON with variables, inside strings or in place of values. */
function jsonOf(text: string, settings: ManifestSettings): Value {
  const quoted = text.replace(
    // An unclosed string extends to the end; otherwise each escaped quote in it would start another search.
    /("(?:[^"\\]|\\[\s\S])*(?:"|\\?$))|(\{\{[^{}]*\}\})/g,
    (whole, string: string | undefined) => string ?? JSON.stringify(whole),
  );
  const filledIn = (value: Value): Value => {
    if (typeof value === "string") return textOf(value, settings);
    if (Array.isArray(value)) return value.map((item: Value) => filledIn(item));
    return isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, inner]) => [
            key,
            typeof inner === "string" ? parameterValue(key, inner, settings) : filledIn(inner),
          ]),
        )
      : value;
  };
  try {
    return filledIn(parseValue(quoted));
  } catch (error) {
    if (error instanceof Unsayable) throw error;
    throw new Unsayable("its body is not JSON");
  }
}
