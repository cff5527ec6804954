import { hash } from "node:crypto";

/** Characters of a kept digest: 96 bits, so that a chance match is out of the question. */
const width = 16;

/** The latest digest: a page's is needed several times in a row. */
let latest = { text: "", digest: digestOf("") };

/** Returns a digest of fixed width for a text of any length. */
export function shorten(text: string): string {
  if (text !== latest.text) latest = { text, digest: digestOf(text) };
  return latest.digest;
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, width);
}

/** Whether a digest is among those remembered. */
export function remembers(seen: string, digest: string): boolean {
  for (let index = seen.indexOf(digest); index >= 0; index = seen.indexOf(digest, index + 1)) {
    if (index % width === 0) return true;
  }
  return false;
}

/** Returns the latest `bound` digests with one more. They are one string, which is cheap to copy between positions. */
export function remember(seen: string, digest: string, bound: number): string {
  return (seen + digest).slice(-bound * width);
}
