import { readFile } from "node:fs/promises";
import { setImmediate as immediate } from "node:timers/promises";
import { startCommand } from "./cli.ts";

/** A process that has ended, but whose parent never collects its exit status. */
export interface Zombie extends AsyncDisposable {
  readonly pid: number;
}

/** Creates a zombie (Linux). It disappears when it is disposed. */
export async function createZombie(): Promise<Zombie> {
  // `exec` turns the shell into `sleep`, which never reads the exit code of its child. The child waits for that, and
  // then ends.
  const child = 'while read -r name < "/proc/$PPID/comm" && [ "$name" != sleep ]; do :; done';
  const parent = startCommand("sh", ["-c", `sh -c '${child}' & echo $!; exec sleep 60`]);
  const pid = Number((await parent.until("stdout", /\d+\n/)).trim());
  while (!/^State:\tZ/m.test(await readFile(`/proc/${pid}/status`, "utf8"))) await immediate();
  return {
    pid,
    async [Symbol.asyncDispose]() {
      parent.kill("SIGKILL");
      await parent.finished;
    },
  };
}
