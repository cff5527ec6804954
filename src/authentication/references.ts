import type { ConfiguredSource } from "../core/runs/response-source.ts";
import { isObject, type Value } from "../core/values/value.ts";
import { isSource } from "../expression/shape.ts";

/** An expression's reference to a context, and the values that it accepts. */
export interface Reference {
  readonly source: ConfiguredSource;
  /** `optional`: a missing value too (an argument of `ifempty`). `list`: a list too (an argument of `implode`). */
  readonly use: "scalar" | "list" | "optional";
}

const uses: Readonly<Record<string, Reference["use"]>> = { ifempty: "optional", implode: "list" };

/**
 * Replaces every reference to `context` in `expression`, at any depth, by the result of `replace`. `{"response":
 * "a.b"}` is a reference to "response".
 */
export function mapReferences(
  expression: Value,
  context: string,
  replace: (reference: Reference, writtenValue: Value) => Value,
  use: Reference["use"] = "scalar",
): Value {
  if (Array.isArray(expression)) return expression.map((item: Value) => mapReferences(item, context, replace, use));
  if (!isObject(expression)) return expression;
  const { [context]: path, ...others } = expression;
  if (Object.keys(others).length === 0 && (typeof path === "string" || isSource(path))) {
    return replace({ source: path, use }, expression);
  }
  const inside = use === "scalar" && typeof expression.function === "string" ? (uses[expression.function] ?? use) : use;
  return Object.fromEntries(
    Object.entries(expression).map(([key, item]) => [key, mapReferences(item, context, replace, inside)]),
  );
}
