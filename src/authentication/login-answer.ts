import { SpileError } from "../core/errors.ts";
import type { SmallResponse } from "../core/requests/request.ts";
import { type ConfiguredSource, sourceOf, valueInDocument } from "../core/runs/response-source.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { printable } from "../core/text/printable.ts";
import { isObject, parseValue, type Value, type ValueObject } from "../core/values/value.ts";

export interface LoginAnswer {
  readonly document: ValueObject;
  /** Returns a header by its name in any case. */
  header(name: string): string | undefined;
}

/** Returns the value of a source in a login's answer. Undefined for an empty header, and for a source in a record. */
export function answerValue({ document, header }: LoginAnswer, configured: ConfiguredSource): Value | undefined {
  const source = sourceOf(configured);
  if ("path" in source) return valueInDocument(document, source);
  return "header" in source ? header(source.header)?.trim() || undefined : undefined;
}

/**
 * Returns the login's answer as a document (contract C-5.7). With `format` "text", the body becomes `{"data": ...}`; so does a JSON
 * string, number or boolean. Any other body that is not a JSON object is an authentication error, and so is a status that is
 * neither 2xx nor in `accept`. The message never shows the body, which may contain secrets.
 */
export function loginAnswer(
  response: SmallResponse,
  format: "json" | "text",
  secrets: Secrets,
  accept: readonly number[] = [],
): LoginAnswer {
  const fault = (what: string, hint = ""): SpileError =>
    new SpileError("authentication", `${describeAnswer(response, secrets)}${what}${hint}`, {
      pointer: "/api/authentication/loginRequest",
    });
  const { status } = response;
  if ((status < 200 || status > 299) && !accept.includes(status)) throw fault(", instead of logging in");
  const answer = (document: ValueObject): LoginAnswer => ({ document, header: response.header });
  if (format === "text") return answer({ data: response.body });
  if (response.body.trim() === "") throw fault(" and an empty body; a JSON object is needed");
  let document: Value;
  try {
    document = parseValue(response.body);
  } catch {
    // The parser's own message would quote the body.
    throw fault(" and a body that is not JSON", '; a plain text needs "format": "text"');
  }
  if (isObject(document)) return answer(document);
  if (document === null) throw fault(" and the value null; a JSON object is needed");
  if (Array.isArray(document)) throw fault(" and a JSON list; a JSON object is needed");
  return answer({ data: document });
}

/** Describes an answer by its address without the query, its status and its content type. */
function describeAnswer({ status, contentType, url }: SmallResponse, secrets: Secrets): string {
  const { origin, pathname } = new URL(url);
  const type = contentType === undefined ? "no content type" : `content type ${contentType}`;
  return printable(secrets.mask(`the login at ${origin}${pathname} answered with status ${status}, ${type}`));
}
