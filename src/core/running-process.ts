import { readFileSync } from "node:fs";

/**
 * Returns whether a process runs on this host. A process that is not visible here, such as one in another container, counts as not
 * running.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any other error, such as EPERM, means that the process exists.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return !isZombie(pid);
}

/**
 * Returns whether a process has ended, but its parent has not collected its exit status. In a container without an init process
 * this state may last for ever.
 */
function isZombie(pid: number): boolean {
  return /^[ZX]/.test(statusFields(pid)?.[0] ?? "");
}

/**
 * Returns the id of the boot and the clock tick at which a process began; undefined if there is no such process, or if the system
 * does not report them (it is not Linux).
 */
export function processBeginning(pid: number): string | undefined {
  const boot = read("/proc/sys/kernel/random/boot_id")?.trim();
  const tick = statusFields(pid)?.[19];
  return boot === undefined || tick === undefined ? undefined : `${boot} ${tick}`;
}

/**
 * Returns Linux's status fields of a process, from the third field (its state) on. The second field, the name, may contain blanks
 * and brackets.
 */
function statusFields(pid: number): readonly string[] | undefined {
  return read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, "")
    .split(" ");
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
