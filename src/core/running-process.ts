import { readFileSync } from "node:fs";

/** Returns whether a process of this host runs. A process that this process cannot see does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
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

/** Returns the boot and the clock tick in which a process began, if the system reports them (Linux). */
export function processBeginning(pid: number): string | undefined {
  const boot = read("/proc/sys/kernel/random/boot_id")?.trim();
  const tick = statusFields(pid)?.[19];
  return boot === undefined || tick === undefined ? undefined : `${boot} ${tick}`;
}

/** Returns Linux' status fields of a process, from its state on. The name in front of them may contain blanks and brackets. */
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
