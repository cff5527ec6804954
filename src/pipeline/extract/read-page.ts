import { createHash, type Hash } from "node:crypto";
import type { Parent } from "../../compile/plan.ts";
import { fieldName, fieldWith } from "../../core/field-name.ts";
import type { Lines } from "../../core/runs/lines.ts";
import type { Failure, PageSummary } from "../../core/runs/page.ts";
import { printable } from "../../core/text/printable.ts";
import { pathText } from "../../core/values/path.ts";
import { DataFault, type DocumentSummary } from "../../extract/document.ts";
import { noEnvelope } from "../../extract/document-options.ts";
import { LoneDocument } from "../../extract/format/lone-document.ts";
import { whiteEnd } from "../../extract/pieces.ts";
import type { RecordReader } from "../../extract/record-reader.ts";
import { hasInnerLists } from "../../extract/selection.ts";
import type { AnswerPolicy } from "../../http/exchange/answer-policy.ts";
import { type Answer, resetText, TransportFault } from "../../http/exchange/session.ts";
import { failureOfDocument, failureOfOnlyRecord } from "../../knowledge/failure.ts";
import { countRecords } from "../line-budget.ts";
import { asUsual, type OpenedPage, type Page } from "../page.ts";
import { noWatermark, type PageWatermark } from "../page-watermark.ts";
import { answerFault } from "./answer-fault.ts";
import { AttemptRecords } from "./attempt-records.ts";
import type { Hold } from "./hold.ts";
import { openAnswer } from "./open-answer.ts";
import type { ExtractOptions } from "./options.ts";
import { type Ruling, ruleOn, withoutPageRecords } from "./response-rule.ts";

/** The result of reading a page. */
export interface Reading {
  readonly summary: PageSummary;
  readonly parents: readonly Iterable<Parent>[];
  readonly watermark: PageWatermark;
}

/** Number of decoded bytes of the last attempt's body that were read. */
export interface BodyProgress {
  bytes: number;
}

/**
 * Reads a page to the end of its document, and requests it again if an answer breaks off. Yields the lines that need not wait, and leaves
 * the others in `hold`. Returns undefined if more lines came than may be written.
 */
export async function* readPage(
  opened: OpenedPage,
  hold: Hold,
  options: ExtractOptions,
  progress: BodyProgress = { bytes: 0 },
): AsyncGenerator<Lines, Reading | undefined> {
  const { page } = opened;
  const { rules } = page.run.plan.policy;
  const history: History = { wasRequestedAgain: false, hasContent: false, reset: undefined };
  let fault: TransportFault | undefined;
  for (;;) {
    const answer = await opened.open(fault);
    fault = undefined;
    hold.restart();
    const records = new AttemptRecords(page.run, answer.receivedAt, options);
    const opening = openAnswer(answer, page.run.plan, options, (bytes, count, origin) => {
      for (const lines of records.take(bytes, count, origin)) hold.add(lines);
    });
    const { body, reader, ends, wholeBody, rawBody } = await opening;
    const digestOfBody = answer.framed || ends ? undefined : createHash("sha256");
    let read: DocumentSummary | undefined;
    try {
      const recordBody = page.run.plan.dataField?.length === 0 ? new LoneDocument() : undefined;
      const attempt = { page, hold, history, options, progress, digestOfBody, recordBody, wholeBody };
      const bytes = yield* readBody(answer, body, reader, attempt);
      if (bytes === undefined) return undefined;
      read = reader.end();
      if (mustRequestAgain(answer, read, bytes, history, page)) continue;
      const doubt = digestOfBody === undefined ? undefined : doubtOfEnd(answer, digestOfBody, history);
      const ruling = ruleOn(answer, { read, wholeBody }, hold, { rules, mask: options.mask });
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
        doubt: doubt ?? misplacedList(read, page),
        failure: failureIn(read, recordBody, page),
        digest,
        extremes: records.extremes,
        last: records.last(),
        sample: records.sample(),
        // If records were left out, there are no keys: pages that differ only in such records would have equal keys.
        keys: watermark.filtered > 0 ? undefined : hold.keys,
        recordKeys: records.keys(),
        dropped: ownDuplicates(page, hold),
        ascending: watermark.ascending,
        ...summaryOf(answer, read, page),
      };
      return { summary, parents: records.parents.without(hold.dropped), watermark };
    } catch (error) {
      const ending =
        read === undefined
          ? judgeUnreadable(error, answer, { hold, wholeBody: rawBody, rules, options })
          : answerFault(error, answer, options);
      if (!(ending instanceof TransportFault)) return withoutRecords(answer, nothingRead, ending, page);
      fault = ending;
    } finally {
      reader.close();
    }
  }
}

/** Facts that earlier attempts at a page have shown. */
interface History {
  /** True if the page was requested again because its body was empty. */
  wasRequestedAgain: boolean;
  /** True if more than white space came. The page is then not empty. */
  hasContent: boolean;
  /** Digest of the last body whose connection was reset at its end. */
  reset: string | undefined;
}

interface Attempt {
  readonly page: Page;
  readonly hold: Hold;
  readonly history: History;
  readonly options: ExtractOptions;
  readonly progress: BodyProgress;
  readonly digestOfBody: Hash | undefined;
  /** Keeps a short body that may be a single record. */
  readonly recordBody: LoneDocument | undefined;
  /** Keeps a short body that may be a JSON object although another format is configured, for rules that read paths. */
  readonly wholeBody: LoneDocument | undefined;
}

/** Reads the body of an answer. Returns the number of its decoded bytes; undefined if more lines came than may be written. */
async function* readBody(
  answer: Answer,
  body: AsyncIterable<Buffer>,
  reader: RecordReader,
  { page, hold, history, options, progress, digestOfBody, recordBody, wholeBody }: Attempt,
): AsyncGenerator<Lines, number | undefined> {
  progress.bytes = 0;
  let garbled: DataFault | undefined;
  for await (const chunk of body) {
    progress.bytes += chunk.length;
    digestOfBody?.update(chunk);
    recordBody?.add(chunk);
    wholeBody?.add(chunk);
    history.hasContent ||= !isBlank(chunk);
    options.received?.(chunk.length);
    garbled ??= write(chunk, reader);
    const mayTellMore = (answer.compressed && progress.bytes <= worthChecking) || wholeBody?.isOpen === true;
    if (garbled !== undefined && !mayTellMore) break;
    if (garbled !== undefined) continue;
    if (yield* flow(hold, options)) return undefined;
    if (mayStopEarly(page, options) && hold.waitingRecords > options.budget.left) return undefined;
  }
  if (garbled !== undefined) throw garbled;
  return progress.bytes;
}

/** Returns whether to request the page once more: a body of white space may be the beginning of one that was cut. */
function mustRequestAgain(answer: Answer, read: DocumentSummary, bytes: number, history: History, page: Page): boolean {
  const mayBeCut = answer.kind === "body" && (bytes === 0 || (read.empty && !answer.framed));
  if (mayBeCut && history.hasContent) throw new TransportFault("the response was empty, but an earlier one was not");
  if (!mayBeCut || history.wasRequestedAgain) return false;
  history.wasRequestedAgain = true;
  page.warn("the response was empty although its status promises a body; it was requested once more");
  return true;
}

/** Returns the failure that a JSON object reports if it comes instead of lines or a table, or is the only record (contract C-6.15). */
function failureIn(
  { lone, records, single }: DocumentSummary,
  recordBody: LoneDocument | undefined,
  { run }: Page,
): Failure | undefined {
  if (!run.plan.scroll.evidence) return undefined;
  if (lone !== undefined) return failureOfDocument(lone, records > 0);
  const text = single === true ? recordBody?.text : undefined;
  return text === undefined ? undefined : failureOfOnlyRecord(text);
}

/**
 * Judges the end of a body that does not mark its own end. A reset connection may have cut it, so it is requested again. If the same body
 * comes twice, it is accepted, and the job's end is suspect.
 */
function doubtOfEnd(answer: Answer, digestOfBody: Hash, history: History): string | undefined {
  if (!answer.isReset()) return undefined;
  const digest = digestOfBody.digest("hex");
  if (digest === history.reset)
    return "the connection was reset after an answer of unknown length, twice in the same way";
  history.reset = digest;
  throw new TransportFault(resetText);
}

/** Maximum number of decoded bytes up to which a compressed body is read on although its content has turned out to be invalid. */
const worthChecking = 1024 * 1024;

/**
 * Passes a chunk to the reader. Returns a fault of the data instead of throwing it, since the rest of the body may explain it: a fault of
 * the compression shows at its end, and a rule may match the whole body.
 */
function write(chunk: Buffer, reader: RecordReader): DataFault | undefined {
  try {
    reader.write(chunk);
    return undefined;
  } catch (error) {
    if (error instanceof DataFault) return error;
    throw error;
  }
}

function isBlank(chunk: Buffer): boolean {
  return whiteEnd(chunk, 0) === chunk.length;
}

/**
 * Returns whether to stop reading a page once too many lines came. A page is read on if its end may show that the records are
 * ambiguous (auto-detection), that it repeats the page before it, that a rule matches, or that lines must not be written.
 */
function mayStopEarly({ run, number }: Page, { unique }: ExtractOptions): boolean {
  return run.plan.policy.rules.length === 0 && run.plan.dataField !== undefined && number === 1 && unique === undefined;
}

/** Emits the lines that need not wait. Returns whether more lines came than may be written. */
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
 * Judges the error of a body that could not be read to its end. Returns a fault if the page must be requested again, or the
 * ruling of a rule that matches the answer. Throws every other error.
 */
function judgeUnreadable(
  error: unknown,
  answer: Answer,
  { hold, wholeBody, rules, options }: Pick<Attempt, "hold" | "wholeBody" | "options"> & Pick<AnswerPolicy, "rules">,
): TransportFault | Ruling {
  try {
    return answerFault(error, answer, options);
  } catch (failure) {
    if (!(error instanceof DataFault) || hold.hasFlowed) throw failure;
    const ruling = ruleOn(answer, { read: undefined, wholeBody }, hold, { rules, mask: options.mask });
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
  const summary = { ...withoutPageRecords(summaryOf(answer, read, page)), ruled: endBy(ruling) };
  return { summary, parents: [], watermark: noWatermark };
}

function endBy({ text }: Ruling): string {
  return `ended because the API ${text}`;
}

/** Returns the reason why a feed with its newest records first ends at this page; undefined if it continues. */
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

/** Returns a warning about a page's records, if there is one. */
function noticeOf(
  { run, number }: Page,
  { empty, records, found, selection, single, listWithin, elsewhere }: DocumentSummary,
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
    // Most APIs end with an empty list.
    if (found && number > 1) return undefined;
    if (found) return "the response holds no records";
    const [place, what] =
      elsewhere === undefined || elsewhere === "."
        ? [".", "the object as one record"]
        : [elsewhere, "the records there"];
    return `the response holds no list of records; ${fieldWith("dataField", printable(place), remedies)} reads ${what}`;
  }
  if (!single || listWithin === undefined || name === undefined || name === ".") return undefined;
  return `${field} is an object, which counts as one record; it holds a list of objects at "${name}.${listWithin}"`;
}

/** Returns the doubt about a first page whose elements contain a list of objects, but none at the path of `each`. */
function misplacedList({ selection }: DocumentSummary, { run, number }: Page): string | undefined {
  if (selection?.elsewhere === undefined || number > 1 || !run.plan.scroll.evidence) return undefined;
  return `${selection.notice}, but "${printable(selection.elsewhere)}" there contains objects`;
}

/**
 * Returns the number of dropped records that duplicate others of this run. It is 0 for a child job, whose records may duplicate
 * those of other parents' runs, and if paging counts the elements around the records.
 */
function ownDuplicates({ run }: Page, { dropped }: Hold): number {
  return run.parents.length === 0 && !hasInnerLists(run.plan.selection) ? dropped.size : 0;
}
