import { isUtf8 } from "node:buffer";
import { replaceStrings } from "../core/text/json-strings.ts";

type Mask = (text: string) => string;

/** A body as an archive stores it: a text, or base64 if its bytes are not UTF-8. */
interface MaskedBody {
  readonly text: string;
  readonly encoding?: "base64";
  readonly truncated: boolean;
}

/** Masks a body, then shortens it to `limit` bytes. In the other order, the first half of a secret could stay at the end. */
export function maskedBody(body: Buffer, mask: Mask, limit: number): MaskedBody {
  if (isUtf8(body)) {
    const masked = Buffer.from(maskedText(body.toString("utf8"), mask));
    const truncated = masked.length > limit;
    // If only the first bytes of the last character remain, it is dropped.
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

/** Matches JSON numbers, `true`, `false` and `null`, even with a masked part. */
const scalars = /[^\s"[\]{},:]+/g;

/** Masks a text. In JSON, the mask of a secret number gets quotes, so that the document stays valid. */
export function maskedText(text: string, mask: Mask): string {
  const masked = mask(text);
  if (masked === text || !/^\s*[[{]/.test(text)) return masked;
  return replaceStrings(
    masked,
    (string) => string,
    (between) => between.replace(scalars, (scalar) => (scalar.includes("***") ? '"***"' : scalar)),
  );
}
