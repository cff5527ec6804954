import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isRunning } from "../running-process.ts";

/** Maximum number of bytes of a file name. */
export const longestName = 255;

/**
 * Returns the hidden name of an unfinished file, of at most 255 bytes. With a tag it is the same in every process. Otherwise it
 * names the process, so that another process can see whether the file is still needed.
 */
export function temporaryName(name: string, tag?: string): string {
  const owner = `${systemKey()}-${process.pid}-${randomBytes(3).toString("hex")}`;
  const end = tag === undefined ? `.${owner}.tmp` : `.${tag}.partial`;
  const whole = `.${name}${end}`;
  return Buffer.byteLength(whole) <= longestName ? whole : `.${shortenedName(name)}${end}`;
}

export function shortenedName(name: string): string {
  return digest(name).slice(0, 32);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

let key: string | undefined;

/**
 * Returns a text that identifies the set of processes that this process can see: those of the same boot and, in a container, of the
 * same container. The text is random on a system that does not report these.
 */
function systemKey(): string {
  key ??= digest(systemText()).slice(0, 8);
  return key;
}

function systemText(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8") + readlinkSync("/proc/self/ns/pid");
  } catch {
    return randomBytes(16).toString("hex");
  }
}

/** Folders that this process has searched. */
const searched = new Set<string>();

/** Removes the unfinished files that killed processes have left in a folder. Searches each folder only once. Never rejects. */
export async function removeLeftovers(folder: string): Promise<void> {
  if (searched.has(folder)) return;
  searched.add(folder);
  for (const name of await readdir(folder).catch(() => [])) {
    const [, system, pid] = /\.([0-9a-f]{8})-([0-9]{1,10})-[0-9a-f]{6}\.tmp$/.exec(name) ?? [];
    const isLeft = name.startsWith(".") && system === systemKey() && !isRunning(Number(pid));
    if (isLeft) await unlink(join(folder, name)).catch(() => undefined);
  }
}
