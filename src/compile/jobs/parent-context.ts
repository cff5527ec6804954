import { createHash } from "node:crypto";
import { contextText } from "../../core/runs/partitions.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import type { Substitution } from "../plan.ts";

/**
 * Returns the text of what the state knows a parent by: the values of the placeholders of a child job, those that it inherits too,
 * each by its placeholder's path. Of several with one path the job's last has it, and the others the names of their placeholders.
 * In place of a secret stands its digest.
 */
export function parentContext(substitutions: readonly Substitution[], secrets: Secrets): string {
  const context: Record<string, Value> = {};
  for (const { name, path = name, value } of substitutions.toReversed()) {
    const isTaken = Object.hasOwn(context, path);
    context[isTaken ? freeName(context, name) : path] = value;
  }
  const text = contextText(context);
  return secrets.holds(text) ? withoutSecrets(context, secrets) : text;
}

function freeName(context: ValueObject, name: string): string {
  let free = name;
  for (let count = 2; Object.hasOwn(context, free); count += 1) free = `${name} ${count}`;
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
