import type { ConfiguredSource } from "../core/response-source.ts";
import { isObject, type Value } from "../core/value.ts";
import { isSource } from "../expression/shape.ts";

/** What an expression reads from a context, and what may stand there. */
export interface Reference {
  readonly source: ConfiguredSource;
  /** `optional`: even nothing (an argument of `ifempty`). `list`: also a list (an argument of `implode`). */
  readonly use: "scalar" | "list" | "optional";
}

const uses: Readonly<Record<string, Reference["use"]>> = { ifempty: "optional", implode: "list" };

/**
 * `expression` with every reference to `context`, at any depth, replaced by what `replace` makes of it:
 * `{"response": "a.b"}` is a reference to "response".
 */
export function mapReferences(
  expression: Value,
  context: string,
  replace: (reference: Reference, written: Value) => Value,
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
