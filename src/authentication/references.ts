import { isObject, type Value } from "../core/value.ts";

/** A path that an expression reads from a context, and what may stand there. */
export interface Reference {
  readonly path: string;
  /** `optional`: even nothing (an argument of `ifempty`). `list`: also a list (an argument of `implode`). */
  readonly use: "scalar" | "list" | "optional";
}

const uses: Readonly<Record<string, Reference["use"]>> = { ifempty: "optional", implode: "list" };

/** All references to `context` in an expression, at any depth: `{"response": "a.b"}` is one to "response". */
export function referencesIn(value: Value, context: string, use: Reference["use"] = "scalar"): Reference[] {
  if (Array.isArray(value)) return value.flatMap((item: Value) => referencesIn(item, context, use));
  if (!isObject(value)) return [];
  const { [context]: path, ...others } = value;
  if (typeof path === "string" && Object.keys(others).length === 0) return [{ path, use }];
  const inside = use === "scalar" && typeof value.function === "string" ? (uses[value.function] ?? use) : use;
  return Object.values(value).flatMap((item) => referencesIn(item, context, inside));
}
