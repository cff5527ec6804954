import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { SpileError } from "../core/errors.ts";
import { outputError } from "../core/files/pending-file.ts";

/*
 * Why not proper-lockfile: it tells a dead holder by a time stamp that the living must renew. After kill -9 the next
 * run would wait for it to grow old, and a holder that was suspended would lose its lock. A pid answers at once.
 */

/** Each time another run came between; or the lock cannot be read. */
const attempts = 20;

/** What `link` answers where the file system has no hard links. */
const noLinks: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** ISO time. */
  readonly since: string;
  /** When the process began, in the words of its system: another process may get the pid of a dead one. */
  readonly began?: string | undefined;
}

/**
 * Takes the lock of a file, `<path>.lock`, so that two runs of one schedule do not overlap; `what` is how messages call
 * what the file holds. One that is left by a
 * process of this host that has died is taken over. Throws SpileError `temporary` where another run holds it. It is
 * released by what is returned, and at the process' end.
 */
export function lockFile(path: string, what: string): () => void {
  const target = realpath(path);
  // What is no file (/dev/null, a pipe) is shared by its nature.
  const lock = `${target}.lock`;
  if (isShared(target, lock)) return () => undefined;
  const own: Holder = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    began: began(process.pid),
  };
  const text = `${JSON.stringify(own)}\n`;
  for (let attempt = 1; !create(lock, text); attempt += 1) {
    if (attempt === attempts) throw taken(lock, what, undefined);
    removeDead(lock, what);
  }
  const release = (): void => {
    process.off("exit", release);
    if (read(lock) === text) unlinkSync(lock);
  };
  process.once("exit", release);
  return release;
}

function isShared(target: string, lock: string): boolean {
  try {
    return statSync(target, { throwIfNoEntry: false })?.isFile() === false;
  } catch (error) {
    throw outputError(error, lock);
  }
}

/** Creates the lock, its text in it from the first moment; false where there is one. */
function create(lock: string, text: string): boolean {
  const draft = `${lock}.${process.pid}`;
  try {
    // A link at this name is not followed, and what a dead process of this number has left is removed for the next attempt.
    const file = openSync(draft, "wx", 0o644);
    writeSync(file, text);
    closeSync(file);
    claim(draft, lock, text);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw outputError(error, lock);
  } finally {
    remove(draft);
  }
}

function claim(draft: string, lock: string, text: string): void {
  try {
    linkSync(draft, lock);
  } catch (error) {
    if (!noLinks.has((error as NodeJS.ErrnoException).code)) throw error;
    writeFileSync(lock, text, { flag: "wx" });
  }
}

/** Moves a dead process' lock out of the way. Throws where its holder lives, or may live. */
function removeDead(lock: string, what: string): void {
  const text = read(lock);
  if (text === undefined) return;
  const holder = parse(text);
  if (holder === undefined || isAlive(holder)) throw taken(lock, what, holder);
  const away = `${lock}.${process.pid}.dead`;
  try {
    // Of several that want it out of the way one succeeds.
    renameSync(lock, away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw outputError(error, lock);
  }
  // Another run was quicker, and this is its lock already.
  if (read(away) !== text) restore(away, lock);
  remove(away);
}

function restore(away: string, lock: string): void {
  try {
    linkSync(away, lock);
  } catch {
    // A third run holds it by now, beside the second: it takes three runs within microseconds of each other.
  }
}

function taken(lock: string, what: string, holder: Holder | undefined): SpileError {
  if (holder === undefined) {
    return new SpileError("temporary", `${lock} is no lock of ours; remove it if no other run uses ${what}`);
  }
  const { pid, host, since } = holder;
  const elsewhere = host === hostname() ? "" : `; if that run has ended, remove ${lock}`;
  const who = `process ${pid} on ${host}, since ${since}`;
  return new SpileError("temporary", `another run is using ${what} (${who})${elsewhere}`);
}

function isAlive({ pid, host, began: then }: Holder): boolean {
  // Processes of another host cannot be seen.
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is another user's.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  if (isZombie(pid)) return false;
  const now = began(pid);
  return then === undefined || now === undefined || now === then;
}

/** The boot and the clock tick in which a process began, where the system tells (Linux). */
function began(pid: number): string | undefined {
  const boot = read("/proc/sys/kernel/random/boot_id")?.trim();
  const tick = statusFields(pid)?.[19];
  return boot === undefined || tick === undefined ? undefined : `${boot} ${tick}`;
}

/** Has it ended, and its parent has not asked how yet? In a container without an init that may last for ever. */
function isZombie(pid: number): boolean {
  return /^[ZX]/.test(statusFields(pid)?.[0] ?? "");
}

/** What Linux tells of a process, from its state on: the name before it may hold blanks and brackets. */
function statusFields(pid: number): readonly string[] | undefined {
  return read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ");
}

function parse(text: string): Holder | undefined {
  try {
    const { pid, host, since, began } = JSON.parse(text) as Partial<Holder>;
    if (typeof pid !== "number" || typeof host !== "string" || typeof since !== "string") return undefined;
    return { pid, host, since, began };
  } catch {
    return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is not there.
  }
}

function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
