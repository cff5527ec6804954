import type { Remedies } from "../core/field-name.ts";
import type { Evidence, Watched } from "../core/page.ts";
import type { Path } from "../core/path.ts";
import type { ElementOrigin, Selection } from "./selection.ts";

/** Limits against hostile bodies (contract C-7.6). */
export const defaultLimits = {
  maxDepth: 1024,
  maxRecordBytes: 256 * 1024 * 1024,
  maxStringBytes: 1024 * 1024,
} as const;

export interface DocumentOptions {
  /** Where the records stand; the empty path is the whole response; undefined: found by auto-detection (contract C-7.3). */
  readonly dataField: Path | undefined;
  /** undefined: what stands at the data field is the records as C-7.2 says. */
  readonly selection?: Selection | undefined;
  /** Paths whose values the summary tells. */
  readonly watch: readonly Path[];
  /** Look for evidence of more (contract C-6.11)? */
  readonly evidence: boolean;
  /** Levels of nesting in the whole response, up to `deepestNesting` of `core/quantities.ts`. */
  readonly maxDepth?: number;
  readonly maxRecordBytes?: number;
  /** The longest key around the records, and the longest watched value. */
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
 * Takes whole lines of valid UTF-8, in a buffer of their own of about 192 KiB, how many they are, and where there is a
 * selection what they were taken out of.
 */
export type RecordLines = (bytes: Buffer, records: number, origin?: ElementOrigin) => void;

export interface DocumentSummary {
  /** There was nothing but white space. */
  readonly empty: boolean;
  readonly records: number;
  /** Bytes read. */
  readonly bytes: number;
  /** The same without the white space between the tokens of JSON, where that is counted. */
  readonly volume?: number;
  /** Why an element gives no record. The lines are those before it. */
  readonly misfit: string | undefined;
  /** Does the data field exist? null, false and [] do. In auto-detection: was there an array? */
  readonly found: boolean;
  /** Dotted path of an array of objects, where the data field was not found; "." is the response itself. */
  readonly elsewhere: string | undefined;
  readonly watched: ReadonlyMap<string, Watched>;
  readonly evidence: readonly Evidence[];
  /** Where the records stand: the data field, or the list that was found. */
  readonly dataPath?: Path | undefined;
  /** How a document begins that has something beside the records; only with `evidence`. */
  readonly beginning: string | undefined;
  /** Is the page one record that is no element of a list? */
  readonly single: boolean;
  /** Name of the only list of objects in such a record. */
  readonly listWithin: string | undefined;
  /** Bytes that were not UTF-8 became U+FFFD. */
  readonly invalidUtf8: boolean;
  /** The whole body, where it should be lines or a table and is a single JSON object. */
  readonly lone?: string | undefined;
}

/** What a body tells beside its records that has nothing beside them. */
export const noEnvelope = {
  misfit: undefined,
  elsewhere: undefined,
  watched: new Map<string, Watched>(),
  evidence: [],
  beginning: undefined,
  single: false,
  listWithin: undefined,
} as const;
