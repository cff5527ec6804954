import { constants, createHmac, createPrivateKey, type KeyObject, type SignKeyObjectInput, sign } from "node:crypto";
import { type Value, type ValueObject, valueText } from "../core/values/value.ts";
import { FunctionFault } from "./php/operand.ts";

/** Signs with one algorithm. Throws FunctionFault if the key does not fit it. */
type Signer = (text: Buffer, key: string) => Buffer;

/** The algorithms of RFC 7518 and RFC 8037 that `jwt` supports. */
const signers: Readonly<Record<string, Signer>> = {
  HS256: keyedSigner("sha256"),
  HS384: keyedSigner("sha384"),
  HS512: keyedSigner("sha512"),
  RS256: privateKeySigner("sha256", "rsa"),
  RS384: privateKeySigner("sha384", "rsa"),
  RS512: privateKeySigner("sha512", "rsa"),
  PS256: privateKeySigner("sha256", "rsa", {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  }),
  ES256: privateKeySigner("sha256", "ec", { dsaEncoding: "ieee-p1363" }, "prime256v1"),
  ES384: privateKeySigner("sha384", "ec", { dsaEncoding: "ieee-p1363" }, "secp384r1"),
  EdDSA: privateKeySigner(null, "ed25519"),
};

/**
 * Returns a JSON Web Token in compact form (RFC 7519). `key` is a PEM of a private key, or any text for HS256 to HS512.
 * Numbers of the claims keep their digits. Throws FunctionFault for an unknown algorithm, or a key that does not fit
 * it.
 */
export function jsonWebToken(algorithm: string, key: string, claims: ValueObject, header: ValueObject = {}): string {
  const signer = Object.hasOwn(signers, algorithm) ? signers[algorithm] : undefined;
  if (signer === undefined) {
    throw new FunctionFault(`is not a known algorithm; use one of ${Object.keys(signers).join(", ")}`, algorithm);
  }
  const text = `${encodeJson({ typ: "JWT", ...header, alg: algorithm })}.${encodeJson(claims)}`;
  return `${text}.${signer(Buffer.from(text), key).toString("base64url")}`;
}

function encodeJson(value: Value): string {
  return Buffer.from(valueText(value)).toString("base64url");
}

function keyedSigner(digest: string): Signer {
  return (text, key) => {
    if (key === "") throw new FunctionFault("needs a key that is not empty");
    return createHmac(digest, key).update(text).digest();
  };
}

function privateKeySigner(
  digest: string | null,
  kind: string,
  options: Partial<SignKeyObjectInput> = {},
  curve?: string,
): Signer {
  return (text, key) => {
    const privateKey = privateKeyOf(key);
    const { asymmetricKeyType, asymmetricKeyDetails } = privateKey;
    if (asymmetricKeyType !== kind || (curve !== undefined && asymmetricKeyDetails?.namedCurve !== curve)) {
      throw new FunctionFault(`needs a key of the kind ${kind}${curve === undefined ? "" : ` (${curve})`}`);
    }
    return sign(digest, text, { ...options, key: privateKey });
  };
}

/** Reads a key in PEM. In environment variables it is often one line, with the two characters `\n` instead of each line break. */
function privateKeyOf(key: string): KeyObject {
  try {
    return createPrivateKey(key.includes("\n") ? key : key.replaceAll("\\n", "\n"));
  } catch {
    // The system's message may quote the key.
    throw new FunctionFault("needs a private key as PEM text");
  }
}
