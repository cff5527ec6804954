import type { Handler, Received } from "../../helpers/api.ts";

/** A fake API to be explored, and what must come out. */
export interface FakeApi {
  readonly name: string;
  /** Answers; `url` is the API's own address. */
  readonly handler: (url: () => string) => Handler;
  /** Behind the API's address: path and query, and perhaps curl's options. */
  readonly request: string;
  /** The paging written; `none` where a run must doubt a full page, undefined where one request is all. */
  readonly method: string | undefined;
  /** All records, as lines; undefined where what comes out cannot extract them all and must say so. */
  readonly all: readonly unknown[] | undefined;
  /** Verdict of a run. Default: complete if it writes `all`, else suspect. */
  readonly ends?: "complete" | "suspect" | "failed";
  /** The most requests that exploring may send; 13 if not given: the first, four to search, eight to follow what was found. */
  readonly requests?: number;
  /** Pattern or text that the findings must contain. */
  readonly says?: RegExp;
  /** Pattern that the written configuration must contain. */
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

/** The part of a list that an offset and a limit ask for; `most`: the largest page. */
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
