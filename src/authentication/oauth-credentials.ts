import { type Fault, SpileError } from "../core/errors.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { pointerTo } from "../core/values/path.ts";
import { isObject, parseValue, scalarText, type Value, type ValueObject, valueText } from "../core/values/value.ts";
import type { OauthCredentials } from "../generated/configuration.ts";
import type { AuthenticationCheckOptions } from "./authentication-type.ts";
import type { AuthenticationOptions } from "./environment.ts";

/** The content of `authorization.oauth_api.credentials`. */
export interface OauthGrant {
  /** The text of `#data`: the grant of the service. */
  readonly data: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const pointer = "/authorization/oauth_api/credentials";

/**
 * Reads the OAuth credentials of the configuration, and registers their secrets. Throws SpileError `configuration` if `#data` is
 * missing or empty.
 */
export function oauthGrant({ oauth, secrets }: AuthenticationOptions, type: string): OauthGrant {
  const data = oauth?.["#data"] ?? null;
  const text = isObject(data) || Array.isArray(data) ? valueText(data) : scalarText(data);
  if (text === undefined || text === "") {
    throw new SpileError(
      "configuration",
      `authentication of type "${type}" needs authorization.oauth_api.credentials with "#data"`,
      { pointer },
    );
  }
  const clientSecret = scalarText(oauth?.["#appSecret"] ?? null) ?? "";
  secrets.add(text);
  secrets.add(clientSecret);
  return { data: text, clientId: scalarText(oauth?.appKey ?? null) ?? "", clientSecret };
}

/** Returns `#data` as a JSON document. */
export function grantedDocument({ data }: OauthGrant): Value {
  try {
    return parseValue(data);
  } catch {
    throw new SpileError("configuration", `"#data" must be the text of a JSON document`, {
      pointer: `${pointer}/#data`,
    });
  }
}

/** Returns `#data` as a JSON object. */
export function grantedObject(credentials: OauthGrant): ValueObject {
  const document = grantedDocument(credentials);
  if (isObject(document)) return document;
  throw new SpileError("configuration", `"#data" must be the text of a JSON object`, { pointer: `${pointer}/#data` });
}

/** Registers each text of at least 8 characters in a document as a secret, since it may be a token. */
export function addTokens(document: Value, secrets: Secrets): void {
  if (typeof document === "string" && document.length >= 8) secrets.add(document);
  if (typeof document !== "object" || document === null) return;
  for (const value of Object.values(document as ValueObject)) addTokens(value, secrets);
}

/**
 * Returns the faults of `oauth_api.credentials` for an authentication of this type. `needed`: names of the fields that must exist.
 * `data`: "json" if `#data` must be the text of a JSON object.
 */
export function checkGranted(
  type: string,
  needed: readonly (keyof OauthCredentials)[],
  data: "json" | "text",
  { oauth, authorizationPointer }: AuthenticationCheckOptions,
): Fault[] {
  const subject = `authentication ${JSON.stringify(type)}`;
  if (oauth === undefined) {
    return [{ pointer: authorizationPointer, message: `${subject} needs "oauth_api.credentials" here` }];
  }
  const credentialsPointer = pointerTo(authorizationPointer, "oauth_api", "credentials");
  const faults = needed
    .filter((name) => oauth[name] === undefined)
    .map((name) => ({
      pointer: credentialsPointer,
      message: `${JSON.stringify(name)} is missing: ${subject} needs it`,
    }));
  if (data === "json" && oauth["#data"] !== undefined && !isJsonObject(oauth["#data"])) {
    faults.push({ pointer: pointerTo(credentialsPointer, "#data"), message: "must be a JSON object as text" });
  }
  return faults;
}

function isJsonObject(data: Value): boolean {
  if (isObject(data)) return true;
  try {
    return isObject(parseValue(scalarText(data) ?? ""));
  } catch {
    return false;
  }
}
