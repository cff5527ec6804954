import { exactNumber, isObject, plainText, type Value, valueText } from "../../core/values/value.ts";
import { bracketPath, meaningOf } from "../../knowledge/parameters.ts";
import { answerText } from "./first-answer/answer.ts";
import { nameOf, placeText } from "./first-answer/first-page.ts";
import { columnValue, compareRecords, idName } from "./first-answer/same-records.ts";
import { countingPages, type Hypothesis } from "./kinds/kind.ts";
import { byOtherColumns } from "./kinds/last-record.ts";
import { othersText, type Prober, type TriedPage } from "./trials/prober.ts";

/** Result of one request that carries the parameters of many guesses. */
export interface NarrowedGuesses {
  /** The guesses that are still worth a request of their own, the likeliest first. */
  readonly remainingGuesses: readonly Hypothesis[];
  /** The result in words; "" for none. */
  readonly text: string;
  /** True if no requests were left to send this one. */
  readonly isOutOfRequests: boolean;
  /** Evidence of more records than those of the first page; "" if there is none. */
  readonly more: string;
  /** Reason why one of the guesses may be right although it was refused. */
  readonly doubt?: string | undefined;
}

/** The value that is sent for a hypothesis, and its place. */
interface Guess {
  readonly hypothesis: Hypothesis;
  readonly place: Value;
  readonly value: Value;
  /** Number of records to skip, if the hypothesis is an offset. */
  readonly skip?: number;
}

/**
 * Sends the parameters of all guesses at once. If the first page comes again, none of the guesses is right. Otherwise the first
 * record of the answer shows which offsets may have an effect, because offsets differ as far as the first page has enough records.
 * Among the guesses that are left, requests with half of them find the one that has an effect.
 */
export async function narrowGuesses(guesses: readonly Hypothesis[], prober: Prober): Promise<NarrowedGuesses> {
  const { records } = prober.page.place;
  const sentGuesses = guessesOf(guesses, records);
  if (sentGuesses.length < 2) return { remainingGuesses: guesses, text: "", isOutOfRequests: false, more: "" };
  const {
    answer,
    trouble,
    isOutOfRequests,
    answeredGuesses,
    doubt,
    otherColumns = [],
  } = await askAll(sentGuesses, prober);
  if (isOutOfRequests) return { remainingGuesses: [], text: "", isOutOfRequests, more: "", doubt };
  if (answer === undefined) {
    const text = `${namesText(sentGuesses)}, all in one request: it ${/was answered with .*/.exec(trouble)?.[0] ?? `failed: ${trouble}`}`;
    return { remainingGuesses: [...otherColumns, ...alternateKinds(guesses)], text, isOutOfRequests, more: "", doubt };
  }
  const comparison = compareRecords(records, answer.records);
  const hasMore = hasOtherRecords(records, answer.records) || othersText(answer, comparison) !== "";
  if (comparison.kind === "same" && answer.records.length >= records.length) {
    const text = `${namesText(answeredGuesses)}, all in one request: the same records came`;
    return { remainingGuesses: otherColumns, text, isOutOfRequests, more: "", doubt };
  }
  const more = hasMore ? "the request with many parameters gave other records" : "";
  if (more !== "") prober.memory.follow();
  const remainingGuesses = await likelyGuesses(answeredGuesses, answer, prober);
  return { remainingGuesses, text: "", isOutOfRequests, more, doubt };
}

/**
 * Requests a page with all guesses. If the API refuses them, repeats the request without those that the refusal names, or if it
 * names none, without tokens for parameters that usually take numbers.
 */
async function askAll(
  sentGuesses: readonly Guess[],
  prober: Prober,
): Promise<{
  readonly answer: TriedPage | undefined;
  readonly trouble: string;
  readonly isOutOfRequests: boolean;
  /** The guesses in the last request. */
  readonly answeredGuesses: readonly Guess[];
  readonly doubt?: string | undefined;
  /** Hypotheses that send another column of the last record, if the API refuses its id. */
  readonly otherColumns?: readonly Hypothesis[];
}> {
  const { pages, trouble, isOutOfRequests, failed } = await prober.try({ method: "none" }, [], 1, sentGuesses);
  const answer = trouble === "" && !isOutOfRequests ? pages[0] : undefined;
  if (failed === undefined || failed.response.status >= 500)
    return { answer, trouble, isOutOfRequests, answeredGuesses: sentGuesses };
  const refusal = answerText(failed.response);
  const words = new Set(refusal.split(/[^\w$.[\]-]+/));
  const refusedGuesses = guessesWithRefusedValue(sentGuesses, words);
  const [refusedGuess] = refusedGuesses;
  const doubt =
    refusedGuess &&
    `the API knows ${placeText(refusedGuess.place)} but refuses its value ${plainText(refusedGuess.value)}`;
  const unmentionedGuesses = sentGuesses.filter(({ place }) => !words.has(nameOf(place)));
  // An API refuses a token where it expects a number.
  const answeredGuesses =
    unmentionedGuesses.length < sentGuesses.length
      ? unmentionedGuesses
      : sentGuesses.filter(({ hypothesis, place }) => hypothesis.kind !== "token" || !takesNumber(place));
  const otherColumns = refusedGuesses
    .filter(({ hypothesis }) => hypothesis.kind === "last record")
    .flatMap(({ hypothesis }) => byOtherColumns(hypothesis, prober.page));
  if (otherColumns.length > 0) prober.memory.follow();
  if (answeredGuesses.length === sentGuesses.length || answeredGuesses.length === 0)
    return { answer, trouble, isOutOfRequests, answeredGuesses: sentGuesses, doubt, otherColumns };
  const again = await prober.try({ method: "none" }, [], 1, answeredGuesses);
  const second = again.trouble === "" && !again.isOutOfRequests ? again.pages[0] : undefined;
  return {
    answer: second,
    trouble: again.trouble,
    isOutOfRequests: again.isOutOfRequests,
    answeredGuesses,
    doubt,
    otherColumns,
  };
}

/**
 * Returns the guesses for a parameter that the API knows, but whose value it refuses: the refusal names the value, and of all
 * parameters only this one. Empty for any other refusal.
 */
function guessesWithRefusedValue(sentGuesses: readonly Guess[], words: ReadonlySet<string>): readonly Guess[] {
  const namedGuesses = sentGuesses.filter(({ place }) => words.has(nameOf(place)));
  const value = plainText(namedGuesses[0]?.value ?? "");
  const isOneName = new Set(namedGuesses.map(({ place }) => nameOf(place))).size === 1;
  return isOneName && value.length > 1 && words.has(value) ? namedGuesses : [];
}

function takesNumber(place: Value): boolean {
  return /^(page|offset)$/.test(meaningOf(bracketPath(nameOf(place))) ?? "");
}

/**
 * Orders guesses so that their kinds alternate. The likeliest guess was already sent alone, so its kind, the first one, comes last.
 */
function alternateKinds(guesses: readonly Hypothesis[]): readonly Hypothesis[] {
  const [first, ...others] = new Set(guesses.map(({ kind }) => kind));
  const kinds = [...others, first].map((one) => guesses.filter(({ kind }) => kind === one));
  const longest = Math.max(0, ...kinds.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => kinds.flatMap((list) => list[index] ?? [])).flat();
}

function namesText(sentGuesses: readonly Guess[]): string {
  const names = sentGuesses.map(({ place }) => nameOf(place));
  const more = names.length > 20 ? ` and ${names.length - 20} more` : "";
  return `names that many APIs page by (${names.slice(0, 20).join(", ")}${more})`;
}

const numberValue = (value: number): Value => exactNumber(String(value));

/** Returns the values to send: page 2, a token or the last record's id, and for offsets different numbers within the first page. */
function guessesOf(guesses: readonly Hypothesis[], records: readonly Value[]): Guess[] {
  let offsets = 0;
  return guesses.flatMap((hypothesis): Guess[] => {
    const { paging, kind } = hypothesis;
    if (kind === "last record" || kind === "token") {
      return [{ hypothesis, place: paging.queryParam ?? "", value: hypothesis.value ?? "" }];
    }
    if (kind === "page number") return [{ hypothesis, place: paging.pageParam ?? "page", value: numberValue(2) }];
    if (records.length < 2) return [];
    const skip = records.length - 1 - (offsets % (records.length - 1));
    offsets += 1;
    return [{ hypothesis, place: paging.offsetParam ?? "offset", value: numberValue(skip), skip }];
  });
}

/**
 * Returns the guesses that the answer makes likely. If it begins with a later record of the first page, that record shows how
 * many were skipped, and so which offset has an effect. Otherwise returns the one parameter that alone gives other records. If
 * the answer is empty, an offset may count pages, so each offset is sent once more as 1, the number of the second page.
 */
async function likelyGuesses(
  sentGuesses: readonly Guess[],
  answer: TriedPage,
  prober: Prober,
): Promise<readonly Hypothesis[]> {
  const { records } = prober.page.place;
  const index = indexOf(records, answer.records[0]);
  const hasSameStart: HasEffect = (answerRecords) => indexOf(records, answerRecords[0]) === index;
  const offsets = sentGuesses.filter(({ skip }) => index > 0 && (skip === index || skip === index + 1));
  if (offsets.length > 0) {
    prober.memory.follow();
    const one = await singleOut(offsets, prober, hasSameStart);
    if (one !== undefined) return [one.hypothesis];
  }
  const other = sentGuesses.filter(({ skip }) => skip === undefined);
  if (answer.records.length > 0) {
    const one = await singleOut(other, prober, (answerRecords) => hasOtherRecords(records, answerRecords));
    const found = one === undefined ? other : [one];
    return found.map(({ hypothesis }) => (index === records.length - 1 ? sendingNextId(hypothesis) : hypothesis));
  }
  const pageGuesses = sentGuesses.map((guess) => (guess.skip === undefined ? guess : asPageNumber(guess)));
  const { pages, trouble } = await prober.try({ method: "none" }, [], 1, pageGuesses);
  if (trouble === "" && hasOtherRecords(records, pages[0]?.records ?? [])) {
    prober.memory.follow();
    const one = await singleOut(pageGuesses, prober, (answerRecords) => hasOtherRecords(records, answerRecords));
    if (one !== undefined) return [one.hypothesis];
  }
  return [...sentGuesses.filter(({ skip }) => skip !== undefined), ...other].map(({ hypothesis }) => hypothesis);
}

/** Returns whether an answer has other records, or the last record of the first page followed by others. */
function hasOtherRecords(first: readonly Value[], answerRecords: readonly Value[]): boolean {
  if (compareRecords(first, answerRecords).kind === "different") return true;
  const [repeatedRecord, ...others] = answerRecords;
  if (repeatedRecord === undefined || others.length === 0 || first.length < 2) return false;
  return (
    compareRecords(first.slice(-1), [repeatedRecord]).kind === "same" &&
    compareRecords(first, others).kind === "different"
  );
}

/** Converts a hypothesis to one that sends the id plus 1, for a parameter whose page begins with the record of the id itself. */
function sendingNextId(hypothesis: Hypothesis): Hypothesis {
  const { responseParam, queryParam = "" } = hypothesis.paging;
  if (hypothesis.kind !== "last record" || !isObject(responseParam)) return hypothesis;
  const paging = { method: "cursor", idKey: responseParam.lastRecord ?? "", param: queryParam, increment: 1 };
  return { ...hypothesis, paging };
}

/** Converts the guess that a parameter is an offset to the guess that it is a page number, counted from 0. */
function asPageNumber({ hypothesis, place }: Guess): Guess {
  return { hypothesis: countingPages(hypothesis), place, value: numberValue(1) };
}

/** Returns whether an answer shows that one of the parameters had an effect. */
type HasEffect = (answerRecords: readonly Value[]) => boolean;

/**
 * Finds the one parameter that has an effect: each request sends half of the guesses that are left. If requests run out, returns
 * the likeliest of those.
 */
async function singleOut(
  sentGuesses: readonly Guess[],
  prober: Prober,
  hasEffect: HasEffect,
): Promise<Guess | undefined> {
  let remaining = sentGuesses;
  while (remaining.length > 1) {
    const half = remaining.slice(0, Math.ceil(remaining.length / 2));
    const { pages, trouble, isOutOfRequests } = await prober.try({ method: "none" }, [], 1, half);
    if (isOutOfRequests) break;
    remaining = trouble === "" && hasEffect(pages[0]?.records ?? []) ? half : remaining.slice(half.length);
  }
  return remaining[0];
}

/** Returns the index of a record on a page; -1 if it is not there. */
function indexOf(records: readonly Value[], record: Value | undefined): number {
  if (record === undefined) return -1;
  const name = idName(records);
  const idOf = (one: Value): string | undefined => (name === undefined ? valueText(one) : columnValue(one, name));
  return records.map(idOf).indexOf(idOf(record));
}
