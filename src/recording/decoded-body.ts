import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

/** The most that one body may become. */
const options = { maxOutputLength: 2 ** 30 };

const decoders: ReadonlyMap<string, (body: Buffer) => Buffer> = new Map([
  ["gzip", (body: Buffer) => gunzipSync(body, options)],
  ["x-gzip", (body: Buffer) => gunzipSync(body, options)],
  ["br", (body: Buffer) => brotliDecompressSync(body, options)],
  [
    "deflate",
    (body: Buffer) => ((body[0] ?? 0) % 16 === 8 ? inflateSync(body, options) : inflateRawSync(body, options)),
  ],
]);

/** A body without its content encoding; undefined where that is unknown, or the body is not what it says. */
export function decodedBody(body: Buffer, encoding: string): Buffer | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity" || body.length === 0) return body;
  try {
    return decoders.get(name)?.(body);
  } catch {
    return undefined;
  }
}
