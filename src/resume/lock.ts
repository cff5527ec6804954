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
import { isRunning, processBeginning } from "../core/running-process.ts";

/*
 * The library proper-lockfile does not fit: in it, a living holder renews a time stamp, and an old time stamp means that the
 * holder is dead. After kill -9 the next run would wait until the time stamp is old, and a suspended holder would lose its lock.
 * A pid shows at once whether the holder is alive.
 */

/** Maximum number of attempts. An attempt fails if another run was faster, or if the lock cannot be read. */
const attempts = 20;

/** Errors of `link` if the file system has no hard links. */
const noLinks: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Time of locking, in ISO 8601. */
  readonly since: string;
  /** Time at which the process began, in the system's own form: another process may get the pid of a dead one. */
  readonly began?: string | undefined;
}

/**
 * Locks a file by creating `<path>.lock`, so that two runs of one schedule do not overlap. `what` names the file's content in
 * messages. The lock of a dead process of this host is replaced. Throws SpileError `temporary` if another run holds the lock.
 * Returns a function that releases it. The end of the process releases it, too.
 */
export function lockFile(path: string, what: string): () => void {
  const target = realpath(path);
  const lock = `${target}.lock`;
  if (isShared(target, lock)) return () => undefined;
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    began: processBeginning(process.pid),
  };
  const text = `${JSON.stringify(holder)}\n`;
  for (let attempt = 1; !create(lock, text); attempt += 1) {
    if (attempt === attempts) {
      throw new SpileError("temporary", `cannot read the lock ${lock}; remove it if no other run uses ${what}`);
    }
    removeDead(lock, what);
  }
  const release = (): void => {
    process.off("exit", release);
    if (read(lock) === text) unlinkSync(lock);
  };
  process.once("exit", release);
  return release;
}

/** Returns whether something other than a file is at the path, such as a device or a pipe. Several runs may use it. */
function isShared(target: string, lock: string): boolean {
  try {
    return statSync(target, { throwIfNoEntry: false })?.isFile() === false;
  } catch (error) {
    throw outputError(error, lock);
  }
}

/** Creates the lock with its complete text. Returns false if there is a lock already. */
function create(lock: string, text: string): boolean {
  const draft = `${lock}.${process.pid}`;
  try {
    // `wx` does not follow a link at this name. A draft that a dead process with this pid has left is removed for the next
    // attempt.
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

/** Removes the lock of a dead process. Throws if its holder may be alive, or if the file is not a lock of spile. */
function removeDead(lock: string, what: string): void {
  const text = read(lock);
  if (text === undefined) return;
  const holder = parse(text);
  if (holder === undefined || isAlive(holder)) throw lockTakenError(lock, what, holder);
  const away = `${lock}.${process.pid}.dead`;
  try {
    // If several processes remove the stale lock, rename lets exactly one win.
    renameSync(lock, away);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw outputError(error, lock);
  }
  // If the text has changed, another run was faster, and this is its lock.
  if (read(away) !== text) restore(away, lock);
  remove(away);
}

function restore(away: string, lock: string): void {
  try {
    linkSync(away, lock);
  } catch {
    // A third run has taken the lock meanwhile, and now two runs hold it. This needs three runs that arrive within microseconds.
  }
}

function lockTakenError(lock: string, what: string, holder: Holder | undefined): SpileError {
  if (holder === undefined) {
    return new SpileError("temporary", `${lock} is not a lock of spile; remove it if no other run uses ${what}`);
  }
  const { pid, host, since } = holder;
  const elsewhere = host === hostname() ? "" : `; if that run has ended, remove ${lock}`;
  const who = `process ${pid} on ${host}, since ${since}`;
  return new SpileError("temporary", `another run is using ${what} (${who})${elsewhere}`);
}

function isAlive({ pid, host, began: then }: Holder): boolean {
  // Processes of another host are not visible here.
  if (host !== hostname()) return true;
  if (!isRunning(pid)) return false;
  const now = processBeginning(pid);
  return then === undefined || now === undefined || now === then;
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
    // The file does not exist.
  }
}

function realpath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
