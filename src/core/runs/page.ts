import type { Request } from "../requests/request.ts";
import type { Path } from "../values/path.ts";
import { isNumber, isObject, plainText, type Value } from "../values/value.ts";

/** A value at a watched path of a response. */
export interface Watched {
  readonly type: "null" | "boolean" | "number" | "string" | "array" | "object";
  /**
   * A scalar as written (a string decoded, a number by its digits, true, false, null); the JSON text of an array or object, or ""
   * if that is longer than a watched value may be.
   */
  readonly text: string;
  /** True for an array or object without members, or a string without characters. */
  readonly empty: boolean;
}

/** Returns a parsed value in the form of a value at a watched path. */
export function watchedOf(value: Value): Watched {
  const text = plainText(value);
  if (value === null) return { type: "null", text, empty: false };
  if (isNumber(value)) return { type: "number", text, empty: false };
  if (Array.isArray(value)) return { type: "array", text, empty: value.length === 0 };
  if (isObject(value)) return { type: "object", text, empty: Object.keys(value).length === 0 };
  return { type: typeof value === "string" ? "string" : "boolean", text, empty: value === "" };
}

/** Returns the key of a watched path in `PageSummary.watched`. */
export function watchKey(path: Path): string {
  return JSON.stringify(path);
}

/** A field beside the records that may say whether there are more, or that the request failed. */
export interface Evidence {
  readonly path: Path;
  /** The text of a list or object may be cut after its first few thousand bytes. */
  readonly value: Watched;
}

/** Top-level fields of one record of a sample, each with its original JSON text. */
export interface SampledFields {
  readonly values: ReadonlyMap<string, string>;
  /** True if the sample contains the whole record. */
  readonly whole: boolean;
}

/** The first records of a page, for comparing two pages. Kept in memory only. */
export interface RecordSample {
  /** Time of the answer, in milliseconds. */
  readonly time: number;
  /** Number of records of the page, including those outside the sample. */
  readonly records: number;
  /** Fields of the record at `index`; undefined if it is not an object, or not in the sample. */
  fieldsAt(index: number): SampledFields | undefined;
}

/** Identity of a record: the original text of its field `id` or a similar one, and a digest of the whole record. */
export interface RecordKey {
  readonly id: string | undefined;
  readonly line: string;
}

/** Keys of a page's records under `--unique`. */
export interface PageKeys {
  /** Digest of the keys in order. */
  readonly digest: string;
  /** True if at least one record of the page was written. */
  readonly isNew: boolean;
}

/** A failure that a response reports although its status means success. */
export interface Failure {
  /** A clause that describes the failure. */
  readonly text: string;
  /** The condition of a rule that matches such responses and no others. Undefined if no condition can do that. */
  readonly when?: { readonly path: string; readonly is?: string | boolean };
}

/** Maximum number of records of a page that are sampled. */
export const maxSampled = 100;

/** The end of a page, as the extractor reports it to the source. */
export interface PageSummary {
  /** All records of the page, before any filter: paging counts these. */
  readonly records: number;
  /** Bytes of the body after decoding. */
  readonly bytes: number;
  /** Number of bytes without the white space between the tokens of JSON, if `Scroll.volume` wants it (contract C-6.9). */
  readonly volume?: number | undefined;
  /** The unmasked address that answered, after redirects. Relative addresses of next pages are resolved against it. */
  readonly url: string;
  /**
   * Reason of the end, if the job ends at this page by a rule of the configuration, or because all records of a feed with the newest
   * first come before the increment's start. It outweighs everything else that the page says.
   */
  readonly ruled?: string | undefined;
  /** `document`: a body with content, in any format. `empty`: no body, or white space. `tolerated`: an error status in ignoreErrors. */
  readonly ended: "document" | "empty" | "tolerated";
  readonly status: number;
  /** Values at the watched paths that exist, by `watchKey`. */
  readonly watched: ReadonlyMap<string, Watched>;
  /** Values that exist at the wanted paths of the last record, by `watchKey`. */
  readonly last: ReadonlyMap<string, Watched>;
  readonly evidence: readonly Evidence[];
  /** The request as paging made it, without credentials, which are added later; undefined if it is not known. */
  readonly request?: Request | undefined;
  /** Path of the records in the document; undefined if it is not known. */
  readonly dataPath?: Path | undefined;
  /** Names of the response's headers. */
  readonly headerNames?: readonly string[] | undefined;
  /** Returns a response header by its name in any case. Several with one name are joined by ", ". */
  header(name: string): string | undefined;
  /** The beginning of the document, if it may report a failure. */
  readonly beginning: string | undefined;
  /** A clause that makes the job's end suspect, unless the page has `ruled`. */
  readonly doubt?: string | undefined;
  /** A failure that a single JSON object reports in place of lines or a table, or as the only record. */
  readonly failure?: Failure | undefined;
  /** True if the page is one record that is not an element of a list. */
  readonly single: boolean;
  /** True if the records are in ascending order of the job's increment, and the last one is greater than the first. */
  readonly ascending?: boolean | undefined;
  /** Number of records of the page that `--unique` has dropped; 0 if they may duplicate records that paging does not count. */
  readonly dropped: number;
  /** Digest of the page's lines: two pages with equal digests have equal records. */
  readonly digest: string;
  /** The first records, if `Scroll.sampled` wants them. */
  readonly sample?: RecordSample | undefined;
  /** Keys of the records; only with `--unique`, and if each record has one. */
  readonly keys?: PageKeys | undefined;
  /** Identity of each record of the page, if `Scroll.probes` wants it; for a long page, only of the first and the last records. */
  readonly recordKeys?: readonly RecordKey[] | undefined;
  /** True if the page's first record was on the page before it. */
  readonly overlaps?: boolean;
  /**
   * Present on the first page after a resume. `place`: the page was requested from a stored place. `answers`: it was requested
   * from stored answers to steps. Both are as old as the interruption, and may have expired.
   */
  readonly resumed?: "place" | "answers";
  /** A remark on the page's records, from which paging makes a warning. */
  readonly notice?: string | undefined;
  /** True if the data field was found (null and [] count as found). */
  readonly found: boolean;
  /** Dotted path of another array of objects, if the data field was not found. */
  readonly elsewhere: string | undefined;
  /** Smallest and greatest number at `Scroll.recordKey` among the page's records, as the API wrote them. */
  readonly extremes: { readonly minimum: string; readonly maximum: string } | undefined;
}

/** Verdict of a job (contract P5). */
export interface Verdict {
  readonly kind: "complete" | "limited" | "suspect";
  /** One sentence for people; for `suspect` with the numbers and the remedy. */
  readonly reason: string;
  /** The total that the API reported, if one is known. */
  readonly expected?: number;
  /** True if the configuration treats the job's last answer as the end, not the API. */
  readonly isRuled?: boolean;
  /**
   * The reason without its doubt. Present only if the job is doubted because the place from which it was resumed may have
   * expired.
   */
  readonly expired?: string;
  /** True if the command line (`--max-*`) limited the job, not the configuration. The time of the state then does not move. */
  readonly byCommand?: boolean;
}
