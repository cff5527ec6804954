import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { expressionOf } from "./evaluate.ts";
import type { Expression } from "./jinja.ts";
import { pathMembers } from "./records.ts";
import { chainStart, type PagingParts, placeOrNothing, type Source, withoutFallbacks } from "./token.ts";

/**
 * Converts a stop condition to a `nextPageFlag`. Returns undefined if paging needs none, because it ends at a page without a token,
 * and "always" if there is only one page. Any other text tells the user why the condition cannot be converted.
 */
export function stopOf(
  template: Value | undefined,
  source: Source,
  parts: PagingParts,
): ValueObject | string | undefined {
  if (template === undefined || template === null || template === "") return undefined;
  if (typeof template !== "string") return template === true ? "always" : undefined;
  const expression = expressionOf(template);
  const flags = alternatives(expression).flatMap((one) => {
    const found = stopFlag(one, source, parts);
    return found === undefined ? [] : [found];
  });
  if (flags.includes("always")) return "always";
  const objects = flags.filter(isObject);
  const records = objects.filter((one) => one.field === recordsFlag(parts)?.field);
  const [best = records[0]] = objects.filter((one) => !records.includes(one));
  return best ?? flags.find((one): one is string => typeof one === "string");
}

/** Splits a condition at `or`. */
function alternatives(expression: Expression): readonly Expression[] {
  return expression.kind === "call" && expression.operator === "or"
    ? expression.operands.flatMap(alternatives)
    : [expression];
}

/** Returns the flag that ends paging at a page without records; undefined if the place of the records has no path. */
function recordsFlag({ records }: PagingParts): ValueObject | undefined {
  if (records === undefined || records.length === 0) return undefined;
  return { field: pathMembers(records), stopOn: false };
}

function stopFlag(expression: Expression, source: Source, parts: PagingParts): ValueObject | string | undefined {
  const isTokenPath = (path: readonly string[]): boolean =>
    (source.kind === "response" || source.kind === "address") &&
    (isPrefix(path, source.path) || isPrefix(source.path, path));
  if (expression.kind === "value")
    return expression.value === true || expression.value === "true" ? "always" : undefined;
  const absence = testedAbsence(expression);
  if (absence !== undefined) {
    const place = placeOrNothing(withoutFallbacks(absence), parts.scope);
    if (place === undefined) return isNextLink(absence, source, parts) ? undefined : unusedCondition;
    if (place.root === "last_record") return undefined;
    if (place.root === "headers")
      return place.path[0]?.toLowerCase() === "link" || source.kind === "header" ? undefined : flag(place, false);
    if (place.root === "last_page_size") return source.kind === "last" ? undefined : recordsFlag(parts);
    if (place.root === "next_page_token") return undefined;
    if (isTokenPath(place.path)) return undefined;
    if (parts.records !== undefined && place.path.join("\0") === parts.records.join("\0"))
      return source.kind === "last" ? undefined : recordsFlag(parts);
    return flag(place, false);
  }
  const comparisonFlag = comparison(expression, source, parts);
  if (comparisonFlag !== undefined) return comparisonFlag === "nothing" ? undefined : comparisonFlag;
  const place = placeOrNothing(withoutFallbacks(expression), parts.scope);
  if (place?.root === "response") return { ...flag(place, true), ifNotSet: false };
  return unusedCondition;
}

/** Returns whether an expression searches the header `Link` for the relation from which the token comes, such as `rel=next`. */
function isNextLink(expression: Expression, source: Source, { scope }: PagingParts): boolean {
  const texts: string[] = [];
  const start = chainStart(expression, texts);
  const place = start === undefined ? undefined : placeOrNothing(withoutFallbacks(start), scope);
  const isHeader = place?.root === "headers" && place.path.length === 1 && /^link$/i.test(place.path[0] ?? "");
  return isHeader && source.kind === "link" && texts.some((text) => text.replaceAll('"', "") === `rel=${source.rel}`);
}

const unusedCondition = "its stop condition cannot be expressed: paging ends at the first page without a token";

function flag(place: { readonly root: string; readonly path: readonly string[] }, stopOn: boolean): ValueObject {
  if (place.root === "headers") return { field: { header: place.path[0] ?? "" }, stopOn };
  return { field: pathMembers(place.path), stopOn };
}

function isPrefix(short: readonly string[], long: readonly string[]): boolean {
  return short.length <= long.length && short.every((step, index) => step === long[index]);
}

/**
 * Returns `x` if an expression tests whether `x` is absent or empty: `not x`, `x is none`, `x == ''`, `x | length == 0`. Returns
 * `x.a` for `'a' not in x`, and undefined for any other expression.
 */
function testedAbsence(expression: Expression): Expression | undefined {
  if (expression.kind !== "call") return undefined;
  const [first, second] = expression.operands;
  if (expression.operator === "not" && first?.kind === "call") {
    const [key, container] = first.operands;
    if (first.operator === "in" && key !== undefined && container !== undefined)
      return { kind: "member", of: container, key };
    if (first.operator === "is defined") return first.operands[0];
    if (/^is (?:none|undefined)$/.test(first.operator)) return undefined;
  }
  if (expression.operator === "not") return first === undefined ? undefined : withoutLength(first);
  if (/^is (?:none|undefined|false)$/.test(expression.operator)) return first;
  if (expression.operator === "==" && first !== undefined && second?.kind === "value") {
    const isNothing =
      second.value === "" ||
      second.value === null ||
      second.value === false ||
      second.value === 0 ||
      second.value === "null";
    return isNothing ? withoutLength(first) : undefined;
  }
  if (expression.operator === "==" && second?.kind === "list" && second.items.length === 0) return first;
  return undefined;
}

function withoutLength(expression: Expression): Expression {
  const isLength = expression.kind === "call" && /^\| (?:length|count|list)$/.test(expression.operator);
  return isLength ? (expression.operands[0] ?? expression) : expression;
}

/**
 * Converts a comparison, such as `x == true`, `last_page_size < 100` or `response.page >= response.pages`, to a flag. Returns
 * "nothing" if paging needs no flag to end there, and undefined if a flag cannot express the comparison.
 */
function comparison(expression: Expression, source: Source, parts: PagingParts): ValueObject | "nothing" | undefined {
  if (expression.kind !== "call" || !/^(?:[<>!=]=|[<>])$/.test(expression.operator)) return undefined;
  const [left, right] = expression.operands;
  if (left === undefined || right === undefined) return undefined;
  const place = placeOrNothing(withoutFallbacks(withoutLength(left)), parts.scope);
  if (source.kind === "pages" && source.count !== undefined) return "nothing";
  if (place?.root === "last_page_size") return source.kind === "last" ? "nothing" : recordsFlag(parts);
  if (place !== undefined && source.kind === "link" && right.kind === "value") {
    // spile ignores a link that has `results="false"`.
    const isNoResults = expression.operator === "==" && right.value === "false" && place.root === "headers";
    if (isNoResults && place.path.join("\0").toLowerCase() === `link\0${source.rel}\0results`) return "nothing";
  }
  if (place?.root !== "response" || right.kind !== "value") return undefined;
  if (right.value === true || right.value === "true")
    return {
      ...flag(place, expression.operator === "=="),
      ...(expression.operator === "==" ? { ifNotSet: false } : {}),
    };
  const isRecords = parts.records !== undefined && place.path.join("\0") === parts.records.join("\0");
  return isRecords ? recordsFlag(parts) : undefined;
}
