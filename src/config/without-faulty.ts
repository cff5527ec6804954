import type { Fault } from "../core/errors.ts";
import { isObject, type Value } from "../core/value.ts";

/** A document without the values that faults point at, so that the rest can be checked too. */
export function withoutFaulty(document: Value, faults: readonly Fault[]): Value {
  // A fault of a missing or unknown field points at the object that should hold it, which stays.
  const wrong = new Set(faults.filter(({ message }) => message.startsWith("must be ")).map(({ pointer }) => pointer));
  return wrong.size === 0 ? document : (without(document, "", wrong) ?? {});
}

function without(value: Value, at: string, wrong: ReadonlySet<string>): Value | undefined {
  // The name of a faulty scroller still counts as defined.
  if (wrong.has(at)) return /\/pagination\/scrollers\/[^/]*$/.test(at) ? {} : undefined;
  if (Array.isArray(value)) return value.flatMap((item, index) => without(item, `${at}/${index}`, wrong) ?? []);
  if (!isObject(value)) return value;
  const kept: [string, Value][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const result = without(inner, `${at}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, wrong);
    if (result !== undefined) kept.push([key, result]);
  }
  // Whether it needs one or the other cannot be told any more.
  if (kept.length === 0 && at.endsWith("/limitStop") && Object.keys(value).length > 0) return undefined;
  return Object.fromEntries(kept);
}
