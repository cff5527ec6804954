import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SpileError } from "../core/errors.ts";
import { linked } from "../core/pending-file.ts";

/** A file or folder of the command line, and what it is to the run. */
export interface NamedFile {
  /** "option --summary", "the configuration" */
  readonly role: string;
  readonly path: string | undefined;
  /** Is it written? */
  readonly written: boolean;
}

/**
 * Throws a usage error (64) where one file would be written and is read, or written by another: by what the names lead
 * to, not by the names. Devices and pipes may be named twice, and `-` is no file.
 */
export async function requireDistinct(files: readonly NamedFile[]): Promise<void> {
  const seen = new Map<string, NamedFile>();
  for (const file of files) {
    const identity = file.path === undefined || file.path === "-" ? undefined : await identityOf(file.path);
    if (identity === undefined) continue;
    const other = seen.get(identity);
    if (other !== undefined && (file.written || other.written)) {
      throw new SpileError("usage", `${other.role} and ${file.role} are the same file, ${file.path}`);
    }
    seen.set(identity, file);
  }
}

/** Undefined for what can be written to by several. */
async function identityOf(path: string): Promise<string | undefined> {
  const target = await linked(path).catch(() => path);
  const there = await stat(target, { bigint: true }).catch(() => undefined);
  if (there !== undefined) return there.isFile() || there.isDirectory() ? `${there.dev}:${there.ino}` : undefined;
  const absolute = resolve(target);
  return join(await realpath(dirname(absolute)).catch(() => dirname(absolute)), basename(absolute));
}
