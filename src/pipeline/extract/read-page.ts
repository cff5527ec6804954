import { createHash, type Hash } from "node:crypto";
import type { Parent } from "../../compile/plan.ts";
import { fieldName, fieldWith } from "../../core/field-name.ts";
import type { Lines } from "../../core/lines.ts";
import type { PageSummary } from "../../core/page.ts";
import { pathText } from "../../core/path.ts";
import { printable } from "../../core/printable.ts";
import { DataFault, type DocumentSummary } from "../../extract/document.ts";
import { noEnvelope } from "../../extract/document-options.ts";
import { whiteEnd } from "../../extract/pieces.ts";
import type { RecordReader } from "../../extract/record-reader.ts";
import { hasInnerLists } from "../../extract/selection.ts";
import type { AnswerPolicy } from "../../http/answer-policy.ts";
import { type Answer, resetText, TransportFault } from "../../http/session.ts";
import { failureOfDocument } from "../../knowledge/failure.ts";
import { countRecords } from "../line-budget.ts";
import { asUsual, type OpenedPage, type Page } from "../page.ts";
import { noWatermark, type PageWatermark } from "../page-watermark.ts";
import { answerFault } from "./answer-fault.ts";
import { AttemptRecords } from "./attempt-records.ts";
import type { Hold } from "./hold.ts";
import { openAnswer } from "./open-answer.ts";
import type { ExtractOptions } from "./options.ts";
import { emptied, type Ruling, ruleOn } from "./response-rule.ts";

/** How a page was read: what paging needs of it, and its records for the child jobs. */
export interface Reading {
  readonly summary: PageSummary;
  readonly parents: readonly Iterable<Parent>[];
  readonly watermark: PageWatermark;
}

/** How far the body of the last attempt has been read, in bytes after decoding. */
export interface BodyReach {
  bytes: number;
}

/**
 * Reads a page to the end of its document, asking again where an answer breaks off. Yields the lines that need not
 * wait; the others are in `hold`. Returns undefined where more lines came than may be written.
 */
export async function* readPage(
  opened: OpenedPage,
  hold: Hold,
  options: ExtractOptions,
  reach: BodyReach = { bytes: 0 },
): AsyncGenerator<Lines, Reading | undefined> {
  const { page } = opened;
  const { rules } = page.run.plan.policy;
  const known: Known = { askedAgain: false, begun: false, reset: undefined };
  let fault: TransportFault | undefined;
  for (;;) {
    const answer = await opened.open(fault);
    fault = undefined;
    hold.restart();
    const records = new AttemptRecords(page.run, answer.at, options);
    const { body, reader, ends } = await openAnswer(answer, page.run.plan, options, (bytes, count, origin) => {
      for (const lines of records.take(bytes, count, origin)) hold.add(lines);
    });
    const digestOfBody = answer.framed || ends ? undefined : createHash("sha256");
    let read: DocumentSummary | undefined;
    try {
      const bytes = yield* readBody(answer, body, reader, { page, hold, known, options, reach, digestOfBody });
      if (bytes === undefined) return undefined;
      read = reader.end();
      if (isToBeAskedAgain(answer, read, bytes, known, page)) continue;
      const doubt = digestOfBody === undefined ? undefined : doubtOfEnd(answer, digestOfBody, known);
      const ruling = ruleOn(answer, read, hold, { rules, mask: options.mask });
      if (ruling instanceof TransportFault) throw ruling;
      if (ruling?.then === "empty") return withoutRecords(answer, read, ruling, page);
      if (yield* flow(hold, options)) return undefined;
      if (read.misfit !== undefined) throw new DataFault(read.misfit);
      hold.checkRepeated();
      checkText(read, page, options);
      const digest = records.digest() ?? hold.digest();
      hold.sift();
      const watermark = records.watermark?.without(hold.dropped) ?? noWatermark;
      const summary = {
        notice: noticeOf(page, read, options),
        ruled: ruling === undefined ? endOf(watermark, page) : endBy(ruling),
        doubt: doubt ?? failureIn(read, page) ?? misplacedList(read, page),
        digest,
        extremes: records.extremes,
        last: records.last(),
        sample: records.sample(),
        // What is left out has no part in the keys: pages that differ there may be alike.
        keys: watermark.filtered > 0 ? undefined : hold.keys,
        recordKeys: records.keys(),
        dropped: ownDuplicates(page, hold),
        ascending: watermark.ascending,
        ...summaryOf(answer, read, page),
      };
      return { summary, parents: records.parents.without(hold.dropped), watermark };
    } catch (error) {
      const made =
        read === undefined ? unreadable(error, answer, { hold, rules, options }) : answerFault(error, answer, options);
      if (!(made instanceof TransportFault)) return withoutRecords(answer, nothingRead, made, page);
      fault = made;
    } finally {
      reader.close();
    }
  }
}

/** What the attempts at a page have shown of it. */
interface Known {
  /** An empty body has been asked for once more. */
  askedAgain: boolean;
  /** More than white space came: the page is not empty. */
  begun: boolean;
  /** Digest of the last body whose connection broke at its end. */
  reset: string | undefined;
}

interface Attempt {
  readonly page: Page;
  readonly hold: Hold;
  readonly known: Known;
  readonly options: ExtractOptions;
  readonly reach: BodyReach;
  readonly digestOfBody: Hash | undefined;
}

/** Reads an answer's body; answers its bytes, or undefined where more lines came than may be written. */
async function* readBody(
  answer: Answer,
  body: AsyncIterable<Buffer>,
  reader: RecordReader,
  { page, hold, known, options, reach, digestOfBody }: Attempt,
): AsyncGenerator<Lines, number | undefined> {
  reach.bytes = 0;
  let garbled: DataFault | undefined;
  for await (const chunk of body) {
    reach.bytes += chunk.length;
    digestOfBody?.update(chunk);
    known.begun ||= !isBlank(chunk);
    options.received?.(chunk.length);
    if (garbled !== undefined) {
      if (reach.bytes > worthChecking) break;
      continue;
    }
    garbled = write(chunk, reader, answer);
    if (yield* flow(hold, options)) return undefined;
    if (mayStopEarly(page, options) && hold.waitingRecords > options.budget.left) return undefined;
  }
  if (garbled !== undefined) throw garbled;
  return reach.bytes;
}

/** White space alone may be the beginning of a body that its connection has cut: it is asked for once more. */
function isToBeAskedAgain(answer: Answer, read: DocumentSummary, bytes: number, known: Known, page: Page): boolean {
  const mayBeCut = answer.kind === "body" && (bytes === 0 || (read.empty && !answer.framed));
  // An attempt before this one has shown that the page is not empty.
  if (mayBeCut && known.begun) throw new TransportFault("the response was empty, though the page is not");
  if (!mayBeCut || known.askedAgain) return false;
  known.askedAgain = true;
  page.warn("the response was empty although its status promises a body; it was asked for once more");
  return true;
}

/** What a body that should be lines or a table says of a failure: a single JSON object (contract C-6.15). */
function failureIn({ lone, records }: DocumentSummary, { run }: Page): string | undefined {
  return lone === undefined || !run.plan.scroll.evidence ? undefined : failureOfDocument(lone, records > 0);
}

/**
 * A reset connection may have cut a body that does not show where it ends: such a body is asked for again. One that comes
 * twice alike is taken, and the job's end is suspect.
 */
function doubtOfEnd(answer: Answer, digestOfBody: Hash, known: Known): string | undefined {
  if (!answer.isReset()) return undefined;
  const digest = digestOfBody.digest("hex");
  if (digest === known.reset)
    return "the connection was reset behind an answer that does not say how long it is, twice alike";
  known.reset = digest;
  throw new TransportFault(resetText);
}

/** Decoded bytes that are read for the sake of the compressed body's end, after what came before was no JSON. */
const worthChecking = 1024 * 1024;

/** A fault in a compressed body may be the compression's own, which its end will show: such a fault is answered. */
function write(chunk: Buffer, reader: RecordReader, { compressed }: Answer): DataFault | undefined {
  try {
    reader.write(chunk);
    return undefined;
  } catch (error) {
    if (compressed && error instanceof DataFault) return error;
    throw error;
  }
}

function isBlank(chunk: Buffer): boolean {
  return whiteEnd(chunk, 0) === chunk.length;
}

/**
 * May a page be left once it has brought more lines than may be written? Not while its end may still show that it is
 * ambiguous (auto-detection), that it only repeats the page before it, that it is refused by a rule of the user's, or that
 * lines of it are not to be written.
 */
function mayStopEarly({ run, number }: Page, { unique }: ExtractOptions): boolean {
  return run.plan.policy.rules.length === 0 && run.plan.dataField !== undefined && number === 1 && unique === undefined;
}

/** Hands on the lines that need not wait. Answers whether more came than may be written. */
function* flow(hold: Hold, { budget }: ExtractOptions): Generator<Lines, boolean> {
  const lines = hold.flow();
  const allowed = budget.cut(lines);
  yield* allowed;
  return countRecords(allowed) < countRecords(lines);
}

function checkText({ invalidUtf8 }: DocumentSummary, page: Page, { strict }: ExtractOptions): void {
  if (!invalidUtf8) return;
  const text = "the response holds bytes that are not UTF-8";
  if (strict) throw new DataFault(`${text}; without --strict they become U+FFFD`);
  page.warn(`${text}; they became U+FFFD`);
}

/**
 * What becomes of a body that could not be read to its end: a fault after which it is asked for again, or the ruling of a
 * rule, which what is no document matches by its status and headers alone. All else is thrown.
 */
function unreadable(
  error: unknown,
  answer: Answer,
  { hold, rules, options }: Pick<Attempt, "hold" | "options"> & Pick<AnswerPolicy, "rules">,
): TransportFault | Ruling {
  try {
    return answerFault(error, answer, options);
  } catch (failure) {
    if (!(error instanceof DataFault) || hold.hasFlowed) throw failure;
    const ruling = ruleOn(answer, undefined, hold, { rules, mask: options.mask });
    if (ruling === undefined) throw failure;
    return ruling;
  }
}

const nothingRead: DocumentSummary = {
  ...noEnvelope,
  empty: true,
  records: 0,
  bytes: 0,
  found: false,
  invalidUtf8: false,
};

function withoutRecords(answer: Answer, read: DocumentSummary, ruling: Ruling, page: Page): Reading {
  const summary = { ...emptied(summaryOf(answer, read, page)), ruled: endBy(ruling) };
  return { summary, parents: [], watermark: noWatermark };
}

function endBy({ text }: Ruling): string {
  return `ended as the API ${text}`;
}

/** Returns why a feed that is sorted newest first ends at the page; undefined where it goes on. */
function endOf({ isPast }: PageWatermark, { run }: Page): string | undefined {
  const ends = isPast && run.plan.increment?.descends === true;
  return ends ? "ended at a page of records that all come before the increment's start" : undefined;
}

function summaryOf(
  answer: Answer,
  read: DocumentSummary,
  { request }: Page,
): Omit<PageSummary, "digest" | "extremes" | "last" | "dropped" | "sample" | "keys" | "recordKeys"> {
  const { empty, records, bytes, volume, watched, evidence, beginning, single, found, elsewhere, dataPath } = read;
  return {
    records,
    bytes,
    volume,
    url: answer.url,
    ended: answer.kind === "tolerated" ? "tolerated" : empty ? "empty" : "document",
    status: answer.status,
    watched,
    evidence,
    request: "method" in request ? request : undefined,
    dataPath,
    headerNames: answer.headerNames,
    header: answer.header,
    beginning,
    single,
    found,
    elsewhere,
  };
}

/** What is worth a warning of a page's records. */
function noticeOf(
  { run, number }: Page,
  { empty, records, found, selection, single, listWithin }: DocumentSummary,
  { remedies }: ExtractOptions,
): string | undefined {
  const { dataField } = run.plan;
  const name = dataField && (pathText(dataField) || ".");
  const field = `${fieldName("dataField", remedies)} "${name}"`;
  if (selection?.notice !== undefined) return selection.notice;
  if (records === 0 && !empty) {
    if (name !== undefined) {
      if (!found) return `${field} contains no data: the response has nothing there`;
      return `${field} contains no data${number > 1 ? asUsual : ""}`;
    }
    // A list that is there and empty is how most APIs end.
    if (found && number > 1) return undefined;
    return found
      ? "the response holds no records"
      : `the response holds no list of records; ${fieldWith("dataField", ".", remedies)} takes an object as one record`;
  }
  if (!single || listWithin === undefined || name === undefined || name === ".") return undefined;
  return `${field} is an object, which counts as one record; it holds a list of objects at "${name}.${listWithin}"`;
}

/** Returns the doubt in a first page whose elements hold a list, but none where `each` looks for it. */
function misplacedList({ selection }: DocumentSummary, { run, number }: Page): string | undefined {
  if (selection?.elsewhere === undefined || number > 1 || !run.plan.scroll.evidence) return undefined;
  return `${selection.notice}, but "${printable(selection.elsewhere)}" there holds objects`;
}

/**
 * Records dropped as duplicates of others of the same run: the keys of a child job are those of all its parents' runs. Where paging
 * counts the elements that records are taken out of, it has no use for the number of records.
 */
function ownDuplicates({ run }: Page, { dropped }: Hold): number {
  return run.parents.length === 0 && !hasInnerLists(run.plan.selection) ? dropped.size : 0;
}
