import { SpileError } from "../core/errors.ts";
import { type Request, withHeaders } from "../core/requests/request.ts";
import { type PlacedValue, placeName, placeOf, withValues } from "../core/requests/request-place.ts";
import { type ConfiguredSource, sourceOf, sourceText } from "../core/runs/response-source.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { headerText } from "../core/text/header-syntax.ts";
import { pointerTo } from "../core/values/path.ts";
import { isNumber, isObject, scalarText, type Value } from "../core/values/value.ts";
import { isSource } from "../expression/shape.ts";
import type { ApiRequest } from "../generated/configuration.ts";
import type { AuthenticationOptions } from "./environment.ts";
import { evaluateAt } from "./evaluation.ts";
import { literalRemedy } from "./literal-paths.ts";
import { answerValue, type LoginAnswer } from "./login-answer.ts";
import { mergeLoginParameters } from "./login-query.ts";

/** Stands for the answer of a login that was not sent. All that is computed from it is `***`. */
export const unknownAnswer = Symbol("the answer of a login that was not sent");

type Answer = LoginAnswer | typeof unknownAnswer;

/**
 * Puts values of the login's answer into a request (contract C-3.8, C-4.4, C-20.1). Headers and parameters replace
 * those of the request, query parameters do not. A path that is missing, or leads to null, a list or an object, is an
 * authentication error that names it.
 */
export function attach(
  { headers = {}, query = {}, params = {} }: ApiRequest,
  answer: Answer,
  request: Request,
  options: AuthenticationOptions,
): Request {
  const added = Object.entries(headers).map(([name, value]) => {
    const place = { name: `header "${name}"`, pointer: pointerTo("/api/authentication/apiRequest/headers", name) };
    const text = headerText(scalarText(scalarOf(value, place, answer, options)));
    if (text !== undefined) return [name, text] as const;
    throw failure(
      place,
      `the ${place.name} contains characters of the login's answer that are not allowed in a header`,
    );
  });
  const placed = (Array.isArray(params) ? params : Object.entries(params)).map((entry, index): PlacedValue => {
    const [to, value, step] = Array.isArray(entry) ? [entry[0], entry[1], entry[0]] : [entry, entry.value, index];
    const place = placeOf(to);
    const where = {
      name: `parameter "${placeName(place)}"`,
      pointer: pointerTo("/api/authentication/apiRequest/params", step),
    };
    return { place, value: scalarOf(value, where, answer, options) };
  });
  const filled = withValues(request, placed);
  const parameters = Object.entries(query).map(([name, value]) => {
    const place = {
      name: `query parameter "${name}"`,
      pointer: pointerTo("/api/authentication/apiRequest/query", name),
    };
    return { name, value: scalarOf(value, place, answer, options) };
  });
  const mergedQuery = mergeLoginParameters(filled.query, parameters);
  return { ...filled, headers: withHeaders(request.headers, added), query: mergedQuery };
}

/** The destination of a value: for people, and as a JSON pointer. */
interface Target {
  readonly name: string;
  readonly pointer: string;
}

function scalarOf(value: Value, target: Target, answer: Answer, options: AuthenticationOptions): Value {
  const { secrets } = options;
  // A plain string is a path (contract C-4.4).
  const expression: Value = typeof value === "string" ? { response: value } : value;
  if (answer === unknownAnswer) return unknownOf(expression, target, options);
  const document: Record<string, Value> = { ...answer.document };
  const checked = mapReferences(expression, "response", (reference, expression) => {
    const { source } = reference;
    const found = answerValue(answer, source);
    if (!isUsable(found, reference)) {
      const missingText = `the login's answer has ${kindOf(found)} ${sourceText(sourceOf(source))}, which the ${target.name} needs`;
      const remedy = typeof value === "string" && value === source ? literalRemedy(value) : undefined;
      throw failure(target, remedy === undefined ? missingText : `${missingText}; ${remedy}`);
    }
    if (typeof found === "string" || isNumber(found)) addSecret(String(found), secrets);
    if (found === undefined || found === null) return null;
    if (typeof source === "string") return expression;
    // Expressions look values up by path, so a value from another place gets a name that no answer has.
    const name = `\u0000${Object.keys(document).length}`;
    document[name] = found;
    return { response: name };
  });
  const result = evaluateAt(target.pointer, checked, { response: document }, options, "authentication");
  if (scalarText(result) !== undefined) return result;
  throw failure(target, `the ${target.name} evaluates to a list or an object; it must be a text`);
}

const unknown = "***";

/**
 * Returns the value with `***` in place of the login's answer; `***` alone if a function computes something else from
 * it.
 */
function unknownOf(expression: Value, { pointer }: Target, options: AuthenticationOptions): Value {
  let depends = false;
  const replaced = mapReferences(expression, "response", () => {
    depends = true;
    return unknown;
  });
  if (!depends) return evaluateAt(pointer, expression, {}, options, "authentication");
  try {
    const text = scalarText(evaluateAt(pointer, replaced, {}, options, "authentication"));
    return text?.includes(unknown) ? text : unknown;
  } catch {
    // Most functions of dates and numbers cannot take `***`.
    return unknown;
  }
}

function isUsable(found: Value | undefined, { use }: Reference): boolean {
  if (use === "optional" || (use === "list" && Array.isArray(found))) return true;
  return found !== undefined && found !== null && !Array.isArray(found) && !isObject(found);
}

/**
 * Registers a value as a secret. A number of up to three digits is no token, and masking it would blank out page numbers. The
 * secret is registered as `passing`, since each login brings another one. A request that uses it registers it again.
 */
function addSecret(text: string, secrets: Secrets): void {
  if (!/^\d{1,3}$/.test(text)) secrets.add(text, true);
}

function kindOf(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : "an object";
}

function failure({ pointer }: Target, message: string): SpileError {
  return new SpileError("authentication", message, { pointer });
}

/** An expression's reference to a context, and the values that it accepts. */
interface Reference {
  readonly source: ConfiguredSource;
  /**
   * `optional`: a missing value is accepted, too (an argument of `ifempty`). `list`: a list is accepted, too (an argument of
   * `implode`).
   */
  readonly use: "scalar" | "list" | "optional";
}

const uses: Readonly<Record<string, Reference["use"]>> = { ifempty: "optional", implode: "list" };

/**
 * Replaces every reference to `context` in `expression`, at any depth, by the result of `replace`. `{"response":
 * "a.b"}` is a reference to "response".
 */
function mapReferences(
  expression: Value,
  context: string,
  replace: (reference: Reference, writtenValue: Value) => Value,
  use: Reference["use"] = "scalar",
): Value {
  if (Array.isArray(expression)) return expression.map((item: Value) => mapReferences(item, context, replace, use));
  if (!isObject(expression)) return expression;
  const { [context]: path, ...others } = expression;
  if (Object.keys(others).length === 0 && (typeof path === "string" || isSource(path))) {
    return replace({ source: path, use }, expression);
  }
  const inside = use === "scalar" && typeof expression.function === "string" ? (uses[expression.function] ?? use) : use;
  return Object.fromEntries(
    Object.entries(expression).map(([key, item]) => [key, mapReferences(item, context, replace, inside)]),
  );
}
