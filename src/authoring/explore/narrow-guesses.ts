import { exactNumber, isObject, plainText, type Value, valueText } from "../../core/values/value.ts";
import { bracketPath, meaningOf } from "../../knowledge/parameters.ts";
import { answerText } from "./first-answer/answer.ts";
import { nameOf, placeText } from "./first-answer/first-page.ts";
import { columnValue, compareRecords, idName } from "./first-answer/same-records.ts";
import { countingPages, type Hypothesis } from "./kinds/kind.ts";
import { byOtherColumns } from "./kinds/last-record.ts";
import { othersText, type Prober, type TriedPage } from "./trials/prober.ts";

/** Result of one request that carries the parameters of many guesses. */
export interface Narrowed {
  /** The guesses that are worth a request each, the likeliest first. */
  readonly left: readonly Hypothesis[];
  /** The result in words; "" for none. */
  readonly text: string;
  /** True if no requests were left to send this one. */
  readonly refused: boolean;
  /** Evidence of more records than those of the first page; "" if there is none. */
  readonly more: string;
  /** Reason why one of the guesses may page although it was refused. */
  readonly doubt?: string | undefined;
}

/** A value that is sent for a hypothesis. */
interface Guess {
  readonly hypothesis: Hypothesis;
  readonly place: Value;
  readonly value: Value;
  /** Number of records to skip, if the hypothesis is an offset. */
  readonly skip?: number;
}

/**
 * Sends the parameters of all guesses at once. If the first page comes again, none of them pages. Otherwise the first record of
 * the answer shows which offset has an effect, since each offset has another value. The other parameters are halved until one is
 * left.
 */
export async function narrowGuesses(guesses: readonly Hypothesis[], prober: Prober): Promise<Narrowed> {
  const { records } = prober.page.place;
  const sent = guessesOf(guesses, records);
  if (sent.length < 2) return { left: guesses, text: "", refused: false, more: "" };
  const { answer, trouble, refused, known, doubt, columns = [] } = await askAll(sent, prober);
  if (refused) return { left: [], text: "", refused, more: "", doubt };
  if (answer === undefined) {
    const text = `${namesText(sent)}, all in one request: it ${/was answered with .*/.exec(trouble)?.[0] ?? `failed: ${trouble}`}`;
    return { left: [...columns, ...inTurns(guesses)], text, refused, more: "", doubt };
  }
  const comparison = compareRecords(records, answer.records);
  const goesOn = leads(records, answer.records) || othersText(answer, comparison) !== "";
  if (comparison.kind === "same" && answer.records.length >= records.length) {
    const text = `${namesText(known)}, all in one request: the same records came`;
    return { left: columns, text, refused, more: "", doubt };
  }
  const more = goesOn ? "the request of many names gave other records" : "";
  if (more !== "") prober.memory.follow();
  const left = await likely(known, answer, prober);
  return { left, text: "", refused, more, doubt };
}

/** Requests a page with all guesses. If the API refuses them, repeats the request without those that the refusal names. */
async function askAll(
  sent: readonly Guess[],
  prober: Prober,
): Promise<{
  readonly answer: TriedPage | undefined;
  readonly trouble: string;
  readonly refused: boolean;
  readonly known: readonly Guess[];
  readonly doubt?: string | undefined;
  readonly columns?: readonly Hypothesis[];
}> {
  const { pages, trouble, refused, failed } = await prober.try({ method: "none" }, [], 1, sent);
  const answer = trouble === "" && !refused ? pages[0] : undefined;
  if (failed === undefined || failed.response.status >= 500) return { answer, trouble, refused, known: sent };
  const said = answerText(failed.response);
  const words = new Set(said.split(/[^\w$.[\]-]+/));
  const refusedOnes = refusedValues(sent, words);
  const [valued] = refusedOnes;
  const doubt =
    valued && `the API knows ${placeText(valued.place)} and refuses the value ${plainText(valued.value)} in it`;
  const unmentioned = sent.filter(({ place }) => !words.has(nameOf(place)));
  // An API refuses a token where it expects a number.
  const known =
    unmentioned.length < sent.length
      ? unmentioned
      : sent.filter(({ hypothesis, place }) => hypothesis.kind !== "token" || !takesNumber(place));
  const columns = refusedOnes
    .filter(({ hypothesis }) => hypothesis.kind === "last record")
    .flatMap(({ hypothesis }) => byOtherColumns(hypothesis, prober.page));
  if (columns.length > 0) prober.memory.follow();
  if (known.length === sent.length || known.length === 0)
    return { answer, trouble, refused, known: sent, doubt, columns };
  const again = await prober.try({ method: "none" }, [], 1, known);
  const second = again.trouble === "" && !again.refused ? again.pages[0] : undefined;
  return { answer: second, trouble: again.trouble, refused: again.refused, known, doubt, columns };
}

/** Returns the guesses for the one parameter that a refusal names with the value sent in it, so that the API knows the parameter. */
function refusedValues(sent: readonly Guess[], words: ReadonlySet<string>): readonly Guess[] {
  const named = sent.filter(({ place }) => words.has(nameOf(place)));
  const value = plainText(named[0]?.value ?? "");
  const isOne = new Set(named.map(({ place }) => nameOf(place))).size === 1;
  return isOne && value.length > 1 && words.has(value) ? named : [];
}

function takesNumber(place: Value): boolean {
  return /^(page|offset)$/.test(meaningOf(bracketPath(nameOf(place))) ?? "");
}

/**
 * Orders guesses that each take a request: kinds take turns. The likeliest guess was already sent alone, so its kind, the first
 * one, comes last.
 */
function inTurns(guesses: readonly Hypothesis[]): readonly Hypothesis[] {
  const [first, ...others] = new Set(guesses.map(({ kind }) => kind));
  const kinds = [...others, first].map((one) => guesses.filter(({ kind }) => kind === one));
  const longest = Math.max(0, ...kinds.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => kinds.flatMap((list) => list[index] ?? [])).flat();
}

function namesText(sent: readonly Guess[]): string {
  const names = sent.map(({ place }) => nameOf(place));
  const more = names.length > 20 ? ` and ${names.length - 20} more` : "";
  return `names that many APIs page by (${names.slice(0, 20).join(", ")}${more})`;
}

const numberValue = (value: number): Value => exactNumber(String(value));

/** Returns the values to send: page 2, the last record's id, and for each offset another number within the first page. */
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
 * Returns the likely guesses by the record with which the answer begins: the offsets of that value, or one that counts from 1;
 * else the one parameter that alone gives other records. If the answer is empty, an offset may count pages: then each is asked
 * for the second page.
 */
async function likely(sent: readonly Guess[], answer: TriedPage, prober: Prober): Promise<readonly Hypothesis[]> {
  const { records } = prober.page.place;
  const index = indexOf(records, answer.records[0]);
  const begins: Shows = (came) => indexOf(records, came[0]) === index;
  const offsets = sent.filter(({ skip }) => index > 0 && (skip === index || skip === index + 1));
  if (offsets.length > 0) {
    prober.memory.follow();
    const one = await singleOut(offsets, prober, begins);
    if (one !== undefined) return [one.hypothesis];
  }
  const other = sent.filter(({ skip }) => skip === undefined);
  if (answer.records.length > 0) {
    const one = await singleOut(other, prober, (came) => leads(records, came));
    const found = one === undefined ? other : [one];
    return found.map(({ hypothesis }) => (index === records.length - 1 ? inclusive(hypothesis) : hypothesis));
  }
  const counted = sent.map((guess) => (guess.skip === undefined ? guess : asPages(guess)));
  const { pages, trouble } = await prober.try({ method: "none" }, [], 1, counted);
  if (trouble === "" && leads(records, pages[0]?.records ?? [])) {
    prober.memory.follow();
    const one = await singleOut(counted, prober, (came) => leads(records, came));
    if (one !== undefined) return [one.hypothesis];
  }
  return [...sent.filter(({ skip }) => skip !== undefined), ...other].map(({ hypothesis }) => hypothesis);
}

/** Returns whether an answer has other records, or the last record of the first page followed by others. */
function leads(first: readonly Value[], came: readonly Value[]): boolean {
  if (compareRecords(first, came).kind === "different") return true;
  const [own, ...others] = came;
  if (own === undefined || others.length === 0 || first.length < 2) return false;
  return compareRecords(first.slice(-1), [own]).kind === "same" && compareRecords(first, others).kind === "different";
}

/** Converts a hypothesis to one that sends the id plus 1, for a parameter whose page begins with the record of the id itself. */
function inclusive(hypothesis: Hypothesis): Hypothesis {
  const { responseParam, queryParam = "" } = hypothesis.paging;
  if (hypothesis.kind !== "last record" || !isObject(responseParam)) return hypothesis;
  const paging = { method: "cursor", idKey: responseParam.lastRecord ?? "", param: queryParam, increment: 1 };
  return { ...hypothesis, paging };
}

/** Converts a guess of an offset to the guess that the same parameter is a page number. */
function asPages({ hypothesis, place }: Guess): Guess {
  return { hypothesis: countingPages(hypothesis), place, value: numberValue(1) };
}

/** Returns whether an answer shows that one of the parameters had an effect. */
type Shows = (came: readonly Value[]) => boolean;

/** Finds the one parameter that has an effect by sending halves. Returns the likeliest one left if requests run out. */
async function singleOut(sent: readonly Guess[], prober: Prober, shows: Shows): Promise<Guess | undefined> {
  let left = sent;
  while (left.length > 1) {
    const half = left.slice(0, Math.ceil(left.length / 2));
    const { pages, trouble, refused } = await prober.try({ method: "none" }, [], 1, half);
    if (refused) break;
    left = trouble === "" && shows(pages[0]?.records ?? []) ? half : left.slice(half.length);
  }
  return left[0];
}

/** Returns the index of a record on a page; -1 if it is not there. */
function indexOf(records: readonly Value[], record: Value | undefined): number {
  if (record === undefined) return -1;
  const name = idName(records);
  const idOf = (one: Value): string | undefined => (name === undefined ? valueText(one) : columnValue(one, name));
  return records.map(idOf).indexOf(idOf(record));
}
