import type { Answer, Handler, Received } from "../../helpers/api.ts";
import { json } from "../../helpers/api.ts";

/** A small API that behaves as the documentation of a well-known one says. */
export interface FakeApi {
  /** Variables that the recipe reads. */
  readonly env?: Readonly<Record<string, string>>;
  /** All records of the API, in order. */
  readonly records: readonly unknown[];
  /** Number of requests for data until the end. */
  readonly requests: number;
  /** Answers a request, or refuses it if it does not follow the documentation. */
  readonly answer: Handler;
  /** Path of its login, if it has one. */
  readonly login?: string;
  /** Answers for exceeding the rate limit, one after another. Later requests succeed. */
  readonly limited: readonly Limit[];
  /** Answers that replace all answers after the first, by their description. With each of them, a run must be suspect or fail. */
  readonly failures?: Readonly<Record<string, Failure>>;
}

export interface Limit {
  /** Creates the answer when it is sent, since it may contain a time. */
  readonly answer: () => Answer;
  /** Seconds that the API asks to wait. */
  readonly seconds: number;
}

export interface Failure {
  readonly answer: () => Answer;
  /** Exit code with `--strict`. */
  readonly code: number;
  readonly says: RegExp;
}

/** Returns a handler that refuses requests without these headers, as an API refuses wrong credentials. */
export function withHeaders(headers: Readonly<Record<string, string>>, handler: Handler): Handler {
  return (request) => {
    const wrong = Object.entries(headers).filter(([name, value]) => request.headers[name] !== value);
    return wrong.length > 0
      ? refused(`wrong headers: ${wrong.map(([name]) => name).join(", ")}`, 401)
      : handler(request);
  };
}

export function refused(message: string, status = 400): Answer {
  return json({ message }, { status });
}

/** Returns a limit whose answer is a 429 with these headers. */
export function tooMany(body: unknown, headers: Readonly<Record<string, string>> = { "Retry-After": "1" }): Limit {
  return { answer: () => json(body, { status: 429, headers }), seconds: Number(headers["Retry-After"] ?? 0) };
}

/** Returns headers of a limit that stays used up for at least a second. */
export function usedUp(): Readonly<Record<string, string>> {
  return { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${Math.ceil(Date.now() / 1000) + 1}` };
}

/** Returns two records from this index on, and the index after them if there are more. */
export function two<Item>(
  records: readonly Item[],
  start: number,
): { page: readonly Item[]; next: number | undefined } {
  const next = start + 2;
  return { page: records.slice(start, next), next: next < records.length ? next : undefined };
}

/** Makes a number of records. */
export function many<Item>(count: number, make: (number: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}

/** Returns the JSON body, as far as these APIs need it. */
export function bodyOf({ body }: Received): Body {
  return JSON.parse(body) as Body;
}

interface Body {
  readonly [name: string]: unknown;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
}

export const origin = ({ headers }: Received): string => `http://${headers.host}`;
