import { isNumber, isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import type { StreamAuthentication } from "../described/streams.ts";
import { joinedAddress, joinedValue, objectOf, UnsupportedError } from "../described/values.ts";
import { durationSeconds } from "./dates.ts";
import { evaluate, expressionOf, meaningOf } from "./evaluate.ts";
import { concatenated, configurationValue, pythonText } from "./meaning.ts";
import { parametersOf, requestOf } from "./request.ts";
import { knownValue, type ManifestScope, resolvePlace } from "./scope.ts";

const none: StreamAuthentication = { headers: {}, body: {}, authentication: undefined, notes: [] };

type Authenticator = (component: ValueObject, scope: ManifestScope) => StreamAuthentication;

/** Converts an authenticator of the manifest. Throws `UnsupportedError` if spile cannot authenticate in this way. */
export function authenticationOf(component: ValueObject, scope: ManifestScope): StreamAuthentication {
  const type = String(component.type ?? "NoAuth");
  const authenticator = authenticators[type];
  if (authenticator === undefined)
    throw new UnsupportedError(`it needs the authenticator ${String(component.class_name ?? type)}`);
  return authenticator(component, scope);
}

/** Evaluates a template. Throws `UnsupportedError` if it reads an optional setting without a value. */
function textOf(template: Value | undefined, scope: ManifestScope, what: string): Value {
  const meaning = meaningOf(template ?? "", scope);
  const value = configurationValue(meaning);
  if (value === undefined) throw new UnsupportedError(`its ${what} is an optional setting without a value`);
  return value;
}

const bearer: Authenticator = ({ api_token }, scope) => ({
  ...none,
  headers: { Authorization: joinedValue("Bearer ", textOf(api_token, scope, "token")) },
});

const basic: Authenticator = ({ username, password }, scope) => {
  const name = configurationValue(meaningOf(username ?? "", scope)) ?? "";
  const secret = configurationValue(meaningOf(password ?? "", scope)) ?? "";
  const pair = joinedValue(name, ":", secret);
  return { ...none, headers: { Authorization: joinedValue("Basic ", { function: "base64_encode", args: [pair] }) } };
};

const apiKey: Authenticator = ({ api_token, header, inject_into }, scope) => {
  const value = textOf(api_token, scope, "key");
  if (!isObject(inject_into))
    return { ...none, headers: { [pythonText(knownValue(meaningOf(header ?? "", scope)))]: value } };
  return credentialAt(inject_into, value, scope);
};

/** Returns the parts of a configuration that send a credential at the place that a request option names. */
function credentialAt(option: ValueObject, value: Value, scope: ManifestScope): StreamAuthentication {
  const name = pythonText(knownValue(meaningOf(option.field_name ?? pathOf(option), scope)));
  switch (option.inject_into) {
    case "header":
      return { ...none, headers: { [name]: value } };
    case "request_parameter":
      return { ...none, authentication: { type: "query", query: { [name]: value } } };
    case "body_json":
    case "body_data":
      return { ...none, body: { [name]: value } };
    case "cookies":
      return { ...none, headers: { Cookie: joinedValue(`${name}=`, value) } };
    default:
      throw new UnsupportedError(`spile cannot send its key in the place ${String(option.inject_into)}`);
  }
}

function pathOf({ field_path }: ValueObject): Value {
  return Array.isArray(field_path) && field_path.length === 1 ? (field_path[0] ?? "") : "";
}

/**
 * Returns the `apiRequest` of a login, which sends its token at the place that a request option names. `token`: the expression
 * that reads the token from the login's response.
 */
function tokenAt(option: ValueObject, token: Value, scope: ManifestScope): ValueObject {
  const name = pythonText(knownValue(meaningOf(option.field_name ?? pathOf(option), scope)));
  switch (option.inject_into) {
    case "header":
      return { headers: { [name]: token } };
    case "request_parameter":
      return { query: { [name]: token } };
    case "body_json":
    case "body_data":
      return { params: { [name]: token } };
    default:
      throw new UnsupportedError(`spile cannot send its session token in the place ${String(option.inject_into)}`);
  }
}

function inLogin(note: string): string {
  return `in its login, ${note}`;
}

const oauth: Authenticator = (component, scope) => {
  const { token_refresh_endpoint, refresh_request_headers, refresh_request_body, scopes } = component;
  if (component.use_profile_assertion === true) throw new UnsupportedError("its login needs a profile assertion");
  const grant = pythonText(knownValue(meaningOf(component.grant_type ?? "refresh_token", scope)));
  const fields: readonly (readonly [key: string, name: string, fallback: string])[] = [
    ["client_id", "client_id_name", "client_id"],
    ["client_secret", "client_secret_name", "client_secret"],
    ["refresh_token", "refresh_token_name", "refresh_token"],
  ];
  const credentials = fields.flatMap(([key, name, fallback]): (readonly [string, Value])[] => {
    const template = component[key] ?? "";
    if (template === "") return [];
    const meaning = meaningOf(template, scope);
    const value = configurationValue(meaning);
    if (value === undefined || value === "") return [];
    return [[String(component[name] ?? fallback), value]];
  });
  const grantName = String(component.grant_type_name ?? "grant_type");
  const scopeList = Array.isArray(scopes) ? scopes.map((one) => pythonText(knownValue(meaningOf(one, scope)))) : [];
  const more = parametersOf(refresh_request_body, scope, "form");
  const { members: headers, notes: headerNotes } = parametersOf(refresh_request_headers, scope, "header");
  const params: Readonly<Record<string, Value>> = {
    [grantName]: grant,
    ...Object.fromEntries(credentials),
    ...(scopeList.length === 0 ? {} : { scopes: scopeList }),
    ...more.members,
  };
  const token = pythonText(component.access_token_name ?? "access_token");
  const expires = pythonText(component.expires_in_name ?? "expires_in");
  const updater = component.refresh_token_updater;
  const { refresh_token: refreshToken } = Object.fromEntries(credentials);
  const refreshSetting =
    isObject(refreshToken) && typeof refreshToken.attr === "string" ? refreshToken.attr : undefined;
  const rememberField =
    isObject(updater) && refreshSetting !== undefined
      ? { remember: { [refreshSetting]: String(updater.refresh_token_name ?? "refresh_token") } }
      : {};
  return {
    ...none,
    authentication: {
      type: "login",
      loginRequest: {
        endpoint: textOf(token_refresh_endpoint, scope, "token address"),
        method: "FORM",
        params,
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
      },
      apiRequest: { headers: { Authorization: { function: "concat", args: ["Bearer ", { response: token }] } } },
      ...(component.expires_in_name === "" ? {} : { expires: { response: expires, relative: true } }),
      ...rememberField,
    },
    notes: [
      ...[...more.notes, ...headerNotes].map(inLogin),
      ...(Object.keys(rememberField).length === 0
        ? []
        : ["the refresh token changes with each login: run with --credentials FILE, which keeps the new one"]),
    ],
  };
};

const session: Authenticator = (component, scope) => {
  const { login_requester, session_token_path, request_authentication, expiration_duration } = component;
  const { base, path, method, query, body, headers, notes } = requestOf(objectOf(login_requester), scope);
  const login = authenticationOf(objectOf(objectOf(login_requester).authenticator), scope);
  if (login.authentication !== undefined) throw new UnsupportedError("its login needs another login first");
  const steps = Array.isArray(session_token_path)
    ? session_token_path.map((one) => pythonText(knownValue(meaningOf(one, scope))))
    : [];
  const option = objectOf(request_authentication);
  const token = { response: steps.join(".") };
  const isQueryInBody = method !== "GET" && Object.keys(query).length > 0;
  if (isQueryInBody) throw new UnsupportedError("its login sends parameters in the query of a POST");
  const apiRequest =
    option.type === "ApiKey"
      ? tokenAt(objectOf(option.inject_into), sessionToken(option.api_token, token, scope), scope)
      : { headers: { Authorization: { function: "concat", args: ["Bearer ", token] } } };
  const params = method === "GET" ? query : { ...body, ...login.body };
  const allHeaders = { ...headers, ...login.headers };
  return {
    ...none,
    authentication: {
      type: "login",
      loginRequest: {
        endpoint: joinedAddress(base, path),
        method,
        ...(Object.keys(params).length === 0 ? {} : { params }),
        ...(Object.keys(allHeaders).length === 0 ? {} : { headers: allHeaders }),
      },
      apiRequest,
      ...(typeof expiration_duration === "string" ? { expires: Math.floor(durationSeconds(expiration_duration)) } : {}),
    },
    notes: [...notes, ...login.notes].map(inLogin),
  };
};

function sessionToken(template: Value | undefined, token: Value, scope: ManifestScope): Value {
  const [, before = "", after = ""] =
    /^(.*)\{\{\s*session_token\s*\}\}(.*)$/s.exec(String(template ?? "{{ session_token }}")) ?? [];
  const pieces = [meaningOf(before, scope), { kind: "run", expression: token } as const, meaningOf(after, scope)];
  return configurationValue(concatenated(pieces)) ?? token;
}

const jwt: Authenticator = (component, scope) => {
  const { secret_key, algorithm, token_duration, jwt_payload, additional_jwt_payload, header_prefix } = component;
  if (component.base64_encode_secret_key === true)
    throw new UnsupportedError("its signing key must first be encoded as base64, which spile cannot do");
  const value = (template: Value | undefined): Value => configurationValue(meaningOf(template ?? "", scope)) ?? "";
  const entries = Object.entries({ ...objectOf(additional_jwt_payload), ...objectOf(jwt_payload) }).map(
    ([name, template]) => [name, value(template)] as const,
  );
  const seconds = isNumber(token_duration) ? Number(token_duration) : 1200;
  const claims = {
    ...Object.fromEntries(entries.filter(([, one]) => one !== "")),
    iat: { function: "time" },
    nbf: { function: "time" },
    exp: { function: "strtotime", args: [`+${seconds} seconds`] },
  };
  const moreHeaders = ["kid", "typ", "cty"].flatMap((name) => {
    const template = objectOf(component.jwt_headers)[name];
    return template === undefined ? [] : [[name, value(template)] as const];
  });
  const more = Object.entries(objectOf(component.additional_jwt_headers)).map(
    ([name, one]) => [name, value(one)] as const,
  );
  const headers = Object.fromEntries([...moreHeaders, ...more].filter(([, one]) => one !== ""));
  const token = {
    function: "jwt",
    args: [String(algorithm), value(secret_key), claims, ...(Object.keys(headers).length === 0 ? [] : [headers])],
  };
  const prefix = header_prefix === undefined ? "Bearer" : pythonText(header_prefix);
  return { ...none, headers: { Authorization: prefix === "" ? token : joinedValue(`${prefix} `, token) } };
};

const selective: Authenticator = (component, scope) => {
  const { authenticator_selection_path: path, authenticators: choices } = component;
  const steps = Array.isArray(path) ? path.map(pythonText) : [];
  const chosen = pythonText(scope.settings.decide(steps));
  const [first] = Object.values(objectOf(choices));
  const authenticator = objectOf(choices)[chosen] ?? first;
  if (!isObject(authenticator)) throw new UnsupportedError("its SelectiveAuthenticator lists no authenticators");
  return authenticationOf(authenticator, scope);
};

const legacySession: Authenticator = (component, scope) => {
  const { session_token } = component;
  const value = (template: Value | undefined): Value => configurationValue(meaningOf(template ?? "", scope)) ?? "";
  const header = String(component.header);
  if (typeof session_token === "string" && isGiven(session_token, scope))
    return { ...none, headers: { [header]: value(session_token) } };
  const base = value(component.api_url ?? "");
  return {
    ...none,
    authentication: {
      type: "login",
      loginRequest: {
        endpoint: joinedAddress(base, value(component.login_url)),
        method: "POST",
        params: { username: value(component.username), password: value(component.password) },
      },
      apiRequest: { headers: { [header]: { response: String(component.session_token_response_key) } } },
    },
  };
};

function isGiven(template: string, scope: ManifestScope): boolean {
  const meaning = evaluate(expressionOf(template), scope);
  return meaning.kind === "place" && meaning.root === "config"
    ? scope.settings.isPresent(meaning.path)
    : resolvePlace(meaning, scope).kind !== "absent";
}

const authenticators: Readonly<Record<string, Authenticator>> = {
  NoAuth: () => none,
  BearerAuthenticator: bearer,
  BasicHttpAuthenticator: basic,
  ApiKeyAuthenticator: apiKey,
  OAuthAuthenticator: oauth,
  SessionTokenAuthenticator: session,
  LegacySessionTokenAuthenticator: legacySession,
  JwtAuthenticator: jwt,
  SelectiveAuthenticator: selective,
};
