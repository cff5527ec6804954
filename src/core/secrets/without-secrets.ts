import { isObject, type Value } from "../values/value.ts";

/** Returns a value without secret members: those whose names begin with `#`, also after a dot. */
export function withoutSecrets(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name, inner]) => inner !== undefined && !/(^|\.)#/.test(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutSecrets(inner)]));
}
