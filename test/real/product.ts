/** A server that npm or pip can install, and the requests to it. */
export interface Product {
  readonly name: string;
  /** Packages for npm, or for pip if the script is in Python, each with its version. */
  readonly packages: readonly string[];
  /** Additional options for npm. */
  readonly npmOptions?: readonly string[];
  /** The script in servers/ that starts and fills it. A Python script does not load door.mjs, so its jobs cannot be disturbed. */
  readonly script: string;
  /** Path that is requested until it answers; from then on the server is ready. */
  readonly ready: string;
  /** Number of records, if a server is too slow for the usual number. */
  readonly records?: number;
  readonly jobs: readonly Job[];
  /** Requests for `spile init`, each with the records that it must fetch (`held`). */
  readonly explored: readonly Explored[];
}

/** A way of fetching. */
export interface Job {
  /** The way, in words, for the table. */
  readonly tried: string;
  configuration(base: string): Readonly<Record<string, unknown>>;
  /** Returns every record from the server itself, without pages. */
  held(base: string): Promise<unknown[]>;
  /** True if the job logs in, with a login that is valid for `life` seconds. */
  readonly login?: boolean;
}

export interface Explored {
  /** Returns arguments of `spile init`. */
  init(base: string): readonly string[];
  /** Value of API_TOKEN, if `init` takes a credential out of the request. */
  readonly credential?: string;
  /** Returns arguments of `spile get` with the same effect. */
  get?(base: string): readonly string[];
  /** Returns arguments of `spile get` for the first page alone, which must be suspect. */
  alone?(base: string): readonly string[];
  held(base: string): Promise<unknown[]>;
}

/** Seconds for which a login is valid. */
export const life = 2;
/** Number of records on a page. */
export const pageSize = 100;

/** Returns the list at a path of a response's body, or the body itself without a path. */
export async function listOf(request: Request, ...path: readonly string[]): Promise<unknown[]> {
  const response = await fetch(request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${request.url} answered ${response.status}: ${text.slice(0, 200)}`);
  let value: unknown = JSON.parse(text);
  for (const name of path) value = Object(value)[name];
  if (!Array.isArray(value)) throw new Error(`${request.url} answered no list: ${text.slice(0, 200)}`);
  return value;
}

/** Returns a request with a JSON body. */
export function postOf(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}
