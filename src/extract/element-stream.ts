import { isIndex, type Path } from "../core/values/path.ts";
import { closeBrace, closeBracket, colon, comma, lineFeed, openBrace, openBracket } from "./json-bytes.ts";
import { elementName, longAround, noListMisfit, nothingAt, repeatedKey, tooLongElement } from "./misfits.ts";
import { type ByteRange, findPath, isKey, isNothing, spanText } from "./raw.ts";
import { ValueEnd } from "./value-end.ts";

export interface ElementStreamOptions {
  /** Name of the data field, for messages. */
  readonly name: string;
  readonly each: readonly Path[];
  /** Number of the element, from 1. */
  readonly number: number;
  /** True if the element is a member of an object, and comes as `"key":value`. */
  readonly isMember: boolean;
  /** Paths in the element whose values `end` returns. `isBeside` must be true for each of them. */
  readonly kept: readonly Path[];
  /** Maximum number of bytes of an innermost element, and of the line that `end` returns. */
  readonly maxBytes: number;
  /** Number of bytes above which elements come in pieces, for a message. */
  readonly streamedAbove: number;
}

/** The records that end in a piece, as whole lines. */
interface FinishedRecords {
  readonly bytes: Buffer;
  readonly records: number;
}

/** A step of `each`: `*` (`name` undefined), or the name of a member or an index. */
interface Step {
  readonly name: string | undefined;
  /** Names and indexes of other values that are kept, or contain kept values. */
  readonly kept: readonly string[];
  /** Number of elements of a list up to the last one that this step chooses or keeps. */
  readonly elements: number;
}

/** The meaning of a container's value: it is on the way to the records, it is kept, or nobody reads it. */
type Role = "way" | "kept" | "other";

/**
 * A container on the way to the records. From an `object` or `array`, a name or an index chooses one value; of a `list`, every
 * element counts.
 */
interface Frame {
  readonly kind: "object" | "array" | "list";
  /** Index of the step that chooses from the container. */
  readonly level: number;
  /** Number of values that have begun; in an object, number of members in `#around`. */
  count: number;
  /** Role of the latest key of an object; undefined if a key comes next. */
  role: Role | undefined;
  /** Number of records when the key with the role `way` first came; undefined before that. */
  before: number | undefined;
}

/**
 * The use of a value or key that has begun and not ended. `record`: an innermost element. `nothing`: a scalar where a list is
 * expected; it must mean "no records".
 */
type Use = "memberKey" | "key" | "record" | "nothing" | "kept" | "other";

/**
 * Returns whether a path of an element branches off before the first list of `each`: its value neither contains this list nor is
 * inside it.
 */
export function isBeside(path: Path, each: readonly Path[]): boolean {
  const [way = []] = each;
  return path.slice(0, way.length).some((name, index) => name !== way[index]);
}

/**
 * Takes the records out of one element while it arrives. The element is compact JSON of valid grammar, in pieces that are cut
 * between characters. Memory is bounded by the longest innermost element and by the values that are kept.
 */
export class ElementStream {
  /** The reason why no more records are taken. */
  misfit: string | undefined;
  /** True if the misfit is an exceeded limit. The element has not ended then, and may be endless. */
  isOverLimit = false;
  /** JSON text of the member's key. */
  key: string | undefined;
  /** True if there is a value where `each` expects a list, even if it is no list. */
  hasList = false;
  readonly #options: ElementStreamOptions;
  readonly #steps: readonly Step[];
  /** Index of the first step that is `*`. */
  readonly #firstList: number;
  readonly #stack: Frame[] = [];
  readonly #end = new ValueEnd();
  #use: Use | undefined;
  /** Pieces of the value that has not ended, and their number of bytes. */
  #parts: Buffer[] = [];
  #size = 0;
  /** The element without its lists and without the values that nobody reads, in a buffer that grows. */
  #around = Buffer.alloc(0);
  #aroundSize = 0;
  #records = 0;
  /** The record that began in an earlier piece, as a line, and the ranges of the records that are whole in this piece. */
  #firstLine: Buffer | undefined;
  #spans: ByteRange[] = [];

  constructor(options: ElementStreamOptions) {
    this.#options = options;
    this.#steps = stepsOf(options);
    this.#firstList = this.#steps.findIndex(({ name }) => name === undefined);
  }

  write(piece: Buffer): FinishedRecords {
    for (let index = 0; index < piece.length && this.misfit === undefined; )
      index = this.#use === undefined ? this.#startToken(piece, index) : this.#continue(this.#use, piece, index);
    return this.#finishedRecords(piece);
  }

  /** Ends the element. Returns it without its lists and without the values that nobody reads; undefined if it has a misfit. */
  end(): Buffer | undefined {
    // A number or a literal ends only with the element.
    if (this.#use !== undefined) this.#finishHeld(this.#use);
    return this.misfit === undefined ? this.#around.subarray(0, this.#aroundSize) : undefined;
  }

  #startToken(piece: Buffer, index: number): number {
    const byte = piece[index];
    const frame = this.#stack.at(-1);
    if (byte === colon) return index + 1;
    if (byte === comma) {
      if (frame !== undefined) frame.role = undefined;
      return index + 1;
    }
    if (byte === closeBrace || byte === closeBracket) {
      this.#stack.pop();
      if (frame !== undefined && frame.level <= this.#firstList) this.#keep(piece.subarray(index, index + 1));
      return index + 1;
    }
    if (frame === undefined && this.#options.isMember && this.key === undefined)
      return this.#start("memberKey", piece, index);
    if (frame?.kind === "object" && frame.role === undefined) return this.#start("key", piece, index);
    return this.#startValue(frame, piece, index);
  }

  #startValue(frame: Frame | undefined, piece: Buffer, index: number): number {
    if (frame === undefined) return this.#follow(0, piece, index);
    const { kind, level } = frame;
    if (kind === "object") return this.#startIn(frame.role ?? "other", level, piece, index);
    frame.count += 1;
    if (kind === "list") return this.#follow(level + 1, piece, index);
    const step = this.#steps[level];
    const role = roleOf(step, (name) => name === String(frame.count - 1));
    if (level <= this.#firstList && frame.count <= (step?.elements ?? 0)) {
      if (frame.count > 1) this.#keep(commaBytes);
      if (role === "other") this.#keep(standIn);
    }
    return this.#startIn(role, level, piece, index);
  }

  #startIn(role: Role, level: number, piece: Buffer, index: number): number {
    return role === "way" ? this.#follow(level + 1, piece, index) : this.#start(role, piece, index);
  }

  /** Starts the value from which the step at `level` chooses, or an innermost element. */
  #follow(level: number, piece: Buffer, index: number): number {
    const step = this.#steps[level];
    if (step === undefined) return this.#start("record", piece, index);
    const { name } = step;
    const first = piece[index];
    if (name === undefined) {
      this.hasList = true;
      if (first === openBracket) return this.#open("list", level, piece, index);
      if (first === openBrace) this.misfit = this.#noList(first);
      if (level <= this.#firstList) this.#keep(standIn);
      return this.#start("nothing", piece, index);
    }
    if (first === openBrace) return this.#open("object", level, piece, index);
    if (first === openBracket && step.elements > 0) return this.#open("array", level, piece, index);
    if (level <= this.#firstList) this.#keep(standIn);
    return this.#start("other", piece, index);
  }

  #open(kind: Frame["kind"], level: number, piece: Buffer, index: number): number {
    this.#stack.push({ kind, level, count: 0, role: undefined, before: undefined });
    if (level <= this.#firstList) this.#keep(piece.subarray(index, index + 1));
    return index + 1;
  }

  #start(use: Use, piece: Buffer, index: number): number {
    this.#use = use;
    this.#end.begin(piece[index]);
    return index;
  }

  /** Continues to read a value or key, from its beginning or from the beginning of a piece. */
  #continue(use: Use, piece: Buffer, start: number): number {
    const found = this.#end.find(piece, start);
    const end = found < 0 ? piece.length : found;
    if (use === "kept") this.#keep(piece.subarray(start, end));
    else if (use !== "other" && (found < 0 || this.#parts.length > 0)) this.#hold(use, piece.subarray(start, end));
    if (found < 0 || this.misfit !== undefined) return end;
    this.#use = undefined;
    if (this.#parts.length === 0) this.#finish(use, piece, { start, end });
    else this.#finishHeld(use);
    return end;
  }

  #finishHeld(use: Use): void {
    const bytes = Buffer.concat([...this.#parts, lineFeedBytes]);
    this.#parts = [];
    this.#size = 0;
    this.#finish(use, bytes, { start: 0, end: bytes.length - 1 });
  }

  #hold(use: Use, part: Buffer): void {
    const { maxBytes } = this.#options;
    this.#size += part.length;
    this.#parts.push(part);
    if (this.#size <= maxBytes) return;
    this.misfit = use === "nothing" ? this.#noList(this.#parts[0]?.[0]) : tooLongElement(this.#place(), maxBytes);
    this.isOverLimit = true;
    this.#parts = [];
  }

  /**
   * Handles a value or key that has ended. `bytes`: the piece, or all bytes of a value that came in several pieces, as a line.
   */
  #finish(use: Use, bytes: Buffer, range: ByteRange): void {
    if (use === "record") this.#takeRecord(bytes, range);
    else if (use === "key") this.#takeKey(bytes, range);
    else if (use === "memberKey") {
      this.key = spanText(bytes, range);
      this.#keep(bytes.subarray(range.start, range.end), colonBytes);
    } else if (use === "nothing" && !isNothing(spanText(bytes, range))) {
      this.misfit = this.#noList(bytes[range.start]);
    }
  }

  #takeRecord(bytes: Buffer, range: ByteRange): void {
    const { maxBytes, each } = this.#options;
    const path = each.at(-1) ?? [];
    const found = path.length === 0 ? range : findPath(bytes, path, range.start);
    if (range.end - range.start > maxBytes) this.misfit = tooLongElement(this.#place(), maxBytes);
    else if (found === undefined) this.misfit = nothingAt(this.#place(), path);
    if (this.misfit !== undefined || found === undefined) return;
    this.#records += 1;
    // A record that began in an earlier piece comes in a buffer that ends with a line feed. It can only be the first of a piece.
    if (bytes[range.end] === lineFeed) this.#firstLine = found === range ? bytes : linesOf(bytes, [found]);
    else this.#spans.push(found);
  }

  #takeKey(bytes: Buffer, key: ByteRange): void {
    const frame = this.#stack.at(-1);
    if (frame === undefined) return;
    const step = this.#steps[frame.level];
    frame.role = roleOf(step, (name) => isKey(bytes, key, name));
    if (frame.role === "way") {
      // The last of equal keys counts, but records that were handed out cannot be taken back.
      if (frame.before !== undefined && this.#records > frame.before)
        this.misfit = repeatedKey(this.#place(), step?.name ?? "", this.#options.streamedAbove);
      frame.before ??= this.#records;
    }
    if (frame.role === "other" || frame.level > this.#firstList) return;
    if (frame.count > 0) this.#keep(commaBytes);
    frame.count += 1;
    this.#keep(bytes.subarray(key.start, key.end), colonBytes);
  }

  /** Adds bytes to `#around`. */
  #keep(...parts: readonly Buffer[]): void {
    for (const part of parts) {
      const size = this.#aroundSize + part.length;
      if (size > this.#around.length) this.#around = Buffer.concat([this.#around], 2 * size);
      part.copy(this.#around, this.#aroundSize);
      this.#aroundSize = size;
    }
    if (this.#aroundSize <= this.#options.maxBytes) return;
    this.misfit ??= longAround(this.#place(), this.#options.maxBytes);
    this.isOverLimit = true;
  }

  #finishedRecords(piece: Buffer): FinishedRecords {
    const [first, spans] = [this.#firstLine, this.#spans];
    this.#firstLine = undefined;
    this.#spans = [];
    const rest = linesOf(piece, spans);
    if (first === undefined) return { bytes: rest, records: spans.length };
    return { bytes: spans.length === 0 ? first : Buffer.concat([first, rest]), records: spans.length + 1 };
  }

  /** Returns the name of the current element for a message: of the whole element, or of an element of its inner lists. */
  #place(): string {
    const { name, each, number } = this.#options;
    const numbers = this.#stack.filter(({ kind }) => kind === "list").map(({ count }) => count);
    return elementName(name, each, [number, ...numbers]);
  }

  /** Returns the misfit of a value where a list is expected. */
  #noList(first: number | undefined): string {
    const lists = this.#stack.filter(({ kind }) => kind === "list").length;
    return noListMisfit(this.#place(), first, this.#options.each[lists] ?? []);
  }
}

const commaBytes = Buffer.from(",");
const colonBytes = Buffer.from(":");
const lineFeedBytes = Buffer.from("\n");
/** Replaces a value that nobody reads. */
const standIn = Buffer.from("0");

/** Returns the steps of `each` up to its last `*`. */
function stepsOf({ each, kept }: Pick<ElementStreamOptions, "each" | "kept">): readonly Step[] {
  return each.slice(0, -1).flatMap((path, list): Step[] => [
    ...path.map((name, depth): Step => {
      const keptBelow =
        list > 0 ? [] : kept.filter((one) => path.slice(0, depth).every((step, index) => step === one[index]));
      const others = keptBelow.flatMap((one) => one[depth] ?? []).filter((other) => other !== name);
      const indexes = [name, ...others].filter(isIndex).map(Number);
      return { name, kept: others, elements: Math.max(-1, ...indexes) + 1 };
    }),
    { name: undefined, kept: [], elements: 0 },
  ]);
}

function roleOf(step: Step | undefined, isNamed: (name: string) => boolean): Role {
  if (step?.name !== undefined && isNamed(step.name)) return "way";
  return step?.kept.some(isNamed) === true ? "kept" : "other";
}

/** Copies ranges of a buffer as lines into a new buffer of exactly their size, since the lines may be kept for long. */
export function linesOf(bytes: Buffer, spans: readonly ByteRange[]): Buffer {
  const size = spans.reduce((sum, { start, end }) => sum + end - start + 1, 0);
  const result = Buffer.allocUnsafeSlow(size);
  let index = 0;
  for (const { start, end } of spans) {
    index += bytes.copy(result, index, start, end);
    result[index] = lineFeed;
    index += 1;
  }
  return result;
}
