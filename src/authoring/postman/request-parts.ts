import { replaceStrings } from "../../core/text/json-strings.ts";
import { isObject, parseValue, type Value, type ValueObject } from "../../core/values/value.ts";
import { isCredential } from "../../knowledge/credentials.ts";
import type { StreamAuthentication } from "../described/streams.ts";
import { joinedValue, listOf, objectOf, UnsupportedError } from "../described/values.ts";

/** The variables of a collection. */
export interface CollectionSettings {
  /** Adds a setting for a variable, and returns the expression that reads it. */
  read(name: string, isSecret: boolean): Value;
}

/** Converts a text with `{{variables}}` to a value. Throws `UnsupportedError` for Postman's random values, such as `{{$guid}}`. */
export function textOf(text: string, settings: CollectionSettings, isSecret = false): Value {
  const pieces = text.split(/(\{\{[^{}]*\}\})/).map((piece, index): Value => {
    const name = index % 2 === 1 ? piece.slice(2, -2).trim() : "";
    if (name === "") return piece;
    if (name === "$timestamp") return { function: "time" };
    if (name.startsWith("$")) throw new UnsupportedError(`it sends the random value ${name}`);
    return settings.read(name, isSecret);
  });
  return joinedValue(...pieces);
}

/** Converts the value of a parameter or header. A credential in plain text becomes a setting; the scheme before it remains. */
export function parameterValue(name: string, text: string, settings: CollectionSettings): Value {
  if (!isCredential(name) || text === "") return textOf(text, settings);
  const [, scheme = "", rest = ""] = /^((?:Bearer|Token|Basic|Key|ApiKey) +)?([\s\S]*)$/i.exec(text) ?? [];
  if (/\{\{/.test(rest)) return textOf(text, settings, true);
  return joinedValue(scheme, settings.read(name, true));
}

const none: StreamAuthentication = { headers: {}, body: {}, authentication: undefined, notes: [] };

/**
 * Converts the authentication of a request. Credentials in plain text become settings. Throws `UnsupportedError` for a type that
 * spile does not support.
 */
export function authenticationOf(auth: ValueObject, settings: CollectionSettings): StreamAuthentication {
  const type = String(auth.type ?? "noauth");
  const scheme = schemes[type];
  if (scheme === undefined) throw new UnsupportedError(`its authentication is ${type}`);
  const entries = new Map(listOf(auth[type]).map(({ key, value }) => [String(key), String(value ?? "")]));
  return scheme(
    (name) => entries.get(name) ?? "",
    (name) => secretValue(entries.get(name) ?? "", name, settings),
  );
}

/**
 * Returns the expression that reads a secret: a variable of the collection if the text contains one, else a new setting with a
 * value from the environment.
 */
function secretValue(text: string, name: string, settings: CollectionSettings): Value {
  return /\{\{/.test(text) ? textOf(text, settings, true) : settings.read(name, true);
}

/**
 * Converts one type of authentication. `plain`: returns a field of it as text. `hidden`: returns the expression that reads a field
 * as a secret.
 */
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

interface Body {
  readonly method: "POST" | "FORM";
  readonly params: Readonly<Record<string, Value>>;
}

/** Converts the body of a POST. Throws `UnsupportedError` for a body that is neither a JSON object nor a form. */
export function bodyOf(body: ValueObject, settings: CollectionSettings): Body {
  const mode = String(body.mode ?? "none");
  if (mode === "none") return { method: "POST", params: {} };
  if (mode === "urlencoded") {
    const pairs = listOf(body.urlencoded).filter(({ disabled }) => disabled !== true);
    return {
      method: "FORM",
      params: Object.fromEntries(
        pairs.map(({ key, value }) => [String(key), parameterValue(String(key), String(value ?? ""), settings)]),
      ),
    };
  }
  if (mode === "graphql") {
    const { query, variables } = objectOf(body.graphql);
    const text = typeof variables === "string" && variables.trim() !== "" ? variables : "{}";
    return {
      method: "POST",
      params: { query: textOf(String(query ?? ""), settings), variables: jsonOf(text, settings) },
    };
  }
  if (mode !== "raw") throw new UnsupportedError(`its body is ${mode}: spile sends JSON objects and forms`);
  const raw = String(body.raw ?? "");
  if (raw.trim() === "") return { method: "POST", params: {} };
  const value = jsonOf(raw, settings);
  if (!isObject(value)) throw new UnsupportedError("its body is not a JSON object");
  return { method: "POST", params: value };
}

/** Reads JSON that contains variables, inside texts or as whole values. */
function jsonOf(text: string, settings: CollectionSettings): Value {
  const quotedText = replaceStrings(
    text,
    (string) => string,
    (between) => between.replace(/\{\{[^{}]*\}\}/g, (variable) => JSON.stringify(variable)),
  );
  const filledIn = (value: Value): Value => {
    if (typeof value === "string") return textOf(value, settings);
    if (Array.isArray(value)) return value.map((item: Value) => filledIn(item));
    return isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([key, inner]) => [
            key,
            typeof inner === "string" ? parameterValue(key, inner, settings) : filledIn(inner),
          ]),
        )
      : value;
  };
  try {
    return filledIn(parseValue(quotedText));
  } catch (error) {
    if (error instanceof UnsupportedError) throw error;
    throw new UnsupportedError("its body is not JSON");
  }
}
