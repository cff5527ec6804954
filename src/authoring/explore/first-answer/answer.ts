import { messageOf, SpileError } from "../../../core/errors.ts";
import { headerOf, type WholeResponse } from "../../../core/requests/transport.ts";
import { counted } from "../../../core/text/counted.ts";
import { beginningOf } from "../../../core/text/printable.ts";
import { isObject, parseValue, type Value, valueText } from "../../../core/values/value.ts";
import { DelimitedReader } from "../../../extract/format/delimited.ts";
import type { Job } from "../../../generated/configuration.ts";
import { transcoder } from "../../../http/body/charset.ts";
import { decodeWhole } from "../../../http/body/decode.ts";
import { parsedText } from "../../../knowledge/parsed-text.ts";
import type { RecordsPlace } from "../../../knowledge/records.ts";
import type { JobDraft } from "../../configuration-draft.ts";
import { capital } from "../finding.ts";
import { pathValue } from "./first-page.ts";

/** Delimiters between the fields of CSV, the usual one first. */
const delimiters = [",", ";", "\t", "|"];

/** Reads a table. Returns its rows as records (undefined if they cannot be read) and the `format` with which a job reads them. */
function readTable(
  text: string,
  type: "csv" | "tsv",
): { readonly format: Value; readonly records: readonly Value[] | undefined } {
  const header = text.slice(0, text.search(/[\r\n]|$/));
  const columns = (delimiter: string): number => header.split(delimiter).length;
  const best = delimiters.reduce((a, b) => (columns(b) > columns(a) ? b : a));
  const usual = type === "csv" ? "," : "\t";
  const delimiter = type === "csv" ? best : usual;
  const format = delimiter === usual ? type : { type, delimiter };
  return { format, records: rows(text, type, delimiter) };
}

function rows(text: string, type: "csv" | "tsv", delimiter: string): readonly Value[] | undefined {
  const lines: string[] = [];
  try {
    const reader = new DelimitedReader(
      { type, delimiter },
      {
        dataField: undefined,
        watch: [],
        evidence: false,
        lines: (bytes) => void lines.push(...bytes.toString().split("\n")),
      },
    );
    reader.write(Buffer.from(text));
    reader.end();
  } catch {
    return undefined;
  }
  return lines.filter((line) => line !== "").map((line) => parseValue(line));
}

/** The content of a response, in which records may be found. */
export type ReadAnswer =
  | { readonly kind: "json"; readonly document: Value }
  /** Values on lines of their own. `isDeclared`: the Content-Type says so, and the job needs no `format`. */
  | { readonly kind: "lines"; readonly records: readonly Value[]; readonly isDeclared: boolean }
  /** Rows under a header. `records`: undefined if they cannot be read. */
  | { readonly kind: "table"; readonly format: Value; readonly records: readonly Value[] | undefined }
  | { readonly kind: "empty" }
  | { readonly kind: "html"; readonly text: string }
  | { readonly kind: "other"; readonly text: string };

/** Reads a whole response as text, and finds out its kind: from its content, then from its Content-Type. */
export function readAnswer(response: WholeResponse): ReadAnswer {
  const type = headerOf(response, "content-type")?.toLowerCase() ?? "";
  const text = bodyText(response);
  if (text.trim() === "") return { kind: "empty" };
  const document = parsedText(text);
  if (document !== undefined) return { kind: "json", document };
  const records = linesOf(text);
  if (records !== undefined) return { kind: "lines", records, isDeclared: /ndjson|jsonl|json-seq/.test(type) };
  if (/\bcsv\b|tab-separated/.test(type))
    return { kind: "table", ...readTable(text, /\bcsv\b/.test(type) ? "csv" : "tsv") };
  if (/^\s*<(?:!doctype html|html|head|body)\b/i.test(text) || /\bhtml\b/.test(type)) return { kind: "html", text };
  return { kind: "other", text };
}

/** Largest body that is read, in bytes. */
const maxBytes = 2 ** 26;

/** Returns the body as a run would decode it. If it cannot be decoded, returns the reason in parentheses. */
function bodyText(response: WholeResponse): string {
  try {
    const decoded = decodeWhole(response.body, headerOf(response, "content-encoding"), maxBytes);
    if (decoded === undefined) throw new Error("the compressed body cannot be decoded, or is longer than 64 MiB");
    const text = transcoder(headerOf(response, "content-type"), () => "the answer");
    return Buffer.concat([text.push(decoded), text.end()]).toString();
  } catch (error) {
    return `(${messageOf(error)})`;
  }
}

/** Reads a text of two or more lines, each of which is a JSON object. Undefined for any other text. */
function linesOf(text: string): Value[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 2 || !lines.every((line) => line.trimStart().startsWith("{"))) return undefined;
  const records = lines.map(parsedText);
  return records.every((record) => record !== undefined) ? records : undefined;
}

/**
 * Returns the text of a decoded answer, to be searched for words; "" for records on lines, for a table and for an empty answer.
 */
export function answerText(response: WholeResponse): string {
  const answer = readAnswer(response);
  return answer.kind === "json" ? valueText(answer.document) : "text" in answer ? answer.text : "";
}

/** The reason why no records can be read from an answer. */
export interface Unreadable {
  readonly text: string;
  readonly comment: string;
  readonly job: JobDraft;
  readonly failure: SpileError | undefined;
}

/** Explains why an answer holds no records; undefined if it may hold some. */
export function unreadable(answer: ReadAnswer, response: WholeResponse): Unreadable | undefined {
  if (answer.kind === "json" || answer.kind === "lines") return undefined;
  if (answer.kind === "table" && answer.records !== undefined) return undefined;
  if (answer.kind === "table") {
    const text = "the answer should be a table of rows, but cannot be read as one";
    return {
      text,
      comment: `${capital(text)}: set "format" (delimiter, quote, skipLines, header; spile explain format).`,
      job: { format: answer.format },
      failure: undefined,
    };
  }
  if (answer.kind === "empty") {
    const text = `the answer (${response.status}) is empty, so it shows neither records nor paging`;
    return {
      text,
      comment:
        "The answer was empty when this was written: the place of its records and the paging of the API are unknown.",
      job: {},
      failure: undefined,
    };
  }
  const beginning = JSON.stringify(beginningOf(answer.text.trim(), 100));
  const what = answer.kind === "html" ? "HTML, a page for people, perhaps a login page" : "no JSON";
  return {
    text: `the answer is ${what}: it begins with ${beginning}`,
    comment: `The answer was ${what} when this was written: the address of the API itself, or credentials, may be missing.`,
    job: {},
    failure: new SpileError("data", `the answer is ${what}`),
  };
}

type DataField = Exclude<Job["dataField"], null | undefined>;

/** Returns the fields of a job that say how its records are read. */
export function readingOf(answer: ReadAnswer, place: RecordsPlace): JobDraft {
  if (answer.kind === "table") return { format: answer.format };
  if (answer.kind === "lines") return answer.isDeclared ? {} : { format: "ndjson" };
  return { dataField: dataFieldOf(place) };
}

/** Returns the `dataField` with which a job reads the records at this place. */
export function dataFieldOf({ path, map, each, group }: RecordsPlace): DataField {
  const location = path.length === 0 ? { path: "." } : pathValue(path);
  if (map !== undefined) return { ...location, values: true, ...(map.key === undefined ? {} : { key: map.key }) };
  if (each) return { ...location, each: "node" };
  if (group !== undefined) return { ...location, each: group };
  return location.delimiter === undefined ? location.path : location;
}

/** Describes the number of records and their place for people. */
export function recordsText(
  { path, inner, each, group, map, records, list }: RecordsPlace,
  answer: ReadAnswer,
): string {
  const count = counted(records.length, "record");
  if (answer.kind === "table") return `${count}: the answer is ${tableName(answer.format)}, each row a record`;
  if (answer.kind === "lines") return `${count}, one a line`;
  if (!list) return "one record: the whole answer";
  const placeText = path.length === 0 ? "the answer" : `"${path.join(".")}"`;
  if (map !== undefined)
    return `${count}: the members of ${placeText}${map.key === undefined ? "" : `, their keys in the column "${map.key}"`}`;
  const where = path.length === 0 ? "the answer is a list" : `the list at ${placeText}`;
  if (group !== undefined) return `${counted(records.length, "list")} of records: the elements of ${placeText}`;
  if (each) return `${count}: the "node" of each element of ${placeText}`;
  return `${count}: ${where}${inner === undefined ? "" : `; the data of each is in its "${inner}"`}`;
}

function tableName(format: Value): string {
  if (!isObject(format)) return String(format).toUpperCase();
  return `${String(format.type).toUpperCase()} with ${JSON.stringify(format.delimiter)} between its fields`;
}
