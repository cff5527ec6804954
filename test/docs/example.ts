import type { Handler, Received, Routes } from "../helpers/api.ts";

/** Expected requests and output of an example, with the answers of its API. */
export interface Example {
  readonly answers: Handler | Routes;
  readonly args?: readonly string[];
  /** Variables that the configuration reads. */
  readonly env?: Readonly<Record<string, string>>;
  /** Parts of a request that are compared. Default: method, path and query. */
  readonly shown?: (request: Received) => unknown;
  /** Expected requests. A regular expression in place of a text must match. */
  readonly requests: readonly unknown[];
  readonly lines: readonly string[];
  /** Pattern for the output on stderr. */
  readonly says?: RegExp;
}

/** The examples of a page that run against an API, by their names. */
export type Examples = Readonly<Record<string, Example>>;

/** Outputs of the scripts of a page, by name; `...` matches anything. */
export type Outputs = Readonly<Record<string, string>>;

export const target = ({ method, target }: Received): string => `${method} ${target}`;

/** Formats a request with these headers; undefined for one that was not sent. */
export function withHeaders(...names: readonly string[]): (request: Received) => unknown {
  return (request) => [target(request), ...names.map((name) => request.headers[name])];
}

/** Formats a request with its body, if it has one. */
export const withBody = (request: Received): string => `${target(request)} ${request.body}`.trim();

/** Formats a request with its query decoded, for people. */
export const decoded = (request: Received): string => decodeURIComponent(target(request));

/** Creates an API that pages through `{"id": 1}` to `{"id": count}` by these parameters. */
export function paged(count: number, sizeName = "limit", positionName = "offset"): Handler {
  const ids = Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
  return ({ params }) => {
    const size = Number(params.get(sizeName) ?? count);
    const start = positionName === "page" ? (Number(params.get("page")) - 1) * size : Number(params.get(positionName));
    return ids.slice(start, start + size);
  };
}

export function ids(...numbers: readonly (number | string)[]): string[] {
  return numbers.map((number) => `{"id":${number}}`);
}
