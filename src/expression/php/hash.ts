import { createHash, createHmac } from "node:crypto";
import { crc32 } from "node:zlib";
import { FunctionFault } from "./operand.ts";

/** Names of hash algorithms in PHP, with those in Node. `crc32b` is the checksum that is commonly called crc32. */
const algorithms: Readonly<Record<string, string>> = {
  md5: "md5",
  sha1: "sha1",
  sha224: "sha224",
  sha256: "sha256",
  sha384: "sha384",
  "sha512/224": "sha512-224",
  "sha512/256": "sha512-256",
  sha512: "sha512",
  "sha3-224": "sha3-224",
  "sha3-256": "sha3-256",
  "sha3-384": "sha3-384",
  "sha3-512": "sha3-512",
  ripemd160: "ripemd160",
};

/** Returns the digest of `bytes`. `algorithm`: its name in PHP, in upper or lower case. */
export function digest(algorithm: string, bytes: Buffer): Buffer {
  const name = algorithm.toLowerCase();
  if (name !== "crc32b")
    return createHash(cryptographic(name, [...Object.keys(algorithms), "crc32b"]))
      .update(bytes)
      .digest();
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum;
}

/** Returns the keyed digest of `bytes`, which only cryptographic algorithms have. */
export function keyedDigest(algorithm: string, bytes: Buffer, key: Buffer): Buffer {
  return createHmac(cryptographic(algorithm.toLowerCase(), Object.keys(algorithms)), key)
    .update(bytes)
    .digest();
}

function cryptographic(name: string, knownAlgorithms: readonly string[]): string {
  const found = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
  if (found === undefined)
    throw new FunctionFault(`is not a known hash algorithm; known are ${knownAlgorithms.join(", ")}`, name);
  return found;
}
