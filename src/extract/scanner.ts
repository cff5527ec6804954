import { scannerModule } from "../generated/scanner.ts";

/** Result of a scan. `more`: the input is used up. `done`: the value, the array of records or the object of records has ended. */
export type ScanState = "more" | "done" | "broken" | "too deep" | "too long";

/**
 * A byte scanner in WebAssembly. It checks the JSON grammar, but not UTF-8. It copies each record to a line, without the white
 * space outside of strings. The input may be cut anywhere.
 */
export interface Scanner {
  /** Starts a document and drops all lines. `maxLineBytes`: maximum number of bytes of a line. */
  reset(maxLineBytes: number): void;
  /**
   * Declares the content that follows: an array of records or the members of an object, whose bracket has been read; one
   * value; or lines with one value each. A member becomes the line `"key":value`. `keep`: false to check the input only.
   * `levels`: maximum number of levels to which values may nest. `long`: receives long lines in pieces; without it, each line comes
   * whole.
   */
  begin(next: Content, keep: boolean, levels: number, long?: LongLines): void;
  /**
   * Reads `chunk` from `start`. Afterwards, `position` is the index up to which it was read, or the index of the wrong byte. The
   * scanner recognises a chunk by its identity, so a Buffer must not be reused for other content.
   */
  scan(chunk: Buffer, start: number): ScanState;
  readonly position: number;
  /** Number of records since `begin`: elements of the array, members of the object, lines, or the one value. */
  readonly records: number;
  /** True if an element of the array, or a line, was an object. Not set for `value` and `members`. */
  readonly objects: boolean;
  /** At the end of the input: finishes the value if it is a number, which has no other sign of its end. Returns whether it did. */
  finish(): boolean;
  /** At the end of the input: finishes the last line, which may lack its line feed. Returns false if its value is not whole. */
  finishLines(): boolean;
  /** Returns the waiting whole lines as text; undefined if they have more than `maximumBytes`. */
  waiting(maximumBytes: number): string | undefined;
  /** Drops the one line that waits. */
  retract(): void;
  /** Emits the whole lines that wait. */
  flush(): void;
}

export type Content = "records" | "value" | "lines" | "members";

/** Receives whole lines in a new buffer, and the number of lines. */
export type TakeLines = (bytes: Buffer, records: number) => void;

/**
 * Receives each line of more than `above` bytes in pieces, which are cut between characters. The last piece of such a line is not
 * among them: it comes as the first of the next whole lines.
 */
export interface LongLines {
  readonly above: number;
  piece(bytes: Buffer): void;
}

interface Global {
  readonly value: number;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly staging: Global;
  readonly stagingSize: Global;
  readonly lines: Global;
  readonly linesSize: Global;
  readonly position: Global;
  readonly end: Global;
  readonly lineEnd: Global;
  readonly records: Global;
  readonly objects: Global;
  begin(outermost: number, keep: number, levels: number): void;
  reset(maxLineBytes: number): void;
  scan(from: number, to: number): number;
  settle(): void;
  spill(upTo: number): void;
  retract(length: number): void;
  endsHere(): number;
  linesEndHere(): number;
  isLastLineOpen(): number;
  finishValue(): void;
}

/** Number of bytes at which waiting lines are emitted: three reads of a socket, since a write costs more than a copy. */
const flushBytes = 196_608;
/** The contents, in the order of their numbers in the module. */
const contents: readonly Content[] = ["records", "value", "lines", "members"];
const outcomes: readonly ScanState[] = ["more", "done", "broken", "too deep", "too long"];

/** The part of WebAssembly that is used here. Node's types do not declare it. */
const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

let compiledModule: object | undefined;

/** Scanners that wait for their next document. */
const idle: { scanner: Scanner; target: { lines: TakeLines } }[] = [];
const maxIdle = 8;

function dropLines(): void {}

/** Returns a scanner that passes its lines to `lines`. `release` returns it to the pool, for another document. */
export function leaseScanner(lines: TakeLines): { scanner: Scanner; release: () => void } {
  const leased = idle.pop() ?? makeScanner();
  leased.target.lines = lines;
  let released = false;
  function release(): void {
    if (released) return;
    released = true;
    leased.target.lines = dropLines;
    if (idle.length < maxIdle) idle.push(leased);
  }
  return { scanner: leased.scanner, release };
}

function makeScanner(): { scanner: Scanner; target: { lines: TakeLines } } {
  const target: { lines: TakeLines } = { lines: dropLines };
  return { scanner: createScanner((bytes, records) => target.lines(bytes, records)), target };
}

function createScanner(lines: TakeLines): Scanner {
  compiledModule ??= new Module(Buffer.from(scannerModule, "base64"));
  const wasm = new Instance(compiledModule).exports as Exports;
  const memory = new Uint8Array(wasm.memory.buffer);
  const origin = wasm.lines.value;
  /** The chunk whose bytes from `stagedFrom` on are in the staging area. */
  let stagedChunk: Buffer | undefined;
  let stagedFrom = 0;
  let keepsLines = false;
  let position = 0;
  /** Number of records since `begin` that `waitingRecords` has included so far. */
  let countedRecords = 0;
  /** Number of records whose lines wait. */
  let waitingRecords = 0;
  /** Pieces of a line that has outgrown the module's memory. */
  let spilledPieces: Buffer[] = [];
  /** Number of bytes of this line that were taken out of the memory. */
  let spilledBytes = 0;
  let long: LongLines | undefined;

  function takeOut(end: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(end - origin);
    bytes.set(memory.subarray(origin, end));
    return bytes;
  }

  function handOut(minimumBytes: number): void {
    const lineBytes = wasm.lineEnd.value - origin;
    if (lineBytes === 0 || lineBytes < minimumBytes) return;
    const last = takeOut(wasm.lineEnd.value);
    wasm.settle();
    // `lines` is called last, so that the pieces of a long line can be freed while `lines` runs.
    const bytes = spilledPieces.length === 0 ? last : Buffer.concat([...spilledPieces, last]);
    const records = waitingRecords;
    spilledPieces = [];
    spilledBytes = 0;
    waitingRecords = 0;
    lines(bytes, records);
  }

  function count(): void {
    waitingRecords += wasm.records.value - countedRecords;
    countedRecords = wasm.records.value;
  }

  /** Makes room for input after the unfinished line, if less than half of the memory for lines is free. */
  function makeRoom(): void {
    if (wasm.end.value - origin <= wasm.linesSize.value / 2) return;
    handOut(1);
    if (wasm.end.value - origin <= wasm.linesSize.value / 2) return;
    const end = characterEnd(memory, wasm.end.value);
    spilledPieces.push(takeOut(end));
    spilledBytes += end - origin;
    wasm.spill(end);
    if (long === undefined || spilledBytes <= long.above) return;
    for (let piece = spilledPieces.shift(); piece !== undefined; piece = spilledPieces.shift()) long.piece(piece);
  }

  function keep(chunk: Buffer, start: number): number {
    position = start;
    for (;;) {
      const from = wasm.end.value;
      const size = Math.min(chunk.length - position, origin + wasm.linesSize.value - from);
      memory.set(size === chunk.length ? chunk : chunk.subarray(position, position + size), from);
      const outcome = wasm.scan(from, from + size);
      position += wasm.position.value - from;
      count();
      if (outcome > 1) return outcome;
      handOut(flushBytes);
      makeRoom();
      if (outcome === 1 || position === chunk.length) return outcome;
    }
  }

  function check(chunk: Buffer, start: number): number {
    position = start;
    const base = wasm.staging.value;
    for (;;) {
      if (stagedChunk !== chunk || position < stagedFrom || position >= stagedFrom + wasm.stagingSize.value) {
        stagedChunk = chunk;
        stagedFrom = position;
        memory.set(chunk.subarray(position, position + wasm.stagingSize.value), base);
      }
      const size = Math.min(chunk.length - stagedFrom, wasm.stagingSize.value);
      const outcome = wasm.scan(base + position - stagedFrom, base + size);
      position = stagedFrom + wasm.position.value - base;
      if (outcome > 0 || position === chunk.length) return outcome;
    }
  }

  return {
    reset(maxLineBytes) {
      wasm.reset(maxLineBytes);
      spilledPieces = [];
      spilledBytes = 0;
      long = undefined;
      stagedChunk = undefined;
      waitingRecords = 0;
    },
    begin(next, keepIt, levels, longLines) {
      keepsLines = keepIt;
      long = longLines;
      countedRecords = 0;
      wasm.begin(contents.indexOf(next), keepIt ? 1 : 0, levels);
    },
    scan: (chunk, start) => outcomes[keepsLines ? keep(chunk, start) : check(chunk, start)] ?? "broken",
    get position() {
      return position;
    },
    get records() {
      return wasm.records.value;
    },
    get objects() {
      return wasm.objects.value !== 0;
    },
    finish() {
      if (wasm.endsHere() === 0) return false;
      wasm.finishValue();
      if (keepsLines) count();
      return true;
    },
    finishLines() {
      if (wasm.linesEndHere() === 0) return false;
      if (wasm.isLastLineOpen() === 0) return true;
      wasm.finishValue();
      count();
      return true;
    },
    waiting(maximumBytes) {
      const length = wasm.lineEnd.value - origin;
      if (spilledBytes > 0 || length > maximumBytes) return undefined;
      return Buffer.from(memory.buffer, origin, length).toString("latin1");
    },
    retract() {
      wasm.retract(wasm.lineEnd.value - origin);
      waitingRecords = 0;
    },
    flush: () => handOut(1),
  };
}

/** Returns an index that is not inside a UTF-8 character: `end`, or the start of the last character if it has several bytes. */
function characterEnd(bytes: Uint8Array, end: number): number {
  for (let index = end - 1; index >= end - 3; index -= 1) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0xc0) return index;
    if (byte < 0x80) return end;
  }
  return end;
}
