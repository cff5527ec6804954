import type { Value, ValueObject } from "../../core/values/value.ts";
import { listOf, objectOf } from "../described/values.ts";
import { variableName, variableSuffix } from "../variable-names.ts";
import type { References } from "./document.ts";
import type { Operation } from "./lists.ts";

/** The parts of a configuration that add credentials to requests. */
export interface Security {
  readonly authentication: ValueObject | undefined;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, Value>>;
  /** Values of settings by their names. */
  readonly settings: Readonly<Record<string, Value>>;
}

const none: Security = { authentication: undefined, headers: {}, settings: {} };

/** Names of the settings and variables for one scheme. */
interface Names {
  /** Returns the name of a setting: `#token`, or `#adminToken` for a scheme that is not part of `main`. */
  setting(name: string): string;
  /** Returns the expression that reads an environment variable. */
  variable(suffix: string): Value;
  /** True if the scheme is part of `main` (see `DescribedSecurity`). */
  readonly isMain: boolean;
}

/**
 * Converts a security scheme; returns undefined if a configuration cannot express it. `tokenBase`: the base of a relative token
 * address.
 */
type SchemeConverter = (
  scheme: ValueObject,
  names: Names,
  scopes: readonly string[],
  tokenBase: string,
) => Security | undefined;

const bearer: SchemeConverter = (_scheme, { setting, variable }) => ({
  ...none,
  headers: { Authorization: { function: "concat", args: ["Bearer ", { attr: setting("#token") }] } },
  settings: { [setting("#token")]: variable("TOKEN") },
});

const basic: SchemeConverter = (_scheme, { setting, variable, isMain }) => {
  const [username, password] = [setting("username"), setting("#password")];
  const members = isMain ? {} : { username: { attr: username }, password: { attr: password } };
  return {
    ...none,
    authentication: { type: "basic", ...members },
    settings: { [username]: variable("USERNAME"), [password]: variable("PASSWORD") },
  };
};

const apiKey: SchemeConverter = ({ in: place, name }, { setting, variable }) => {
  const attribute = { attr: setting("#apiKey") };
  const settings = { [setting("#apiKey")]: variable("API_KEY") };
  const key = String(name);
  if (place === "query") return { ...none, authentication: { type: "query", query: { [key]: attribute } }, settings };
  const cookie = { Cookie: { function: "concat", args: [`${key}=`, attribute] } };
  return { ...none, headers: place === "cookie" ? cookie : { [key]: attribute }, settings };
};

const clientCredentials: SchemeConverter = ({ flows }, { setting, variable }, scopes, tokenBase) => {
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
          client_id: { attr: setting("clientId") },
          client_secret: { attr: setting("#clientSecret") },
          ...scope,
        },
      },
      apiRequest: {
        headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "access_token" }] } },
      },
      expires: { response: "expires_in", relative: true },
    },
    settings: {
      [setting("clientId")]: variable("CLIENT_ID"),
      [setting("#clientSecret")]: variable("CLIENT_SECRET"),
    },
  };
};

/** Converters by the type of the scheme; for `http`, followed by the HTTP scheme. */
const converters: ReadonlyMap<string, SchemeConverter> = new Map([
  ["http bearer", bearer],
  ["http basic", basic],
  ["apiKey", apiKey],
  ["oauth2", (scheme, ...rest) => clientCredentials(scheme, ...rest) ?? bearer(scheme, ...rest)],
  ["openIdConnect", bearer],
]);

/** The credentials that a description asks for. */
export interface DescribedSecurity {
  /** The credentials of all jobs that have no others. */
  readonly main: Security;
  /** Authentications to which jobs refer by name. `jobSecurity` adds them. */
  readonly authentications: Readonly<Record<string, ValueObject>>;
  /** Settings besides those of `main`. `jobSecurity` adds them. */
  readonly settings: Readonly<Record<string, Value>>;
  /** Notes on the schemes that a configuration cannot express. */
  readonly notes: readonly string[];
  /** Returns the credentials of an operation's job. `inherited`: the authentication of the job above it. */
  jobSecurity(operation: Operation, inherited: JobSecurity["authentication"]): JobSecurity;
}

/** The credentials of one job. */
export interface JobSecurity {
  /** The job's `authentication`: a name; false for none; undefined for that of the job above it, or of the API. */
  readonly authentication?: string | false | undefined;
  readonly headers: Readonly<Record<string, Value>>;
}

/**
 * Returns the credentials that the operations need. `main` is the first alternative, in the order of the operations, that a
 * configuration can express. An operation that does not accept `main` gets its own first alternative. An operation that needs no
 * credentials gets `main`.
 */
export function securityOf(
  { root, follow }: References,
  operations: readonly Operation[],
  prefix: string,
  baseUrl: string,
): DescribedSecurity {
  const declaredSchemes = objectOf(follow(root.components).securitySchemes);
  const notes = new Set<string>();
  const wantedBy = ({ operation }: Operation): readonly ValueObject[] =>
    listOf(operation.security ?? root.security).filter((requirement) => Object.keys(requirement).length > 0);
  const firstWritable = (
    requirements: readonly ValueObject[],
    namesOf: (scheme: string) => Names,
  ): WrittenSecurity | undefined => {
    for (const requirement of requirements) {
      const schemeNames = Object.keys(requirement);
      const parts = schemeNames.map((name) => {
        const scheme = follow(declaredSchemes[name]);
        const kind = scheme.type === "http" ? `http ${String(scheme.scheme).toLowerCase()}` : String(scheme.type);
        const scopes = Array.isArray(requirement[name]) ? requirement[name].map(String) : [];
        return { name, kind, security: converters.get(kind)?.(scheme, namesOf(name), scopes, baseUrl) };
      });
      const unwritable = parts.find(({ security }) => security === undefined);
      if (unwritable === undefined)
        return {
          names: schemeNames,
          ...merged(
            parts.flatMap(({ security }) => security ?? []),
            notes,
          ),
        };
      notes.add(
        `the security scheme ${unwritable.name} (${unwritable.kind}) cannot be written: add api.authentication yourself`,
      );
    }
    return undefined;
  };
  const main = firstWritable(operations.flatMap(wantedBy), () => mainNames(prefix)) ?? { names: [], ...none };
  const others: Others = { authentications: {}, settings: {} };
  return {
    main,
    authentications: others.authentications,
    settings: others.settings,
    get notes() {
      return [...notes];
    },
    jobSecurity(operation, inherited) {
      const wantedSchemes = wantedBy(operation);
      const isCovered =
        wantedSchemes.length === 0 ||
        wantedSchemes.some((one) => Object.keys(one).every((name) => main.names.includes(name)));
      if (isCovered)
        return inherited === undefined
          ? noJobSecurity
          : { ...noJobSecurity, authentication: nameMainAuthentication(main, others) };
      const jobParts = firstWritable(wantedSchemes, (scheme) => namesForScheme(prefix, scheme));
      if (jobParts === undefined) return noJobSecurity;
      Object.assign(others.settings, jobParts.settings);
      const isApart = main.authentication !== undefined || inherited !== undefined;
      if (jobParts.authentication === undefined)
        return { headers: jobParts.headers, ...(isApart ? { authentication: false } : {}) };
      const name = jobParts.names.join("-");
      others.authentications[name] = jobParts.authentication;
      return { headers: jobParts.headers, authentication: name };
    },
  };
}

interface WrittenSecurity extends Security {
  /** Names of the schemes that the authentication uses. */
  readonly names: readonly string[];
}

/** The authentications and settings of `DescribedSecurity`, to which `jobSecurity` adds. */
interface Others {
  readonly authentications: Record<string, ValueObject>;
  readonly settings: Record<string, Value>;
}

const noJobSecurity: JobSecurity = { headers: {} };

/**
 * Adds the authentication of `main` to the named ones, so that a job can use it below a job that has another one. Returns its name;
 * false if `main` has none.
 */
function nameMainAuthentication(
  { names, authentication }: WrittenSecurity,
  { authentications }: Others,
): string | false {
  if (authentication === undefined) return false;
  const name = names.join("-");
  authentications[name] = authentication;
  return name;
}

function mainNames(prefix: string): Names {
  return { isMain: true, setting: (name) => name, variable: (suffix) => ({ env: variableName(prefix, suffix) }) };
}

/** Returns names that begin with the scheme's name: `#adminToken`, `EXAMPLE_ADMIN_TOKEN`. */
function namesForScheme(prefix: string, scheme: string): Names {
  const words = scheme.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const [first = "other", ...rest] = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const begin = first.charAt(0).toLowerCase() + first.slice(1) + rest.join("");
  return {
    isMain: false,
    setting(name) {
      const mark = name.startsWith("#") ? "#" : "";
      const plain = name.slice(mark.length);
      return mark + begin + plain.charAt(0).toUpperCase() + plain.slice(1);
    },
    variable: (suffix) => ({ env: variableName(prefix, `${variableSuffix(begin)}_${suffix}`) }),
  };
}

function merged(parts: readonly Security[], notes: Set<string>): Security {
  const authentications = parts.flatMap(({ authentication }) => (authentication === undefined ? [] : [authentication]));
  if (authentications.length > 1)
    notes.add("the description requires several authentications at once: only the first is written");
  return {
    authentication: authentications[0],
    headers: Object.assign({}, ...parts.map(({ headers }) => headers)),
    settings: Object.assign({}, ...parts.map(({ settings }) => settings)),
  };
}
