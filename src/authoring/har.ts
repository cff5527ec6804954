import { SpileError } from "../core/errors.ts";
import { decodeForm } from "../core/requests/request.ts";
import type { WholeResponse } from "../core/requests/transport.ts";
import { withoutUser } from "../core/secrets/without-user.ts";
import { counted } from "../core/text/counted.ts";
import { doubleOf, isNumber, isObject, plainText, type Value, type ValueObject } from "../core/values/value.ts";
import { findRecords } from "../knowledge/records.ts";
import { describeAddress } from "./address.ts";
import { describeBody } from "./body.ts";
import type { PathFilter } from "./described/choice.ts";
import { readAnswer } from "./explore/first-answer/answer.ts";
import type { Exchanged } from "./explore/trials/exchange-memory.ts";
import { configurableHeaders } from "./headers.ts";
import type { RequestDescription } from "./request-description.ts";

/** A list in the log of a browser: its first request, and all exchanges that the log contains for it. */
export interface HarRequest {
  readonly description: RequestDescription;
  /** The exchanges of the list, including the one of the first page. */
  readonly exchanges: readonly Exchanged[];
  /** The second request of the list; undefined if there is none. */
  readonly following: RequestDescription | undefined;
  readonly notes: readonly string[];
}

/** An entry of the log that could be a page of a list. */
interface Entry {
  readonly description: RequestDescription;
  readonly request: ValueObject;
  readonly response: ValueObject;
  readonly records: number;
  /** The name that the pages of one list have in common, for the user. */
  readonly group: string;
  /** The parts of the request that distinguish lists at one address: the operation of GraphQL, the method of JSON-RPC. */
  readonly operation: string;
}

/** Returns the entries of a HAR; undefined if the text is not a HAR. */
export function harEntries(text: string): readonly Value[] | undefined {
  try {
    // The log needs no exact numbers, and `JSON.parse` needs a twentieth of the memory.
    const document = JSON.parse(text.replace(/^\uFEFF/, "")) as Value;
    const log = isObject(document) ? document.log : undefined;
    return isObject(log) && Array.isArray(log.entries) ? log.entries : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Picks the list with the most records among the JSON answers of a HAR. Its first request is the one to explore. Throws a usage
 * error if the text is not a HAR or contains no list.
 */
export function readHar(log: readonly Value[] | undefined, filter: PathFilter): HarRequest {
  if (log === undefined) throw new SpileError("usage", "this is not a HAR: it has no log.entries");
  const unsendable: string[] = [];
  const entries = log
    .flatMap((one) => entryOf(one, unsendable) ?? [])
    .filter(({ description }) => filter(new URL(description.address).pathname));
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = `${entry.group}\n${entry.operation}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  const [best = [], ...others] = [...groups.values()].sort((a, b) => recordsOf(b) - recordsOf(a));
  const [first] = best;
  if (first === undefined || first.records === 0) throw new SpileError("usage", noList(log));
  const otherLists = others
    .filter((group) => recordsOf(group) > 0)
    .map((group) => `${nameOf(group)} (${counted(recordsOf(group), "record")})`);
  return {
    description: first.description,
    exchanges: best.map(({ description, request, response }) => exchangeOf(description, request, response)),
    following: best[1]?.description,
    notes: [
      `${nameOf(best)} is chosen: ${counted(recordsOf(best), "record")} in ${counted(best.length, "answer")}`,
      ...(otherLists.length === 0
        ? []
        : [`other lists in the HAR: ${otherLists.slice(0, 5).join(", ")}; --only chooses by path`]),
      ...[...new Set(unsendable)].slice(0, 5),
    ],
  };
}

function noList(log: readonly Value[]): string {
  const hasBody = log.some((one) => isObject(one) && contentOf(one.response).text !== undefined);
  return log.length === 0 || hasBody
    ? "no answer in the HAR is JSON with a list of records"
    : "the HAR holds no bodies of answers: save it with content";
}

function recordsOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { records }) => sum + records, 0);
}

/** Returns the name of a list: its address, and the name of its operation if it has one. */
function nameOf([first]: readonly Entry[]): string {
  const [name = ""] = first?.operation.split("\n", 1) ?? [];
  return `${first?.group}${name === "" ? "" : ` ${name}`}`;
}

/**
 * Returns an entry of the log if it may be a page of a list. Undefined for other entries, and for requests that spile cannot
 * send.
 */
function entryOf(raw: Value, unsendable: string[]): Entry | undefined {
  const { request, response } = isObject(raw) ? raw : {};
  if (!isObject(request) || !isObject(response) || typeof request.url !== "string") return undefined;
  const method = String(request.method);
  const status = isNumber(response.status) ? doubleOf(response.status) : 0;
  if ((method !== "GET" && method !== "POST") || status < 200 || status > 299) return undefined;
  const answer = readAnswer(wholeOf(response));
  if (answer.kind !== "json" && answer.kind !== "lines") return undefined;
  const place = findRecords(answer.kind === "json" ? answer.document : answer.records, undefined);
  const records = place.list ? place.records.length : 0;
  const description = describe(request, method);
  if (typeof description === "string") {
    if (records > 0) unsendable.push(description);
    return undefined;
  }
  const { origin, pathname } = new URL(description.address);
  return {
    description,
    request,
    response,
    records,
    group: `${method} ${origin}${pathname}`,
    operation: operationOf(description),
  };
}

/** Parameters that choose among several lists at one address. */
const choosingNames = ["operationName", "operation", "query", "extensions", "queryId", "doc_id"];

function operationOf({ address, params }: RequestDescription): string {
  const query = new URL(address).searchParams;
  const isRemoteCall = params.some(({ name }) => name === "jsonrpc");
  const names = isRemoteCall ? ["method"] : choosingNames;
  const values = names.map((name) => {
    const value = params.find((one) => one.name === name)?.value ?? query.get(name);
    return value === null || value === undefined ? "" : plainText(value);
  });
  const [first = "", ...others] = values;
  // A search term may be called `query`, too, but only a GraphQL document has braces.
  const isGraphql = /[{]/.test(values.join("")) || first !== "" || isRemoteCall;
  return isGraphql ? [first, ...others].join("\n") : "";
}

function contentOf(response: Value | undefined): ValueObject {
  const { content } = isObject(response) ? response : {};
  return isObject(content) ? content : {};
}

function wholeOf(response: ValueObject): WholeResponse {
  const { text, encoding } = contentOf(response);
  // The log contains decoded text.
  const headers = pairsOf(response.headers).filter(([name]) => !/^content-(encoding|length)$/i.test(name));
  return {
    status: Number(String(response.status)),
    headers,
    body: Buffer.from(String(text ?? ""), encoding === "base64" ? "base64" : "utf8"),
  };
}

function exchangeOf({ address, method }: RequestDescription, request: ValueObject, response: ValueObject): Exchanged {
  const isGet = method === "GET";
  const wire = {
    method: isGet ? "GET" : "POST",
    url: address,
    headers: new Map(),
    body: isGet ? undefined : postText(request),
  } as const;
  return { request: wire, response: wholeOf(response) };
}

/** Describes a request of the log. Returns the reason if spile cannot send it. */
function describe(request: ValueObject, method: string): RequestDescription | string {
  try {
    const addressParts = describeAddress(withoutCacheBusters(String(request.url)));
    const headerPairs = pairsOf(request.headers);
    const { headers } = configurableHeaders(headerPairs, { hasBody: method !== "GET" });
    if (method === "GET") return { ...addressParts, headers };
    const { mimeType } = isObject(request.postData) ? request.postData : {};
    const type = headerPairs.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? mimeType;
    return { ...addressParts, ...describeBody(postText(request), type === undefined ? type : String(type)), headers };
  } catch (error) {
    if (error instanceof SpileError)
      return `${method} ${withoutQuery(String(request.url))} is left out: ${error.message}`;
    throw error;
  }
}

function withoutQuery(address: string): string {
  return withoutUser(address).replace(/[?#].*$/s, "");
}

/** Removes parameters such as `_=1700000000000`, which make each address different. */
function withoutCacheBusters(address: string): string {
  const url = new URL(address);
  const pieces = url.search.slice(1).split("&");
  const otherPieces = pieces.filter(
    (piece) => !/^_+$/.test(decodeForm(piece.split("=", 1)[0] ?? "")) || !/=[0-9]{10,}$/.test(piece),
  );
  if (otherPieces.length < pieces.length) url.search = otherPieces.join("&");
  return url.href;
}

/** Returns the body of a request as text: the text that was sent, or a form made from the pairs in the log. */
function postText({ postData }: ValueObject): string {
  const { text, encoding, params } = isObject(postData) ? postData : {};
  if (typeof text === "string" && text !== "") {
    return encoding === "base64" ? Buffer.from(text, "base64").toString() : text;
  }
  return pairsOf(params)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&");
}

function pairsOf(headers: Value | undefined): (readonly [name: string, value: string])[] {
  const list = Array.isArray(headers) ? headers : [];
  return list.flatMap((header) =>
    isObject(header) ? [[String(header.name), String(header.value ?? "")] as const] : [],
  );
}
