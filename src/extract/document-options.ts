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

export interface DocumentOptions {
  /** Path of the records. The empty path is the whole response; undefined: found by auto-detection (contract C-7.3). */
  readonly dataField: Path | undefined;
  /** Undefined: the value at the data field gives the records, as C-7.2 says. */
  readonly selection?: Selection | undefined;
  /** Paths of the values that the summary contains. */
  readonly watch: readonly Path[];
  /** Look for evidence of more records (contract C-6.11). */
  readonly evidence: boolean;
  /** Levels of nesting in the whole response, up to `deepestNesting` of `config/quantities.ts`. */
  readonly maxDepth?: number;
  readonly maxRecordBytes?: number;
  /** Longest key around the records, and longest watched value, in bytes. */
  readonly maxStringBytes?: number;
  readonly remedies?: Remedies | undefined;
  readonly lines: RecordLines;
}

/** The options with their defaults. */
export type ReaderOptions = DocumentOptions & Required<Pick<DocumentOptions, keyof typeof defaultLimits>>;

export function withDefaults(options: DocumentOptions): ReaderOptions {
  const { maxDepth, maxRecordBytes, maxStringBytes } = defaultLimits;
  return {
    maxDepth: options.maxDepth ?? maxDepth,
    maxRecordBytes: options.maxRecordBytes ?? maxRecordBytes,
    maxStringBytes: options.maxStringBytes ?? maxStringBytes,
    dataField: options.dataField,
    selection: options.selection,
    watch: options.watch,
    evidence: options.evidence,
    remedies: options.remedies,
    lines: options.lines,
  };
}

/**
 * Receives whole lines of valid UTF-8, in a buffer of their own of about 192 KiB, and their number. With a selection,
 * `origin` is what the records were taken from; its elements may hold no record.
 */
export type RecordLines = (bytes: Buffer, records: number, origin?: ElementOrigin) => void;

export interface DocumentSummary {
  /** The body holds nothing but white space. */
  readonly empty: boolean;
  readonly records: number;
  /** Number of bytes read. */
  readonly bytes: number;
  /** Number of bytes read, without the white space between the tokens of JSON. Absent if that is not counted. */
  readonly volume?: number;
  /** The reason why an element gives no record. The lines are those before it. */
  readonly misfit: string | undefined;
  /** Remarks on the selection of records. */
  readonly selection?: SelectionRemarks | undefined;
  /** Whether the data field exists; null, false and [] count. In auto-detection: whether there is an array. */
  readonly found: boolean;
  /** Dotted path of an array of objects, if the data field was not found; "." is the response itself. */
  readonly elsewhere: string | undefined;
  readonly watched: ReadonlyMap<string, Watched>;
  readonly evidence: readonly Evidence[];
  /** Path of the records: the data field, or the list that was found. */
  readonly dataPath?: Path | undefined;
  /** The document's first bytes, if it holds something beside the records. Only with `evidence`. */
  readonly beginning: string | undefined;
  /** The page is one record that is not an element of a list. */
  readonly single: boolean;
  /** Name of the only list of objects in such a record. */
  readonly listWithin: string | undefined;
  /** Bytes that were not UTF-8 became U+FFFD. */
  readonly invalidUtf8: boolean;
  /** The whole body, if lines or a table were expected and it is a single JSON object. */
  readonly lone?: string | undefined;
}

/** The part of a summary that describes the envelope, for bodies that have none. */
export const noEnvelope = {
  misfit: undefined,
  elsewhere: undefined,
  watched: new Map<string, Watched>(),
  evidence: [],
  beginning: undefined,
  single: false,
  listWithin: undefined,
} as const;
