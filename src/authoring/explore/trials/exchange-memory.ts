import { SpileError } from "../../../core/errors.ts";
import type { WireRequest } from "../../../core/requests/request.ts";
import { headerOf, type Transport, type TransportBound, type WholeResponse } from "../../../core/requests/transport.ts";
import { isObject, type Value, valueText } from "../../../core/values/value.ts";
import { inSeconds, retryAfter, wait } from "../../../http/pacing/retry.ts";
import { parsedText } from "../../../knowledge/parsed-text.ts";
import { plainName } from "../../../knowledge/words.ts";
import { isPagingHeader } from "../first-answer/names.ts";

/** A request that was sent, and its answer. */
export interface Exchanged {
  readonly request: WireRequest;
  readonly response: WholeResponse;
}

/** Remembers every exchange, so that no request is sent twice. Counts the requests that are really sent. */
export interface ExchangeMemory {
  readonly transport: Transport;
  /**
   * Returns the exchanges since the last call in order, including those from memory. `isOutOfRequests`: true if a request was not
   * sent because no more may be sent.
   */
  take(): { readonly exchanges: readonly Exchanged[]; readonly isOutOfRequests: boolean };
  /** Allows nearly three times as many requests in all, to follow a way of paging that was found. Further calls have no effect. */
  follow(): void;
  /** Number of requests that may still be sent. */
  readonly remainingRequests: number;
  /** True if the API wants no more requests. */
  readonly isHalted: boolean;
  /** The reason, for the user, why no more requests are sent: none are left, or the API wants no more. */
  readonly stopReason: string;
}

export interface MemoryOptions {
  /** Exchanges that were recorded elsewhere, for example by a browser. */
  readonly recordedExchanges?: readonly Exchanged[];
  /** Ends the waits for which the API asks. */
  readonly signal: AbortSignal;
}

/** Bound on an answer: an endless one must end, and a first page is far smaller. */
const bound: TransportBound = {
  bytes: 2 ** 26,
  refuse: () =>
    new SpileError("data", "the answer is longer than 64 MiB, the most that is read to find its records and paging"),
};

/** Longest wait that an API may ask for while it is explored, in milliseconds. */
export const longestWait = 20_000;

/**
 * Creates a memory. `searchRequests`: number of requests that may be sent before `follow` is called. Redirects count, and so do
 * requests that are repeated after the wait that a 429 or 503 asks for. After a refusal without a wait, or with too long a wait,
 * nothing more is sent.
 */
export function createExchangeMemory(
  searchRequests: number,
  { recordedExchanges = [], signal }: MemoryOptions,
): ExchangeMemory {
  const answers = new Map(recordedExchanges.map(({ request, response }) => [keyOf(request), response]));
  let exchanges: Exchanged[] = [];
  let isOutOfRequests = false;
  let sentRequests = 0;
  let maxRequests = searchRequests;
  let halt = "";
  const ask = async (request: WireRequest, send: () => Promise<WholeResponse>): Promise<WholeResponse> => {
    isOutOfRequests ||= sentRequests >= maxRequests || halt !== "";
    if (halt !== "") throw new SpileError("temporary", `no more requests are sent: ${halt}`);
    if (sentRequests >= maxRequests) throw new SpileError("temporary", "no more requests may be sent (--probes)");
    sentRequests += 1;
    const response = await send();
    const refusal = refusalOf(response);
    if (refusal === undefined) return response;
    if (refusal.wait <= longestWait && sentRequests < maxRequests) {
      await wait(refusal.wait, signal);
      return ask(request, send);
    }
    isOutOfRequests = true;
    halt = `${request.method} ${new URL(request.url).pathname} was answered with ${response.status}${refusal.text}`;
    return response;
  };
  const transport: Transport = async (request, send) => {
    const key = keyOf(request);
    const response = answers.get(key) ?? (await ask(request, send));
    answers.set(key, response);
    exchanges.push({ request, response });
    return response;
  };
  return {
    transport: Object.assign(transport, { bound }),
    take() {
      const result = { exchanges, isOutOfRequests };
      exchanges = [];
      isOutOfRequests = false;
      return result;
    },
    follow() {
      maxRequests = searchRequests + 2 * Math.max(0, searchRequests - 1);
    },
    get remainingRequests() {
      return halt === "" ? Math.max(0, maxRequests - sentRequests) : 0;
    },
    get isHalted() {
      return halt !== "";
    },
    get stopReason() {
      return halt === "" ? "no requests are left (--probes)" : halt;
    },
  };
}

/**
 * Reads whether the API refuses further requests, for now or for this client. `wait`: the requested wait in milliseconds; infinite
 * if it requests none.
 */
function refusalOf(response: WholeResponse): { readonly wait: number; readonly text: string } | undefined {
  const { status } = response;
  const after = retryAfter(headerOf(response, "Retry-After"), Date.now());
  if (status === 429 || (status === 503 && after !== undefined))
    return after === undefined
      ? { wait: Number.POSITIVE_INFINITY, text: "" }
      : { wait: after, text: ` and a wait of ${inSeconds(after)}` };
  return status === 401 || status === 403 ? { wait: Number.POSITIVE_INFINITY, text: "" } : undefined;
}

/** Returns a key made from method, address, body and paging headers. The order of names does not matter. */
function keyOf({ method, url, body = "", headers }: WireRequest): string {
  const { origin, pathname, searchParams } = new URL(url);
  const paging = [...headers.values()].filter(([name]) => isPagingHeader(name));
  return JSON.stringify([
    method,
    origin + pathname,
    sortedPairs(searchParams),
    sortedBody(body),
    paging.map(([name, value]) => [plainName(name), value]),
  ]);
}

/** Returns a body in a form that can be compared. Its numbers keep all digits: they may be tokens. */
function sortedBody(body: string): string {
  const value = parsedText(body);
  return value === undefined ? sortedPairs(new URLSearchParams(body)) : valueText(sorted(value));
}

function sortedPairs(pairs: URLSearchParams): string {
  pairs.sort();
  return pairs.toString();
}

function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, inner]) => [name, sorted(inner)]));
}
