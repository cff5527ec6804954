import { hash } from "node:crypto";

/** Number of characters of a digest: 96 bits, so that two texts practically never share one. */
const width = 16;

/** The latest digest is remembered, because the digest of a page is needed several times in a row. */
let latest = { text: "", digest: digestOf("") };

/** Returns a digest of fixed width for a text of any length. */
export function shorten(text: string): string {
  if (text !== latest.text) latest = { text, digest: digestOf(text) };
  return latest.digest;
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, width);
}

/** Returns whether `seen` contains a digest. */
export function remembers(seen: string, digest: string): boolean {
  for (let index = seen.indexOf(digest); index >= 0; index = seen.indexOf(digest, index + 1)) {
    if (index % width === 0) return true;
  }
  return false;
}

/** Adds a digest, and keeps the latest `bound` digests. All are in one string, which is cheap to copy between positions. */
export function remember(seen: string, digest: string, bound: number): string {
  return (seen + digest).slice(-bound * width);
}
