import { scalarText, type ValueObject } from "../../core/values/value.ts";
import { listOf, UnsupportedError } from "../described/values.ts";
import { evaluate, expressionOf } from "./evaluate.ts";
import type { Expression } from "./jinja.ts";
import type { ManifestScope } from "./scope.ts";
import { isEmpty, placeOrNothing, withoutFallbacks } from "./token.ts";

/** Returns the path of a field in the API's records. For a field that the manifest adds, it is the path that its template reads. */
export function sourceOfField(field: string, stream: ValueObject, scope: ManifestScope): readonly string[] {
  const template = addedValue(field, stream);
  return template === undefined ? [field] : (recordPlace(expressionOf(template), scope) ?? [field]);
}

/** Returns the template of a field that the manifest adds to the records; undefined for any other field. */
function addedValue(field: string, stream: ValueObject): string | undefined {
  const added = listOf(stream.transformations).flatMap(({ type, fields }) =>
    type === "AddFields" ? listOf(fields) : [],
  );
  const found = added.find(({ path }) => Array.isArray(path) && path.length === 1 && path[0] === field);
  return typeof found?.value === "string" ? found.value : undefined;
}

/** A value of a stream that its children read. */
export interface ParentValue {
  /** The object in which `path` begins: a record as the API sends it, or the stream's slice. */
  readonly root: "record" | "stream_slice";
  readonly path: readonly string[];
  /** A regular expression. The value is then the part of the text at `path` that its first group matches. */
  readonly pattern: string | undefined;
}

/**
 * Returns the value that the children of a stream read at a path of its records. If the manifest adds the field, this is the value
 * that its template reads. `above`: the added fields whose templates were followed to this one. A template that reads a field of
 * the same name reads the API's field. Throws `UnsupportedError` if a template does more than read a value, or a part of a text.
 */
export function parentValue(
  [field = "", ...rest]: readonly string[],
  stream: ValueObject,
  scope: ManifestScope,
  above: readonly string[] = [],
): ParentValue {
  const template = above.includes(field) ? undefined : addedValue(field, stream);
  if (template === undefined) return { root: "record", path: [field, ...rest], pattern: undefined };
  const { expression, remaining } = memberOf(withoutFallbacks(expressionOf(template)), rest);
  const isSearch = expression?.kind === "call" && expression.operator === "| regex_search";
  const [text, regex] = isSearch ? expression.operands : [expression, undefined];
  const pattern = regex?.kind === "value" && typeof regex.value === "string" ? regex.value : undefined;
  const isKnown = text !== undefined && (regex === undefined || pattern !== undefined);
  const place = isKnown ? placeOrNothing(text, scope) : undefined;
  const path = [...(place?.path ?? []), ...remaining];
  if (place?.root === "stream_slice" && pattern === undefined) return { root: "stream_slice", path, pattern };
  const source = place?.root === "record" ? parentValue(path, stream, scope, [...above, field]) : undefined;
  const isPlainText = source?.root === "record" && source.pattern === undefined;
  if (source === undefined || (pattern !== undefined && !isPlainText))
    throw new UnsupportedError(
      `it needs ${[field, ...rest].join(".")} of its parent's records, which the manifest computes`,
    );
  return { ...source, pattern: pattern ?? source.pattern };
}

/**
 * Follows a path through object literals. Returns the first expression that is no object literal, and the rest of the path. The
 * expression is undefined if a literal lacks the member.
 */
function memberOf(
  expression: Expression,
  path: readonly string[],
): { readonly expression: Expression | undefined; readonly remaining: readonly string[] } {
  if (expression.kind !== "object") return { expression, remaining: path };
  const [name, ...rest] = path;
  const found = expression.members.find(([key]) => key.kind === "value" && key.value === name)?.[1];
  return found === undefined ? { expression: undefined, remaining: rest } : memberOf(found, rest);
}

/**
 * Converts a record filter of a parent to a `recursionFilter`; undefined if the filter cannot be expressed. `key`: the member that
 * the child reads. For this member alone, "not None" is written as "not empty".
 */
export function parentFilter(condition: string, key: string, scope: ManifestScope): string | undefined {
  return comparisons(expressionOf(condition), key, scope)?.join("&");
}

/**
 * Splits a condition at `and` into comparisons: `a == 'x'`, `a > 1`, `a != None`, `a not in [None]`. Returns undefined if another
 * condition is among them.
 */
function comparisons(expression: Expression, key: string, scope: ManifestScope): readonly string[] | undefined {
  if (expression.kind !== "call") return undefined;
  const { operator, operands } = expression;
  if (operator === "and") {
    const all = operands.map((one) => comparisons(one, key, scope));
    return all.includes(undefined) ? undefined : all.flatMap((one) => one ?? []);
  }
  const [left, right] = operands;
  if (operator === "not" && left?.kind === "call" && left.operator === "in") {
    const [place, list] = left.operands;
    const [only, ...more] = list?.kind === "list" ? list.items : [];
    if (place === undefined || only === undefined || more.length > 0) return undefined;
    return comparisons({ ...expression, operator: "!=", operands: [place, only] }, key, scope);
  }
  if (left === undefined || right?.kind !== "value" || !/^(?:==|!=|>=|>)$/.test(operator)) return undefined;
  const place = isMember(left) ? placeOrNothing(left, scope) : undefined;
  const isSimple = place?.root === "record" && place.path.every((step) => /^\w+$/.test(step));
  const field = isSimple ? place.path.join(".") : "";
  const isId = right.value === null && operator === "!=" && field === key;
  const value = right.value === null || right.value === false ? undefined : scalarText(right.value);
  const text = isId ? "" : value === "" ? undefined : value;
  // A `recursionFilter` has no way to escape characters.
  const isPlain = field !== "" && text !== undefined && /^[\w .:/-]*$/.test(text);
  return isPlain ? [`${field}${operator}${text}`] : undefined;
}

/**
 * Returns whether an expression only reads a member: `record.a`, `record.get('a')`. A `recursionFilter` cannot express a fallback
 * value, and would drop the records that need it.
 */
function isMember(expression: Expression): boolean {
  if (expression.kind === "member") return isMember(expression.of);
  if (expression.kind !== "call") return expression.kind === "name";
  const [of, , fallback] = expression.operands;
  return expression.operator === ".get" && of !== undefined && isMember(of) && isEmpty(fallback);
}

/** Returns the path of the first member of the record that an expression reads; undefined if it reads none. */
function recordPlace(expression: Expression, scope: ManifestScope): readonly string[] | undefined {
  if (expression.kind === "member") {
    try {
      const meaning = evaluate(expression, scope);
      return meaning.kind === "place" && meaning.root === "record" ? meaning.path : undefined;
    } catch (error) {
      if (error instanceof UnsupportedError) return undefined;
      throw error;
    }
  }
  if (expression.kind !== "call") return undefined;
  if (expression.operator === ".get") {
    const [of, key] = expression.operands;
    return of === undefined || key === undefined ? undefined : recordPlace({ kind: "member", of, key }, scope);
  }
  return expression.operands.map((one) => recordPlace(one, scope)).find((one) => one !== undefined);
}
