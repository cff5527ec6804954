import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { gzipSync } from "node:zlib";
import { CutBody, DataFault } from "../../../src/extract/fault.ts";
import { border } from "../../../src/extract/packed/border.ts";
import { type UnpackOptions, unpack } from "../../../src/extract/packed/unpack.ts";
import type { Random } from "../../helpers/random.ts";
import { forSeeds } from "../../helpers/seeds.ts";
import { zipOf } from "../../helpers/zip.ts";
import { cutAtRandom } from "../format/reading.ts";

const plain = { push: (chunk: Buffer) => chunk, end: () => Buffer.alloc(0) };
const auto: UnpackOptions = { compression: "auto", member: undefined, maxBytes: undefined, decode: () => plain };

/** Returns the unpacked text of each part. */
async function partsOf(pieces: Iterable<Buffer>, options: Partial<UnpackOptions> = {}): Promise<string[]> {
  const parts: Buffer[][] = [[]];
  const body = (async function* () {
    yield* pieces;
  })();
  for await (const chunk of unpack(body, { ...auto, ...options })) {
    if (chunk === border) parts.push([]);
    else parts.at(-1)?.push(Buffer.from(chunk));
  }
  return parts.map((chunks) => Buffer.concat(chunks).toString("latin1"));
}

/** Returns bytes with repetitions, so that packing makes them shorter. */
function randomBytes(random: Random): Buffer {
  const length = random.pick([0, 1, 10, 1000, 100_000]);
  const word = Buffer.from(Array.from({ length: 50 }, () => random.below(256)));
  return Buffer.from(Array.from({ length }, (_, at) => (random.oneIn(20) ? random.below(256) : (word[at % 50] ?? 0))));
}

/** Each piece takes one or two turns of the event loop, so a large body comes in fewer pieces. */
function longestPiece({ length }: Buffer, random: Random): number {
  return random.pick([3, 100, 100_000].filter((size) => length / size < 500));
}

test("gzip files, and several in one body, are unpacked wherever they are cut", async () => {
  await forSeeds(20, async (random, seed) => {
    const texts = Array.from({ length: random.between(1, 3) }, () => randomBytes(random));
    const packed = Buffer.concat(texts.map((text) => gzipSync(text)));
    const pieces = cutAtRandom(packed, random, longestPiece(packed, random));
    assert.deepEqual(await partsOf(pieces), [Buffer.concat(texts).toString("latin1")], `seed ${seed}`);
  });
});

test("random zips of packed and stored members are unpacked wherever they are cut, with sizes before or after the data", async () => {
  await forSeeds(40, async (random, seed) => {
    const members = Array.from({ length: random.between(1, 5) }, (_, index) => {
      const deflated = !random.oneIn(4);
      const described = random.oneIn(2);
      const isFolder = random.oneIn(6);
      return {
        name: isFolder ? `f${index}/` : `${random.pick(["", "a/", "é/"])}m${index}.${random.pick(["csv", "txt"])}`,
        data: isFolder ? Buffer.alloc(0) : randomBytes(random),
        deflated: deflated && !isFolder,
        described,
        // Data that is not packed needs a mark at its end.
        marked: !deflated || isFolder || random.oneIn(2),
      };
    });
    const member = random.oneIn(3) ? "*.csv" : undefined;
    const wanted = members
      .filter(({ name }) => !name.endsWith("/") && (member === undefined || /^[^/]*\.csv$/.test(name)))
      .map(({ data }) => data.toString("latin1"));
    const zip = zipOf(members);
    const pieces = cutAtRandom(zip, random, longestPiece(zip, random));
    const attempt = partsOf(pieces, { member });
    if (wanted.length === 0) await assert.rejects(attempt, /no member of the zip matches/);
    else assert.deepEqual(await attempt, wanted, `seed ${seed}`);
  });
});

const first = { name: "a.csv", data: Buffer.from("x,y\n1,2\n3,4\n") };
const small = [
  { ...first, described: true },
  { name: "b.csv", data: Buffer.from("x,y\n5,6\n"), deflated: false },
];

test("a stored member ends at the descriptor with its checksum, and at no signature in its data", async () => {
  const mark = Buffer.from("PK\x07\x08", "latin1");
  const marks = Buffer.concat(Array.from({ length: 5000 }, () => mark));
  const inner = zipOf([{ name: "in.csv", data: first.data, deflated: false, described: true }]);
  const members = [marks, Buffer.alloc(0), Buffer.concat([mark, first.data]), inner, Buffer.from("PK")].map(
    (data, index) => ({ name: `${index}`, data, deflated: false, described: true }),
  );
  const expected = members.map(({ data }) => data.toString("latin1"));
  assert.deepEqual(await partsOf([zipOf(members)]), expected);
  assert.deepEqual(await partsOf([...zipOf(members)].map((byte) => Buffer.of(byte))), expected);
  const damaged = zipOf([{ ...first, deflated: false, described: true }]);
  damaged.writeUInt8(0x39, damaged.indexOf("1,2"));
  for (const zip of [damaged, zipOf([{ ...first, deflated: false, described: true, marked: false }])]) {
    await assert.rejects(partsOf([zip]), {
      constructor: DataFault,
      message: 'the member "a.csv" of the zip is not compressed, and its length is unknown',
    });
  }
});

test("a gzip or a zip that is cut anywhere is a cut body", async () => {
  for (const packed of [gzipSync("x,y\n1,2\n"), zipOf(small)]) {
    for (let length = 4; length < packed.length; length += 1) {
      await assert.rejects(partsOf([packed.subarray(0, length)]), CutBody, `cut at ${length}`);
    }
  }
});

test("no single wrong bit in a zip changes the bytes without an error", async () => {
  const zip = zipOf(small);
  const whole = await partsOf([zip]);
  let refused = 0;
  for (let at = 4; at < zip.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const damaged = Buffer.from(zip);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
      const parts = await partsOf([damaged]).catch((error: unknown) => error);
      if (Array.isArray(parts)) assert.deepEqual(parts, whole, `bit ${bit} of byte ${at}`);
      else {
        assert.ok(parts instanceof DataFault, String(parts));
        refused += 1;
      }
    }
  }
  // Changes of dates, versions and names are not noticed.
  assert.ok(refused > zip.length * 3, `${refused} of ${zip.length * 8}`);
});

test("zero bytes after a gzip or a zip are padding", async () => {
  const padding = Buffer.alloc(600);
  const gzip = gzipSync("x,y\n");
  for (const [pieces, parts] of [
    [[Buffer.concat([gzip, padding])], ["x,y\n"]],
    [[gzip, padding.subarray(0, 1)], ["x,y\n"]],
    [[gzip, padding, gzip], ["x,y\nx,y\n"]],
    [
      [zipOf(small), padding],
      ["x,y\n1,2\n3,4\n", "x,y\n5,6\n"],
    ],
  ] as const) {
    assert.deepEqual(await partsOf(pieces), parts);
  }
});

test("all members of a zip with 20,000 of them are read, with a border between them", async () => {
  const data = Buffer.from("id\n1\n");
  const members = Array.from({ length: 20_000 }, (_, index) => ({
    name: `${index}.csv`,
    data,
    described: index % 2 > 0,
  }));
  const zip = zipOf(members);
  const pieces = Array.from({ length: Math.ceil(zip.length / 65_536) }, (_, index) =>
    zip.subarray(index * 65_536, (index + 1) * 65_536),
  );
  let bytes = 0;
  let borders = 0;
  const body = (async function* () {
    yield* pieces;
  })();
  for await (const chunk of unpack(body, auto)) {
    if (chunk === border) borders += 1;
    else bytes += chunk.length;
  }
  assert.deepEqual([bytes, borders], [members.length * data.length, members.length - 1]);
});

test("a field of a zip that claims more bytes than came is skipped, not kept in memory", async () => {
  const end64 = Buffer.alloc(12);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(2n ** 50n, 4);
  const zip = zipOf(small);
  const directory = zip.indexOf(Buffer.from("504b0506", "hex"));
  const block = Buffer.alloc(1_000_000);
  function* pieces(): Generator<Buffer> {
    yield zip.subarray(0, directory);
    yield end64;
    for (let count = 0; count < 2000; count += 1) yield block;
  }
  await assert.rejects(partsOf(pieces()), /the zip ends early/);
  assert.ok(process.memoryUsage().arrayBuffers < 500_000_000);
});

describe("a body that cannot be unpacked as configured is refused", () => {
  const rows: readonly (readonly [name: string, body: Buffer, options: Partial<UnpackOptions>, message: RegExp])[] = [
    ["no gzip", Buffer.from("a,b\n"), { compression: "gzip" }, /the response is not a gzip: the body begins with "a,b/],
    ["no zip", gzipSync("a"), { compression: "zip" }, /the response is not a zip/],
    ["a member that does not exist", zipOf(small), { member: "c*" }, /it contains "a\.csv", "b\.csv"/],
    ["a zip without members", zipOf([]), {}, /it contains none/],
    ["a bomb", gzipSync(Buffer.alloc(10_000_000)), { maxBytes: 1000 }, /unpacked, is longer than 1000 bytes/],
    [
      "a directory that lists fewer members",
      withoutLastEntry(zipOf(small)),
      {},
      /directory lists 1 members, but 2 came/,
    ],
    [
      "a different packed size",
      withPackedSize(zipOf([{ ...first, described: true }])),
      {},
      /check sum or size differs/,
    ],
    ["a zip with bytes after it", Buffer.concat([zipOf(small), Buffer.from("x")]), {}, /there are bytes after the end/],
  ];
  for (const [name, body, options, message] of rows) {
    it(name, () => assert.rejects(partsOf([body], options), message));
  }
});

/** Returns the zip without the last member of its directory. */
function withoutLastEntry(zip: Buffer): Buffer {
  const [last, end] = ["504b0102", "504b0506"].map((mark) => zip.lastIndexOf(Buffer.from(mark, "hex")));
  return Buffer.concat([zip.subarray(0, last), zip.subarray(end)]);
}

/** Returns the zip with a wrong packed size in the descriptor after its first member: it is too large by one. */
function withPackedSize(zip: Buffer): Buffer {
  const changed = Buffer.from(zip);
  const place = changed.indexOf(Buffer.from("504b0708", "hex")) + 8;
  changed.writeUInt32LE(changed.readUInt32LE(place) + 1, place);
  return changed;
}

test("a body that is not packed is unchanged, and so is every body if the compression is `none`", async () => {
  for (const text of ["", "P", "PK", "[1]", "\u001f", "PKzip,a\n"])
    assert.deepEqual(await partsOf([Buffer.from(text)]), [text]);
  const gzip = gzipSync("a");
  assert.deepEqual(await partsOf([gzip], { compression: "none" }), [gzip.toString("latin1")]);
});
