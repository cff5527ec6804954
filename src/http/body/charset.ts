import { TextDecoder } from "node:util";
import { SpileError } from "../../core/errors.ts";
import { printable } from "../../core/text/printable.ts";

/** Converts a body's bytes, chunk by chunk, to UTF-8 without a byte order mark. */
export interface Transcoder {
  /** Converts a chunk. Returns the chunk itself if nothing has to change. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

/**
 * Returns the transcoder for the charset `configured`, else for that of the Content-Type, else for UTF-8. All charsets of the
 * platform's TextDecoder are supported. Bytes that are invalid in the charset become the byte 0xff, which is invalid in UTF-8, too.
 * Throws SpileError (data) for an unknown charset.
 */
export function transcoder(contentType: string | undefined, where: () => string, configured?: string): Transcoder {
  const charset = (configured ?? charsetOf(contentType) ?? "utf-8").toLowerCase();
  const make = makerOf(charset);
  if (make === utf8OrUtf16) return utf8OrUtf16();
  const charsetTranscoder = make?.() ?? byTextDecoder(charset);
  if (charsetTranscoder !== undefined) return unlessPacked(charsetTranscoder);
  const text = `the charset "${printable(charset)}" of the Content-Type is unknown; it must be one of the Encoding standard, such as UTF-8, ISO-8859-2 or windows-1250`;
  throw new SpileError("data", `${where()}: ${text}`);
}

function charsetOf(contentType: string | undefined): string | undefined {
  return contentType === undefined ? undefined : /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1];
}

function makerOf(charset: string): (() => Transcoder) | undefined {
  return Object.hasOwn(charsets, charset) ? charsets[charset] : undefined;
}

/** Returns the fault of a configured charset; undefined if bodies in it can be read. */
export function charsetFault(charset: string): string | undefined {
  const name = charset.toLowerCase();
  if (makerOf(name) !== undefined || decoderFor(name) !== undefined) return undefined;
  return `must be a charset of the Encoding standard, such as UTF-8, ISO-8859-2 or windows-1250, not ${JSON.stringify(charset)}`;
}

/**
 * Charsets that are decoded here and not by TextDecoder, because the web's Encoding standard decodes some of them as another
 * charset (ISO-8859-1 as windows-1252).
 */
const charsets: Readonly<Record<string, () => Transcoder>> = {
  "utf-8": utf8OrUtf16,
  utf8: utf8OrUtf16,
  "us-ascii": utf8OrUtf16,
  ascii: utf8OrUtf16,
  "iso-8859-1": latin1,
  "iso8859-1": latin1,
  latin1: latin1,
  "latin-1": latin1,
  "windows-1252": windows1252,
  cp1252: windows1252,
  "utf-16": utf8OrUtf16,
  "utf-16le": () => utf16("utf16le"),
  "utf-16be": () => utf16("utf16be"),
};

/** Wraps a transcoder so that a gzip or zip body passes unchanged: the charset is that of its unpacked content. */
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

/** Returns whether a body is a gzip or a zip, by its first bytes. */
function isPacked([first, second, third, fourth]: Buffer): boolean {
  const isZip = first === 0x50 && second === 0x4b && third !== undefined && third < 9 && fourth === third + 1;
  return (first === 0x1f && second === 0x8b) || isZip;
}

/** Creates a transcoder from the platform's TextDecoder; undefined if TextDecoder does not support the charset. */
function byTextDecoder(charset: string): Transcoder | undefined {
  const decoder = decoderFor(charset);
  if (decoder === undefined) return undefined;
  // Hardly any of these charsets contains U+FFFD, so this character stands for invalid bytes.
  const encode = (text: string): Buffer => withInvalidBytes(text, "\ufffd");
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

/** Encodes `text` as UTF-8, but writes the byte 0xff, which UTF-8 never contains, for each match of `invalid`. */
function withInvalidBytes(text: string, invalid: string | RegExp): Buffer {
  const [first = "", ...rest] = text.split(invalid);
  if (rest.length === 0) return Buffer.from(first);
  return Buffer.concat([Buffer.from(first), ...rest.flatMap((piece) => [invalidByte, Buffer.from(piece)])]);
}

const invalidByte = Buffer.of(0xff);

const noBytes = Buffer.alloc(0);

/**
 * Passes UTF-8 on. Converts UTF-16 if the body begins with its byte order mark, or if one of its first two bytes is zero, which
 * JSON in UTF-8 never contains.
 */
function utf8OrUtf16(): Transcoder {
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

/** Converts UTF-16, and drops its byte order mark. A lone surrogate and an odd byte at the end are invalid. */
function utf16(order: "utf16le" | "utf16be"): Transcoder {
  /** Last bytes of the previous chunk: half a code unit, or the first of two surrogates. */
  let leftover = noBytes;
  let hasBegun = false;
  return {
    push(chunk) {
      const bytes = leftover.length === 0 ? chunk : Buffer.concat([leftover, chunk]);
      const evenLength = bytes.length - (bytes.length % 2);
      const units = unitsOf(bytes.subarray(0, evenLength), order);
      const isSplit = (units.charCodeAt(units.length - 1) & 0xfc00) === 0xd800;
      leftover = Buffer.from(bytes.subarray(isSplit ? evenLength - 2 : evenLength));
      const text = isSplit ? units.slice(0, -1) : units;
      const isMarked = !hasBegun && text.startsWith("\ufeff");
      hasBegun ||= text !== "";
      return withInvalidBytes(isMarked ? text.slice(1) : text, loneSurrogate);
    },
    end: () => (leftover.length === 0 ? noBytes : invalidByte),
  };
}

const loneSurrogate = /\p{Surrogate}/u;

function unitsOf(bytes: Buffer, order: "utf16le" | "utf16be"): string {
  return (order === "utf16le" ? bytes : Buffer.from(bytes).swap16()).toString("utf16le");
}

function latin1(): Transcoder {
  return { push: (chunk) => Buffer.from(chunk.toString("latin1")), end: () => noBytes };
}

/** The characters of windows-1252 at 0x80 to 0x9f. Its five unassigned bytes become control characters. */
const windows1252Characters = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

function windows1252(): Transcoder {
  const text = (chunk: Buffer): string =>
    chunk
      .toString("latin1")
      .replace(/[\x80-\x9f]/g, (character) => windows1252Characters[character.charCodeAt(0) - 0x80] ?? character);
  return { push: (chunk) => Buffer.from(text(chunk)), end: () => noBytes };
}
