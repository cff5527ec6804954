import { type CipherGCM, createCipheriv, randomBytes } from "node:crypto";

/** A digest of bytes that come in pieces. It does not depend on the sizes of the pieces. */
export interface Fingerprint {
  update(bytes: Buffer): void;
  /** Returns the digest of all bytes; "" if there are none. May be called several times, but no bytes may follow. */
  digest(): string;
}

/**
 * Returns a key for the fingerprints of a run: 32 hexadecimal digits. The key is secret: an API that knows it could make different
 * records with equal fingerprints.
 */
export function newFingerprintKey(): string {
  return randomBytes(16).toString("hex");
}

/**
 * Creates a fingerprint by GMAC, the authentication tag of AES-GCM over data that is not encrypted. It has 128 bits, and is more
 * than four times as fast as SHA-1. The nonce may always be the same, since the API never sees a tag.
 */
export function createFingerprint(key: string): Fingerprint {
  let mac: CipherGCM | undefined;
  let tag: string | undefined;
  return {
    update(bytes) {
      if (bytes.length === 0) return;
      mac ??= createCipheriv("aes-128-gcm", Buffer.from(key, "hex"), nonce);
      for (let offset = 0; offset < bytes.length; offset += maximumBytesPerCall)
        mac.setAAD(bytes.subarray(offset, offset + maximumBytesPerCall));
    },
    digest() {
      if (mac === undefined) return "";
      if (tag !== undefined) return tag;
      mac.final();
      tag = mac.getAuthTag().toString("base64");
      return tag;
    },
  };
}

const nonce = Buffer.alloc(12);
/** Maximum number of bytes for one call of `setAAD`, which takes less than 2 GiB. */
const maximumBytesPerCall = 2 ** 30;
