import { decodeForm } from "../core/requests/request.ts";
import { percentEncode } from "../core/text/percent-encoding.ts";
import { exactNumber, isObject, plainText, type Value, type ValueObject } from "../core/values/value.ts";
import { isCredential } from "../knowledge/credentials.ts";
import { meaningOf } from "../knowledge/parameters.ts";
import { spellingNote } from "./body.ts";
import type { RequestDescription } from "./request-description.ts";
import { type Credential, sentPairs, withHidden, withoutCredentials } from "./without-credentials.ts";

/** The fields of a job besides its request. */
export interface JobDraft {
  readonly dataField?: Value | undefined;
  readonly dataType?: string | undefined;
  readonly format?: Value | undefined;
  /** `api.pagination`. */
  readonly pagination?: ValueObject | undefined;
  /** `api.http.responses`. */
  readonly responses?: readonly ValueObject[] | undefined;
  /** `api.http.rateLimit`. */
  readonly rateLimit?: Value | undefined;
}

/** A configuration, and the credentials that it reads from the environment. */
export interface Authored {
  readonly configuration: ValueObject;
  readonly credentials: readonly Credential[];
}

/**
 * Returns the configuration of one request, without sending or reading anything. `isOpen`: returns whether a parameter's value
 * stays in its place although its name is that of a credential.
 */
export function draftConfiguration(
  description: RequestDescription,
  job: JobDraft,
  isOpen?: (value: string) => boolean,
): Authored {
  const { address, hidden, params, query, headers, authentication, clientCertificate, settings, credentials } =
    withoutCredentials(description, isOpen);
  const { baseUrl, endpoint } = splitBase(address, bracesOf(job.pagination));
  const api = present({
    baseUrl: withHidden(baseUrl, hidden),
    authentication,
    pagination: job.pagination,
    http: filled({
      connectTimeout: description.connectTimeout,
      requestTimeout: description.requestTimeout,
      responses: job.responses,
      rateLimit: job.rateLimit,
    }),
    caCertificate: description.caCertificate,
    "#clientCertificate": clientCertificate,
  });
  const config = {
    ...Object.fromEntries(settings.map(({ name, value }) => [name, value])),
    ...Object.fromEntries(
      credentials.flatMap(({ setting, variable }) => (setting === undefined ? [] : [[setting, { env: variable }]])),
    ),
    jobs: [
      present({
        endpoint: withHidden(endpoint, hidden),
        method: description.method === "GET" ? undefined : description.method,
        params: filled(Object.fromEntries(params.map(({ name, value }) => [name, value]))),
        query: filled(Object.fromEntries(query.map(({ name, value }) => [name, value]))),
        lists: description.lists,
        headers: filled(Object.fromEntries(headers.map(({ name, value }) => [name, value]))),
        dataField: job.dataField,
        dataType: job.dataType,
        format: job.format,
      }),
    ],
  };
  return { configuration: { api, config }, credentials };
}

/** Returns the braces in the endpoint that take page numbers, page sizes and tokens. */
function bracesOf(pagination: ValueObject = {}): readonly string[] {
  return Object.values(pagination).flatMap((place) =>
    isObject(place) && typeof place.endpoint === "string" ? [`{${place.endpoint}}`] : [],
  );
}

/**
 * Splits an address into `baseUrl` (its folder) and `endpoint` (the rest). `braces` stay unescaped in the path of the endpoint.
 */
function splitBase(
  address: string,
  braces: readonly string[],
): { readonly baseUrl: string; readonly endpoint: string } {
  const url = new URL(address);
  const found = braces
    .map((text) => ({ text, encoded: new URL(text, url.origin).pathname.slice(1) }))
    .filter(({ encoded }) => url.pathname.includes(encoded));
  const first = Math.min(url.pathname.length, ...found.map(({ encoded }) => url.pathname.indexOf(encoded)));
  const before = url.pathname.slice(0, first);
  const folder = new URL(".", url.origin + before).href;
  const rest = url.href.slice(folder.length);
  // `users:list` would be read as an address with a scheme, and `//users:list` as an address with a host.
  const isSameAddress = (endpoint: string): boolean =>
    URL.canParse(endpoint, folder) && new URL(endpoint, folder).href === url.href;
  const endpoint = [rest, url.pathname + url.search, url.href].find(isSameAddress) ?? url.href;
  const withBraces = found.reduce((path, { text, encoded }) => path.replaceAll(encoded, text), endpoint);
  return { baseUrl: folder, endpoint: withBraces };
}

/**
 * Moves the query of an address to the request's parameters. A parameter stays in the address if it would be sent in another
 * spelling, except for parameters of paging, which the paging replaces anyway.
 */
export function withQueryAsParams(description: RequestDescription): RequestDescription {
  const url = new URL(description.address);
  const pieces = url.search
    .slice(1)
    .split("&")
    .filter((piece) => piece !== "");
  const pairs = pieces.map((piece) => {
    const equals = piece.indexOf("=");
    const [rawName, rawValue] = equals < 0 ? ["", ""] : [piece.slice(0, equals), piece.slice(equals + 1)];
    const [name, value] = [decodeForm(rawName), decodeForm(rawValue)];
    const isSame = percentEncode(name) === rawName && percentEncode(value) === rawValue;
    return { piece, name, value, isSame, isPaging: percentEncode(value) === rawValue && isPagingName(name) };
  });
  const counts = new Map<string, number>();
  for (const { name } of pairs) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isTaken = ({ name, isSame, isPaging }: (typeof pairs)[number]): boolean =>
    name !== "" &&
    counts.get(name) === 1 &&
    (isSame || isPaging) &&
    // Credentials stay in the address: `withoutCredentials` makes an authentication of them, which applies to every request.
    !isCredential(name);
  const movedParams = pairs.filter(isTaken).map(({ name, value }) => ({ name, value: parameterValue(value) }));
  url.search = pairs
    .filter((pair) => !isTaken(pair))
    .map(({ piece }) => piece)
    .join("&");
  const request = { ...description, address: url.href };
  if (movedParams.length === 0) return request;
  if (description.method !== "GET") return { ...request, query: [...movedParams, ...(description.query ?? [])] };
  return { ...request, params: [...movedParams, ...description.params] };
}

function isPagingName(name: string): boolean {
  return meaningOf(name.split(/[[\]]+/).filter((word) => word !== "")) !== undefined;
}

/**
 * Returns a note that names the parts of a request whose spelling differs from the command's. `target`: path and query of the
 * command. Nearly every server reads both spellings alike, but a signature over the address fails.
 */
export function addressSpellingNotes(
  target: string,
  { address, params, query = [], method }: RequestDescription,
): readonly string[] {
  const [path = "", ...rest] = target.split("?");
  const { pathname } = new URL(address);
  const sentPieces = new Set([
    ...sentPairs(address),
    ...(method === "GET" ? params : query).map(
      ({ name, value }) => `${percentEncode(name)}=${percentEncode(plainText(value))}`,
    ),
  ]);
  const pieces = rest.join("?").split("&");
  const other = pieces.filter((piece) => piece !== "" && !sentPieces.has(piece));
  const names = other.map((piece) => `${JSON.stringify(decodeForm(piece.split("=", 1)[0] ?? ""))} of the query`);
  const isResolved = /(^|\/)\.{1,2}(\/|$)/.test(path);
  return spellingNote([...(path === pathname || isResolved ? [] : ["the path"]), ...names]);
}

/** Writes a value of the query for the configuration: digits become a number. */
function parameterValue(text: string): Value {
  return /^(0|[1-9][0-9]{0,14})$/.test(text) ? exactNumber(text) : text;
}

/** Returns a name for the records: the last word of the path that is neither a number nor a version such as `v2`. */
export function datasetName(address: string): string | undefined {
  const { pathname, searchParams } = new URL(address);
  // WordPress without permalinks has the path in a parameter.
  const path = searchParams.get("rest_route") ?? pathname;
  const words = path
    .replace(/\/page[/-][0-9]+(?=\/?$|\.[a-z]+$)/i, "")
    .split("/")
    .map((part) => part.replace(/\.\w+$/, ""));
  return words.findLast((word) => /^[A-Za-z][\w-]*$/.test(word) && !/^v[0-9]+$/i.test(word));
}

/** Returns an object without the members that are undefined. */
export function present(entries: Readonly<Record<string, Value | undefined>>): ValueObject {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

/** Returns an object without the members that are undefined; undefined if no member remains. */
export function filled(entries: Readonly<Record<string, Value | undefined>>): ValueObject | undefined {
  const object = present(entries);
  return Object.keys(object).length === 0 ? undefined : object;
}
