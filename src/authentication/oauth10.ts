import { createHmac, randomBytes } from "node:crypto";
import { SpileError } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import { type WireRequest, withHeaders } from "../core/requests/request.ts";
import { scalarText, type ValueObject } from "../core/values/value.ts";
import type { Oauth10Authentication } from "../generated/configuration.ts";
import type { AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationOptions } from "./environment.ts";
import { checkGranted, grantedObject, oauthGrant } from "./oauth-credentials.ts";

/**
 * Signs every request with HMAC-SHA1 (RFC 5849). The signature includes the parameters of the query and of a form body (contract
 * C-11.1).
 */
export const oauth10 = {
  create,
  places: () => [],
  headers: () => ["Authorization"],
  check: ({ type }, options) => checkGranted(type, ["appKey", "#data"], "json", options),
} satisfies AuthenticationType<Oauth10Authentication>;

async function create(_authentication: Oauth10Authentication, options: AuthenticationOptions): Promise<Authenticator> {
  const credentials = oauthGrant(options, "oauth10");
  const document = grantedObject(credentials);
  const token = { key: requiredText(document, "oauth_token"), secret: requiredText(document, "oauth_token_secret") };
  options.secrets.add(token.key);
  options.secrets.add(token.secret);
  const { default: OAuth } = await import("oauth-1.0a");
  const signer = new OAuth({
    consumer: { key: credentials.clientId, secret: credentials.clientSecret },
    signature_method: "HMAC-SHA1",
    hash_function: (text, key) => createHmac("sha1", key).update(text).digest("base64"),
  });
  signer.getNonce = () => options.nonce?.() ?? randomBytes(16).toString("hex");
  signer.getTimeStamp = () => Math.floor(options.now() / 1000);

  const sign = (wire: WireRequest): WireRequest => {
    const { origin, pathname } = new URL(wire.url);
    const signed = signer.authorize({ method: wire.method, url: origin + pathname, data: parametersOf(wire) }, token);
    return { ...wire, headers: withHeaders(wire.headers, Object.entries({ ...signer.toHeader(signed) })) };
  };
  return { authorize: async (request) => ({ request: () => request, sign }), preview: undefined };
}

/**
 * Returns the parameters of the query and of a form body. The library does not read them as servers do: it does not decode names
 * and `+`, and throws if a value is not valid percent-encoding.
 */
function parametersOf(wire: WireRequest): Record<string, string[]> {
  const form = wire.headers.get("content-type")?.[1].startsWith("application/x-www-form-urlencoded") ? wire.body : "";
  const result: Record<string, string[]> = Object.create(null);
  for (const [name, value] of [...new URL(wire.url).searchParams, ...new URLSearchParams(form)]) {
    result[name] = [...(result[name] ?? []), value];
  }
  return result;
}

function requiredText(document: ValueObject, name: string): string {
  const text = scalarText(document[name] ?? null);
  if (text !== undefined && text !== "") return text;
  throw new SpileError("configuration", `authentication of type "oauth10" needs "${name}" in "#data"`, {
    pointer: "/authorization/oauth_api/credentials/#data",
  });
}
