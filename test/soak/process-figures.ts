import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** The system's figures of a process at a moment. */
export interface Sample {
  /** Seconds since the first sample. */
  readonly at: number;
  /** Resident memory in MB. */
  readonly memory: number;
  /** Open file descriptors. */
  readonly descriptors: number;
}

export interface Sampler {
  readonly samples: readonly Sample[];
  stop(): void;
}

/** Takes a sample of a process each second until it is stopped. A process that has ended gives none. */
export function startSampler(pid: number): Sampler {
  const samples: Sample[] = [];
  const startTime = performance.now();
  let busy = false;
  async function take(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      const [memory, descriptors] = await Promise.all([memoryOf(pid), descriptorsOf(pid)]);
      if (memory > 0 && descriptors > 0)
        samples.push({ at: (performance.now() - startTime) / 1000, memory, descriptors });
    } catch {
      // It has ended already.
    }
    busy = false;
  }
  const timer = setInterval(() => void take(), 1000);
  return { samples, stop: () => clearInterval(timer) };
}

const run = promisify(execFile);
const proc = existsSync("/proc/self/status");

async function memoryOf(pid: number): Promise<number> {
  const kilobytes = proc
    ? /VmRSS:\s*(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]
    : (await run("ps", ["-o", "rss=", "-p", String(pid)])).stdout.trim();
  return (Number(kilobytes ?? 0) * 1024) / 1e6;
}

async function descriptorsOf(pid: number): Promise<number> {
  if (proc) return (await readdir(`/proc/${pid}/fd`)).length;
  // The output has a line such as f12 for each descriptor, besides a line for the process.
  const { stdout } = await run("lsof", ["-a", "-p", String(pid), "-d", "0-999999", "-F", "f"]);
  return stdout.split("\n").filter((line) => /^f\d+$/.test(line)).length;
}
