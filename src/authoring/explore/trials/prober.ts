import { Writable } from "node:stream";
import { readConfiguration } from "../../../compile/read.ts";
import { ConfigurationError, type SpileError } from "../../../core/errors.ts";
import type { Parameter } from "../../../core/requests/request.ts";
import type { Secrets } from "../../../core/secrets/redact.ts";
import { counted } from "../../../core/text/counted.ts";
import { replaceStrings } from "../../../core/text/json-strings.ts";
import { beginningOf } from "../../../core/text/printable.ts";
import { isObject, type Value, type ValueObject, valueText } from "../../../core/values/value.ts";
import { loadPatterns } from "../../../expression/pattern.ts";
import { recordsAt } from "../../../knowledge/records.ts";
import { run } from "../../../pipeline/run.ts";
import type { Authored, JobDraft } from "../../configuration-draft.ts";
import type { RequestDescription } from "../../request-description.ts";
import type { Finding } from "../finding.ts";
import { readAnswer } from "../first-answer/answer.ts";
import type { Extent } from "../first-answer/extent.ts";
import { type FirstPage, isInQuery, keyOf, nameOf, type Placed, queryPlace } from "../first-answer/first-page.ts";
import { isPagingHeader } from "../first-answer/names.ts";
import type { Comparison } from "../first-answer/same-records.ts";
import { type Exchanged, type ExchangeMemory, longestWait } from "./exchange-memory.ts";

/** Context of exploring an API, from the first request to the last trial. */
export interface Exploration {
  /** Writes the configuration for a request and a job. */
  readonly draft: (description: RequestDescription, job: JobDraft) => Authored;
  readonly memory: ExchangeMemory;
  readonly signal: AbortSignal;
  readonly secrets: Secrets;
  readonly environment: NodeJS.ProcessEnv;
  readonly reportFinding: (finding: Finding) => void;
}

/** The exchanges of a trial, not yet read. */
export interface TrialOutcome {
  /** The exchanges, one for each page. Redirects are left out. */
  readonly pages: readonly Exchanged[];
  readonly failure: SpileError | undefined;
  /** True if a request was needed but may not be sent any more. */
  readonly isOutOfRequests: boolean;
}

/** Runs a configuration for at most `maxPages`, like a user's run, but without retries and without output. */
export async function tryConfiguration(
  authored: Authored,
  maxPages: number,
  exploration: Exploration,
): Promise<TrialOutcome> {
  const { memory, signal, secrets, environment } = exploration;
  const text = valueText(withoutRetries(authored.configuration));
  const values = Object.fromEntries(authored.credentials.map(({ variable, value }) => [variable, value]));
  const variables = { ...environment, ...values };
  memory.take();
  try {
    await loadPatterns(text);
    const loaded = readConfiguration(text, {
      name: "configuration",
      set: new Map(),
      environment: variables,
      strict: false,
      secrets,
    });
    const { failure } = await run(loaded, {
      target: { kind: "stream", stream: nowhere() },
      signal,
      emit: () => undefined,
      secrets,
      variables,
      maxPages,
      maxWait: longestWait,
      transport: memory.transport,
    });
    signal.throwIfAborted();
    const { exchanges, isOutOfRequests } = memory.take();
    return {
      pages: exchanges.filter(({ response }) => response.status < 300 || response.status > 399),
      failure,
      isOutOfRequests,
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { pages: [], failure: error, isOutOfRequests: false };
  }
}

function withoutRetries(configuration: ValueObject): ValueObject {
  const { api } = configuration;
  return isObject(api) ? { ...configuration, api: { ...api, retryConfig: { maxRetries: 0 } } } : configuration;
}

/** Returns a stream that discards the records of a trial. */
function nowhere(): Writable {
  return new Writable({
    write(_chunk, _encoding, callback) {
      callback();
    },
  });
}

/** A page that a trial has received. */
export interface TriedPage {
  readonly exchanged: Exchanged;
  readonly document: Value;
  readonly records: readonly Value[];
}

/** Result of a trial: its pages, and the reason if there are fewer than requested. */
export interface TrialResult {
  readonly pages: readonly TriedPage[];
  /** Reason why a page did not come or could not be read; "" if all came. */
  readonly trouble: string;
  /** The exchange whose status caused `trouble`. */
  readonly failed?: Exchanged | undefined;
  /** True if no requests were left to try the paging. */
  readonly isOutOfRequests: boolean;
}

/** Tries pagings for one list. */
export interface Prober {
  readonly page: FirstPage;
  readonly extent: Extent;
  /** Requests the first pages of a paging. `drops`: keys of the request's parameters to remove; `sets`: parameters to add. */
  try(
    paging: ValueObject,
    drops: readonly string[],
    maxPages: number,
    sets?: readonly Placed[] | undefined,
  ): Promise<TrialResult>;
  /** Returns a prober for the same request at another address. */
  withAddress(address: string): Prober;
  readonly reportFinding: (finding: Finding) => void;
  /** The memory of exchanges. It allows more requests once a way to the next page is found. */
  readonly memory: Pick<ExchangeMemory, "follow" | "remainingRequests" | "isHalted" | "stopReason">;
}

/** A paging that trials have confirmed, in its final form. */
export interface FinalPaging {
  readonly paging: ValueObject;
  readonly drops: readonly string[];
  readonly sets?: readonly Placed[] | undefined;
  /** Rules for `api.http.responses` that the paging needs. */
  readonly responses?: readonly ValueObject[] | undefined;
  /** Evidence and reservations, for the configuration's comment. */
  readonly remarks: readonly string[];
  /** Notes on tests that were left out. */
  readonly notes?: readonly string[] | undefined;
}

/** The list that was found: its first page, the API's statements about its extent, and the job that reads it. */
export interface FoundList {
  readonly page: FirstPage;
  readonly extent: Extent;
  readonly job: JobDraft;
}

export function createProber({ page, extent, job }: FoundList, exploration: Exploration): Prober {
  const { memory, reportFinding } = exploration;
  return {
    page,
    extent,
    reportFinding,
    withAddress(address) {
      const movedPage = { ...page, description: { ...page.description, address } };
      return createProber({ page: movedPage, extent, job }, exploration);
    },
    memory,
    async try(paging, drops, maxPages, sets = []) {
      const description = adjustRequest(page.description, drops, sets);
      const outcome = await tryConfiguration(
        exploration.draft(description, { ...job, pagination: paging }),
        maxPages,
        exploration,
      );
      return resultOf(outcome, page, maxPages);
    },
  };
}

function resultOf({ pages, failure, isOutOfRequests }: TrialOutcome, page: FirstPage, maxPages: number): TrialResult {
  const readPages: TriedPage[] = [];
  for (const exchanged of pages) {
    const { status } = exchanged.response;
    if (status < 200 || status > 299)
      return {
        pages: readPages,
        trouble: `${requestText(exchanged)} was answered with ${status}`,
        failed: exchanged,
        isOutOfRequests,
      };
    const answer = readAnswer(exchanged.response);
    if (answer.kind === "empty") readPages.push({ exchanged, document: null, records: [] });
    else if (answer.kind === "json")
      readPages.push({ exchanged, document: answer.document, records: recordsAt(answer.document, page.place) });
    else if ((answer.kind === "lines" || answer.kind === "table") && answer.records !== undefined)
      readPages.push({ exchanged, document: answer.records, records: answer.records });
    else
      return {
        pages: readPages,
        trouble: `${requestText(exchanged)} was answered with something other than records`,
        isOutOfRequests,
      };
  }
  const isMissing = failure !== undefined && readPages.length < maxPages;
  return { pages: readPages, trouble: isMissing && !isOutOfRequests ? failure.message : "", isOutOfRequests };
}

/** Returns the request without the parameters `drops`, and with the values `sets` at their places. */
export function adjustRequest(
  description: RequestDescription,
  drops: readonly string[],
  sets: readonly Placed[] = [],
): RequestDescription {
  const { query = [] } = description;
  const params = description.params.filter(({ name }) => !drops.includes(name));
  const inQuery = query.filter(({ name }) => !drops.includes(keyOf(queryPlace(name))));
  const [ofQuery, ofParams] = [true, false].map((isQuery) => sets.filter(({ place }) => isInQuery(place) === isQuery));
  const changedRequest = { ...description, params: withPlaced(params, ofParams ?? []) };
  return query.length === 0 && ofQuery?.length === 0
    ? changedRequest
    : { ...changedRequest, query: withPlaced(inQuery, ofQuery ?? []) };
}

function withPlaced(parameters: readonly Parameter[], sets: readonly Placed[]): readonly Parameter[] {
  return sets.reduce((before, { place, value }) => {
    const path = isObject(place) ? nameOf(place).split(String(place.delimiter ?? ".")) : [String(place)];
    const [name = "", ...rest] = path;
    const ownValue = before.find((parameter) => parameter.name === name)?.value;
    const next = { name, value: withValueAt(ownValue, rest, value) };
    return [...before.filter((parameter) => parameter.name !== name), next];
  }, parameters);
}

/** Returns a copy of `outer` with `value` at a path of keys. Creates missing objects. */
function withValueAt(outer: Value | undefined, [step, ...rest]: readonly string[], value: Value): Value {
  if (step === undefined) return value;
  const object = isObject(outer) ? outer : {};
  return { ...object, [step]: withValueAt(object[step], rest, value) };
}

/** Describes a request without its host: `GET /users?page=2`. */
export function requestText({ request }: Exchanged): string {
  const { pathname, search } = new URL(request.url);
  const headers = [...request.headers.values()].filter(([name]) => isPagingHeader(name));
  const sentTexts = [...headers.map((header) => header.join(": ")), bodyText(request.body ?? "")].filter(
    (text) => text !== "",
  );
  const body = sentTexts.length === 0 ? "" : ` with ${sentTexts.join(" and ")}`;
  return `${request.method} ${pathname}${decodeBrackets(search)}${body}`;
}

/** Returns `GET /users?page=2 gave 10 other records`; "" if it gave none. */
export function othersText({ exchanged, records }: TriedPage, comparison: Comparison): string {
  const others =
    comparison.kind === "different"
      ? records.length
      : comparison.kind === "overlap"
        ? records.length - comparison.count
        : 0;
  return others === 0 ? "" : `${requestText(exchanged)} gave ${counted(others, "other record")}`;
}

/** Shortens long texts in a body, such as a GraphQL query, so that the paging parameters beside them are visible. */
function bodyText(body: string): string {
  const short = replaceStrings(body, (text) => (text.length >= 42 ? `${beginningOf(text, 31)}..."` : text));
  return beginningOf(short, 200);
}

function decodeBrackets(search: string): string {
  return search.replaceAll("%5B", "[").replaceAll("%5D", "]");
}
