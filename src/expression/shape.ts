import type { ConfiguredSource } from "../core/runs/response-source.ts";
import { isNumber, isObject, type Value, type ValueObject } from "../core/values/value.ts";
import { functionOf } from "./functions.ts";

/** The times that `{"time": ...}` may name. */
export const timeNames = ["currentStart", "previousStart"] as const;

/** An expression, recognised by its keys alone (contract C-4.1). */
export type Shape =
  | { readonly kind: "attr" | "time"; readonly name: Value }
  | { readonly kind: "context"; readonly context: string; readonly path: Value }
  | { readonly kind: "step"; readonly step: string; readonly source: ConfiguredSource; readonly isOptional: boolean }
  | { readonly kind: "function"; readonly name: Value; readonly args: Value | undefined };

/**
 * Returns an object as an expression; undefined if it is plain data. `contexts`: names of the extra contexts. Other keys are
 * allowed beside `function` and `args` if the function exists: placeholders have a `path` there, and Generic Extractor ignores
 * them.
 */
export function shapeOf(value: Value, contexts: readonly string[]): Shape | undefined {
  if (!isObject(value)) return undefined;
  const keys = Object.keys(value);
  const [key = ""] = keys;
  if (Object.hasOwn(value, "function")) return functionShape(value, keys);
  if (Object.hasOwn(value, "step")) return contexts.includes("step") ? stepShape(value) : undefined;
  if (keys.length !== 1) return undefined;
  const name = value[key] ?? null;
  if (key === "attr" || key === "time") return { kind: key, name };
  return contexts.includes(key) ? { kind: "context", context: key, path: name } : undefined;
}

/** Returns the expression `{"step": "create", "path": "id"}`: a value in the answer to an earlier step of the job, or of the login. */
function stepShape({ step, optional = false, ...source }: ValueObject): Shape | undefined {
  if (typeof step !== "string" || typeof optional !== "boolean" || !isSource(source)) return undefined;
  return { kind: "step", step, source, isOptional: optional };
}

function functionShape(value: ValueObject, keys: readonly string[]): Shape | undefined {
  const { function: name = null } = value;
  const args = Object.hasOwn(value, "args") ? value.args : undefined;
  const exact = keys.length === (args === undefined ? 1 : 2);
  const isKnown = typeof name === "string" && functionOf(name) !== undefined && args !== undefined;
  return exact || isKnown ? { kind: "function", name, args } : undefined;
}

/**
 * Returns whether an object is the source of a value: `{"path": ..., "delimiter": ...}`, also with `where` and `value`, or
 * `{"header": ...}`.
 */
export function isSource(value: Value | undefined): value is ValueObject & SourceShape {
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  const fits = names.every((name) => (name === "where" ? isWhere(value.where) : isText(name, value[name])));
  const picks = names.includes("where") || !names.includes("value");
  return (
    fits &&
    picks &&
    names.includes("path") !== names.includes("header") &&
    !(names.includes("where") && names.includes("header"))
  );
}

/** A source whose fields are texts, except the conditions on an element of a list. */
type SourceShape = Exclude<ConfiguredSource, string>;

function isText(name: string, value: Value | undefined): boolean {
  return ["path", "delimiter", "header", "value"].includes(name) && typeof value === "string";
}

function isWhere(value: Value | undefined): boolean {
  return (
    isObject(value) && Object.keys(value).length > 0 && Object.values(value).every((text) => typeof text === "string")
  );
}

/** Returns the name in an expression; a number counts as its digits. Undefined for anything else. */
export function nameOf(value: Value): string | undefined {
  if (isNumber(value)) return value.toString();
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns the arguments with their keys: a list, or an object whose values count in their order. Undefined for anything
 * else.
 */
export function argumentsOf(
  args: Value | undefined,
): readonly (readonly [key: string | number, value: Value])[] | undefined {
  if (args === undefined) return [];
  if (Array.isArray(args)) return args.map((value: Value, index) => [index, value] as const);
  return isObject(args) ? Object.entries(args) : undefined;
}

/**
 * Returns the names that the expressions in a value, at any depth, read from an extra context. An expression without a
 * name reads "".
 */
export function contextNames(value: Value, context: string): readonly string[] {
  const shape = shapeOf(value, [context]);
  if (shape?.kind === "context") return [nameOf(shape.path) ?? ""];
  if (Array.isArray(value)) return value.flatMap((item: Value) => contextNames(item, context));
  return isObject(value) ? Object.values(value).flatMap((item) => contextNames(item, context)) : [];
}

/**
 * Returns whether the value is an expression, given the extra contexts (`response`, `query`, ...). Plain data is not (contract
 * C-4.1).
 */
export function isExpression(value: Value, contexts: readonly string[] = []): boolean {
  return shapeOf(value, contexts) !== undefined;
}
