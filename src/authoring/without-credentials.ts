import { decodeForm, type Parameter, splitAddress } from "../core/requests/request.ts";
import { shellExport, shellExportOfFiles, shellRemark } from "../core/text/shell.ts";
import { isObject, type Value } from "../core/values/value.ts";
import { isCredential } from "../knowledge/credentials.ts";
import type { RequestDescription } from "./request-description.ts";
import { variableName, variablePrefix, variableSuffix } from "./variable-names.ts";

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
  readonly address: string;
  readonly params: readonly Parameter[];
  /** For a POST or FORM: parameters of its query that `description.query` does not contain. */
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
 * Assigns an environment variable to a credential. Returns the name of the setting that reads the variable. `name`: of the
 * parameter or header, from which the names are made. `setting`: the setting's name, if it is given.
 */
type Hide = (value: string, name: string, from: string, setting?: string) => string;

/**
 * Takes the credentials out of a request: the password, the client's certificate, and the values of headers and parameters whose
 * names suggest a credential. Credentials in the address become an authentication of type `query`, which a run also adds to the
 * addresses of next pages. `isOpen`: returns whether a value is no secret although its name suggests one.
 */
export function withoutCredentials(
  description: RequestDescription,
  isOpen: (value: string) => boolean = () => false,
): RequestWithoutCredentials {
  const credentials: (Credential & { readonly setting: string })[] = [];
  const hide = createHide(credentials, description);
  const basic = description.user === undefined ? undefined : basicAuthentication(description.user, hide);
  const headers = description.headers.map(([name, value]) => ({ name, value: headerValue(name, value, hide) }));
  const { address, secret } = addressWithoutCredentials(description.address, hide, isOpen);
  const certificate = certificateOf(description);
  const params = description.params.map(({ name, value }) => ({
    name,
    value: withoutSecrets(name, value, hide, isOpen),
  }));
  // A configuration has only one authentication. If it is already HTTP Basic, credentials in the address become parameters.
  const areParams =
    basic?.authentication !== undefined ||
    description.params.some(({ name }) => secret.some((one) => one.name === name));
  const isGet = description.method === "GET";
  const query = { type: "query", query: Object.fromEntries(secret.map(({ name, value }) => [name, value])) };
  return {
    address,
    params: areParams && isGet ? [...params, ...secret] : params,
    query: areParams && !isGet ? secret : [],
    headers: [...headers, ...(basic?.headers ?? [])],
    authentication: basic?.authentication ?? (secret.length > 0 && !areParams ? query : undefined),
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

function createHide(
  credentials: (Credential & { readonly setting: string })[],
  { address, variables }: RequestDescription,
): Hide {
  const prefix = variablePrefix(address);
  return (value, name, from, setting) => {
    const same = credentials.find((one) => one.value === value && setting === undefined);
    if (same !== undefined) return same.setting;
    const suffix = variableSuffix(name) || "SECRET";
    const isFree = (text: string): boolean => credentials.every((one) => one.variable !== text);
    const variable = variables?.get(value) ?? free(variableName(prefix, suffix), isFree);
    const chosenSetting =
      setting ?? free(settingName(suffix), (text) => credentials.every((one) => one.setting !== text));
    credentials.push({ setting: chosenSetting, variable, value, from });
    return chosenSetting;
  };
}

function free(name: string, isFree: (name: string) => boolean): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}_${count}`;
    if (isFree(candidate)) return candidate;
  }
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

function headerValue(name: string, value: string, hide: Hide): Value {
  if (!isCredential(name) || value === "") return value;
  const before = scheme.exec(value)?.[0] ?? "";
  const withoutScheme = before === "" ? "" : `, without ${before.trimEnd()} before it`;
  const hidden = { attr: hide(value.slice(before.length), name, `the header ${name}${withoutScheme}`) };
  return before === "" ? hidden : { function: "concat", args: [before, hidden] };
}

/** Splits an address into the address without the credentials of its query, and these credentials. */
function addressWithoutCredentials(
  address: string,
  hide: Hide,
  isOpen: (value: string) => boolean,
): { readonly address: string; readonly secret: readonly Parameter[] } {
  const url = new URL(address);
  const secret: Parameter[] = [];
  const open = splitAddress(url).query.flatMap((item) => {
    const raw = "raw" in item ? item.raw : "";
    const [name = "", ...rest] = raw.split("=").map(decodeForm);
    const value = rest.join("=");
    if (!isCredential(name) || value === "" || isOpen(value) || secret.some((one) => one.name === name)) return [raw];
    secret.push({ name, value: { attr: hide(value, name, `the parameter ${name}`) } });
    return [];
  });
  if (secret.length > 0) url.search = open.join("&");
  return { address: url.href, secret };
}

/** Returns a parameter's value in which expressions replace the credentials, even those inside objects. */
function withoutSecrets(name: string, value: Value, hide: Hide, isOpen: (value: string) => boolean): Value {
  if (typeof value === "string") {
    return value !== "" && isCredential(name) && !isOpen(value)
      ? { attr: hide(value, name, `the parameter ${name}`) }
      : value;
  }
  if (Array.isArray(value))
    return value.map((item) => (typeof item === "string" ? item : withoutSecrets("", item, hide, isOpen)));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutSecrets(key, inner, hide, isOpen)]),
  );
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
