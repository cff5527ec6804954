import { isUtf8 } from "node:buffer";
import type { Watched } from "../core/runs/page.ts";
import { isIndex, type Path, pathText } from "../core/values/path.ts";
import type { ReaderOptions } from "./document-options.ts";
import { isBeside } from "./element-stream.ts";
import { DataFault } from "./fault.ts";
import type { WatchedWithin } from "./interest.ts";
import { lineFeed } from "./json-bytes.ts";
import { listWithin } from "./list-within.ts";
import type { LongLines } from "./scanner.ts";
import { type ElementSource, hasInnerLists, type Selected, Selector, type StreamingOptions } from "./selection.ts";
import { type WatchLines, watchLines } from "./within.ts";

/**
 * Receives the lines of a document's scanner, reads the watched values in them, and emits the records. A line is a record, or an
 * element that contains records.
 */
export class ScannedLines {
  readonly selector: Selector | undefined;
  /** True if bytes that were not UTF-8 became U+FFFD. */
  invalidUtf8 = false;
  /** Name of the only list of objects in the record, if the data field is a single record and not a list. */
  listWithin: string | undefined;
  readonly #options: ReaderOptions;
  #kind: ElementSource = "records";
  #watch: WatchLines | undefined;
  #streaming: StreamingOptions = { isMember: false, kept: [], above: 0 };

  constructor(options: ReaderOptions) {
    const { dataField = [], selection, maxRecordBytes } = options;
    this.#options = options;
    this.selector = selection && new Selector(selection, pathText(dataField) || ".", maxRecordBytes);
  }

  /**
   * Starts to read lines of this kind. `watched`: the watched paths, relative to the value that holds the lines; their values are
   * added to `found`. Returns the way in which long lines are split into pieces; undefined if each line comes whole.
   */
  begin(kind: ElementSource, watched: readonly WatchedWithin[], found: Map<string, Watched>): LongLines | undefined {
    const { selection, elementPaths, maxStringBytes, maxHeldElementBytes } = this.#options;
    this.#kind = kind;
    this.#watch = watchLines(watched, kind, maxStringBytes, found);
    if (!hasInnerLists(selection) || (kind === "record" && selection?.values === true)) return undefined;
    const keptPaths = [...elementPaths, ...watched.flatMap(({ path }) => inElement(path, kind))];
    // An element must come whole if another path leads to a list of `each`, or into one.
    if (!keptPaths.every((path) => isBeside(path, selection?.each ?? []))) return undefined;
    this.#streaming = { isMember: kind === "members", kept: keptPaths, above: maxHeldElementBytes };
    return { above: maxHeldElementBytes, piece: (bytes) => this.#piece(bytes) };
  }

  /** Takes whole lines. If pieces of a line came before, the first line is the end of that line. */
  take(bytes: Buffer, records: number): void {
    const { selector } = this;
    if (selector?.isStreaming !== true) {
      this.#takeWhole(this.#valid(bytes), records);
      return;
    }
    const end = bytes.indexOf(lineFeed);
    this.#piece(bytes.subarray(0, end));
    const { line, selected } = selector.endPieces();
    if (line !== undefined) this.#watch?.(Buffer.concat([line, newLine]), 1);
    this.#emit(selected);
    if (end + 1 < bytes.length) this.#takeWhole(this.#valid(bytes.subarray(end + 1)), records - 1);
  }

  /** Reads the watched values of a line that is not emitted. */
  watch(line: string): void {
    this.#watch?.(Buffer.from(line), 1);
  }

  #piece(bytes: Buffer): void {
    const { selector } = this;
    if (selector === undefined) return;
    this.#emit(selector.takePiece(this.#valid(bytes), this.#streaming));
    if (selector.isOverLimit && selector.misfit !== undefined) throw new DataFault(selector.misfit);
  }

  #takeWhole(lines: Buffer, records: number): void {
    this.#watch?.(lines, records);
    if (this.selector !== undefined) {
      const selected = this.selector.select(lines, this.#kind);
      if (selected.elements > 0) this.#emit(selected);
      return;
    }
    if (this.#kind === "record") this.listWithin = listWithin(lines);
    this.#options.lines(lines, records);
  }

  #emit({ bytes, records, origin }: Selected): void {
    this.#options.lines(bytes, records, origin);
  }

  #valid(bytes: Buffer): Buffer {
    if (isUtf8(bytes)) return bytes;
    this.invalidUtf8 = true;
    return Buffer.from(bytes.toString("utf8"));
  }
}

const newLine = Buffer.from("\n");

/** Returns a list with the part of a watched path inside an element; an empty list if the path leads into none. */
function inElement([first, ...rest]: Path, kind: ElementSource): readonly Path[] {
  if (kind === "record") return [first === undefined ? [] : [first, ...rest]];
  if (first === undefined || (kind === "records" && !isIndex(first))) return [];
  return [rest];
}
