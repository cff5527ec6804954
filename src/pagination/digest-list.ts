import { hash } from "node:crypto";

/** Number of characters of a digest: 96 bits, so that two texts practically never share one. */
const width = 16;

/** The latest digest is remembered, because the digest of a page is needed several times in a row. */
let latest = { text: "", digest: digestOf("") };

/** Returns a digest of fixed width for a text of any length. */
export function shortDigest(text: string): string {
  if (text !== latest.text) latest = { text, digest: digestOf(text) };
  return latest.digest;
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, width);
}

export function containsDigest(list: string, digest: string): boolean {
  for (let index = list.indexOf(digest); index >= 0; index = list.indexOf(digest, index + 1)) {
    if (index % width === 0) return true;
  }
  return false;
}

/** Adds a digest to a list, and keeps only the last `most` digests. The list is one string, which is cheap to copy between positions. */
export function addDigest(list: string, digest: string, most: number): string {
  return (list + digest).slice(-most * width);
}
