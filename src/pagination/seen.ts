import { hash } from "node:crypto";

/** Characters a digest is kept at: 96 bits, so that a chance match is out of question. */
const width = 16;

/** A page's digest is asked for several times in a row. */
let latest = { text: "", digest: digestOf("") };

/** A text of any length as a digest of fixed width. */
export function shorten(text: string): string {
  if (text !== latest.text) latest = { text, digest: digestOf(text) };
  return latest.digest;
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, width);
}

/** Is a digest among those remembered? */
export function remembers(seen: string, digest: string): boolean {
  for (let at = seen.indexOf(digest); at >= 0; at = seen.indexOf(digest, at + 1)) {
    if (at % width === 0) return true;
  }
  return false;
}

/** The latest `bound` digests with one more; one string, since that is cheap to copy from position to position. */
export function remember(seen: string, digest: string, bound: number): string {
  return (seen + digest).slice(-bound * width);
}
