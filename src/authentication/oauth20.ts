import { randomBytes } from "node:crypto";
import { SpileError } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import { type Request, replaceParameter, withHeaders } from "../core/requests/request.ts";
import { headerText } from "../core/text/header-syntax.ts";
import { pointerTo } from "../core/values/path.ts";
import { scalarText, type Value } from "../core/values/value.ts";
import { placeAt } from "../expression/place.ts";
import type { Oauth20Authentication } from "../generated/configuration.ts";
import type { AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationOptions } from "./environment.ts";
import { evaluateAt } from "./evaluation.ts";
import { addTokens, checkGranted, grantedDocument, oauthGrant } from "./oauth-credentials.ts";
import { requestContexts } from "./request-context.ts";

/**
 * Adds headers and query parameters that are computed from an OAuth 2.0 grant, and replaces those of the request with the same names
 * (contract C-11.1). Their expressions may read the contexts `query`, `request` and `authorization`, which contains data, clientId,
 * timestamp (Unix seconds) and nonce.
 */
export const oauth20 = {
  create,
  places: ({ headers, query }, pointer) => [
    ...placeAt(pointerTo(pointer, "headers"), headers, contexts, "headers"),
    ...placeAt(pointerTo(pointer, "query"), query, contexts),
  ],
  headers: ({ headers }) => Object.keys(headers ?? {}),
  check: ({ type, format }, options) =>
    checkGranted(type, ["appKey", "#appSecret", "#data"], format === "json" ? "json" : "text", options),
} satisfies AuthenticationType<Oauth20Authentication>;

const contexts: readonly string[] = ["authorization", "query", "request"];

function create(authentication: Oauth20Authentication, options: AuthenticationOptions): Authenticator {
  const { serialize, secrets, now } = options;
  const credentials = oauthGrant(options, "oauth20");
  const data = authentication.format === "json" ? grantedDocument(credentials) : credentials.data;
  addTokens(data, secrets);

  const withCredentials = (request: Request): Request => {
    const documents: Record<string, Value> = {
      ...requestContexts(serialize(request)),
      authorization: {
        data,
        clientId: credentials.clientId,
        timestamp: Math.floor(now() / 1000),
        nonce: options.nonce?.() ?? randomBytes(8).toString("hex"),
      },
    };
    const result = (field: string, name: string, value: Value): Value =>
      evaluateAt(pointerTo(`/api/authentication/${field}`, name), value, documents, options);
    const headers = Object.entries(authentication.headers ?? {}).map(
      ([name, value]) => [name, headerValue(name, result("headers", name, value))] as const,
    );
    const query = Object.entries(authentication.query ?? {}).reduce(
      (items, [name, value]) => replaceParameter(items, { name, value: result("query", name, value) }),
      request.query,
    );
    return { ...request, query, headers: withHeaders(request.headers, headers) };
  };
  return { authorize: async (request) => ({ request: () => withCredentials(request) }), preview: undefined };
}

function headerValue(name: string, value: Value): string {
  const text = headerText(scalarText(value));
  if (text !== undefined) return text;
  throw new SpileError("configuration", `the header "${name}" evaluates to a value that is not allowed in a header`, {
    pointer: pointerTo("/api/authentication/headers", name),
  });
}
