import { type ChooseCompression, compressions, decompressWhole } from "../core/decompression.ts";
import { SpileError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";

const encodings: ReadonlyMap<string, ChooseCompression> = new Map([
  ...Object.entries(compressions),
  ["x-gzip", compressions.gzip],
]);

/** Words that servers and stores write into Content-Encoding although the body is as it is. */
const noEncodings: ReadonlySet<string> = new Set(["", "identity", "none", "binary", "utf-8", "utf8", "aws-chunked"]);

/** Returns how to decode a Content-Encoding; undefined for none. Throws SpileError (data) for an unknown one. */
export function compressionOf(encoding: string | undefined, where: () => string): ChooseCompression | undefined {
  if (encoding === undefined) return undefined;
  const [name, ...more] = namesIn(encoding);
  if (name === undefined) return undefined;
  const found = encodings.get(name);
  if (found !== undefined && more.length === 0) return found;
  throw new SpileError(
    "data",
    `${where()}: the Content-Encoding "${printable(encoding)}" is not known; gzip, deflate and br are asked for (a configured Accept-Encoding is sent as it is)`,
  );
}

/** Does a Content-Encoding say that the body is compressed, in a known way or not? */
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
 * Decodes a whole body by its Content-Encoding. Returns undefined where the encoding is not known, or the body is not what
 * it says, or becomes longer than `maxBytes`.
 */
export function decodedWhole(body: Buffer, encoding: string | undefined, maxBytes: number): Buffer | undefined {
  try {
    const choose = compressionOf(encoding, () => "");
    return choose === undefined ? body : decompressWhole(body, choose, maxBytes);
  } catch {
    return undefined;
  }
}
