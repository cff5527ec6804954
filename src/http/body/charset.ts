import { TextDecoder } from "node:util";
import { SpileError } from "../../core/errors.ts";
import { printable } from "../../core/text/printable.ts";

/** Turns a body's bytes, chunk by chunk, into UTF-8 without a byte order mark. */
export interface Transcoder {
  /** The chunk itself where nothing has to change. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

/**
 * Returns the transcoder for a Content-Type, of any charset that the platform's TextDecoder has; UTF-8 if it names none.
 * `configured` overrides the charset of the Content-Type. Bytes that mean nothing in the charset come out as a byte that UTF-8
 * does not have. Throws SpileError (data) for an unknown charset.
 */
export function transcoder(contentType: string | undefined, where: () => string, configured?: string): Transcoder {
  const charset = (configured ?? charsetOf(contentType) ?? "utf-8").toLowerCase();
  const make = makerOf(charset);
  if (make === marked) return marked();
  const made = make?.() ?? byTextDecoder(charset);
  if (made !== undefined) return unlessPacked(made);
  const text = `the charset "${printable(charset)}" of the Content-Type is unknown; it must be one of the Encoding standard, such as UTF-8, ISO-8859-2 or windows-1250`;
  throw new SpileError("data", `${where()}: ${text}`);
}

function charsetOf(contentType: string | undefined): string | undefined {
  return contentType === undefined ? undefined : /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

function makerOf(charset: string): (() => Transcoder) | undefined {
  return Object.hasOwn(charsets, charset) ? charsets[charset] : undefined;
}

/** Returns the fault of a configured charset. Undefined: bodies in it can be read. */
export function charsetFault(charset: string): string | undefined {
  const name = charset.toLowerCase();
  if (makerOf(name) !== undefined || decoderFor(name) !== undefined) return undefined;
  return `must be a charset of the Encoding standard, such as UTF-8, ISO-8859-2 or windows-1250, not ${JSON.stringify(charset)}`;
}

/** Charsets taken by their names, where the web's standard replaces one charset by another. */
const charsets: Readonly<Record<string, () => Transcoder>> = {
  "utf-8": marked,
  utf8: marked,
  "us-ascii": marked,
  ascii: marked,
  "iso-8859-1": latin1,
  "iso8859-1": latin1,
  latin1: latin1,
  "latin-1": latin1,
  "windows-1252": windows1252,
  cp1252: windows1252,
  "utf-16": marked,
  "utf-16le": () => utf16("utf16le"),
  "utf-16be": () => utf16("utf16be"),
};

/** A gzip or a zip that is served as a file has no charset until it is unpacked. */
function unlessPacked(inner: Transcoder): Transcoder {
  let start: Buffer | undefined = noBytes;
  let packed = false;
  const begin = (bytes: Buffer): Buffer => {
    start = undefined;
    packed = isPacked(bytes);
    return packed ? bytes : inner.push(bytes);
  };
  return {
    push(chunk) {
      if (start === undefined) return packed ? chunk : inner.push(chunk);
      const bytes = Buffer.concat([start, chunk]);
      if (bytes.length >= 4) return begin(bytes);
      start = bytes;
      return noBytes;
    },
    end() {
      const rest = start === undefined ? noBytes : begin(start);
      return packed ? rest : Buffer.concat([rest, inner.end()]);
    },
  };
}

/** By its first bytes: a gzip, or a zip. */
function isPacked([first, second, third, fourth]: Buffer): boolean {
  const isZip = first === 0x50 && second === 0x4b && third !== undefined && third < 9 && fourth === third + 1;
  return (first === 0x1f && second === 0x8b) || isZip;
}

/** The platform's own; undefined for a charset that it does not know. */
function byTextDecoder(charset: string): Transcoder | undefined {
  const decoder = decoderFor(charset);
  if (decoder === undefined) return undefined;
  // Hardly any of these charsets can say U+FFFD: it stands for bytes that mean nothing.
  const encode = (text: string): Buffer => withoutMeaning(text, "\ufffd");
  return {
    push: (chunk) => encode(decoder.decode(chunk, { stream: true })),
    end: () => encode(decoder.decode()),
  };
}

function decoderFor(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

/** `text` as UTF-8, the byte 0xff, which no UTF-8 has, in the place of each `mark`. */
function withoutMeaning(text: string, mark: string | RegExp): Buffer {
  const [first = "", ...rest] = text.split(mark);
  if (rest.length === 0) return Buffer.from(first);
  return Buffer.concat([Buffer.from(first), ...rest.flatMap((piece) => [meaningless, Buffer.from(piece)])]);
}

const meaningless = Buffer.of(0xff);

const noBytes = Buffer.alloc(0);

/** UTF-8, unless the first bytes are UTF-16: its mark, or a zero byte, which no JSON in UTF-8 begins with. */
function marked(): Transcoder {
  let start: Buffer | undefined = noBytes;
  let inner: Transcoder | undefined;
  const begin = (bytes: Buffer): Buffer => {
    start = undefined;
    const [first, second, third] = bytes;
    if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) inner = utf16("utf16le");
    else if ((first === 0xfe && second === 0xff) || first === 0) inner = utf16("utf16be");
    else if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
    return inner === undefined ? bytes : inner.push(bytes);
  };
  return {
    push(chunk) {
      if (start === undefined) return inner === undefined ? chunk : inner.push(chunk);
      const bytes = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      if (bytes.length >= 3) return begin(bytes);
      start = bytes;
      return noBytes;
    },
    end() {
      const rest = start === undefined ? noBytes : begin(start);
      return inner === undefined ? rest : Buffer.concat([rest, inner.end()]);
    },
  };
}

/** Code units of two bytes, without the mark that may begin them; half a pair, and half a unit at the end, mean nothing. */
function utf16(order: "utf16le" | "utf16be"): Transcoder {
  /** The bytes, or the first half of a pair, that the next chunk completes. */
  let left = noBytes;
  let begun = false;
  return {
    push(chunk) {
      const bytes = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
      const whole = bytes.length - (bytes.length % 2);
      const units = unitsOf(bytes.subarray(0, whole), order);
      const isSplit = (units.charCodeAt(units.length - 1) & 0xfc00) === 0xd800;
      left = Buffer.from(bytes.subarray(isSplit ? whole - 2 : whole));
      const text = isSplit ? units.slice(0, -1) : units;
      const isMarked = !begun && text.startsWith("\ufeff");
      begun ||= text !== "";
      return withoutMeaning(isMarked ? text.slice(1) : text, loneSurrogate);
    },
    end: () => (left.length === 0 ? noBytes : meaningless),
  };
}

const loneSurrogate = /\p{Surrogate}/u;

function unitsOf(bytes: Buffer, order: "utf16le" | "utf16be"): string {
  return (order === "utf16le" ? bytes : Buffer.from(bytes).swap16()).toString("utf16le");
}

function latin1(): Transcoder {
  return { push: (chunk) => Buffer.from(chunk.toString("latin1")), end: () => noBytes };
}

/** The characters of windows-1252 at 0x80 to 0x9f; its five gaps stay control characters. */
const upper = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

function windows1252(): Transcoder {
  const text = (chunk: Buffer): string =>
    chunk.toString("latin1").replace(/[\x80-\x9f]/g, (character) => upper[character.charCodeAt(0) - 0x80] ?? character);
  return { push: (chunk) => Buffer.from(text(chunk)), end: () => noBytes };
}
