import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../helpers/cli.ts";
import { type Served, type ServerOptions, type SoakApi, startSoakApi } from "./api.ts";
import { configuration } from "./configuration.ts";
import { expectedPieces } from "./dataset.ts";
import { createLineCheck, type LineCheck } from "./line-check.ts";
import { type Sample, startSampler } from "./process-figures.ts";

export interface SoakOptions extends ServerOptions {
  /** Aborted to stop the run as Ctrl-C does. */
  readonly signal: AbortSignal;
  /** Seconds between two calls of `each`. */
  readonly pause: number;
  each(moment: Moment): void;
}

/** A run's progress. */
export interface Moment {
  readonly seconds: number;
  readonly lines: number;
  readonly served: Served;
  readonly sample: Sample | undefined;
}

/** A run's result. */
export interface Soaked {
  readonly seconds: number;
  readonly exitCode: number | null;
  /** The last messages of spile on stderr. */
  readonly errors: string;
  readonly lines: number;
  /** The first line that was wrong, or the reason why the run was ended. */
  readonly fault: string | undefined;
  readonly served: Served;
  /** Figures of the job together with the jobs below it, as in `--summary`; undefined if no summary was written. */
  readonly job: JobFigures | undefined;
  readonly samples: readonly Sample[];
  /** Number of times that the state file had new content. */
  readonly checkpoints: number;
  /** The state file's content at the end. */
  readonly state: { readonly time?: { readonly previousStart?: number }; readonly progress?: unknown };
}

export interface JobFigures {
  readonly verdict: string;
  readonly pages: number;
  readonly records: number;
  readonly retries: number;
  readonly logins: number;
}

/** Adds up the lines of the summary, which has one for each dataset. */
function together(jobs: readonly JobFigures[]): JobFigures {
  const sum = (name: Exclude<keyof JobFigures, "verdict">): number =>
    jobs.reduce((total, figures) => total + figures[name], 0);
  return {
    verdict: jobs.find(({ verdict }) => verdict !== "complete")?.verdict ?? "complete",
    pages: sum("pages"),
    records: sum("records"),
    retries: sum("retries"),
    logins: sum("logins"),
  };
}

const command = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

/** Milliseconds without a line after which the run counts as hanging; no wait of its retries takes more than two seconds. */
const timeout = 60_000;

/** Runs the built command against the soak's server until the server has no more orders. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const api = await startSoakApi(options);
  try {
    return await drive(api, options);
  } finally {
    api.close();
  }
}

async function drive(api: SoakApi, options: SoakOptions): Promise<Soaked> {
  await using folder = await temporaryFolder();
  const file = (name: string) => join(folder.path, name);
  await folder.write("soak.json", configuration(api.url));
  const startTime = performance.now();
  const words = [
    file("soak.json"),
    "--state",
    file("state.json"),
    "--summary",
    file("summary.json"),
    "--concurrency",
    "4",
  ];
  // It leads its own process group, so that it gets Ctrl-C once, from here. If this process dies, its pipe ends the child.
  const child = spawn(process.execPath, [command, ...words], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const { pid = 0 } = child;
  const check = createLineCheck(expectedPieces());
  const sampler = startSampler(pid);
  const state = watchState(file("state.json"));
  let errors = "";
  let fault: string | undefined;
  let heard = performance.now();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  child.stdout.on("data", (chunk: Buffer) => {
    heard = performance.now();
    check.write(chunk);
    if (check.fault !== undefined) child.kill("SIGINT");
  });
  const clock = setInterval(() => {
    void state.look();
    if (performance.now() - heard < timeout) return;
    fault = `no line for ${timeout / 1000} s`;
    child.kill("SIGKILL");
  }, 250);
  const moments = setInterval(
    () => void tell(api, check, sampler.samples, startTime, options).catch(() => undefined),
    options.pause * 1000,
  );
  const stop = () => child.kill("SIGINT");
  const kill = () => child.kill("SIGKILL");
  options.signal.addEventListener("abort", stop, { once: true });
  process.once("exit", kill);
  try {
    if (options.signal.aborted) stop();
    const [exitCode] = await once(child, "close");
    const seconds = (performance.now() - startTime) / 1000;
    await state.look();
    const summary = await readJson<{ jobs: JobFigures[] }>(file("summary.json"));
    return {
      seconds,
      exitCode,
      errors,
      lines: check.lines,
      fault: fault ?? check.fault,
      served: await api.served(),
      job: summary && together(summary.jobs),
      samples: sampler.samples,
      checkpoints: state.changes,
      state: (await readJson<Soaked["state"]>(file("state.json"))) ?? {},
    };
  } finally {
    clearInterval(clock);
    clearInterval(moments);
    sampler.stop();
    options.signal.removeEventListener("abort", stop);
    process.off("exit", kill);
    kill();
  }
}

async function tell(
  api: SoakApi,
  check: LineCheck,
  samples: readonly Sample[],
  startTime: number,
  { each }: SoakOptions,
): Promise<void> {
  const seconds = (performance.now() - startTime) / 1000;
  each({ seconds, lines: check.lines, served: await api.served(), sample: samples.at(-1) });
}

function watchState(path: string): { look(): Promise<void>; readonly changes: number } {
  let last: string | undefined;
  let changes = 0;
  return {
    async look() {
      const now = await readFile(path, "utf8").catch(() => undefined);
      if (now !== undefined && now !== last) changes += 1;
      last = now;
    },
    get changes() {
      return changes;
    },
  };
}

async function readJson<T>(path: string): Promise<T | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
