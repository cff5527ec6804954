import type { Handler, Received } from "../../helpers/api.ts";

/** A fake API to explore, and the expected result. */
export interface FakeApi {
  readonly name: string;
  /** Creates the handler; `url` returns the address of the API. */
  readonly handler: (url: () => string) => Handler;
  /** The request after the API's address: path and query, and perhaps options of curl. */
  readonly request: string;
  /** The expected paging: `none` if a run must doubt a full page, undefined if one request gets everything. */
  readonly method: string | undefined;
  /** All records, as lines; undefined if the written configuration cannot extract them all and must say so. */
  readonly all: readonly unknown[] | undefined;
  /** Verdict of a run. Default: complete if it writes `all`, else suspect. */
  readonly ends?: "complete" | "suspect" | "failed";
  /** Maximum number of requests that exploring may send. Default: 13 (the first, four to search, and eight to follow what was found). */
  readonly requests?: number;
  /** Pattern that the findings must match. */
  readonly says?: RegExp;
  /** Pattern that the written configuration must match. */
  readonly writes?: RegExp;
}

export interface Person {
  readonly id: number;
  readonly name: string;
}

export const people = (count: number): Person[] =>
  Array.from({ length: count }, (_, index) => ({ id: 1000 + index * 7, name: `person ${(index * 7919) % 1009}` }));

export const number = ({ params }: Received, name: string, missing: number): number =>
  Number(params.get(name) ?? missing);

/** Returns the part of a list that an offset and a limit ask for. `usual`: the page size without a limit. `most`: the largest one. */
export function part(
  all: readonly unknown[],
  request: Received,
  names: readonly [offset: string, limit: string],
  usual = 10,
  most = 1000,
) {
  const from = number(request, names[0], 0);
  const size = Math.min(number(request, names[1], usual), most);
  return { from, size, items: all.slice(from, from + size) };
}

export const p23 = people(23);
export const p40 = people(40);
