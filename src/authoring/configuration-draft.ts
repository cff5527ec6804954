import { decodeForm, type Parameter } from "../core/request.ts";
import { exactNumber, type Value, type ValueObject } from "../core/value.ts";
import { isCredential } from "../knowledge/credentials.ts";
import { type Credential, conceal } from "./conceal.ts";
import type { RequestDescription } from "./request-description.ts";

/** What a job says beside its request. */
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

/** A configuration as it is written down, and the credentials that it asks the environment for. */
export interface Authored {
  readonly configuration: ValueObject;
  readonly credentials: readonly Credential[];
}

/**
 * The configuration of one request. Pure: nothing is sent, nothing is read. `isOpen`: which values of parameters stay, though their
 * names are those of credentials.
 */
export function draftConfiguration(
  description: RequestDescription,
  job: JobDraft,
  isOpen?: (value: string) => boolean,
): Authored {
  const { address, params, headers, authentication, clientCertificate, settings, credentials } = conceal(
    description,
    isOpen,
  );
  const { baseUrl, endpoint } = splitBase(address);
  const api = present({
    baseUrl,
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
        endpoint,
        method: description.method === "GET" ? undefined : description.method,
        params: filled(Object.fromEntries(params.map(({ name, value }) => [name, value]))),
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

/** `baseUrl` and `endpoint` of an address: its folder and the rest. */
function splitBase(address: string): { readonly baseUrl: string; readonly endpoint: string } {
  const url = new URL(address);
  const folder = new URL(".", url.origin + url.pathname).href;
  const rest = url.href.slice(folder.length);
  // `users:list` would be read as an address of its own, `a//b` lose its host.
  const leads = (endpoint: string): boolean =>
    URL.canParse(endpoint, folder) && new URL(endpoint, folder).href === url.href;
  const endpoint = [rest, url.pathname + url.search, url.href].find(leads) ?? url.href;
  return { baseUrl: folder, endpoint };
}

/** The request with the query of its address among its parameters, as far as they say the same there. GET only. */
export function withQueryAsParams(description: RequestDescription): RequestDescription {
  if (description.method !== "GET") return description;
  const url = new URL(description.address);
  const pieces = url.search
    .slice(1)
    .split("&")
    .filter((piece) => piece !== "");
  const names = pieces.map((piece) => decodeForm(piece.split("=", 1)[0] ?? ""));
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const simple = (index: number): boolean =>
    (pieces[index] ?? "").includes("=") &&
    counts.get(names[index] ?? "") === 1 &&
    names[index] !== "" &&
    // A plus is sent as it stands: as a parameter it would become %20.
    !(pieces[index] ?? "").includes("+") &&
    // Credentials of an address become an authentication, which goes with every address.
    !isCredential(names[index] ?? "") &&
    isText(pieces[index] ?? "");
  const taken = pieces.flatMap((piece, index): Parameter[] =>
    simple(index)
      ? [{ name: names[index] ?? "", value: parameterValue(decodeForm(piece.slice(piece.indexOf("=") + 1))) }]
      : [],
  );
  url.search = pieces.filter((_, index) => !simple(index)).join("&");
  return { ...description, address: url.href, params: [...taken, ...description.params] };
}

/** Do its escapes make text? Other bytes can only stay as they are. */
function isText(piece: string): boolean {
  try {
    decodeURIComponent(piece);
    return true;
  } catch {
    return false;
  }
}

/** A value of a query as it is best written: digits as a number. */
function parameterValue(text: string): Value {
  return /^(0|[1-9][0-9]{0,14})$/.test(text) ? exactNumber(text) : text;
}

/** What the records are called: the last word of a path that is no number. */
export function datasetName(address: string): string | undefined {
  const { pathname, searchParams } = new URL(address);
  // WordPress without permalinks has the path in a parameter.
  const words = (searchParams.get("rest_route") ?? pathname).split("/").map((part) => part.replace(/\.\w+$/, ""));
  return words.findLast((word) => /^[A-Za-z][\w-]*$/.test(word) && !/^v[0-9]+$/i.test(word));
}

function present(entries: Readonly<Record<string, Value | undefined>>): ValueObject {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

function filled(entries: Readonly<Record<string, Value | undefined>>): ValueObject | undefined {
  const object = present(entries);
  return Object.keys(object).length === 0 ? undefined : object;
}
