import { beginningOf } from "../../core/text/printable.ts";
import type { ValueObject } from "../../core/values/value.ts";
import { responseRule } from "../described/streams.ts";
import { listOf, UnsupportedError } from "../described/values.ts";
import { evaluate, expressionOf, shortLine } from "./evaluate.ts";
import type { Expression } from "./jinja.ts";
import { pythonText } from "./meaning.ts";
import { pathMembers } from "./records.ts";
import { knownValue, type ManifestScope } from "./scope.ts";

/** The error handling of a stream, as parts of a configuration. */
export interface StreamErrors {
  /** The job's `responses`. */
  readonly responses: readonly ValueObject[];
  /** The job's `retryConfig`. */
  readonly retryConfig: ValueObject | undefined;
  readonly differences: readonly string[];
}

/** Statuses that Airbyte and spile both retry without a rule. */
const retriedStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Converts an error handler. Throws `UnsupportedError`. */
export function errorsOf(handler: ValueObject, scope: ManifestScope): StreamErrors {
  const handlers = handlersIn(handler);
  const differences: string[] = [];
  const responses = handlers.flatMap(({ response_filters }) =>
    listOf(response_filters).flatMap((filter) => rulesOf(filter, scope, differences)),
  );
  const strategies = handlers.flatMap(({ backoff_strategies }) => listOf(backoff_strategies));
  const header = strategies.find(({ type }) =>
    /^WaitTimeFromHeader|^WaitUntilTimeFromHeader/.test(String(type)),
  )?.header;
  const custom = strategies.find(({ type }) => /^Custom/.test(String(type)));
  if (custom !== undefined)
    differences.push(
      `waits between retries come from the Python class ${String(custom.class_name)}; spile waits 1, 2, 4, ... seconds, or what Retry-After says`,
    );
  const name = typeof header === "string" ? pythonText(knownValue(evaluate(expressionOf(header), scope))) : undefined;
  const retryConfig = name === undefined || /^retry-after$/i.test(name) ? undefined : { http: { retryHeader: name } };
  return { responses, retryConfig, differences };
}

function handlersIn(handler: ValueObject): readonly ValueObject[] {
  const type = String(handler.type ?? "DefaultErrorHandler");
  if (/^Custom/.test(type)) throw new UnsupportedError(`it needs the error handler ${String(handler.class_name)}`);
  return type === "CompositeErrorHandler" ? listOf(handler.error_handlers).flatMap(handlersIn) : [handler];
}

/** Maps the actions of Airbyte's rules to those of a response rule. */
const actions: ReadonlyMap<string, string> = new Map([
  ["SUCCESS", "empty"],
  ["IGNORE", "empty"],
  ["RETRY", "retry"],
  ["RATE_LIMITED", "retry"],
  ["FAIL", "fail"],
  ["REFRESH_TOKEN_THEN_RETRY", "login"],
]);

/**
 * Converts a response filter to rules, of which any one is enough: one for the statuses that need a rule, one for each alternative
 * of its predicate, and one for each place where its message may be. A message at which Airbyte fails gets no rule.
 */
function rulesOf(filter: ValueObject, scope: ManifestScope, differences: string[]): readonly ValueObject[] {
  const { http_codes, predicate, error_message_contains: contains, failure_type } = filter;
  const name = String(filter.action ?? "FAIL");
  const action = actions.get(name);
  if (action === undefined) throw new UnsupportedError(`its error handler has the unknown action ${name}`);
  const isTemporary = name === "FAIL" && failure_type === "transient_error";
  const rule = (when: ValueObject): ValueObject => ({
    ...responseRule(when, action),
    ...(isTemporary ? { temporary: true } : {}),
  });
  const codes = (Array.isArray(http_codes) ? http_codes : []).map((code) => Number(pythonText(code)));
  const statuses = codes.filter((code) => isTemporary || needsRule(code, name));
  const rules: ValueObject[] = [];
  if (statuses.length > 0) rules.push(rule({ status: statuses.length === 1 ? (statuses[0] ?? 0) : statuses }));
  if (typeof predicate === "string" && predicate !== "") {
    try {
      rules.push(...conditions(expressionOf(predicate), scope).map(rule));
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      differences.push(`a response rule is left out (${name} if ${shortLine(predicate)})`);
    }
  }
  if (typeof contains === "string" && contains !== "" && name !== "FAIL") {
    const matches = escaped(beginningOf(contains, 200));
    rules.push(...messagePlaces.map((path) => rule({ path, matches })));
  }
  return rules;
}

/** Paths at which APIs usually put an error message. */
const messagePlaces = ["message", "error.message", "error", "errors.0.message", "detail"] as const;

/** Returns whether a status needs a rule: without one, spile would not take this action. */
function needsRule(code: number, action: string): boolean {
  if (action === "FAIL") return retriedStatuses.has(code) || code < 400;
  if (action === "RETRY" || action === "RATE_LIMITED") return !retriedStatuses.has(code);
  if (action === "SUCCESS") return code >= 300;
  return true;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Largest number of alternatives that an `and` may have. The alternatives of its operands are multiplied. */
const maxAlternatives = 100;

/** Splits a predicate into alternative conditions. Throws `UnsupportedError`. */
function conditions(expression: Expression, scope: ManifestScope): readonly ValueObject[] {
  if (expression.kind === "call" && expression.operator === "or")
    return expression.operands.flatMap((one) => conditions(one, scope));
  if (expression.kind === "call" && expression.operator === "and")
    return expression.operands.map((one) => conditions(one, scope)).reduce(combinations);
  return [condition(expression, scope)];
}

/** Joins each condition of `left` with each condition of `right`. Throws `UnsupportedError`. */
function combinations(left: readonly ValueObject[], right: readonly ValueObject[]): readonly ValueObject[] {
  if (left.length * right.length > maxAlternatives)
    throw new UnsupportedError("its response rule has too many alternatives");
  return left.flatMap((one) => right.map((other) => both(one, other)));
}

/**
 * Returns the stricter one of two conditions if it implies the other. Otherwise throws `UnsupportedError`, because a rule tests
 * only one place.
 */
function both(left: ValueObject, right: ValueObject): ValueObject {
  const isImplied = (one: ValueObject, other: ValueObject): boolean =>
    Object.keys(one).length === 1 &&
    typeof one.path === "string" &&
    typeof other.path === "string" &&
    other.delimiter === undefined &&
    (other.path === one.path || other.path.startsWith(`${one.path}.`));
  if (isImplied(left, right)) return right;
  if (isImplied(right, left)) return left;
  throw new UnsupportedError("its response rule tests two places");
}

function condition(expression: Expression, scope: ManifestScope): ValueObject {
  if (expression.kind === "call") {
    const [left, right] = expression.operands;
    if (expression.operator === "==" && left !== undefined && right !== undefined) {
      const value = knownValue(evaluate(right, scope));
      if (value === null) throw new UnsupportedError("its response rule compares with null");
      return { ...place(left, scope), is: value };
    }
    if (expression.operator === "in" && left !== undefined && right !== undefined) {
      if (right.kind === "list")
        return { ...place(left, scope), is: right.items.map((item) => knownValue(evaluate(item, scope))) };
      const value = pythonText(knownValue(evaluate(left, scope)));
      const found = evaluate(right, scope);
      if (found.kind === "place" && found.path.length === 0) return placeWhen(found.root, [value]);
      return { ...place(right, scope), matches: escaped(value) };
    }
    if (expression.operator === "is defined" && left !== undefined) return place(left, scope);
    if (/^\| (?:string|lower)$/.test(expression.operator) && left !== undefined) return condition(left, scope);
  }
  return place(expression, scope);
}

function place(expression: Expression, scope: ManifestScope): ValueObject {
  const inner =
    expression.kind === "call" && /^\| (?:string|lower|int)$|^\.lower$/.test(expression.operator)
      ? expression.operands[0]
      : expression;
  const meaning = inner === undefined ? undefined : evaluate(inner, scope);
  if (meaning?.kind !== "place" || meaning.path.length === 0)
    throw new UnsupportedError("its response rule tests a computed value");
  return placeWhen(meaning.root, meaning.path);
}

function placeWhen(root: string, path: readonly string[]): ValueObject {
  if (root === "headers") return { header: path[0] ?? "" };
  if (root !== "response") throw new UnsupportedError(`its response rule reads ${root}`);
  return pathMembers(path);
}
