import { crc32, deflateRawSync } from "node:zlib";

export interface ZipMember {
  readonly name: string;
  readonly data: Buffer;
  /** False to store the member without packing it. Default: true. */
  readonly deflated?: boolean;
  /** True to write checksum and sizes after the data, as a streaming writer does. */
  readonly described?: boolean;
  /** False to leave out the mark before this checksum. Default: true. */
  readonly marked?: boolean;
}

/** A member that is already packed, its bytes in pieces. */
export interface PackedMember extends Omit<ZipMember, "data"> {
  readonly packed: readonly Buffer[];
  readonly crc: number;
  readonly size: number;
}

/** Returns a zip of these members, with its directory. */
export function zipOf(members: readonly ZipMember[]): Buffer {
  return Buffer.concat(
    zipParts(
      members.map(({ data, ...member }) => ({
        ...member,
        packed: [member.deflated === false ? data : deflateRawSync(data)],
        crc: crc32(data),
        size: data.length,
      })),
    ),
  );
}

/** Returns a zip of members that are already packed, in parts. */
export function zipParts(members: readonly PackedMember[]): readonly Buffer[] {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, packed, crc, size, deflated = true, described = false, marked = true } of members) {
    const sums = numbers([4, crc], [4, lengthOf(packed)], [4, size]);
    const fields = [
      [2, 20],
      [2, 0x800 | (described ? 8 : 0)],
      [2, deflated ? 8 : 0],
      [4, 0],
    ] as const;
    const declaredSums = described ? Buffer.alloc(12) : sums;
    const bytes = Buffer.from(name);
    const local = [
      numbers([4, 0x04034b50], ...fields),
      declaredSums,
      numbers([2, bytes.length], [2, 0]),
      bytes,
      ...packed,
      ...(described ? [marked ? numbers([4, 0x08074b50]) : Buffer.alloc(0), sums] : []),
    ];
    directory.push(
      numbers([4, 0x02014b50], [2, 20], ...fields),
      sums,
      numbers([2, bytes.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
      bytes,
    );
    parts.push(...local);
    offset += lengthOf(local);
  }
  const count = members.length;
  const sizes = [
    [4, lengthOf(directory)],
    [4, offset],
  ] as const;
  return [...parts, ...directory, numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], ...sizes, [2, 0])];
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Returns little-endian numbers of the given widths in bytes. */
function numbers(...fields: readonly (readonly [bytes: number, value: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}
