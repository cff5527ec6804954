import { SpileError } from "../core/errors.ts";
import { decodeForm } from "../core/request.ts";
import { isNumber, isObject, parseValue, type Value, type ValueObject } from "../core/value.ts";
import { describeAddress } from "./address.ts";
import { describeBody } from "./body.ts";
import { readAnswer } from "./explore/first-answer/answer.ts";
import { findRecords } from "./explore/first-answer/records-place.ts";
import type { Exchanged } from "./explore/trials/exchange-memory.ts";
import { configurableHeaders } from "./headers.ts";
import type { PathFilter } from "./path-filter.ts";
import type { RequestDescription } from "./request-description.ts";

/** What a browser's log shows of a list: its first request, and all that came of it. */
export interface HarRequest {
  readonly description: RequestDescription;
  /** The exchanges with the same address, the first page's included. */
  readonly known: readonly Exchanged[];
  /** The request of that address that followed. */
  readonly following: RequestDescription | undefined;
  readonly notes: readonly string[];
}

interface Entry {
  readonly description: RequestDescription;
  readonly exchanged: Exchanged;
  readonly records: number;
  /** Method and address without the query: what pages of one list have in common. */
  readonly group: string;
}

/** Is the text a HAR? */
export function isHar(text: string): boolean {
  return entriesOf(text) !== undefined;
}

/**
 * Picks the list with the most records among the JSON answers of a HAR; its first request is the one to explore. Throws usage
 * errors where the text is no HAR, or holds no list.
 */
export function readHar(text: string, filter: PathFilter): HarRequest {
  const raw = entriesOf(text);
  if (raw === undefined) throw new SpileError("usage", "this is no HAR: it has no log.entries");
  const entries = raw
    .flatMap((one) => entryOf(one) ?? [])
    .filter(({ description }) => filter(new URL(description.address).pathname));
  const names = [...new Set(entries.map(({ group }) => group))];
  const groups = names
    .map((name) => entries.filter(({ group }) => group === name))
    .sort((a, b) => recordsOf(b) - recordsOf(a));
  const [best = []] = groups;
  const [first] = best;
  if (first === undefined || first.records === 0)
    throw new SpileError("usage", "no answer in the HAR is JSON with a list of records");
  const others = groups
    .slice(1)
    .filter((group) => recordsOf(group) > 0)
    .map((group) => `${group[0]?.group} (${recordsOf(group)} records)`);
  return {
    description: first.description,
    known: best.map(({ exchanged }) => exchanged),
    following: best[1]?.description,
    notes: [
      `${first.group} is taken: ${recordsOf(best)} records in ${best.length} ${best.length === 1 ? "answer" : "answers"}`,
      ...(others.length === 0
        ? []
        : [`other lists in the HAR: ${others.slice(0, 5).join(", ")}; --only chooses by path`]),
    ],
  };
}

function entriesOf(text: string): readonly Value[] | undefined {
  try {
    const document = parseValue(text.replace(/^\uFEFF/, ""));
    const log = isObject(document) ? document.log : undefined;
    return isObject(log) && Array.isArray(log.entries) ? log.entries : undefined;
  } catch {
    return undefined;
  }
}

function recordsOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { records }) => sum + records, 0);
}

/** An entry of the log that could be a page of a list; undefined for all others, and for what spile cannot send. */
function entryOf(raw: Value): Entry | undefined {
  const { request, response } = isObject(raw) ? raw : {};
  if (!isObject(request) || !isObject(response) || typeof request.url !== "string") return undefined;
  const method = String(request.method);
  const status = isNumber(response.status) ? Number(response.status) : 0;
  if ((method !== "GET" && method !== "POST") || status < 200 || status > 299) return undefined;
  const content = isObject(response.content) ? response.content : {};
  const body = Buffer.from(String(content.text ?? ""), content.encoding === "base64" ? "base64" : "utf8");
  // The text is decoded already.
  const headers = pairsOf(response.headers).filter(([name]) => !/^content-(encoding|length)$/i.test(name));
  const whole = { status, headers, body };
  const answer = readAnswer(whole);
  if (answer.kind !== "json" && answer.kind !== "lines") return undefined;
  const place = findRecords(answer.kind === "json" ? answer.document : answer.records, undefined);
  const description = describe(request, method);
  if (description === undefined) return undefined;
  const { address } = description;
  const wire = {
    method,
    url: address,
    headers: new Map(),
    body: method === "GET" ? undefined : postText(request),
  } as const;
  const { origin, pathname } = new URL(address);
  return {
    description,
    exchanged: { request: wire, response: whole },
    records: place.list ? place.records.length : 0,
    group: `${method} ${origin}${pathname}`,
  };
}

function describe(request: ValueObject, method: string): RequestDescription | undefined {
  try {
    const described = describeAddress(withoutCacheBusters(String(request.url)));
    const given = pairsOf(request.headers);
    if (method === "GET") return { ...described, headers: configurableHeaders(given, { hasBody: false }).headers };
    const type = given.find(([name]) => name.toLowerCase() === "content-type")?.[1];
    return {
      ...described,
      ...describeBody(postText(request), type),
      headers: configurableHeaders(given, { hasBody: true }).headers,
    };
  } catch (error) {
    if (error instanceof SpileError) return undefined;
    throw error;
  }
}

/** `_=1700000000000` makes every address of a page another. */
function withoutCacheBusters(address: string): string {
  const url = new URL(address);
  const pieces = url.search.slice(1).split("&");
  const kept = pieces.filter(
    (piece) => !/^_+$/.test(decodeForm(piece.split("=", 1)[0] ?? "")) || !/=[0-9]{10,}$/.test(piece),
  );
  if (kept.length < pieces.length) url.search = kept.join("&");
  return url.href;
}

function postText(request: ValueObject): string {
  return isObject(request.postData) ? String(request.postData.text ?? "") : "";
}

function pairsOf(headers: Value | undefined): (readonly [name: string, value: string])[] {
  const list = Array.isArray(headers) ? headers : [];
  return list.flatMap((header) =>
    isObject(header) ? [[String(header.name), String(header.value ?? "")] as const] : [],
  );
}
