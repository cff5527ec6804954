import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { command as built } from "../helpers/cli.ts";
import type { CommandOptions, Site } from "./scheduler.ts";

const timeout = 10 * 60_000;

/** Creates a folder with a configuration for one scheduler; `close` ends its services. */
export async function openSite(
  folder: string,
  configuration: string,
  shards: number,
): Promise<Site & { close(): Promise<void> }> {
  await mkdir(join(folder, "bin"), { recursive: true });
  await writeFile(join(folder, "config.json"), configuration);
  const command = join(folder, "bin/spile");
  await writeFile(command, `#!/bin/sh\nexec ${process.execPath} ${built} "$@"\n`);
  await chmod(command, 0o755);
  const variables = { PATH: `${join(folder, "bin")}:${process.env.PATH}` };
  const services: ChildProcess[] = [];
  const start = (words: readonly string[], { variables: more, to }: CommandOptions, group: boolean): ChildProcess => {
    const [name = "", ...rest] = words;
    const file = to === undefined ? undefined : openSync(join(folder, to), "w");
    const child = spawn(name, rest, {
      cwd: folder,
      env: { ...process.env, ...variables, ...more },
      stdio: ["ignore", file ?? "pipe", "pipe"],
      detached: group,
    });
    if (file !== undefined) closeSync(file);
    return child;
  };
  return {
    folder,
    shards,
    variables,
    script: (name) => resolve("docs/schedulers", name),
    killWorkers: (most) => killWorkers(folder, most),
    service(words, more) {
      const child = start(words, { variables: more }, true);
      for (const stream of [child.stdout, child.stderr]) stream?.resume();
      services.push(child);
    },
    async command(words, options = {}) {
      const child = start(words, options, false);
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          output = (output + text).slice(-20_000);
        });
      }
      const timer = setTimeout(() => child.kill("SIGKILL"), timeout);
      const [code] = await once(child, "close");
      clearTimeout(timer);
      if (code === 0 || options.mayFail === true) return output;
      throw new Error(`${words.join(" ")} ended with ${code}: ${output.trim().slice(-1500)}`);
    },
    async close() {
      for (const { pid } of services) {
        try {
          if (pid !== undefined) process.kill(-pid, "SIGTERM");
        } catch {
          // It has ended already.
        }
      }
      await Promise.all(services.map((child) => child.exitCode ?? child.signalCode ?? once(child, "close")));
    },
  };
}

/** Watches for processes of `spile shard run` in the folder, and kills some of them. */
function killWorkers(folder: string, most: number): { stop(): number } {
  const home = realpathSync(folder);
  const seen = new Set<number>();
  let killed = 0;
  const kill = (pid: number): void => {
    try {
      if (killed < most && isWorker(pid, home)) {
        process.kill(pid, "SIGKILL");
        killed += 1;
      }
    } catch {
      // It has ended already.
    }
  };
  const timer = setInterval(() => {
    for (const name of readdirSync("/proc")) {
      const pid = Number(name);
      if (!Number.isInteger(pid) || seen.has(pid) || !isWorker(pid, home)) continue;
      seen.add(pid);
      // Every second worker is spared, so that not all kills come at the beginning.
      if (seen.size % 2 === 1) setTimeout(kill, 100 + Math.random() * 900, pid);
    }
  }, 20);
  return {
    stop() {
      clearInterval(timer);
      return killed;
    },
  };
}

function isWorker(pid: number, home: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return (
      words[1] === built && words[2] === "shard" && words[3] === "run" && readlinkSync(`/proc/${pid}/cwd`) === home
    );
  } catch {
    return false;
  }
}
