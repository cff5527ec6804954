import { decodeForm, type Parameter, splitAddress } from "../core/requests/request.ts";
import { percentEncode } from "../core/text/percent-encoding.ts";
import { shellExport, shellExportOfFiles, shellRemark } from "../core/text/shell.ts";
import { isObject, plainText, type Value, type ValueObject } from "../core/values/value.ts";
import { isExpression } from "../expression/shape.ts";
import { isCredential } from "../knowledge/credentials.ts";
import { credentialPlaces } from "./credential-places.ts";
import { concatArguments, joinedValue } from "./described/values.ts";
import type { RequestDescription } from "./request-description.ts";
import { freeName, variableName, variablePrefix, variableSuffix } from "./variable-names.ts";

/** A credential that was removed from a request. A run reads it from the environment, usually through a setting. */
export interface Credential {
  /** The setting with its `#`: `#token`. Undefined if another field of the configuration names the environment variable. */
  readonly setting: string | undefined;
  /** The environment variable: `EXAMPLE_TOKEN`. */
  readonly variable: string;
  /** The value of the variable. */
  readonly value: string;
  /** The credential's place in the request, for the user: `the header Authorization`. */
  readonly from: string;
  /** The files whose contents, joined in this order, are the value. */
  readonly files?: readonly string[];
}

/** A request in whose headers and parameters expressions replace the credentials. */
export interface RequestWithoutCredentials {
  /** The address with marks in the places of `hidden`, see `withHidden`. */
  readonly address: string;
  /** The expressions of the credentials that stay in their places in the address. */
  readonly hidden: readonly Value[];
  readonly params: readonly Parameter[];
  /** For a POST or FORM: the parameters of the query that are not in the address. */
  readonly query: readonly Parameter[];
  readonly headers: readonly Parameter[];
  /** `api.authentication`. */
  readonly authentication: Value | undefined;
  /** `api.#clientCertificate`. */
  readonly clientCertificate: Value | undefined;
  /** Settings that are not secret. */
  readonly settings: readonly Parameter[];
  readonly credentials: readonly Credential[];
}

/**
 * Assigns an environment variable to a credential. Returns the name of the setting that reads the variable. `name`: name of the
 * parameter or header; the names of the setting and the variable are made from it. `setting`: the setting's name, if it is given.
 */
export type Hide = (value: string, name: string, from: string, setting?: string) => string;

/** Returns whether a value is no secret although its name suggests one. */
export type IsOpen = (value: string) => boolean;

/**
 * Takes the credentials out of a request: the password, the client's certificate, and the values of headers and parameters whose
 * names suggest a credential. If possible, credentials in the query become an authentication of type `query`, which a run also
 * adds to the addresses of next pages.
 */
export function withoutCredentials(
  description: RequestDescription,
  isOpen: IsOpen = () => false,
): RequestWithoutCredentials {
  const credentials: SettingCredential[] = [];
  const { variables } = description;
  const hide = createHide(credentials, { prefix: variablePrefix(description.address), variables });
  const basic = description.user === undefined ? undefined : basicAuthentication(description.user, hide);
  const headers = description.headers.map(([name, value]) => ({ name, value: headerValue(name, value, hide, isOpen) }));
  const { address, secret, hidden } = addressWithoutCredentials(description.address, hide, isOpen);
  const certificate = certificateOf(description);
  const withoutSecretsIn = (parameters: readonly Parameter[]): readonly Parameter[] =>
    parameters.map(({ name, value }) => ({ name, value: withoutSecrets(name, value, hide, isOpen) }));
  const params = withoutSecretsIn(description.params);
  // Credentials of the query become parameters if the one authentication of a configuration is already HTTP Basic, or if a
  // parameter of the request has the name of one of them.
  const areParams =
    basic?.authentication !== undefined ||
    description.params.some(({ name }) => secret.some((one) => one.name === name));
  const isGet = description.method === "GET";
  const authentication = { type: "query", query: Object.fromEntries(secret.map(({ name, value }) => [name, value])) };
  return {
    address,
    hidden,
    params: areParams && isGet ? [...params, ...secret] : params,
    query: [...withoutSecretsIn(description.query ?? []), ...(areParams && !isGet ? secret : [])],
    headers: [...headers, ...(basic?.headers ?? [])],
    authentication: basic?.authentication ?? (secret.length > 0 && !areParams ? authentication : undefined),
    clientCertificate: certificate === undefined ? undefined : { env: certificate.variable },
    settings: basic?.settings ?? [],
    credentials: [...credentials, ...(certificate === undefined ? [] : [certificate])],
  };
}

function certificateOf({ address, clientCertificate }: RequestDescription): Credential | undefined {
  if (clientCertificate === undefined) return undefined;
  const { text, files } = clientCertificate;
  const variable = variableName(variablePrefix(address), "CLIENT_CERTIFICATE");
  return { setting: undefined, variable, value: text, from: "the certificate of the client", files };
}

/** A credential that a run reads through a setting. */
export type SettingCredential = Credential & { readonly setting: string };

export interface HideOptions {
  /** Beginning of the environment variables' names. */
  readonly prefix: string;
  /** Names of shell variables by their values. */
  readonly variables?: ReadonlyMap<string, string> | undefined;
  /** Settings that the configuration has, with their values. */
  readonly settings?: ValueObject;
}

/** Returns a function that adds the credentials that it hides to `credentials`. */
export function createHide(credentials: SettingCredential[], { prefix, variables, settings = {} }: HideOptions): Hide {
  const takenVariables = new Set<Value | undefined>(variables?.values());
  for (const value of Object.values(settings)) takenVariables.add(isObject(value) ? value.env : undefined);
  const takenSettings = new Set(Object.keys(settings));
  const settingsByValue = new Map<string, string>();
  return (value, name, from, setting) => {
    const same = settingsByValue.get(value);
    if (same !== undefined && setting === undefined) return same;
    const suffix = variableSuffix(name) || "SECRET";
    const variable =
      variables?.get(value) ?? freeName(variableName(prefix, suffix), (text) => !takenVariables.has(text));
    const chosenSetting = setting ?? freeName(settingName(suffix), (text) => !takenSettings.has(text));
    takenVariables.add(variable);
    takenSettings.add(chosenSetting);
    if (same === undefined) settingsByValue.set(value, chosenSetting);
    credentials.push({ setting: chosenSetting, variable, value, from });
    return chosenSetting;
  };
}

/** Returns the name of a setting, such as `#apiKey` for `API_KEY`. */
function settingName(suffix: string): string {
  return `#${suffix.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())}`;
}

/**
 * Returns the parts of a configuration for HTTP Basic. A user name alone, or a password alone, is an API key, as at Stripe. It is
 * secret and becomes a header, because the authentication `basic` does not treat a user name as a secret.
 */
function basicAuthentication(
  { name, password }: { readonly name: string; readonly password: string },
  hide: Hide,
): {
  readonly settings: readonly Parameter[];
  readonly headers: readonly Parameter[];
  readonly authentication: Value | undefined;
} {
  if (password === "" || name === "") {
    const secret =
      password === ""
        ? [{ attr: hide(name, "apiKey", "the user name, without a colon") }, ":"]
        : [":", { attr: hide(password, "apiKey", "the password, without a colon") }];
    const key = { function: "concat", args: secret };
    const value = { function: "concat", args: ["Basic ", { function: "base64_encode", args: [key] }] };
    return { settings: [], headers: [{ name: "Authorization", value }], authentication: undefined };
  }
  hide(password, "password", "the password", "#password");
  return { settings: [{ name: "username", value: name }], headers: [], authentication: { type: "basic" } };
}

/** Schemes before a secret in a header. They are not secret. */
const scheme = /^(?:Bearer|Token|Basic|Api-?Key|OAuth|Key|Splunk|SSWS|GenieKey) +(?=\S)/i;

/** Returns a header's value in which expressions replace the credentials. */
export function headerValue(name: string, value: string, hide: Hide, isOpen: IsOpen): Value {
  if (value === "") return value;
  if (!isCredential(name)) return textWithoutSecrets(value, `the header ${name}`, hide, isOpen);
  const before = scheme.exec(value)?.[0] ?? "";
  const withoutScheme = before === "" ? "" : `, without ${before.trimEnd()} before it`;
  return joinedValue(before, {
    attr: hide(value.slice(before.length), name, `the header ${name}${withoutScheme}`),
  });
}

/** Returns a text in which expressions replace the credentials that it holds. `place`: of the text in the request. */
function textWithoutSecrets(text: string, place: string, hide: Hide, isOpen: IsOpen): Value {
  const places = credentialPlaces(text).filter(({ start, end }) => !isOpen(text.slice(start, end)));
  const pieces = places.flatMap(({ name, start, end }, index): Value[] => [
    text.slice(places[index - 1]?.end ?? 0, start),
    { attr: hide(text.slice(start, end), name, `${name} in ${place}`) },
  ]);
  return joinedValue(...pieces, text.slice(places.at(-1)?.end ?? 0));
}

/** An address whose credentials are removed. */
interface HidingAddress {
  /** The address with marks in the places of its `hidden` credentials. */
  readonly address: string;
  /** The credentials that were parameters of the query, and are not in the address. */
  readonly secret: readonly Parameter[];
  /** The expressions that replace the marks, see `withHidden`. */
  readonly hidden: readonly Value[];
}

/**
 * Splits an address into the address without the credentials of its query, and these credentials. Those in its path, inside other
 * parameters, and under a name that occurs several times stay in their places, as expressions.
 */
function addressWithoutCredentials(address: string, hide: Hide, isOpen: IsOpen): HidingAddress {
  const url = new URL(address);
  const hidden: Value[] = [];
  const mark = (value: Value): string => `spile-hidden-${hidden.push(value) - 1}-`;
  const pieces = queryPairs(url, isOpen);
  const counts = new Map<string, number>();
  for (const { name } of pieces) counts.set(name, (counts.get(name) ?? 0) + 1);
  const secret: Parameter[] = [];
  const open = pieces.flatMap((pair) => {
    const { name, value, isSecret } = pair;
    if (!isSecret) return [spelledPair(pair, hide, isOpen, (credential) => mark(encoded(credential)))];
    const attribute = { attr: hide(value, name, `the parameter ${name}`) };
    if (counts.get(name) !== 1) return [`${percentEncode(name)}=${mark(encoded(attribute, value))}`];
    secret.push({ name, value: attribute });
    return [];
  });
  if (secret.length > 0 || hidden.length > 0) url.search = open.join("&");
  const path = concatArguments(textWithoutSecrets(url.pathname, "the path", hide, isOpen));
  if (path.some(isObject)) url.pathname = path.map((piece) => (isObject(piece) ? mark(piece) : piece)).join("");
  return { address: url.href, secret, hidden };
}

/** A pair of a query. */
interface QueryPair {
  /** The pair as the address has it: `token=a%20b`. */
  readonly raw: string;
  readonly name: string;
  readonly value: string;
  /** Whether the whole value is a credential. */
  readonly isSecret: boolean;
}

function queryPairs(url: URL, isOpen: IsOpen): readonly QueryPair[] {
  return splitAddress(url).query.map((item) => {
    const raw = "raw" in item ? item.raw : "";
    const [name = "", ...rest] = raw.split("=").map(decodeForm);
    const value = rest.join("=");
    return { raw, name, value, isSecret: isCredential(name) && value !== "" && !isOpen(value) };
  });
}

/**
 * Returns a pair in which the results of `write` replace the expressions of the credentials inside its value. The rest keeps its
 * spelling if the value contains no encoded character, because servers may read `a;b` and `a%3Bb` differently.
 */
function spelledPair(
  { raw, name, value }: QueryPair,
  hide: Hide,
  isOpen: IsOpen,
  write: (credential: ValueObject) => string,
): string {
  const pieces = concatArguments(textWithoutSecrets(value, `the parameter ${name}`, hide, isOpen));
  if (!pieces.some(isObject)) return raw;
  const before = raw.slice(0, raw.indexOf("=") + 1);
  const spell = raw === before + value ? plainText : (text: Value): string => percentEncode(plainText(text));
  return before + pieces.map((piece) => (isObject(piece) ? write(piece) : spell(piece))).join("");
}

/** Returns the pairs of an address's query in the spelling in which a configuration without their credentials sends them. */
export function sentPairs(address: string): readonly string[] {
  const isOpen = (): boolean => false;
  const write = ({ attr }: ValueObject): string => percentEncode(String(attr));
  return queryPairs(new URL(address), isOpen).map((pair) =>
    pair.isSecret
      ? `${percentEncode(pair.name)}=${percentEncode(pair.value)}`
      : spelledPair(pair, (credential) => credential, isOpen, write),
  );
}

/** Returns `expression` with percent-encoding around it, unless its `value` is given and needs none. */
function encoded(expression: Value, value?: string): Value {
  return value !== undefined && percentEncode(value) === value
    ? expression
    : { function: "rawurlencode", args: [expression] };
}

/** Returns an address, or a part of it, in which the expressions of its credentials replace the marks. */
export function withHidden(text: string, hidden: readonly Value[]): Value {
  const pieces = text.split(/spile-hidden-([0-9]+)-/);
  return joinedValue(...pieces.map((piece, index) => (index % 2 === 0 ? piece : (hidden[Number(piece)] ?? ""))));
}

/** The contexts that expressions in a job's parameters may read. */
const jobContexts: readonly string[] = ["incremental", "window", "step"];

/** The arguments of functions that are secret, by the functions' names. */
const secretArguments: ReadonlyMap<Value, { readonly index: number; readonly name: string }> = new Map([
  // The only secret text that a description encodes is a user and a password.
  ["base64_encode", { index: 0, name: "password" }],
  ["hash_hmac", { index: 2, name: "secret_key" }],
  ["jwt", { index: 1, name: "secret_key" }],
]);

/**
 * Returns a parameter's value in which expressions replace the credentials: the texts and numbers below the name of a credential,
 * and credentials inside other texts. A boolean is no secret, since it has only two values. `outer`: the nearest name of a
 * credential around the value.
 */
export function withoutSecrets(name: string, value: Value, hide: Hide, isOpen: IsOpen, outer?: string): Value {
  if (isObject(value) && isExpression(value, jobContexts)) {
    if (!Array.isArray(value.args)) return value;
    const secret = secretArguments.get(value.function ?? null);
    const args = value.args.map((item: Value, index) =>
      withoutSecrets(index === secret?.index ? secret.name : "", item, hide, isOpen),
    );
    return { ...value, args: value.function === "concat" ? args.flatMap(concatArguments) : args };
  }
  const secretName = isCredential(name) ? name : outer;
  if (Array.isArray(value)) {
    // A list of credentials has a name in the plural: `tokens`. A list of `keys` may name fields.
    const isPlural = /[^s]s$/i.test(name) && !/^keys$/i.test(name) && isCredential(name.slice(0, -1));
    return value.map((item: Value) => withoutSecrets(name, item, hide, isOpen, isPlural ? name : secretName));
  }
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, withoutSecrets(key, inner, hide, isOpen, secretName)]),
    );
  if (secretName === undefined)
    return typeof value === "string"
      ? textWithoutSecrets(value, name === "" ? "a text" : `the parameter ${name}`, hide, isOpen)
      : value;
  const text = value === null || typeof value === "boolean" ? "" : plainText(value);
  if (text === "" || isOpen(text)) return value;
  const attribute = { attr: hide(text, secretName, `the parameter ${secretName}`) };
  return typeof value === "string" ? attribute : { function: "json_decode", args: [attribute] };
}

/**
 * A line that sets a shell variable, and a comment on the variable's content. The comment contains no characters that a shell
 * interprets.
 */
export interface ExportLine {
  readonly line: string;
  readonly remark: string;
}

/** Returns the lines that set the variables of credentials in a shell, with masked values or from files. */
export function exportLines(credentials: readonly Credential[]): ExportLine[] {
  return credentials.map(({ variable, from, files }) => exportLine(variable, from, files));
}

/** Returns the line that sets a variable to a masked value, or to the content of files. `content`: a description of the value. */
export function exportLine(variable: string, content: string, files?: readonly string[]): ExportLine {
  return {
    line: files === undefined ? shellExport(variable, "***") : shellExportOfFiles(variable, files),
    remark: `${variable} is ${shellRemark(content)}`,
  };
}
