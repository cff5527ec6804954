import type { Fault } from "../core/errors.ts";
import { isObject, type Value } from "../core/value.ts";

/**
 * A document without the values that faults point at, so that the rest can be checked too. What stands in a list, a
 * job, or a scroller by its name leaves an empty object, so that its neighbours keep their places.
 */
export function withoutFaulty(document: Value, faults: readonly Fault[]): Value {
  // A fault of a missing or unknown field points at the object that should hold it, which stays.
  const wrong = new Set(faults.filter(({ message }) => message.startsWith("must be ")).map(({ pointer }) => pointer));
  return wrong.size === 0 ? document : (without(document, "", wrong) ?? {});
}

function without(value: Value, at: string, wrong: ReadonlySet<string>): Value | undefined {
  if (wrong.has(at)) return /\/(pagination\/scrollers|config\/jobs)\/[^/]*$/.test(at) ? {} : undefined;
  if (Array.isArray(value)) return value.map((item, index) => without(item, `${at}/${index}`, wrong) ?? {});
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
