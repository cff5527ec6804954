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

/** What comes out, a text for each part. */
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

/** Bytes of which some repeat, so that packing them is worth something. */
function randomBytes(random: Random): Buffer {
  const length = random.pick([0, 1, 10, 1000, 100_000]);
  const word = Buffer.from(Array.from({ length: 50 }, () => random.below(256)));
  return Buffer.from(Array.from({ length }, (_, at) => (random.oneIn(20) ? random.below(256) : (word[at % 50] ?? 0))));
}

/** Each piece costs a turn of the event loop or two: a large body comes in fewer. */
function longestPiece({ length }: Buffer, random: Random): number {
  return random.pick([3, 100, 100_000].filter((size) => length / size < 500));
}

test("gzip, and several of them one after the other, cut anywhere", async () => {
  await forSeeds(20, async (random, seed) => {
    const texts = Array.from({ length: random.between(1, 3) }, () => randomBytes(random));
    const packed = Buffer.concat(texts.map((text) => gzipSync(text)));
    const pieces = cutAtRandom(packed, random, longestPiece(packed, random));
    assert.deepEqual(await partsOf(pieces), [Buffer.concat(texts).toString("latin1")], `seed ${seed}`);
  });
});

test("random zips of packed and plain members, with and without sizes beforehand, cut anywhere", async () => {
  await forSeeds(40, async (random, seed) => {
    const members = Array.from({ length: random.between(1, 5) }, (_, index) => {
      const deflated = !random.oneIn(4);
      const described = deflated && random.oneIn(2);
      const isFolder = random.oneIn(6);
      return {
        name: isFolder ? `f${index}/` : `${random.pick(["", "a/", "é/"])}m${index}.${random.pick(["csv", "txt"])}`,
        data: isFolder ? Buffer.alloc(0) : randomBytes(random),
        deflated: deflated && !isFolder,
        described: described && !isFolder,
        marked: random.oneIn(2),
      };
    });
    const member = random.oneIn(3) ? "*.csv" : undefined;
    const wanted = members
      .filter(({ name }) => !name.endsWith("/") && (member === undefined || /^[^/]*\.csv$/.test(name)))
      .map(({ data }) => data.toString("latin1"));
    const zip = zipOf(members);
    const pieces = cutAtRandom(zip, random, longestPiece(zip, random));
    const attempt = partsOf(pieces, { member });
    if (wanted.length === 0) await assert.rejects(attempt, /no member of the zip is one to read/);
    else assert.deepEqual(await attempt, wanted, `seed ${seed}`);
  });
});

const small = [
  { name: "a.csv", data: Buffer.from("x,y\n1,2\n3,4\n"), described: true },
  { name: "b.csv", data: Buffer.from("x,y\n5,6\n"), deflated: false },
];

test("a gzip or a zip that is cut anywhere is a cut body", async () => {
  for (const packed of [gzipSync("x,y\n1,2\n"), zipOf(small)]) {
    for (let length = 4; length < packed.length; length += 1) {
      await assert.rejects(partsOf([packed.subarray(0, length)]), CutBody, `cut at ${length}`);
    }
  }
});

test("no single wrong bit of a zip brings other bytes without an error", async () => {
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
  // The others are dates, versions and names.
  assert.ok(refused > zip.length * 3, `${refused} of ${zip.length * 8}`);
});

describe("what is not as it is said to be", () => {
  const rows: readonly (readonly [name: string, body: Buffer, options: Partial<UnpackOptions>, message: RegExp])[] = [
    ["no gzip", Buffer.from("a,b\n"), { compression: "gzip" }, /the response is no gzip: it does not begin as one/],
    ["no zip", gzipSync("a"), { compression: "zip" }, /the response is no zip/],
    ["a member that is not there", zipOf(small), { member: "c*" }, /it holds "a\.csv", "b\.csv"/],
    ["a zip without members", zipOf([]), {}, /it holds none/],
    ["a bomb", gzipSync(Buffer.alloc(10_000_000)), { maxBytes: 1000 }, /unpacked, is longer than 1000 bytes/],
    ["a zip with more behind it", Buffer.concat([zipOf(small), Buffer.from("x")]), {}, /more stands behind the end/],
  ];
  for (const [name, body, options, message] of rows) {
    it(name, () => assert.rejects(partsOf([body], options), message));
  }
});

test("what is not packed passes, and so does all with compression none", async () => {
  for (const text of ["", "P", "PK", "[1]", "\u001f", "PKzip,a\n"])
    assert.deepEqual(await partsOf([Buffer.from(text)]), [text]);
  const gzip = gzipSync("a");
  assert.deepEqual(await partsOf([gzip], { compression: "none" }), [gzip.toString("latin1")]);
});
