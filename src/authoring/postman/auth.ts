import type { Value, ValueObject } from "../../core/values/value.ts";
import type { StreamAuthentication } from "../airbyte/authentication.ts";
import { listOf } from "../airbyte/manifest.ts";
import { joinedValue, sayable } from "../airbyte/meaning.ts";
import type { ManifestSettings } from "../airbyte/settings.ts";
import { Unsayable } from "../airbyte/unsayable.ts";

/** Reads a text with variables. */
type ReadText = (text: string, settings: ManifestSettings, isSecret?: boolean) => Value;

const none: StreamAuthentication = { headers: {}, body: {}, authentication: undefined, notes: [] };

/** Returns the authentication of a request. Credentials in plain text become settings. Throws `Unsayable`. */
export function authenticationOf(auth: ValueObject, settings: ManifestSettings, read: ReadText): StreamAuthentication {
  const type = String(auth.type ?? "noauth");
  const scheme = schemes[type];
  if (scheme === undefined) throw new Unsayable(`its authentication is ${type}`);
  const entries = new Map(listOf(auth[type]).map(({ key, value }) => [String(key), String(value ?? "")]));
  return scheme(
    (name) => entries.get(name) ?? "",
    (name) => secret(entries.get(name) ?? "", name, settings, read),
  );
}

/** Returns the expression of a secret: a variable of the collection, or a setting from the environment in place of plain text. */
function secret(text: string, name: string, settings: ManifestSettings, read: ReadText): Value {
  if (/\{\{/.test(text)) return read(text, settings, true);
  return sayable(settings.read([name], { isSecret: true })) ?? "";
}

type Scheme = (plain: (name: string) => string, hidden: (name: string) => Value) => StreamAuthentication;

const schemes: Readonly<Record<string, Scheme>> = {
  noauth: () => none,
  bearer: (_plain, hidden) => ({ ...none, headers: { Authorization: joinedValue("Bearer ", hidden("token")) } }),
  basic: (_plain, hidden) => ({
    ...none,
    headers: {
      Authorization: joinedValue("Basic ", {
        function: "base64_encode",
        args: [joinedValue(hidden("username"), ":", hidden("password"))],
      }),
    },
  }),
  apikey: (plain, hidden) => {
    const name = plain("key") || "X-Api-Key";
    const value = hidden("value");
    return plain("in") === "query"
      ? { ...none, authentication: { type: "query", query: { [name]: value } } }
      : { ...none, headers: { [name]: value } };
  },
  oauth2: (plain, hidden) => {
    if (plain("grant_type") !== "client_credentials" || plain("accessTokenUrl") === "")
      return {
        ...none,
        headers: { Authorization: joinedValue(`${plain("headerPrefix").trim() || "Bearer"} `, hidden("accessToken")) },
      };
    return {
      ...none,
      authentication: {
        type: "login",
        loginRequest: {
          endpoint: plain("accessTokenUrl"),
          method: "FORM",
          params: {
            grant_type: "client_credentials",
            client_id: hidden("clientId"),
            client_secret: hidden("clientSecret"),
            ...(plain("scope") === "" ? {} : { scope: plain("scope") }),
          },
        },
        apiRequest: {
          headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "access_token" }] } },
        },
        expires: { response: "expires_in", relative: true },
      },
    };
  },
};
