import { type ChooseCompression, compressions, decompressWhole } from "../../core/decompression.ts";
import { SpileError } from "../../core/errors.ts";
import { printable } from "../../core/text/printable.ts";

const encodings: ReadonlyMap<string, ChooseCompression> = new Map([
  ...Object.entries(compressions),
  ["x-gzip", compressions.gzip],
]);

/** Values of Content-Encoding that servers and object stores send although the body is not encoded. */
const noEncodings: ReadonlySet<string> = new Set(["", "identity", "none", "binary", "utf-8", "utf8", "aws-chunked"]);

/**
 * Returns the decompression for a Content-Encoding; undefined if the body is not compressed. Throws SpileError (data) for an
 * unknown encoding, and for several.
 */
export function compressionOf(encoding: string | undefined, where: () => string): ChooseCompression | undefined {
  if (encoding === undefined) return undefined;
  if (!isCompressed(encoding)) return undefined;
  const found = knownCompression(encoding);
  if (found !== undefined) return found;
  throw new SpileError(
    "data",
    `${where()}: the Content-Encoding "${printable(encoding)}" is not supported; spile asks for gzip, deflate and br, unless the configuration sets Accept-Encoding`,
  );
}

/**
 * Returns the decompression for a Content-Encoding; undefined if the body is not compressed, or is compressed in an unknown way.
 */
export function knownCompression(encoding: string | undefined): ChooseCompression | undefined {
  const [name = "", ...more] = encoding === undefined ? [] : namesIn(encoding);
  return more.length === 0 ? encodings.get(name) : undefined;
}

/** Returns whether a Content-Encoding says that the body is compressed, even in an unknown way. */
export function isCompressed(encoding: string | undefined): boolean {
  return encoding !== undefined && namesIn(encoding).length > 0;
}

function namesIn(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter((part) => !noEncodings.has(part));
}

/**
 * Decodes a whole body by its Content-Encoding. Returns undefined if the encoding is unknown, the body is not encoded that way, or
 * it becomes longer than `maxBytes`.
 */
export function decodeWhole(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer | undefined {
  try {
    const choose = compressionOf(encoding, () => "");
    return choose === undefined ? body : decompressWhole(body, choose, maxBytes);
  } catch {
    return undefined;
  }
}
