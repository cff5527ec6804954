import assert from "node:assert/strict";
import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type VerifyKeyObjectInput,
  verify,
} from "node:crypto";
import { describe, it } from "node:test";
import { Secrets } from "../../src/core/secrets/redact.ts";
import type { Value } from "../../src/core/values/value.ts";
import { evaluate } from "../../src/expression/evaluate.ts";

const now = 1_500_000_000;
const call = (...args: readonly Value[]): Value => {
  const context = { settings: new Map<string, Value>([["#key", args[1] ?? ""]]), secrets, now };
  const time = { currentStart: now, previousStart: 0 };
  return evaluate({ function: "jwt", args: [args[0] ?? "", { attr: "#key" }, ...args.slice(2)] }, { ...context, time });
};
const secrets = new Secrets();
const pem = { type: "pkcs8", format: "pem" } as const;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pem).toString();
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(pem).toString();
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export(pem).toString();
const ed25519 = generateKeyPairSync("ed25519").privateKey.export(pem).toString();
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
const p1363 = { dsaEncoding: "ieee-p1363" } as const;

describe("jwt", () => {
  const rows: readonly (readonly [string, string, string | null, Partial<VerifyKeyObjectInput>?])[] = [
    ["RS256", rsa, "sha256"],
    ["RS384", rsa, "sha384"],
    ["RS512", rsa, "sha512"],
    ["PS256", rsa, "sha256", pss],
    ["ES256", p256, "sha256", p1363],
    ["ES384", p384, "sha384", p1363],
    ["EdDSA", ed25519, null],
    ["RS256", rsa.replaceAll("\n", "\\n"), "sha256"],
  ];
  const claims = { iss: "me", iat: { function: "time" }, exp: 1.1, aud: ["a"] };
  for (const [algorithm, key, digest, options] of rows) {
    it(`${algorithm}${key.includes("\\n") ? " with a key in one line" : ""} signs a token that the public key verifies`, () => {
      const token = String(call(algorithm, key, claims, { kid: "k1", alg: "none" }));
      const [header = "", body = "", signature = ""] = token.split(".");
      const text = (part: string): string => Buffer.from(part, "base64url").toString();
      assert.deepEqual(JSON.parse(text(header)), { typ: "JWT", kid: "k1", alg: algorithm });
      assert.equal(text(body), `{"iss":"me","iat":${now},"exp":1.1,"aud":["a"]}`);
      const publicKey = createPublicKey(key.replaceAll("\\n", "\n"));
      const signed = Buffer.from(`${header}.${body}`);
      assert.ok(verify(digest, signed, { ...options, key: publicKey }, Buffer.from(signature, "base64url")));
      assert.ok(secrets.holds(token));
    });
  }
  for (const [algorithm, digest] of Object.entries({ HS256: "sha256", HS384: "sha384", HS512: "sha512" })) {
    it(`${algorithm} signs a token with the HMAC of the key`, () => {
      const [header, body, signature] = String(call(algorithm, "a key", {})).split(".");
      assert.equal(signature, createHmac(digest, "a key").update(`${header}.${body}`).digest("base64url"));
    });
  }

  const faults: readonly (readonly [string, string, Value, RegExp])[] = [
    ["HS1", "k", {}, /use one of HS256/],
    ["none", "k", {}, /use one of HS256/],
    ["HS256", "", {}, /needs a key that is not empty/],
    ["RS256", "k", {}, /needs a private key as PEM text/],
    ["RS256", p256, {}, /needs a key of the kind rsa/],
    ["ES256", p384, {}, /needs a key of the kind ec \(prime256v1\)/],
    ["HS256", "k", "claims", /takes claims and headers as objects/],
  ];
  for (const [algorithm, key, body, message] of faults) {
    it(`${algorithm} with unusable arguments is refused, and the error does not show the key: ${message.source}`, () => {
      assert.throws(
        () => call(algorithm, key, body),
        (error: Error) => message.test(error.message) && (key.length < 9 || !error.message.includes(key.slice(0, 40))),
      );
    });
  }
});
