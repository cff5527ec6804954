import { messageOf } from "../errors.ts";

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a folder"],
  ["ENOTDIR", "a part of its path is not a folder"],
  ["ERR_ENCODING_INVALID_ENCODED_DATA", "it is not UTF-8 text"],
]);

/** Returns a clause with the reason why a file could not be read. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons.get(code) ?? messageOf(error);
}
