import { SpileError } from "../core/errors.ts";
import { parsePath, valueAt } from "../core/path.ts";
import type { Secrets } from "../core/redact.ts";
import { type Request, withHeaders } from "../core/request.ts";
import { isNumber, isObject, scalarText, type Value } from "../core/value.ts";
import type { ApiRequest } from "../generated/configuration.ts";
import type { AuthenticationEnvironment } from "./environment.ts";
import { headerText } from "./header-text.ts";
import { mergeLoginParameter } from "./login-query.ts";
import { type Reference, referencesIn } from "./references.ts";

/**
 * Puts what the login answered into a request (source, "Merging"; spec 3 and 4): headers replace, query parameters do
 * not. A path that is missing, or leads to null, a list or an object, is an authentication error that names it.
 */
export function attach(
  apiRequest: ApiRequest,
  answer: Value,
  request: Request,
  environment: AuthenticationEnvironment,
): Request {
  const headers = Object.entries(apiRequest.headers ?? {}).map(([name, value]) => {
    const text = headerText(textOf(value, `header "${name}"`, answer, environment));
    if (text === undefined) {
      throw failure(`what the login answered for the header "${name}" holds characters that no header can carry`);
    }
    return [name, text] as const;
  });
  const query = Object.entries(apiRequest.query ?? {}).reduce(
    (items, [name, value]) =>
      mergeLoginParameter(items, name, textOf(value, `query parameter "${name}"`, answer, environment)),
    request.query,
  );
  return { ...request, headers: withHeaders(request.headers, headers), query };
}

function textOf(value: Value, place: string, answer: Value, environment: AuthenticationEnvironment): string {
  const { secrets } = environment;
  // A plain string is a path (source, "Value expressions").
  const expression = typeof value === "string" ? { response: value } : value;
  for (const reference of referencesIn(expression, "response")) {
    const found = valueAt(answer, parsePath(reference.path));
    if (!isUsable(found, reference)) {
      throw failure(`the login's answer has ${kindOf(found)} at "${reference.path}", which the ${place} needs`);
    }
    if (typeof found === "string" || isNumber(found)) addSecret(String(found), secrets);
  }
  const text = scalarText(environment.evaluate(expression, { response: answer }));
  if (text === undefined) throw failure(`the ${place} comes out as a list or an object, and needs a text`);
  addSecret(text.trim(), secrets);
  return text;
}

/** A number of up to three digits is no token, and masking it would blank out page numbers. */
function addSecret(text: string, secrets: Secrets): void {
  if (!/^\d{1,3}$/.test(text)) secrets.add(text);
}

function isUsable(found: Value | undefined, { use }: Reference): boolean {
  if (use === "optional" || (use === "list" && Array.isArray(found))) return true;
  return found !== undefined && found !== null && !Array.isArray(found) && !isObject(found);
}

function kindOf(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : "an object";
}

function failure(message: string): SpileError {
  return new SpileError("authentication", message, { pointer: "/api/authentication/apiRequest" });
}
