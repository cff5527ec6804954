import { SpileError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";

/** Turns a body's bytes, chunk by chunk, into UTF-8 without a byte order mark. */
export interface Transcoder {
  /** The chunk itself where nothing has to change. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
}

/** The transcoder for a Content-Type; UTF-8 where it names no charset. Throws SpileError (data) for an unknown one. */
export function transcoder(contentType: string | undefined, where: () => string): Transcoder {
  const charset = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType ?? "")?.[1]?.toLowerCase() ?? "utf-8";
  const make = Object.hasOwn(charsets, charset) ? charsets[charset] : undefined;
  if (make !== undefined) return make();
  throw new SpileError(
    "data",
    `${where()}: the charset "${printable(charset)}" of the Content-Type is not known; known are UTF-8, ISO-8859-1, windows-1252 and UTF-16`,
  );
}

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
  "utf-16le": () => utf16("utf-16le"),
  "utf-16be": () => utf16("utf-16be"),
};

const nothing = Buffer.alloc(0);

/** UTF-8, unless the first bytes are UTF-16: its mark, or a zero byte, which no JSON in UTF-8 begins with. */
function marked(): Transcoder {
  let start: Buffer | undefined = nothing;
  let inner: Transcoder | undefined;
  const begin = (bytes: Buffer): Buffer => {
    start = undefined;
    const [first, second, third] = bytes;
    if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) inner = utf16("utf-16le");
    else if ((first === 0xfe && second === 0xff) || first === 0) inner = utf16("utf-16be");
    else if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
    return inner === undefined ? bytes : inner.push(bytes);
  };
  return {
    push(chunk) {
      if (start === undefined) return inner === undefined ? chunk : inner.push(chunk);
      const bytes = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      if (bytes.length >= 3) return begin(bytes);
      start = bytes;
      return nothing;
    },
    end() {
      const rest = start === undefined ? nothing : begin(start);
      return inner === undefined ? rest : Buffer.concat([rest, inner.end()]);
    },
  };
}

function utf16(label: "utf-16le" | "utf-16be"): Transcoder {
  const decoder = new TextDecoder(label);
  return {
    push: (chunk) => Buffer.from(decoder.decode(chunk, { stream: true })),
    end: () => Buffer.from(decoder.decode()),
  };
}

function latin1(): Transcoder {
  return { push: (chunk) => Buffer.from(chunk.toString("latin1")), end: () => nothing };
}

/** What windows-1252 has at 0x80 to 0x9f; its five gaps stay control characters. */
const upper = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

function windows1252(): Transcoder {
  const text = (chunk: Buffer): string =>
    chunk.toString("latin1").replace(/[\x80-\x9f]/g, (character) => upper[character.charCodeAt(0) - 0x80] ?? character);
  return { push: (chunk) => Buffer.from(text(chunk)), end: () => nothing };
}
