import { isUtf8 } from "node:buffer";

type Mask = (text: string) => string;

/** A body fit to be kept: text, or base64 where its bytes are not UTF-8. */
export interface MaskedBody {
  readonly text: string;
  readonly encoding?: "base64";
  readonly truncated: boolean;
}

/** Masks a body and cuts it to `limit` bytes. Masked first: a secret at the cut would show its beginning. */
export function maskedBody(body: Buffer, mask: Mask, limit: number): MaskedBody {
  if (isUtf8(body)) {
    const masked = Buffer.from(maskedText(body.toString("utf8"), mask));
    const truncated = masked.length > limit;
    // A letter that is cut in its middle is left out.
    const text = truncated
      ? masked
          .subarray(0, limit)
          .toString("utf8")
          .replace(/\ufffd{1,3}$/, "")
      : masked.toString("utf8");
    return { text, truncated };
  }
  const masked = Buffer.from(mask(body.toString("latin1")), "latin1");
  return { text: masked.subarray(0, limit).toString("base64"), encoding: "base64", truncated: masked.length > limit };
}

/** Strings and other scalars of JSON. Neither alternative can fail once it has begun, so the search is linear. */
const tokens = /"(?:[^"\\]+|\\[\s\S]?)*"?|[^\s"[\]{},:]+/g;

/** A secret that is a number has no quotes in JSON: its mask gets quotes, so that the document stays valid. */
export function maskedText(text: string, mask: Mask): string {
  const masked = mask(text);
  if (masked === text || !/^\s*[[{]/.test(text)) return masked;
  return masked.replace(tokens, (token) => (token.startsWith('"') || !token.includes("***") ? token : '"***"'));
}
