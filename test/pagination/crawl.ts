import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import {
  type Build,
  type Method,
  type Parameter,
  type Request,
  splitAddress,
  withParameters,
} from "../../src/core/requests/request.ts";
import { type PageSummary, type Verdict, watchKey } from "../../src/core/runs/page.ts";
import { type Path, parsePath, valueAt } from "../../src/core/values/path.ts";
import { isNumber, isObject, parseValue, scalarText, type Value, valueText } from "../../src/core/values/value.ts";
import { DocumentReader, type DocumentSummary } from "../../src/extract/document.ts";
import { RecordSampler } from "../../src/extract/record-sampler.ts";
import { watchedIn } from "../../src/extract/records.ts";
import type { Pagination } from "../../src/generated/configuration.ts";
import { createScroll, type Position, type Scroll, type ScrollOptions, SeenPages } from "../../src/pagination/index.ts";

/** A JSON text, perhaps with headers and a status, or an answer without a document. */
export type Answer =
  | string
  | { readonly body: string; readonly headers: Readonly<Record<string, string>>; readonly status?: number }
  | {
      readonly ended: "empty" | "tolerated";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    };
/** Answers a request. `page`: number of the request, from 1. */
export type Api = (query: URLSearchParams, request: Request, page: number) => Answer;

export interface Crawl {
  /** Path and query of each request, followed by the body of a POST. */
  readonly requests: readonly string[];
  readonly records: readonly string[];
  readonly verdict: Verdict | undefined;
  readonly warnings: readonly string[];
  readonly error: Error | undefined;
  readonly positions: readonly Position[];
}

export interface CrawlOptions extends ScrollOptions {
  readonly method?: Method;
  readonly params?: Readonly<Record<string, Value>>;
  readonly endpoint?: string;
  /** Milliseconds that a page takes. */
  readonly pace?: number;
  /** Maximum number of requests. Default: 60. */
  readonly most?: number;
  /** True if the run is resumed at each page, with nothing in memory. */
  readonly resumed?: boolean;
}

export const build: Build = ({ method = "GET", endpoint, params, headers }) => {
  const { url, query } = splitAddress(new URL(endpoint, "http://api.test/v1/"));
  const named = new Map(headers.map(([name, value]) => [name.toLowerCase(), [name, String(value)] as const]));
  const request: Request = {
    method: method as Method,
    url,
    query,
    body: method === "GET" ? undefined : [],
    headers: named,
  };
  return withParameters(request, params);
};

/**
 * Pages through an API one page at a time. Positions are written as JSON and read back, as when a run is resumed; in a long crawl
 * only some of them.
 */
export function crawl(pagination: Pagination | undefined, api: Api, options: CrawlOptions = {}): Crawl {
  const { method = "GET", params = {}, endpoint = "items", pace = 0, most = 60, dataField } = options;
  const ofJob: Parameter[] = Object.entries(params).map(([name, value]) => ({ name, value }));
  const requests: string[] = [];
  const records: string[] = [];
  const warnings: string[] = [];
  const positions: Position[] = [];
  let error: Error | undefined;
  let verdict: Verdict | undefined;
  let now = 1_000_000;
  try {
    const scroll = createScroll(pagination, { build, ...options });
    const base = build({ method, endpoint, params: [...(options.defaults ?? []), ...ofJob], headers: [] });
    const seen = options.resumed === true ? undefined : new SeenPages(true);
    let position: Position | undefined = scroll.start(ofJob, now);
    for (let page = 1; position !== undefined && page <= most; page++) {
      if (page <= 100 || page % 25 === 0) position = JSON.parse(JSON.stringify(position)) as Position;
      positions.push(position);
      const request = scroll.request(base, position);
      requests.push(requestText(request));
      const query = new URLSearchParams(queryOf(request));
      const { summary, lines } = summarize(scroll, api(query, request, page), addressOf(request), dataField, request);
      now += pace;
      const step = scroll.advance(position, { ...summary, sample: sampleOf(scroll, lines, now) }, now, seen);
      if (!step.repeated) records.push(...lines);
      warnings.push(...step.warnings);
      error = step.failure;
      verdict = step.verdict;
      position = step.next;
    }
  } catch (thrown) {
    error = thrown as Error;
  }
  return { requests, records, verdict, warnings, error, positions };
}

function addressOf(request: Request): string {
  const query = queryOf(request);
  return query === "" ? request.url : `${request.url}?${query}`;
}

function queryOf(request: Request): string {
  const text = (value: Value) => encodeURIComponent(scalarText(value) ?? valueText(value));
  return request.query.map((item) => ("raw" in item ? item.raw : `${item.name}=${text(item.value)}`)).join("&");
}

function requestText(request: Request): string {
  const url = new URL(addressOf(request));
  const place = url.host === "api.test" ? url.pathname.replace("/v1/", "") : url.origin + url.pathname;
  const body = request.body?.map(({ name, value }) => `${JSON.stringify(name)}:${valueText(value)}`).join(",");
  return `${place}${url.search}${body === undefined ? "" : ` ${request.method} {${body}}`}`;
}

/**
 * Returns the summary of a page, as the stages would make it, and its lines. The extractor's reader reads what is beside the
 * records, and the records are found in the simplest way.
 */
export function summarize(scroll: Scroll, answer: Answer, url: string, dataField?: string, request?: Request) {
  const text = typeof answer === "string" ? answer : "body" in answer ? answer.body : undefined;
  const headers = typeof answer === "string" ? {} : (answer.headers ?? {});
  const document = text === undefined ? null : parseValue(text);
  const found = dataField === undefined ? detect(document) : parsePath(dataField);
  const value = found === undefined ? undefined : valueAt(document, found);
  const rows = Array.isArray(value) ? value : isObject(value) ? [value] : [];
  const lines = rows.map(valueText);
  const keys = scroll.recordKey === undefined ? [] : rows.map((row) => valueAt(row, scroll.recordKey ?? []));
  const sorted = keys
    .filter(isNumber)
    .map(String)
    .sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  const beside = text === undefined ? undefined : readBeside(scroll, text, found);
  const summary: PageSummary = {
    records: rows.length,
    bytes: text?.length ?? 0,
    url,
    ended: typeof answer === "string" || "body" in answer ? "document" : answer.ended,
    status: typeof answer === "string" ? 200 : (answer.status ?? 200),
    watched: beside?.watched ?? new Map(),
    evidence: beside?.evidence ?? [],
    last: lastOf(scroll, lines.at(-1)),
    beginning: beside?.beginning,
    request,
    dataPath: found,
    headerNames: Object.keys(headers),
    header: (name) => Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1],
    single: isObject(value),
    dropped: 0,
    digest: createHash("sha1").update(lines.join("\n")).digest("hex"),
    found: value !== undefined,
    elsewhere: value === undefined && dataField !== undefined ? beside?.elsewhere : undefined,
    extremes: sorted.length === 0 ? undefined : { minimum: sorted[0] ?? "", maximum: sorted.at(-1) ?? "" },
  };
  return { summary, lines };
}

function sampleOf(scroll: Scroll, lines: readonly string[], now: number): PageSummary["sample"] {
  if (!scroll.sampled) return undefined;
  const sampler = new RecordSampler();
  for (const line of lines) sampler.take(Buffer.from(`${line}\n`), 1);
  return sampler.sample(now);
}

function lastOf(scroll: Scroll, line: string | undefined): PageSummary["last"] {
  const read = (path: Path) => (line === undefined ? undefined : watchedIn(Buffer.from(line), path));
  const values = scroll.lastRecord.map((path) => [watchKey(path), read(path)] as const);
  return new Map(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function readBeside(scroll: Scroll, text: string, dataField: Path | undefined): DocumentSummary {
  const reader = new DocumentReader({
    dataField,
    watch: scroll.watch,
    evidence: scroll.evidence,
    lines: () => undefined,
  });
  reader.write(Buffer.from(text));
  return reader.end();
}

function detect(document: Value): Path | undefined {
  if (Array.isArray(document)) return [];
  const members = isObject(document) ? Object.entries(document) : [];
  const arrays = members.filter(([name, value]) => Array.isArray(value) && name !== "errors");
  return arrays[0] === undefined ? undefined : [arrays[0][0]];
}

/** Returns `total` rows {"id":n} from `first` on. */
export function rows(total: number, first = 1): { id: number }[] {
  return Array.from({ length: total }, (_, index) => ({ id: first + index }));
}

/** Creates an API that pages a list by `limit` and `offset`, at most `cap` rows at a time, with more fields beside the rows. */
export function listApi(list: readonly object[], cap = Number.POSITIVE_INFINITY, beside: object = {}): Api {
  return (query) => {
    const offset = Number(query.get("offset") ?? 0);
    const limit = Math.min(Number(query.get("limit") ?? list.length), cap);
    return JSON.stringify({ ...beside, items: list.slice(offset, offset + limit) });
  };
}

/** Creates an API that answers with these texts in turn, and with the last one from then on. */
export const answers =
  (...texts: string[]): Api =>
  (_query, _request, page) =>
    texts[Math.min(page, texts.length) - 1] ?? "[]";

/** Creates pages with these numbers of rows, all different. */
export const pages = (...sizes: number[]) =>
  answers(...sizes.map((size, page) => JSON.stringify(rows(size, page * 100 + 1))));

/** Creates pages of one row, each with a value at "next". */
export const followed = (...tokens: unknown[]) =>
  answers(...tokens.map((next, page) => JSON.stringify({ items: rows(1, page + 1), next })));
