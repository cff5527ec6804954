import { SpileError } from "../core/errors.ts";
import { decodeForm } from "../core/requests/request.ts";
import type { WholeResponse } from "../core/requests/transport.ts";
import { withoutUser } from "../core/secrets/without-user.ts";
import { counted } from "../core/text/counted.ts";
import { doubleOf, isNumber, isObject, plainText, type Value, type ValueObject } from "../core/values/value.ts";
import { shownPairs } from "../knowledge/credentials.ts";
import { findRecords } from "../knowledge/records.ts";
import { describeAddress } from "./address.ts";
import { describeBody } from "./body.ts";
import type { PathFilter } from "./described/choice.ts";
import { readAnswer } from "./explore/first-answer/answer.ts";
import type { Exchanged } from "./explore/trials/exchange-memory.ts";
import { configurableHeaders } from "./headers.ts";
import type { RequestDescription } from "./request-description.ts";

/** A list of records in a HAR: the request for its first page, and the recorded exchanges of its pages. */
export interface HarRequest {
  readonly description: RequestDescription;
  readonly exchanges: readonly Exchanged[];
  /** The request of the second exchange; undefined if there is none. */
  readonly following: RequestDescription | undefined;
  readonly notes: readonly string[];
}

/** An entry of the HAR that could be a page of a list. */
interface Entry {
  readonly description: RequestDescription;
  readonly request: ValueObject;
  readonly response: ValueObject;
  readonly records: number;
  /** The method, and the address without its query. */
  readonly target: string;
  /** Distinguishes several lists at one address: the operation of GraphQL, or the method of JSON-RPC; "" for other requests. */
  readonly operation: string;
}

/** Returns the entries of a HAR; undefined if the text is not a HAR. */
export function harEntries(text: string): readonly Value[] | undefined {
  try {
    // `JSON.parse` loses exact numbers, which a HAR does not need, but it takes a twentieth of the memory of `parseValue`.
    const document = JSON.parse(text.replace(/^\uFEFF/, "")) as Value;
    const log = isObject(document) ? document.log : undefined;
    return isObject(log) && Array.isArray(log.entries) ? log.entries : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the list that has the most records in the entries of a HAR. `log`: undefined if the text is not a HAR. `filter`: chooses
 * lists by the paths of their addresses. Throws a usage error if there is no HAR, if it has no such list, or if
 * the first answer of the list has no records.
 */
export function readHar(log: readonly Value[] | undefined, filter: PathFilter): HarRequest {
  if (log === undefined) throw new SpileError("usage", "this is not a HAR: it has no log.entries");
  const unsendable: string[] = [];
  const allEntries = log.flatMap((one) => entryOf(one, unsendable) ?? []);
  const entries = allEntries.filter(({ description }) => filter(new URL(description.address).pathname));
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = `${entry.target}\n${entry.operation}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  const [best = [], ...others] = [...groups.values()].sort((a, b) => recordsOf(b) - recordsOf(a));
  const [first] = best;
  if (first === undefined || first.records === 0)
    throw new SpileError("usage", reasonForNoList(log, { best, allEntries, unsendable }));
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

interface HarEntries {
  /** The entries of the list with the most records. */
  readonly best: readonly Entry[];
  /** The entries of all paths. */
  readonly allEntries: readonly Entry[];
  /** Reasons why spile cannot send the requests of further lists. */
  readonly unsendable: readonly string[];
}

function reasonForNoList(log: readonly Value[], { best, allEntries, unsendable }: HarEntries): string {
  if (recordsOf(best) > 0) return `the first answer of ${nameOf(best)} in the HAR has no records`;
  if (recordsOf(allEntries) > 0) return "the HAR has no list of records at the paths of --only";
  if (unsendable[0] !== undefined) return `the HAR has no list that spile can request: ${unsendable[0]}`;
  const hasBody = log.some((one) => isObject(one) && contentOf(one.response).text !== undefined);
  return log.length === 0 || hasBody
    ? "no answer in the HAR is JSON with a list of records"
    : "the HAR holds no bodies of answers: save it with content";
}

function recordsOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { records }) => sum + records, 0);
}

/** Returns the name of a list for messages: its method and address, and the name of its operation if it has one. */
function nameOf([first]: readonly Entry[]): string {
  const [name = ""] = first?.operation.split("\n", 1) ?? [];
  return `${shownPairs(first?.target ?? "")}${name === "" ? "" : ` ${name}`}`;
}

/**
 * Returns an entry of the HAR if it may be a page of a list, else undefined. If spile cannot send the request of a list, adds the
 * reason to `unsendable` and returns undefined.
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
    target: `${method} ${origin}${pathname}`,
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
  // The text in a HAR is already decoded.
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

/** Describes a request of the HAR. If spile cannot send it, returns a note with the reason. */
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
      return `${method} ${shownPairs(withoutQuery(String(request.url)))} is left out: ${error.message}`;
    throw error;
  }
}

function withoutQuery(address: string): string {
  return withoutUser(address).replace(/[?#].*$/s, "");
}

/** Removes parameters such as `_=1700000000000`, with which a browser makes each address different. */
function withoutCacheBusters(address: string): string {
  const url = new URL(address);
  const pieces = url.search.slice(1).split("&");
  const otherPieces = pieces.filter(
    (piece) => !/^_+$/.test(decodeForm(piece.split("=", 1)[0] ?? "")) || !/=[0-9]{10,}$/.test(piece),
  );
  if (otherPieces.length < pieces.length) url.search = otherPieces.join("&");
  return url.href;
}

/** Returns the body of a request: the recorded text, else a form with the recorded parameters. */
function postText({ postData }: ValueObject): string {
  const { text, encoding, params } = isObject(postData) ? postData : {};
  if (typeof text === "string" && text !== "") {
    return encoding === "base64" ? Buffer.from(text, "base64").toString() : text;
  }
  return pairsOf(params)
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .join("&");
}

function pairsOf(list: Value | undefined): (readonly [name: string, value: string])[] {
  const pairs = Array.isArray(list) ? list : [];
  return pairs.flatMap((pair) => (isObject(pair) ? [[String(pair.name), String(pair.value ?? "")] as const] : []));
}
