import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The built command; `npm run build` makes it. */
export const command = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

/** Milliseconds after which a process that has not ended is killed with its children, so that its test fails. */
const usualTimeout = 60_000;

/** Process groups that have not ended. Each child leads its own, so that a shell's children end with it. */
const groups = new Set<number>();
process.once("exit", () => groups.forEach(killGroup));

export interface CliOptions {
  /** Text for the process's stdin. Default: none. */
  readonly stdin?: string;
  /** Added to an environment that contains only PATH, so that the machine's proxies and colours have no effect. */
  readonly env?: Readonly<Record<string, string>>;
  /** The working folder. */
  readonly cwd?: string;
  /** Milliseconds after which the process is killed if it has not ended. */
  readonly timeout?: number;
}

/** A process that has ended. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs. */
export interface Running {
  /** Waits until the output on `stream` matches, and resolves with all of it. Rejects if the process ends before. */
  until(stream: "stdout" | "stderr", pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
}

/** Runs the command to its end. */
export function spile(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  return start(args, options).finished;
}

export function start(args: readonly string[], options: CliOptions = {}): Running {
  return observe(spawn(process.execPath, [command, ...args], spawnOptions(options)), options);
}

/** Starts another command in the same way. */
export function startCommand(name: string, args: readonly string[], options: CliOptions = {}): Running {
  return observe(spawn(name, args, spawnOptions(options)), options);
}

/** Runs a shell script in which `spile` is the command, for real pipes, closed readers and devices. */
export function shell(script: string, options: CliOptions = {}): Promise<Finished> {
  const prelude = 'spile() { "$NODE" "$SPILE" "$@"; }\n';
  const env = { ...options.env, NODE: process.execPath, SPILE: command };
  return observe(spawn("sh", ["-c", prelude + script], spawnOptions({ ...options, env })), options).finished;
}

/** A folder that is removed at the end of its scope: `await using folder = await temporaryFolder()`. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
  /** Writes a file into the folder and returns its path. A value that is not a text is written as JSON. */
  write(name: string, content: unknown): Promise<string>;
  read(name: string): Promise<string>;
}

/** `parent`: the folder that contains it. */
export async function temporaryFolder(parent = tmpdir()): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, "spile-"));
  return {
    path,
    async write(name, content) {
      const file = join(path, name);
      await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
      return file;
    },
    read: (name) => readFile(join(path, name), "utf8"),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Returns the parsed lines of NDJSON. Throws if the last line is not whole. */
export function records(ndjson: string): unknown[] {
  if (ndjson === "") return [];
  if (!ndjson.endsWith("\n")) throw new Error(`the last line is cut: ${ndjson.slice(-100)}`);
  return ndjson
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
}

function spawnOptions({ env, cwd }: CliOptions): SpawnOptions {
  return { env: { PATH: process.env.PATH, ...env }, detached: true, ...(cwd === undefined ? {} : { cwd }) };
}

function killGroup(id: number): void {
  try {
    process.kill(-id, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function observe(child: ChildProcess, { stdin = "", timeout = usualTimeout }: CliOptions): Running {
  const text = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk;
      for (const listener of listeners) listener();
    });
  }
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(stdin);
  const group = child.pid;
  if (group !== undefined) groups.add(group);
  const finished = new Promise<Finished>((resolve, reject) => {
    const timer = setTimeout(() => {
      if (group !== undefined) killGroup(group);
      reject(new Error(`still running after ${timeout} ms; stderr: ${text.stderr.slice(-1000)}`));
    }, timeout);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      if (group !== undefined) groups.delete(group);
      resolve({ code, signal, ...text });
    });
  });
  return {
    finished,
    kill: (signal) => void child.kill(signal),
    until: (stream, pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!pattern.test(text[stream])) return;
          listeners.delete(check);
          resolve(text[stream]);
        };
        listeners.add(check);
        finished.then((end) => reject(new Error(`ended with ${end.code} before ${pattern}: ${end.stderr}`)), reject);
        check();
      }),
  };
}
