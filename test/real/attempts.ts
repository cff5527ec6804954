import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Finished, type Running, start, temporaryFolder } from "../helpers/cli.ts";
import { compareValues } from "../helpers/same-values.ts";
import { type Explored, type Job, life } from "./product.ts";
import type { Server } from "./server.ts";

/** One line of the table. */
export interface Row {
  readonly tried: string;
  readonly records: number;
  /** Begins with "exact", "doubt" (spile reported that records may be missing), "FAULT" or "not available". */
  readonly result: string;
}

/** Options of spile besides the configuration, and the disturbance of spile or of the server during the run. */
interface Attempt {
  readonly name: string;
  readonly args: readonly string[];
  readonly applies?: (job: Job) => boolean;
  /** Called while the server holds a request back; `state` is the run's state file. */
  disturb?(server: Server, running: Running, state: string): Promise<void>;
  /** True if the command is killed and then resumed. */
  readonly resumes?: boolean;
  /** A pattern that the log must match for the attempt to count. */
  readonly shown?: RegExp;
}

/** Number of the request of a run that is held back, so that a cut is always in the middle of the run, whatever its speed. */
const heldRequest = 6;

const attempts: readonly Attempt[] = [
  { name: "plain", args: [] },
  { name: "--concurrency 4", args: ["--concurrency", "4"] },
  {
    name: "server killed and started again",
    args: ["--concurrency", "2"],
    disturb: async (server) => {
      await server.kill();
      await server.start();
    },
    shown: /"event":"retry"/,
  },
  {
    name: "kill -9 and --resume",
    args: [],
    resumes: true,
    disturb: async (_, running, state) => {
      await untilKept(state);
      running.kill("SIGKILL");
    },
  },
  {
    name: "tokens that expire during the run",
    args: [],
    applies: ({ login }) => login === true,
    disturb: async (server, { finished }) => {
      for (let goesOn = true; goesOn; ) {
        await wait((life + 0.5) * 1000);
        server.letGo();
        goesOn = await Promise.race([server.hold(heldRequest).then(() => true), finished.then(() => false)]);
      }
    },
    shown: /("event":"login"[\s\S]*){2}/,
  },
];

/** Fetches a job in every way that applies to it. */
export async function tryJob(server: Server, job: Job): Promise<Row[]> {
  const held = await job.held(server.base);
  const rows: Row[] = [];
  for (const attempt of attempts.filter(({ applies = () => true }) => applies(job))) {
    const result = await judged(() => fetched(server, job, attempt, held));
    server.letGo();
    await server.revive();
    rows.push({ tried: `${job.tried}: ${attempt.name}`, records: held.length, result });
  }
  return rows;
}

async function fetched(server: Server, job: Job, attempt: Attempt, records: readonly unknown[]): Promise<string> {
  await using folder = await temporaryFolder();
  const configuration = await folder.write("configuration.json", job.configuration(server.base));
  const output = join(folder.path, "records.ndjson");
  const state = join(folder.path, "state.json");
  const words = [configuration, "--strict", "-o", output, "--state", state];
  words.push("-v", "--log-format", "json", ...attempt.args);
  const held = attempt.disturb && server.hold(heldRequest).then(() => true);
  const running = start(words);
  if (attempt.disturb !== undefined) {
    const came = await Promise.race([held, running.finished.then(() => false)]);
    if (came === false) return `FAULT: it ended before its request ${heldRequest}`;
    await attempt.disturb(server, running, state);
  }
  let finished = await running.finished;
  if (attempt.resumes) {
    server.letGo();
    if (finished.signal !== "SIGKILL") return "FAULT: it ended before it was killed";
    finished = await start([...words, "--resume"]).finished;
    if (!/continuing the run/.test(finished.stderr)) return `FAULT: not resumed: ${lastLine(finished)}`;
  }
  if (finished.code !== 0) return `FAULT: exit code ${finished.code}: ${lastLine(finished)}`;
  if (attempt.shown !== undefined && !attempt.shown.test(finished.stderr))
    return "FAULT: the log does not show the disturbance";
  return verdictOf(records, await readFile(output, "utf8"));
}

/** Waits until a state file contains the progress of a run, which is written during the next request. */
async function untilKept(state: string): Promise<void> {
  while (!/"progress"/.test(await readFile(state, "utf8").catch(() => ""))) await wait(20);
}

/** Runs the configuration that `init` writes for an address, `get` with the same options, and the first page alone. */
export async function tryAuthoring(server: Server, explored: Explored): Promise<Row[]> {
  const held = await explored.held(server.base);
  const rows: Row[] = [];
  const row = async (name: string, words: readonly string[] | undefined, attempt: Authoring): Promise<void> => {
    if (words === undefined) return;
    const shown = words.join(" ").replaceAll(server.base, "").slice(0, 60);
    rows.push({ tried: `${name} ${shown}`, records: held.length, result: await judged(() => attempt(words, held)) });
  };
  const env = explored.credential === undefined ? {} : { API_TOKEN: explored.credential };
  await row("init", explored.init(server.base), (words) => initiated(words, held, env));
  await row("get", explored.get?.(server.base), fetchedByOptions);
  await row("one page: get", explored.alone?.(server.base), doubted);
  return rows;
}

type Authoring = (words: readonly string[], held: readonly unknown[]) => Promise<string>;

async function fetchedByOptions(words: readonly string[], held: readonly unknown[]): Promise<string> {
  const finished = await start(["get", ...words, "--strict"]).finished;
  if (finished.code !== 0) return `FAULT: exit code ${finished.code}: ${lastLine(finished)}`;
  return verdictOf(held, finished.stdout);
}

/** Checks that a first page is not taken for the whole result. */
async function doubted(words: readonly string[]): Promise<string> {
  const finished = await start(["get", ...words, "--strict"]).finished;
  return finished.code === 1 ? "doubt: suspect" : `FAULT: exit code ${finished.code}: ${lastLine(finished)}`;
}

async function initiated(
  words: readonly string[],
  held: readonly unknown[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  await using folder = await temporaryFolder();
  const written = await start(["init", ...words]).finished;
  if (written.code !== 0) return `doubt: init ended with ${written.code}: ${lastLine(written)}`;
  const configuration = await folder.write("configuration.json", written.stdout);
  const finished = await start([configuration, "--strict"], { env }).finished;
  if (finished.code === 0) return verdictOf(held, finished.stdout);
  // A round number of records on one page may be all. The run says so, which is not a fault.
  const found = !written.stdout.includes('"fullPage"') && written.stdout.includes('"pagination"');
  if (found) return `FAULT: exit code ${finished.code}: ${lastLine(finished)}`;
  return `doubt: no paging, or a doubt of it; the run ended with ${finished.code}: ${lastLine(finished)}`;
}

function verdictOf(held: readonly unknown[], lines: string): string {
  const { missing, surplus, example } = compareValues(
    held.map((record) => JSON.stringify(record)),
    lines.split("\n").slice(0, -1),
  );
  return missing + surplus === 0 ? "exact" : `FAULT: ${missing} missing, ${surplus} too many; ${example}`;
}

async function judged(attempt: () => Promise<string>): Promise<string> {
  try {
    return await attempt();
  } catch (error) {
    return `FAULT: ${error instanceof Error ? error.message : error}`;
  }
}

const lastLine = ({ stderr }: Finished): string => stderr.trim().split("\n").at(-1)?.slice(0, 400) ?? "";
