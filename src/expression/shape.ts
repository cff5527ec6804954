import type { ConfiguredSource } from "../core/runs/response-source.ts";
import { isNumber, isObject, type Value, type ValueObject } from "../core/values/value.ts";
import { functionOf } from "./functions.ts";

/** The times that `{"time": ...}` may name. */
export const timeNames = ["currentStart", "previousStart"] as const;

/** A parsed expression (contract C-4.1). */
export type Shape =
  | { readonly kind: "attr" | "time"; readonly name: Value }
  | { readonly kind: "context"; readonly context: string; readonly path: Value }
  | { readonly kind: "step"; readonly step: string; readonly source: ConfiguredSource; readonly isOptional: boolean }
  | { readonly kind: "function"; readonly name: Value; readonly args: Value | undefined };

/**
 * Returns the expression that a value is; undefined if it is plain data. `contexts`: names of the extra contexts. An object with
 * the name of an existing function and `args` may have other keys: a placeholder has `path`, and Generic Extractor ignores the
 * rest.
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
  const hasOtherKeys = keys.length > (args === undefined ? 1 : 2);
  const isKnown = typeof name === "string" && functionOf(name) !== undefined && args !== undefined;
  return isKnown || !hasOtherKeys ? { kind: "function", name, args } : undefined;
}

/**
 * Returns whether a value is an object that names a source in an answer: `{"path": ...}`, perhaps with `delimiter`, `where`
 * and `value`; or `{"header": ...}`, perhaps with `delimiter`.
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

/** A source that is an object. All its fields are texts, except `where`. */
type SourceShape = Exclude<ConfiguredSource, string>;

function isText(name: string, value: Value | undefined): boolean {
  return ["path", "delimiter", "header", "value"].includes(name) && typeof value === "string";
}

function isWhere(value: Value | undefined): boolean {
  return (
    isObject(value) && Object.keys(value).length > 0 && Object.values(value).every((text) => typeof text === "string")
  );
}

/** Returns the name in an expression: a text, or the digits of a number. Undefined for any other value. */
export function nameOf(value: Value): string | undefined {
  if (isNumber(value)) return value.toString();
  return typeof value === "string" ? value : undefined;
}

/**
 * Returns the arguments of a call with their keys, in their order. `args` may be a list or an object. Undefined for any other
 * value; an empty list if `args` is absent.
 */
export function argumentsOf(
  args: Value | undefined,
): readonly (readonly [key: string | number, value: Value])[] | undefined {
  if (args === undefined) return [];
  if (Array.isArray(args)) return args.map((value: Value, index) => [index, value] as const);
  return isObject(args) ? Object.entries(args) : undefined;
}

/**
 * Returns the names that the expressions in a value, at any depth, read from an extra context. A name that is not a text or a
 * number is returned as "".
 */
export function contextNames(value: Value, context: string): readonly string[] {
  const shape = shapeOf(value, [context]);
  if (shape?.kind === "context") return [nameOf(shape.path) ?? ""];
  if (Array.isArray(value)) return value.flatMap((item: Value) => contextNames(item, context));
  return isObject(value) ? Object.values(value).flatMap((item) => contextNames(item, context)) : [];
}

/**
 * Returns whether a value is itself an expression (contract C-4.1). `contexts`: names of the extra contexts (`response`,
 * `query`, ...).
 */
export function isExpression(value: Value, contexts: readonly string[] = []): boolean {
  return shapeOf(value, contexts) !== undefined;
}
