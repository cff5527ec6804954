import { createHash, createHmac } from "node:crypto";
import { crc32 } from "node:zlib";
import { FunctionFault } from "./operand.ts";

/** Hash algorithms: the name in PHP, and the name in Node. */
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

/**
 * Returns the digest of `bytes`. `algorithm`: its name in PHP, in upper or lower case; `crc32b` is the common CRC-32. Throws
 * FunctionFault for an unknown one.
 */
export function digest(algorithm: string, bytes: Buffer): Buffer {
  const name = algorithm.toLowerCase();
  if (name !== "crc32b")
    return createHash(nodeName(name, [...Object.keys(algorithms), "crc32b"]))
      .update(bytes)
      .digest();
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return checksum;
}

/** Returns the HMAC of `bytes`. Throws FunctionFault for an unknown algorithm, and for `crc32b`, which has no HMAC. */
export function keyedDigest(algorithm: string, bytes: Buffer, key: Buffer): Buffer {
  return createHmac(nodeName(algorithm.toLowerCase(), Object.keys(algorithms)), key)
    .update(bytes)
    .digest();
}

function nodeName(name: string, knownAlgorithms: readonly string[]): string {
  const found = Object.hasOwn(algorithms, name) ? algorithms[name] : undefined;
  if (found === undefined)
    throw new FunctionFault(`is not a known hash algorithm; use one of ${knownAlgorithms.join(", ")}`, name);
  return found;
}
