import type { Remedies } from "../core/field-name.ts";
import type { Evidence, Watched } from "../core/runs/page.ts";
import type { Path } from "../core/values/path.ts";
import type { ElementOrigin, Selection, SelectionRemarks } from "./selection.ts";

/** Limits against hostile bodies (contract C-7.6). */
export const defaultLimits = {
  maxDepth: 1024,
  maxRecordBytes: 256 * 1024 * 1024,
  maxStringBytes: 1024 * 1024,
} as const;

/**
 * An element of at most this many bytes is kept whole before records are taken out of its lists, so that the last of duplicate
 * keys counts (contract C-26.1).
 */
const maxHeldElementBytes = 8 * 1024 * 1024;

export interface DocumentOptions {
  /** Path of the records. The empty path is the whole response; undefined to detect the records (contract C-7.3). */
  readonly dataField: Path | undefined;
  /** Rule for the records at the data field; undefined for the usual rule (contract C-7.2). */
  readonly selection?: Selection | undefined;
  /** Paths of the values that the receiver of `lines` reads in the last element (`ElementOrigin.last`). */
  readonly elementPaths?: readonly Path[];
  /** Paths of the values that the summary contains. */
  readonly watch: readonly Path[];
  /** True to look for evidence of more records (contract C-6.11). */
  readonly evidence: boolean;
  /** Maximum number of levels of nesting in the whole response, up to `deepestNesting` of `config/quantities.ts`. */
  readonly maxDepth?: number;
  /** Maximum number of bytes of a record, or of an innermost element if records are in lists inside the elements. */
  readonly maxRecordBytes?: number;
  /** Bytes above which an element comes in pieces, if records are in lists inside the elements. */
  readonly maxHeldElementBytes?: number;
  /** Maximum number of bytes of a key around the records, and of a watched value. */
  readonly maxStringBytes?: number;
  readonly remedies?: Remedies | undefined;
  readonly lines: RecordLines;
}

export type ReaderOptions = DocumentOptions &
  Required<Pick<DocumentOptions, keyof typeof defaultLimits | "elementPaths" | "maxHeldElementBytes">>;

export function withDefaults(options: DocumentOptions): ReaderOptions {
  const { maxDepth, maxRecordBytes, maxStringBytes } = defaultLimits;
  return {
    maxDepth: options.maxDepth ?? maxDepth,
    maxRecordBytes: options.maxRecordBytes ?? maxRecordBytes,
    maxStringBytes: options.maxStringBytes ?? maxStringBytes,
    maxHeldElementBytes: options.maxHeldElementBytes ?? maxHeldElementBytes,
    elementPaths: options.elementPaths ?? [],
    dataField: options.dataField,
    selection: options.selection,
    watch: options.watch,
    evidence: options.evidence,
    remedies: options.remedies,
    lines: options.lines,
  };
}

/**
 * Receives whole lines of valid UTF-8, in a new buffer of about 192 KiB, and the number of records. `origin`: with a selection,
 * the elements from which the records were taken; some elements may have no record.
 */
export type RecordLines = (bytes: Buffer, records: number, origin?: ElementOrigin) => void;

export interface DocumentSummary {
  /** True if the body contains only white space. For CSV and TSV: true if it has no bytes. */
  readonly empty: boolean;
  readonly records: number;
  /** Number of bytes read. */
  readonly bytes: number;
  /** Number of bytes read, without the white space between the tokens of JSON. Absent if that is not counted. */
  readonly volume?: number;
  /** The reason why an element gives no record. Only the elements before this one gave lines. */
  readonly misfit: string | undefined;
  /** Remarks on the rule `selection` of the options, if there is one. */
  readonly selection?: SelectionRemarks | undefined;
  /** True if the data field exists, even with null, false or []. If records are detected, true if there is an array. */
  readonly found: boolean;
  /** Dotted path of an array of objects, if the data field was not found; "." is the response itself. */
  readonly elsewhere: string | undefined;
  readonly watched: ReadonlyMap<string, Watched>;
  readonly evidence: readonly Evidence[];
  /** Path of the records: the data field, or the list that was detected. */
  readonly dataPath?: Path | undefined;
  /** Beginning of the document, if it is a list, an object or a string, and not itself the records. Only with `evidence`. */
  readonly beginning: string | undefined;
  /** True if the page is one record that is not an element of a list. */
  readonly single: boolean;
  /** If `single`: name of the only list of two or more objects in the record. */
  readonly listWithin: string | undefined;
  /** True if bytes that were not UTF-8 became U+FFFD. */
  readonly invalidUtf8: boolean;
  /** The whole body, if lines or a table were expected and it is a single JSON object. */
  readonly lone?: string | undefined;
}

/** The fields of a summary about the envelope, for bodies without an envelope. */
export const noEnvelope = {
  misfit: undefined,
  elsewhere: undefined,
  watched: new Map<string, Watched>(),
  evidence: [],
  beginning: undefined,
  single: false,
  listWithin: undefined,
} as const;
