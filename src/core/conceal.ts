import type { RunEvent } from "./event.ts";
import { printable } from "./printable.ts";
import type { Secrets } from "./redact.ts";
import type { JobResult } from "./run.ts";
import type { Value } from "./value.ts";

/** The longest text of an event: what an API has answered may be of any length. */
const longest = 4000;

/** An event, or a job's result, fit to be told: no secrets, no control characters, cut where a text is long. */
export function concealed<T extends RunEvent | JobResult>(told: T, secrets: Secrets): T {
  let result = told;
  for (const [name, value] of Object.entries(told)) {
    const fitting = typeof value === "string" ? fit(value, secrets) : value;
    if (fitting !== value) result = { ...result, [name]: fitting };
  }
  return result;
}

/** Masks an error where it stands: message, stack and what Node has put beside them, its causes too; programs print all that. */
export function concealError(error: unknown, secrets: Secrets): void {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (writable !== true) continue;
      if (typeof value === "string") Reflect.set(at, name, secrets.mask(value));
      // The parser's errors carry the bytes they stumbled over.
      else if (Buffer.isBuffer(value)) Reflect.deleteProperty(at, name);
    }
    if (at instanceof AggregateError) for (const one of at.errors) concealError(one, secrets);
  }
}

function fit(text: string, secrets: Secrets): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}...` : text;
  return printable(secrets.mask(cut));
}

/** Every text of a plain JSON value masked, names of fields excepted. */
export function maskedValue(value: unknown, secrets: Secrets): Value {
  if (typeof value === "string") return secrets.mask(value);
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, secrets));
  if (typeof value !== "object" || value === null) return (value ?? null) as Value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, maskedValue(item, secrets)]));
}
