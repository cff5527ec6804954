import type { Request } from "../requests/request.ts";
import type { Path } from "../values/path.ts";
import { isNumber, isObject, plainText, type Value } from "../values/value.ts";

/** A value at a watched path of a response. */
export interface Watched {
  readonly type: "null" | "boolean" | "number" | "string" | "array" | "object";
  /**
   * A scalar as written (a string decoded, a number by its digits, true, false, null); of an array or object its JSON
   * text, or "" where that is longer than a watched value may be.
   */
  readonly text: string;
  /** An array or object without members, or a string without characters. */
  readonly empty: boolean;
}

/** A value that was parsed, as what stands at a watched path. */
export function watchedOf(value: Value): Watched {
  const text = plainText(value);
  if (value === null) return { type: "null", text, empty: false };
  if (isNumber(value)) return { type: "number", text, empty: false };
  if (Array.isArray(value)) return { type: "array", text, empty: value.length === 0 };
  if (isObject(value)) return { type: "object", text, empty: Object.keys(value).length === 0 };
  return { type: typeof value === "string" ? "string" : "boolean", text, empty: value === "" };
}

/** The key of a watched path in `PageSummary.watched`. */
export function watchKey(path: Path): string {
  return JSON.stringify(path);
}

/** A field beside the records that may tell of more of them, or that the request went wrong. */
export interface Evidence {
  readonly path: Path;
  /** The text of a list or object may be cut: what stands behind its first few thousand bytes is not told. */
  readonly value: Watched;
}

/** Top-level fields of one record of a sample, each with its JSON text as it came. */
export interface SampledFields {
  readonly values: ReadonlyMap<string, string>;
  /** The sample holds the record to its end. */
  readonly whole: boolean;
}

/** The first records of a page, by which two pages are compared. Kept in memory only. */
export interface RecordSample {
  /** When the answer came, in milliseconds. */
  readonly time: number;
  /** Number of records of the page, those that are not in the sample included. */
  readonly records: number;
  /** Fields of the record at `index`; undefined if it is not an object, or not in the sample. */
  fieldsAt(index: number): SampledFields | undefined;
}

/** Identity of a record: its field `id` or the like, as it came, and a digest of the whole. */
export interface RecordKey {
  readonly id: string | undefined;
  readonly line: string;
}

/** Keys of a page's records under `--unique`. */
export interface PageKeys {
  /** Digest of the keys in order. */
  readonly digest: string;
  /** At least one record of the page was written. */
  readonly isNew: boolean;
}

/** Most records of a page that are sampled. */
export const mostSampled = 100;

/** The end of a page, as the extractor reports it to the source. */
export interface PageSummary {
  /** All records of the page, before any filter: paging counts these. */
  readonly records: number;
  /** Bytes of the body after decoding. */
  readonly bytes: number;
  /** Number of bytes without the white space between the tokens of JSON, if `Scroll.volume` wants it (contract C-6.9). */
  readonly volume?: number | undefined;
  /** The address that answered (unmasked), after redirects: relative next-page addresses resolve against it. */
  readonly url: string;
  /** Why the configuration ends the job at this page, whatever else the page says: the reason of its end. */
  readonly ruled?: string | undefined;
  /** `document`: a JSON document. `empty`: no body, or white space. `tolerated`: an error status in ignoreErrors. */
  readonly ended: "document" | "empty" | "tolerated";
  readonly status: number;
  /** Values at the watched paths that exist, by `watchKey`. */
  readonly watched: ReadonlyMap<string, Watched>;
  /** Values at the paths wanted of the last record that exist, by `watchKey`. */
  readonly last: ReadonlyMap<string, Watched>;
  readonly evidence: readonly Evidence[];
  /** The request as paging made it, without the credentials that are added later; undefined where it is not known. */
  readonly request?: Request | undefined;
  /** Path of the records in the document; undefined if it is not known. */
  readonly dataPath?: Path | undefined;
  /** Names of the response's headers. */
  readonly headerNames?: readonly string[] | undefined;
  /** A response header by its name in any case; several of one name are joined by ", ". */
  header(name: string): string | undefined;
  /** The beginning of the document, if it may report a failure. */
  readonly beginning: string | undefined;
  /** A clause that makes the job's end suspect, whatever else the page says. */
  readonly doubt?: string | undefined;
  /** The page is one record that is no element of a list. */
  readonly single: boolean;
  /** The records are in ascending order of the job's increment, and the last one is greater than the first. */
  readonly ascending?: boolean | undefined;
  /** Records of the page that `--unique` has dropped. */
  readonly dropped: number;
  /** Digest of the page's lines; equal digests are equal records. */
  readonly digest: string;
  /** The first records, if `Scroll.sampled` wants them. */
  readonly sample?: RecordSample | undefined;
  /** Keys of the records; only with `--unique`, and if each record has one. */
  readonly keys?: PageKeys | undefined;
  /** Identity of each record of the page, if `Scroll.probes` wants it; for a long page those of the first and of the last ones. */
  readonly recordKeys?: readonly RecordKey[] | undefined;
  /** The page's first record is one of the page before it. */
  readonly overlaps?: boolean;
  /**
   * Present on the first page after a resume. The place or the answers to steps that led to it are as old as the interruption.
   */
  readonly resumed?: "place" | "answers";
  /** A remark on its records, which paging makes a warning of. */
  readonly notice?: string | undefined;
  /** The data field was found (null and [] are found). */
  readonly found: boolean;
  /** Dotted path of another array of objects, where the data field was not found. */
  readonly elsewhere: string | undefined;
  /** Smallest and greatest number at `Scroll.recordKey` over the page's records, as digits. */
  readonly extremes: { readonly minimum: string; readonly maximum: string } | undefined;
}

/** Verdict of a job (contract P5). */
export interface Verdict {
  readonly kind: "complete" | "limited" | "suspect";
  /** One sentence for people; for `suspect` with the numbers and the remedy. */
  readonly reason: string;
  /** The total the API reported, where one is known. */
  readonly expected?: number;
  /** The configuration says that an answer such as the last one is an end. */
  readonly isRuled?: boolean;
  /** The reason without its doubt, if that doubt is that the place from which the job was resumed may have expired. */
  readonly expired?: string;
  /** `limited` by the command line (`--max-*`), not by the configuration: the state's time does not advance. */
  readonly byCommand?: boolean;
}
