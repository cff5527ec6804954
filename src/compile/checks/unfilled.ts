import type { Fault } from "../../core/errors.ts";
import { pointerTo } from "../../core/values/path.ts";
import { isNumber, isObject, type Value } from "../../core/values/value.ts";

/** Returns warnings about values, at any depth, that look like a variable or a placeholder but are sent unchanged. */
export function unfilled(value: Value, pointer: string, contexts: readonly string[]): Fault[] {
  if (typeof value === "string") return unfilledVariables(value, pointer);
  if (isNumber(value) || (!Array.isArray(value) && !isObject(value))) return [];
  const stray = strays.find((one) => !contexts.includes(one.context) && isObject(value) && isOf(value, one));
  if (stray !== undefined) {
    return [{ pointer, message: `{"${stray.context}": ...} is sent as it is written: ${stray.remedy}` }];
  }
  return Object.entries(value).flatMap(([key, inner]) => unfilled(inner, pointerTo(pointer, key), contexts));
}

/** Returns a warning about `${NAME}` in a text. */
export function unfilledVariables(text: string, pointer: string): Fault[] {
  const [found, name] = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/.exec(text) ?? [];
  if (found === undefined) return [];
  const message = `"${found}" is sent as it is written: a variable is read in "config", {"#name": {"env": "${name}"}}, and used as {"attr": "#name"}`;
  return [{ pointer, message }];
}

/** Returns warnings about `{name}` in the texts of an endpoint of a job without a parent. */
export function unfilledPlaceholders(texts: readonly string[], pointer: string): Fault[] {
  const names = texts.flatMap((text) => [...text.matchAll(/(?<!\$)\{([\w:.-]+)\}/g)].map(([found]) => found));
  return [...new Set(names)].map((name) => ({
    pointer,
    message: `"${name}" is sent as it is written: only a child job has a parent to take values from`,
  }));
}

interface Stray {
  readonly context: string;
  readonly names: RegExp;
  readonly remedy: string;
}

/** Values that would be expressions in another place. */
const strays: readonly Stray[] = [
  {
    context: "placeholder",
    names: /./,
    remedy: "placeholders belong in the endpoint of a child job, as {name}",
  },
  { context: "window", names: /^(from|to)$/, remedy: 'the job needs "windows"' },
  { context: "incremental", names: /^from$/, remedy: 'the job needs "incremental"' },
];

function isOf(value: Readonly<Record<string, Value>>, { context, names }: Stray): boolean {
  const name = value[context];
  return Object.keys(value).length === 1 && typeof name === "string" && names.test(name);
}
