import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { UnsupportedError } from "../described/values.ts";
import { evaluate, expressionOf, shortLine } from "./evaluate.ts";
import type { Expression } from "./jinja.ts";
import { type Meaning, placeText, pythonText } from "./meaning.ts";
import { pathValue } from "./records.ts";
import type { StreamRequest } from "./request.ts";
import type { ManifestScope } from "./scope.ts";

/** The parts of a stream on which its paging depends. */
export interface PagingOptions {
  readonly scope: ManifestScope;
  readonly request: StreamRequest;
  /** Path of the records in a response; undefined if the path contains wildcards. */
  readonly records: readonly string[] | undefined;
  /** True if requests with a token omit the parameters of the slice. */
  readonly isBareAfterFirst: boolean;
}

export interface PagingParts extends PagingOptions {
  readonly strategy: ValueObject;
  readonly paginator: ValueObject;
}

/** The place from which the next page's token comes. */
export type Source =
  | { readonly kind: "response" | "last" | "address"; readonly path: readonly string[]; readonly member?: string }
  | { readonly kind: "header"; readonly name: string }
  | { readonly kind: "link"; readonly rel: string }
  /** The manifest computes the number of the next page. `count`: the place of the number of pages; undefined if there is none. */
  | { readonly kind: "pages"; readonly first: number; readonly count: Value | undefined };

/** Converts the template of a token to the place that it reads. Throws `UnsupportedError`. */
export function tokenSource(template: string, parts: PagingParts): Source {
  const expression = withoutFallbacks(expressionOf(template));
  const pageNumberSource = pageNumbers(expression, parts);
  if (pageNumberSource !== undefined) return pageNumberSource;
  const place = inObject(expression, parts) ?? placeIn(expression, parts);
  if (place === undefined) throw new UnsupportedError(`its next page is computed: ${shortLine(template)}`);
  return place;
}

/** Converts a template that makes an object with the token as its only member, such as `'{"after": "' + x + '"}'`. */
function inObject(expression: Expression, parts: PagingParts): Source | undefined {
  const pieces = joinedPieces(expression);
  const [before, place, after] = pieces;
  if (pieces.length !== 3 || before?.kind !== "value" || after?.kind !== "value" || place === undefined)
    return undefined;
  const [, member] = /^\{\s*"(\w+)"\s*:\s*"?$/.exec(pythonText(before.value)) ?? [];
  const source = placeIn(withoutFallbacks(place), parts);
  return member !== undefined && source?.kind === "response" ? { ...source, member } : undefined;
}

function joinedPieces(expression: Expression): readonly Expression[] {
  const isJoin = expression.kind === "call" && (expression.operator === "+" || expression.operator === "~");
  return isJoin ? expression.operands.flatMap(joinedPieces) : [expression];
}

/** Drops fallbacks and conversions: returns `x` for `x or y`, `x | default(y)`, `x if x else None` and `x | string`. */
export function withoutFallbacks(expression: Expression): Expression {
  if (expression.kind !== "call") return expression;
  const { operator, operands } = expression;
  const [first, second, third] = operands;
  if ((operator === "or" || operator === "| default") && first !== undefined) return withoutFallbacks(first);
  if (operator === "if" && second !== undefined && isEmpty(third)) return withoutFallbacks(second);
  if (/^\| (?:string|int|tojson|trim|safe)$/.test(operator) && first !== undefined) return withoutFallbacks(first);
  return expression;
}

/** Lists the places that an expression reads as fallbacks: `b` in `a or b`. */
export function fallbackPlaces(expression: Expression, scope: ManifestScope): readonly string[] {
  if (expression.kind !== "call") return [];
  const [first, second] = expression.operands;
  if (first === undefined || second === undefined) return [];
  if (expression.operator === "if") return fallbackPlaces(second, scope);
  if (expression.operator !== "or" && expression.operator !== "| default") return [];
  const place = placeOrNothing(withoutFallbacks(second), scope);
  const further = fallbackPlaces(second, scope);
  return [...fallbackPlaces(first, scope), ...(place === undefined ? [] : [placeText(place)]), ...further];
}

/** Returns whether an expression is missing or an empty constant: none, "", false or {}. */
export function isEmpty(expression: Expression | undefined): boolean {
  return (
    expression === undefined ||
    (expression.kind === "value" &&
      (expression.value === null || expression.value === "" || expression.value === false)) ||
    (expression.kind === "object" && expression.members.length === 0)
  );
}

/** Converts an expression that reads a place, or that extracts a token from an address; returns undefined for any other. */
function placeIn(expression: Expression, parts: PagingParts): Source | undefined {
  if (expression.kind === "call" || expression.kind === "member") {
    const cut = cutFromAddress(expression, parts);
    if (cut !== undefined) return cut;
  }
  const meaning = placeOrNothing(expression, parts.scope);
  if (meaning === undefined) return undefined;
  const { root, path } = meaning;
  if (root === "last_record") return path.length === 0 ? undefined : { kind: "last", path };
  if (root === "response")
    return lastOfList(path, parts.records) ?? (path.length === 0 ? undefined : { kind: "response", path });
  if (root !== "headers") return undefined;
  const [name = "", rel, key] = path;
  if (name.toLowerCase() === "link" && rel !== undefined) return key !== "results" ? { kind: "link", rel } : undefined;
  return path.length === 1 ? { kind: "header", name } : undefined;
}

/** Returns the place that an expression reads; undefined if the expression does more than read a place. */
export function placeOrNothing(
  expression: Expression,
  scope: ManifestScope,
): (Meaning & { readonly kind: "place" }) | undefined {
  try {
    const meaning = evaluate(expression, scope);
    return meaning.kind === "place" ? meaning : undefined;
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

/** Converts `response.data[-1].id` to a field of the last record, if `data` is the path of the records. */
function lastOfList(path: readonly string[], records: readonly string[] | undefined): Source | undefined {
  const index = path.indexOf("-1");
  if (index < 0) return undefined;
  const before = path.slice(0, index);
  const isRecords = records !== undefined && before.join("\0") === records.join("\0");
  if (!isRecords)
    throw new UnsupportedError("its token is in the last element of a list that is not the list of records");
  return { kind: "last", path: path.slice(index + 1) };
}

/** Returns the place of the next page's address if an expression extracts the token from this address, else undefined. */
function cutFromAddress(expression: Expression, parts: PagingParts): Source | undefined {
  const texts: string[] = [];
  const place = chainStart(expression, texts);
  const meaning = place === undefined ? undefined : placeOrNothing(place, parts.scope);
  if (
    meaning?.root === "headers" &&
    texts.length > 0 &&
    meaning.path.length === 1 &&
    /^link$/i.test(meaning.path[0] ?? "")
  )
    return { kind: "link", rel: "next" };
  if (meaning?.root !== "response" || texts.length === 0) return undefined;
  const { page_token_option: option } = parts.paginator;
  const name = isObject(option) ? String(option.field_name ?? "") : "";
  if (name === "" || !texts.some((text) => text.replaceAll("\\", "").includes(`${name}=`))) return undefined;
  return { kind: "address", path: meaning.path };
}

/**
 * Returns `x` from a chain such as `x.split('a')[-1].split('b')[0]` or `x | regex_search('a=(.*)')`. Adds the arguments of the
 * chain to `texts`.
 */
export function chainStart(expression: Expression, texts: string[]): Expression | undefined {
  if (expression.kind === "member") {
    const isIndex = expression.key.kind === "value" && typeof expression.key.value === "number";
    const isNegative = expression.key.kind === "call" && expression.key.operator === "-";
    return (isIndex || isNegative) && expression.of.kind === "call" ? chainStart(expression.of, texts) : expression;
  }
  if (expression.kind !== "call") return expression;
  if (expression.operator === "if")
    return expression.operands[1] === undefined ? undefined : chainStart(expression.operands[1], texts);
  if (
    !/^(?:\.split|\[:\]|\| (?:regex_search|urldecode|map|selectattr|first|last|default|trim|string))$/.test(
      expression.operator,
    )
  ) {
    return expression.operator === ".get" ? expression : undefined;
  }
  const [first, pattern] = expression.operands;
  if (pattern?.kind === "value") texts.push(pythonText(pattern.value));
  return first === undefined ? undefined : chainStart(first, texts);
}

/** Converts `response.page + 1`, which counts pages. The first request contains no page number. */
function pageNumbers(expression: Expression, parts: PagingParts): Source | undefined {
  if (expression.kind !== "call" || expression.operator !== "+") return undefined;
  const [left, right] = expression.operands;
  if (left === undefined || right?.kind !== "value" || right.value !== 1) return undefined;
  const place = placeOrNothing(withoutFallbacks(left), parts.scope);
  if (place?.root !== "response" && place?.root !== "next_page_token") return undefined;
  const count = pageTotal(parts.strategy.stop_condition, place, parts.scope);
  return { kind: "pages", first: 1, count };
}

/** Returns the place of the number of pages if a stop condition compares the page with it: `response.page >= response.pages`. */
function pageTotal(
  stop: Value | undefined,
  page: Meaning & { readonly kind: "place" },
  scope: ManifestScope,
): Value | undefined {
  if (typeof stop !== "string") return undefined;
  const expression = expressionOf(stop);
  if (expression.kind !== "call" || !/^(?:==|>=|<=)$/.test(expression.operator)) return undefined;
  const [left, right] = expression.operands.map((one) => placeOrNothing(withoutFallbacks(one), scope));
  const isPage = (one: typeof left): boolean => one?.root === page.root && one.path.join("\0") === page.path.join("\0");
  const other = isPage(left) ? right : isPage(right) ? left : undefined;
  return other?.root === "response" ? pathValue(other.path) : undefined;
}

/** Writes a source in the form of a configuration. */
export function sourceValue(source: Exclude<Source, { kind: "link" | "pages" }>): Value {
  if (source.kind === "header") return { header: source.name };
  const value = pathValue(source.path);
  if (source.kind !== "last") return value;
  return isObject(value) ? { lastRecord: value.path ?? "", delimiter: value.delimiter ?? "." } : { lastRecord: value };
}
