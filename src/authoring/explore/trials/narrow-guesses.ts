import { exactNumber, type Value, valueText } from "../../../core/value.ts";
import type { Hypothesis } from "../hypotheses/hypothesis.ts";
import { nameOf } from "../parameters/places.ts";
import type { Prober } from "./prober.ts";
import { columnValue, compareRecords, idName } from "./same-records.ts";

/** What one request with the parameters of many guesses has shown. */
export interface Narrowed {
  /** The guesses that are worth requests of their own, the likeliest first. */
  readonly left: readonly Hypothesis[];
  /** For people; "" where there is nothing to say. */
  readonly text: string;
  /** It could not be sent, for want of requests. */
  readonly refused: boolean;
  /** Says that other records came, so that there are more than those of the first page; "" where they did not. */
  readonly more: string;
}

interface Guess {
  readonly hypothesis: Hypothesis;
  readonly place: Value;
  readonly value: Value;
  /** Records to skip, for an offset. */
  readonly skip?: number;
}

/**
 * Sends the parameters of all guesses at once. Where the first page comes again none of them pages. Otherwise the first
 * record tells which: each offset has a value of its own.
 */
export async function narrowGuesses(guesses: readonly Hypothesis[], prober: Prober): Promise<Narrowed> {
  const { records } = prober.page.place;
  const sent = guessesOf(guesses, records);
  if (sent.length < 2) return { left: guesses, text: "", refused: false, more: "" };
  const { pages, trouble, refused } = await prober.try({ method: "none" }, [], 1, sent);
  const [answer] = pages;
  if (refused) return { left: [], text: "", refused, more: "" };
  if (trouble !== "" || answer === undefined) {
    const text = `${namesText(sent)}, all in one request: it ${/was answered with .*/.exec(trouble)?.[0] ?? `failed: ${trouble}`}`;
    return { left: guesses, text, refused, more: "" };
  }
  const comparison = compareRecords(records, answer.records).kind;
  if (comparison === "same" && answer.records.length >= records.length) {
    const text = `${namesText(sent)}, all in one request: the same records came`;
    return { left: [], text, refused, more: "" };
  }
  const left = likely(sent, answer.records.length === 0 ? undefined : indexOf(records, answer.records[0]));
  return {
    left,
    text: "",
    refused,
    more: comparison === "different" ? "the request of many names gave other records" : "",
  };
}

function namesText(sent: readonly Guess[]): string {
  return `names that many APIs page by (${sent.map(({ place }) => nameOf(place)).join(", ")})`;
}

/** Page 2, the last record's id, and for each offset another number of records to skip, all of them on the first page. */
function guessesOf(guesses: readonly Hypothesis[], records: readonly Value[]): Guess[] {
  const number = (value: number): Value => exactNumber(String(value));
  const id = columnValue(records.at(-1) ?? null, idName(records) ?? "") ?? "";
  let skip = records.length;
  return guesses.flatMap((hypothesis): Guess[] => {
    const { paging, kind } = hypothesis;
    if (kind === "last record") return [{ hypothesis, place: paging.queryParam ?? "", value: id }];
    if (kind === "page number") return [{ hypothesis, place: paging.pageParam ?? "page", value: number(2) }];
    skip -= 1;
    return skip < 1 ? [] : [{ hypothesis, place: paging.offsetParam ?? "offset", value: number(skip), skip }];
  });
}

/**
 * By the record that the answer begins with: the offset of that value, or one that counts from 1; else a page number. Where it
 * is empty (undefined), an offset may count pages.
 */
function likely(sent: readonly Guess[], at: number | undefined): readonly Hypothesis[] {
  const rank = ({ skip }: Guess): number => {
    if (at === undefined) return skip === undefined ? 1 : 0;
    if (skip === undefined) return at < 0 ? 0 : 3;
    return skip === at ? 0 : skip === at + 1 ? 1 : 2;
  };
  return [...sent].sort((a, b) => rank(a) - rank(b)).map(({ hypothesis }) => hypothesis);
}

/** Where a record stands on a page; -1 where it does not. */
function indexOf(records: readonly Value[], record: Value | undefined): number {
  if (record === undefined) return -1;
  const name = idName(records);
  const idOf = (one: Value): string | undefined => (name === undefined ? valueText(one) : columnValue(one, name));
  return records.map(idOf).indexOf(idOf(record));
}
