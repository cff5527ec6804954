import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The result of one run: seconds of the clock, seconds of CPU time, and the peak memory of its largest process in MB (if known). */
export interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  readonly memory: number | undefined;
}

const time = existsSync("/usr/bin/time") ? "/usr/bin/time" : undefined;
const isGnu = time !== undefined && process.platform === "linux";
const output = openSync(devNull, "w");

/** The end of the measured time: the end of the run, whose output is dropped, or the first line that reaches a reader. */
export type Until = "end" | "first line";

/** Runs a command line to its end. If it fails, throws an error with a line of its stderr. If a run writes no line, its time ends with the run. */
export async function measure(commandLine: readonly string[], until: Until = "end"): Promise<Measured> {
  const file = join(tmpdir(), `spile-bench-${process.pid}-time`);
  const started = performance.now();
  const { errors, status, firstLineAt } = await run(wrap(commandLine, file), until);
  const seconds = ((firstLineAt ?? performance.now()) - started) / 1000;
  if (status !== 0) throw new Error(`exit code ${status}: ${complaint(errors)}`);
  const figures = time === undefined ? errors : readFileSync(file, "utf8");
  rmSync(file, { force: true });
  return { seconds, ...parse(figures) };
}

/** Without a time command, bash reports the CPU time and the memory stays unknown. */
function wrap(commandLine: readonly string[], file: string): readonly string[] {
  if (time === undefined) return ["bash", "-c", 'TIMEFORMAT="%U %S"; time "$@"', "bash", ...commandLine];
  return [time, ...(isGnu ? ["-f", "%U %S %M"] : ["-l"]), "-o", file, ...commandLine];
}

function parse(figures: string): Pick<Measured, "cpu" | "memory"> {
  if (time !== undefined && !isGnu) {
    const cpu = /([\d.]+) user\s+([\d.]+) sys/.exec(figures);
    const memory = /(\d+)\s+maximum resident set size/.exec(figures)?.[1];
    return {
      cpu: Number(cpu?.[1]) + Number(cpu?.[2]),
      memory: memory === undefined ? undefined : Number(memory) / 1e6,
    };
  }
  const [user, system, kilobytes] = lastLine(figures).split(" ").map(Number);
  return {
    cpu: (user ?? Number.NaN) + (system ?? Number.NaN),
    memory: kilobytes === undefined ? undefined : (kilobytes * 1024) / 1e6,
  };
}

/** Returns the line of stderr that explains the failure, without this machine's paths: results are published. */
function complaint(errors: string): string {
  return (
    errors
      .replaceAll(fileURLToPath(new URL("../../", import.meta.url)), "")
      .split("\n")
      .find((line) => /error/i.test(line)) ?? lastLine(errors)
  );
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

interface Ran {
  readonly errors: string;
  readonly status: number | null;
  /** Time of the first line by `performance.now`, if it was measured. */
  readonly firstLineAt: number | undefined;
}

function run([file = "", ...rest]: readonly string[], until: Until): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, rest, { stdio: ["ignore", until === "end" ? output : "pipe", "pipe"] });
    let errors = "";
    let firstLineAt: number | undefined;
    child.stdout?.on("data", (chunk: Buffer) => {
      if (chunk.includes("\n")) firstLineAt ??= performance.now();
    });
    child.stderr?.on("data", (chunk) => {
      errors = (errors + chunk).slice(-10_000);
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ errors, status, firstLineAt }));
  });
}

/** Returns the SHA-256 of the output of a command line. */
export function outputDigest([file = "", ...rest]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, rest, { stdio: ["ignore", "pipe", "ignore"] });
    const hash = createHash("sha256");
    child.stdout.on("data", (chunk) => hash.update(chunk));
    child.on("error", reject);
    child.on("close", () => resolve(hash.digest("hex")));
  });
}

export function digest(pieces: Iterable<Buffer>): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}

/** Returns these lines after `jq -c .`, which writes numbers in its own way (1.6 also rounds them). */
export function throughJq(lines: Iterable<Buffer>): Buffer {
  return spawnSync("jq", ["-c", "."], { input: Buffer.concat([...lines]), maxBuffer: 2 ** 30 }).stdout;
}

export function has(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
