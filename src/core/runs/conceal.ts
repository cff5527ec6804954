import { withSignalTurns } from "../blocking-work.ts";
import type { Cancellation } from "../cancellation.ts";
import type { Secrets } from "../secrets/redact.ts";
import { printable, shortText } from "../text/printable.ts";
import { isNumber, type Value } from "../values/value.ts";
import type { Dataset, Datasets } from "./dataset.ts";
import type { RunEvent } from "./event.ts";
import type { JobResult } from "./run.ts";

/** Maximum number of characters of a text in an event. A text from an API may have any length. */
const maxLength = 4000;

/** Returns an event, or a job's result, that is safe to show: without secrets and control characters, and with long texts cut. */
export function concealed<T extends RunEvent | JobResult>(report: T, secrets: Secrets): T {
  let result = report;
  for (const [name, value] of Object.entries(report)) {
    const safeValue = typeof value === "string" ? safeText(value, secrets) : value;
    if (safeValue !== value) result = { ...result, [name]: safeValue };
  }
  return result;
}

/**
 * Masks an error in place: message, stack, causes and all other fields, at every depth. A program that uses the library may print
 * all of them.
 */
export function concealError(error: unknown, secrets: Secrets): void {
  if (error instanceof Error) concealedField(error, secrets, new Map());
}

/** Masks errors in place, and lists and plain objects in a copy. Other objects contain no texts from spile. */
function concealedField(value: unknown, secrets: Secrets, done: Map<object, unknown>): unknown {
  if (typeof value === "string") return secrets.mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (done.has(value)) return done.get(value);
  const copy = copyOf(value);
  done.set(value, copy);
  if (copy === value && !(value instanceof Error)) return value;
  for (const [name, { value: field, writable }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    // The parser's errors contain the bytes at which parsing failed. They may hold a secret, so they are removed.
    if (ArrayBuffer.isView(field)) Reflect.deleteProperty(copy, name);
    else if (writable === true) Reflect.set(copy, name, concealedField(field, secrets, done));
  }
  return copy;
}

function copyOf(value: object): object {
  if (Array.isArray(value)) return [...value];
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? { ...value } : value;
}

function safeText(text: string, secrets: Secrets): string {
  return printable(secrets.mask(shortText(text, maxLength)));
}

/** Masks every text of a plain JSON value, except names of fields. */
export function maskedValue(value: unknown, secrets: Secrets): Value {
  if (typeof value === "string") return secrets.mask(value);
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, secrets));
  if (typeof value !== "object" || value === null || isNumber(value)) return (value ?? null) as Value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, maskedValue(item, secrets)]));
}

/** Masks the texts of datasets, so that they may be shown with the lines. The keys of the map stay. */
export async function maskedDatasets(datasets: Datasets, secrets: Secrets, signal: Cancellation): Promise<Datasets> {
  const masked = new Map<string, Dataset>();
  for await (const [name, dataset] of withSignalTurns(datasets, signal)) {
    masked.set(name, maskedValue(dataset, secrets) as unknown as Dataset);
  }
  return masked;
}
