import { constants, crc32, deflateRawSync } from "node:zlib";
import { zipParts } from "../helpers/zip.ts";

export type Packing = "gzip" | "zip";

/** Packs a few pieces that are used many times, so that the result also consists of shared pieces. */
export const packings: Readonly<Record<Packing, (pieces: readonly Buffer[]) => readonly Buffer[]>> = {
  gzip(pieces) {
    const { packed, crc, size } = deflated(pieces);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc);
    trailer.writeUInt32LE(size % 2 ** 32, 4);
    return [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]), ...packed, trailer];
  },
  zip: (pieces) => zipParts([{ name: "records", ...deflated(pieces) }]),
};

/** Returns one stream. A piece that ends with a full flush is independent, so equal pieces are compressed once. */
function deflated(pieces: readonly Buffer[]): { packed: readonly Buffer[]; crc: number; size: number } {
  const compressed = new Map<Buffer, Buffer>();
  const deflate = (piece: Buffer): Buffer => {
    const known = compressed.get(piece) ?? deflateRawSync(piece, { finishFlush: constants.Z_FULL_FLUSH });
    compressed.set(piece, known);
    return known;
  };
  return {
    packed: [...pieces.map(deflate), deflateRawSync(Buffer.alloc(0))],
    crc: pieces.reduce((value, piece) => crc32(piece, value), 0),
    size: pieces.reduce((sum, { length }) => sum + length, 0),
  };
}
