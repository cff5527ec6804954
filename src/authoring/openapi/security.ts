import type { Value, ValueObject } from "../../core/value.ts";
import { variableName } from "../credential-names.ts";
import { listOf, type Operation, objectOf } from "./document.ts";
import type { References } from "./references.ts";

/** The parts of a configuration that give requests their credentials. */
export interface Security {
  readonly authentication: ValueObject | undefined;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, Value>>;
  /** Settings: names to values. */
  readonly settings: Readonly<Record<string, Value>>;
  /** Names the schemes whose credentials cannot be written. */
  readonly notes: readonly string[];
}

const none: Security = { authentication: undefined, headers: {}, settings: {}, notes: [] };

type Scheme = (
  scheme: ValueObject,
  prefix: string,
  scopes: readonly string[],
  tokenBase: string,
) => Security | undefined;

const setting = (name: string): Value => ({ attr: name });
const variable = (prefix: string, suffix: string): Value => ({ env: variableName(prefix, suffix) });

const bearer: Scheme = (_scheme, prefix) => ({
  ...none,
  headers: { Authorization: { function: "concat", args: ["Bearer ", setting("#token")] } },
  settings: { "#token": variable(prefix, "TOKEN") },
});

const basic: Scheme = (_scheme, prefix) => ({
  ...none,
  authentication: { type: "basic" },
  settings: { username: variable(prefix, "USERNAME"), "#password": variable(prefix, "PASSWORD") },
});

const apiKey: Scheme = ({ in: place, name }, prefix) => {
  const settings = { "#apiKey": variable(prefix, "API_KEY") };
  const key = String(name);
  if (place === "query")
    return { ...none, authentication: { type: "query", query: { [key]: setting("#apiKey") } }, settings };
  const cookie = { Cookie: { function: "concat", args: [`${key}=`, setting("#apiKey")] } };
  return { ...none, headers: place === "cookie" ? cookie : { [key]: setting("#apiKey") }, settings };
};

const clientCredentials: Scheme = ({ flows }, prefix, scopes, tokenBase) => {
  const { clientCredentials: flow } = objectOf(flows);
  const { tokenUrl } = objectOf(flow);
  if (typeof tokenUrl !== "string") return undefined;
  const scope = scopes.length === 0 ? {} : { scope: scopes.join(" ") };
  return {
    ...none,
    authentication: {
      type: "login",
      loginRequest: {
        endpoint: new URL(tokenUrl, tokenBase).href,
        method: "FORM",
        params: {
          grant_type: "client_credentials",
          client_id: setting("clientId"),
          client_secret: setting("#clientSecret"),
          ...scope,
        },
      },
      apiRequest: {
        headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "access_token" }] } },
      },
      expires: { response: "expires_in", relative: true },
    },
    settings: { clientId: variable(prefix, "CLIENT_ID"), "#clientSecret": variable(prefix, "CLIENT_SECRET") },
  };
};

/** Schemes by their type, and for `http` by the scheme; the surest first. */
const schemes: ReadonlyMap<string, Scheme> = new Map([
  ["http bearer", bearer],
  ["http basic", basic],
  ["apiKey", apiKey],
  ["oauth2", (scheme, ...rest) => clientCredentials(scheme, ...rest) ?? bearer(scheme, ...rest)],
  ["openIdConnect", bearer],
]);

/** The credentials that the operations ask for: the first alternative that can be written. Operations without any ask for none. */
export function securityOf(
  { root, follow }: References,
  operations: readonly Operation[],
  prefix: string,
  baseUrl: string,
): Security {
  const declared = objectOf(follow(root.components).securitySchemes);
  const wanted = operations.flatMap(({ operation }) => listOf(operation.security ?? root.security));
  const notes: string[] = [];
  for (const requirement of wanted) {
    const names = Object.keys(requirement);
    if (names.length === 0) continue;
    const parts = names.map((name) => {
      const scheme = follow(declared[name]);
      const kind = scheme.type === "http" ? `http ${String(scheme.scheme).toLowerCase()}` : String(scheme.type);
      const scopes = Array.isArray(requirement[name]) ? requirement[name].map(String) : [];
      return { name, kind, security: schemes.get(kind)?.(scheme, prefix, scopes, baseUrl) };
    });
    const unknown = parts.find(({ security }) => security === undefined);
    if (unknown === undefined)
      return merged(
        parts.flatMap(({ security }) => security ?? []),
        notes,
      );
    notes.push(
      `the security scheme ${unknown.name} (${unknown.kind}) cannot be written: add api.authentication yourself`,
    );
  }
  return { ...none, notes: [...new Set(notes)] };
}

function merged(parts: readonly Security[], notes: readonly string[]): Security {
  const authentications = parts.flatMap(({ authentication }) => (authentication === undefined ? [] : [authentication]));
  const more =
    authentications.length > 1 ? ["the description wants several authentications at once: the first is written"] : [];
  return {
    authentication: authentications[0],
    headers: Object.assign({}, ...parts.map(({ headers }) => headers)),
    settings: Object.assign({}, ...parts.map(({ settings }) => settings)),
    notes: [...notes, ...more],
  };
}
