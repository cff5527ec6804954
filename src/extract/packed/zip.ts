import { constants, crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import { printable } from "../../core/text/printable.ts";
import { CutBody, DataFault, maxNamed, nameText } from "../fault.ts";
import { border } from "./border.ts";
import { ByteQueue } from "./byte-queue.ts";

/*
 * Reads a zip while it arrives, before its end is known. Libraries either need the end first, or search the packed bytes for the
 * next member's mark and check no sums. Here a member ends where its deflate stream ends. A member that is not compressed ends
 * after its size, or at a descriptor that fits it. The size and CRC-32 are checked, and the directory at the end must list as many
 * members as came.
 */

const marks = {
  member: 0x04034b50,
  descriptor: 0x08074b50,
  directory: 0x02014b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
  end: 0x06054b50,
} as const;

interface Member {
  readonly name: string;
  readonly method: number;
  /** True if a descriptor with sum and sizes follows the data. */
  readonly hasDescriptor: boolean;
  readonly wide: boolean;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

/** The measured sum and sizes of a member's data. */
interface Measured {
  crc: number;
  packed: number;
  size: number;
}

/**
 * Unpacks the members whose names `filter` accepts, in order, with `border` between two of them. Throws CutBody if the zip
 * breaks off or a sum differs, DataFault if the zip cannot be read as a stream or no member is accepted.
 */
export async function* unzip(body: AsyncIterable<Buffer>, filter: (name: string) => boolean): AsyncGenerator<Buffer> {
  const queue = new ByteQueue(body);
  /** The first names, for the message if no member is accepted. */
  const names: string[] = [];
  let members = 0;
  let accepted = 0;
  for (;;) {
    const mark = (await queue.take(4)).readUInt32LE(0);
    // This mark may also begin a zip in several volumes.
    if (mark === marks.descriptor && members === 0) continue;
    if (mark !== marks.member) {
      await checkEnd(queue, mark, members);
      break;
    }
    const member = await readMember(queue);
    members += 1;
    if (names.length < maxNamed) names.push(member.name);
    const isWanted = !member.name.endsWith("/") && filter(member.name);
    if (isWanted && accepted > 0) yield border;
    if (isWanted) accepted += 1;
    for await (const chunk of dataOf(queue, member)) if (isWanted) yield chunk;
  }
  if (accepted > 0) return;
  const memberNames = names.map((name) => nameText(printable(name)));
  const list = members === 0 ? "none" : `${memberNames.join(", ")}${members > maxNamed ? " and others" : ""}`;
  throw new DataFault(`no member of the zip matches "member"; it contains ${list}`);
}

async function readMember(queue: ByteQueue): Promise<Member> {
  const head = await queue.take(26);
  const flags = head.readUInt16LE(2);
  const method = head.readUInt16LE(4);
  const bytes = await queue.take(head.readUInt16LE(22));
  const extra = await queue.take(head.readUInt16LE(24));
  const name = bytes.toString((flags & 0x800) === 0 && !isAscii(bytes) ? "latin1" : "utf8");
  const memberName = nameText(printable(name));
  if ((flags & 1) !== 0) throw new DataFault(`the member ${memberName} of the zip is encrypted`);
  if (method !== 0 && method !== 8) {
    throw new DataFault(
      `the member ${memberName} of the zip is compressed with method ${method}; only method 8 (deflate) and 0 (none) are supported`,
    );
  }
  const hasDescriptor = (flags & 8) !== 0;
  const sizes = sizesOf(head, extra);
  return { name, method, hasDescriptor, crc: head.readUInt32LE(10), ...sizes };
}

/** Returns the sizes of a member, from the zip64 field if there is one. */
function sizesOf(head: Buffer, extra: Buffer): Pick<Member, "packed" | "size" | "wide"> {
  const packed = head.readUInt32LE(14);
  const size = head.readUInt32LE(18);
  for (let offset = 0; offset + 4 <= extra.length; offset += 4 + extra.readUInt16LE(offset + 2)) {
    if (extra.readUInt16LE(offset) !== 1) continue;
    const field = extra.subarray(offset + 4, offset + 4 + extra.readUInt16LE(offset + 2));
    const wideSize = size === 0xffffffff && field.length >= 8;
    const widePacked = packed === 0xffffffff && field.length >= (wideSize ? 16 : 8);
    return {
      size: wideSize ? Number(field.readBigUInt64LE(0)) : size,
      packed: widePacked ? Number(field.readBigUInt64LE(wideSize ? 8 : 0)) : packed,
      wide: true,
    };
  }
  return { packed, size, wide: false };
}

async function* dataOf(queue: ByteQueue, member: Member): AsyncGenerator<Buffer> {
  const measured: Measured = { crc: 0, packed: 0, size: 0 };
  const data = member.method === 8 ? inflateData(queue, member, measured) : readStored(queue, member, measured);
  for await (const chunk of data) {
    measured.size += chunk.length;
    measured.crc = crc32(chunk, measured.crc);
    yield chunk;
  }
  const expected = member.hasDescriptor ? await descriptorOf(queue, member, measured) : member;
  if (expected.crc === measured.crc && expected.size === measured.size && expected.packed === measured.packed) return;
  throw new CutBody(
    `the member ${nameText(printable(member.name))} of the zip is damaged: its check sum or size differs`,
  );
}

function readStored(queue: ByteQueue, member: Member, measured: Measured): AsyncGenerator<Buffer> {
  const isOpen = member.hasDescriptor && member.packed === 0;
  return isOpen ? storedToDescriptor(queue, member, measured) : storedWhole(queue, member.packed, measured);
}

async function* storedWhole(queue: ByteQueue, size: number, measured: Measured): AsyncGenerator<Buffer> {
  while (measured.packed < size) {
    const chunk = await queue.some(Math.min(size - measured.packed, 262_144));
    measured.packed += chunk.length;
    yield chunk;
  }
}

const descriptorMark = Buffer.from("PK\x07\x08", "latin1");

/**
 * Reads data that is not packed and whose length follows it. It ends at the first descriptor that has the sum and the size
 * of the data before it.
 */
async function* storedToDescriptor(queue: ByteQueue, member: Member, measured: Measured): AsyncGenerator<Buffer> {
  while (!(await isAtDescriptor(queue, member, measured))) {
    const chunk = await queue.some(262_144);
    const mark = chunk.indexOf(descriptorMark, 1);
    // A mark may begin in the last three bytes.
    const length = mark > 0 ? mark : Math.max(1, chunk.length - 3);
    queue.giveBack(chunk.length - length);
    measured.packed += length;
    yield chunk.subarray(0, length);
  }
}

async function isAtDescriptor(queue: ByteQueue, { name, wide }: Member, { crc, size }: Measured): Promise<boolean> {
  const isWide = wide || size > 0xffffffff;
  const bytes = await queue.peek(isWide ? 24 : 16).catch((error: unknown) => {
    if (!(error instanceof CutBody)) throw error;
    const memberName = nameText(printable(name));
    throw new DataFault(`the member ${memberName} of the zip is not compressed, and its length is unknown`);
  });
  if (bytes.readUInt32LE(0) !== marks.descriptor || bytes.readUInt32LE(4) !== crc) return false;
  const [packed, whole] = isWide
    ? [Number(bytes.readBigUInt64LE(8)), Number(bytes.readBigUInt64LE(16))]
    : [bytes.readUInt32LE(8), bytes.readUInt32LE(12)];
  return packed === size && whole === size;
}

/** Number of bytes that are inflated at a time. Inflating expands them about a thousandfold at most. */
const slice = 16_384;

/**
 * Number of bytes within which a deflate stream must end to be inflated by a single call. A stream object of Node costs several
 * times more.
 */
const smallMember = 4096;

async function* inflateData(queue: ByteQueue, member: Member, measured: Measured): AsyncGenerator<Buffer> {
  const head = await queue.some(smallMember);
  const small = inflateSmall(head);
  queue.giveBack(head.length - (small?.packed ?? 0));
  if (small === undefined) yield* inflateLarge(queue, member, measured);
  else {
    measured.packed = small.packed;
    yield small.bytes;
  }
}

/** Inflates a stream that ends within these bytes; undefined if that is not certain. */
function inflateSmall(head: Buffer): { readonly bytes: Buffer; readonly packed: number } | undefined {
  try {
    const options = { info: true, finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 262_144 };
    const { buffer, engine } = inflateRawSync(head, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    const packed = engine.bytesWritten;
    return packed < head.length ? { bytes: buffer, packed } : undefined;
  } catch {
    return undefined;
  }
}

async function* inflateLarge(queue: ByteQueue, { name }: Member, measured: Measured): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: 262_144 });
  const out: Buffer[] = [];
  inflate.on("data", (chunk: Buffer) => out.push(chunk));
  const write = (chunk: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const failed = ({ message }: Error): void =>
        reject(new CutBody(`the member ${nameText(printable(name))} of the zip cannot be unpacked: ${message}`));
      inflate.once("error", failed);
      inflate.write(chunk, () => {
        inflate.off("error", failed);
        resolve();
      });
    });
  try {
    let writtenBytes = 0;
    // If the stream leaves bytes unused, it has ended before them.
    while (writtenBytes === measured.packed) {
      const chunk = await queue.some(slice);
      await write(chunk);
      writtenBytes += chunk.length;
      measured.packed = inflate.bytesWritten;
      queue.giveBack(writtenBytes - measured.packed);
      yield* out.splice(0);
    }
  } finally {
    inflate.destroy();
  }
}

async function descriptorOf(queue: ByteQueue, { wide }: Member, { size, packed }: Measured): Promise<Measured> {
  const first = (await queue.take(4)).readUInt32LE(0);
  const crc = first === marks.descriptor ? (await queue.take(4)).readUInt32LE(0) : first;
  if (!wide && Math.max(size, packed) <= 0xffffffff) {
    const sizes = await queue.take(8);
    return { crc, packed: sizes.readUInt32LE(0), size: sizes.readUInt32LE(4) };
  }
  const sizes = await queue.take(16);
  return { crc, packed: Number(sizes.readBigUInt64LE(0)), size: Number(sizes.readBigUInt64LE(8)) };
}

/** Reads the directory and the end record, and checks them. `mark`: the first of their marks. */
async function checkEnd(queue: ByteQueue, mark: number, members: number): Promise<void> {
  let listedMembers = 0;
  for (let next = mark; ; next = (await queue.take(4)).readUInt32LE(0)) {
    if (next === marks.directory) {
      const head = await queue.take(42);
      await queue.skip(head.readUInt16LE(24) + head.readUInt16LE(26) + head.readUInt16LE(28));
      listedMembers += 1;
    } else if (next === marks.end64) {
      const length = await queue.take(8);
      await queue.skip(Number(length.readBigUInt64LE(0)));
    } else if (next === marks.locator64) {
      await queue.skip(16);
    } else if (next === marks.end) {
      const end = await queue.take(18);
      await queue.skip(end.readUInt16LE(16));
      break;
    } else {
      throw new CutBody("the zip is damaged: a member or its directory is not where it should be");
    }
  }
  if (listedMembers !== members) {
    throw new DataFault(`the zip's directory lists ${listedMembers} members, but ${members} came`);
  }
  while (!(await queue.isOver())) {
    const padding = await queue.some(slice);
    if (padding.some((byte) => byte !== 0)) throw new DataFault("there are bytes after the end of the zip");
  }
}

function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80);
}
