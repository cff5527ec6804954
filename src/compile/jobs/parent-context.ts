import { createHash } from "node:crypto";
import { contextText } from "../../core/runs/partitions.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import type { Substitution } from "../plan.ts";

/**
 * Returns the text by which the state identifies a parent: the values of a child job's placeholders, including inherited ones,
 * each under its placeholder's path. If several placeholders have the same path, only the last one uses it, and the others use
 * their names. A digest replaces a secret.
 */
export function parentContext(substitutions: readonly Substitution[], secrets: Secrets): string {
  const values = new Map<string, Value>();
  for (const { name, path = name, value } of substitutions.toReversed()) {
    values.set(values.has(path) ? freeName(values, name) : path, value);
  }
  // Object.fromEntries makes `__proto__` an ordinary property, unlike an assignment.
  const context = Object.fromEntries(values);
  const text = contextText(context);
  return secrets.holds(text) ? withoutSecrets(context, secrets) : text;
}

function freeName(takenNames: ReadonlyMap<string, Value>, name: string): string {
  let free = name;
  for (let count = 2; takenNames.has(free); count += 1) free = `${name} ${count}`;
  return free;
}

function withoutSecrets(context: ValueObject, secrets: Secrets): string {
  const values = Object.entries(context).map(([name, value]) => {
    const text = valueText(value);
    return [name, secrets.holds(text) ? digestOf(text) : value] as const;
  });
  const text = contextText(Object.fromEntries(values));
  return secrets.holds(text) ? valueText({ sha256: digestOf(text) }) : text;
}

function digestOf(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
