import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Handler, json, startApi } from "../helpers/api.ts";
import { command as spile, temporaryFolder } from "../helpers/cli.ts";
import { compareValues } from "../helpers/same-values.ts";
import { answerWith, configurationOf, type Held, heldRecords } from "./records.ts";
import type { Target } from "./targets.ts";

/** One line of the table. */
export interface Row {
  readonly tried: string;
  readonly records: number;
  /** Begins with "exact", "valid", "FAULT" or "not available". */
  readonly result: string;
}

/** The disturbance of the tap at a request. */
type Disturbance = "none" | "refused" | "SIGTERM" | "SIGKILL";

/** Number of the first request that is disturbed. By then the first stream is complete, and the second is not. */
const disturbed = 9;
/** Milliseconds that a tap and its target may take. */
const timeout = 120_000;

/** Pipes real runs into a target and compares the stored records with those of the API. */
export async function tryTarget(target: Target, bin: string, count: number): Promise<Row[]> {
  const held = heldRecords(count);
  const rows: Row[] = [];
  for (const disturbance of ["none", "refused", "SIGTERM", "SIGKILL"] as const) {
    await using trial = await prepare(target, bin);
    const tried = disturbance === "none" ? "a whole run" : `${disturbance}, then resumed from the last STATE`;
    rows.push(
      await judged(tried, async () => {
        await trial.run(held, disturbance);
        if (disturbance !== "none") await trial.run(held, "none", "--resume");
        return trial.compare(held);
      }),
    );
  }
  if (target.merges !== true) return rows;
  await using trial = await prepare(target, bin);
  rows.push(
    await judged("a second run whose records have changed, merged by key", async () => {
      await trial.run(held, "none");
      const changed = heldRecords(count, 2);
      await trial.run(changed, "none");
      return trial.compare(changed);
    }),
  );
  return rows;
}

async function judged(tried: string, work: () => Promise<Row>): Promise<Row> {
  try {
    return { ...(await work()), tried };
  } catch (error) {
    return { tried, records: 0, result: `FAULT: ${error instanceof Error ? error.message : error}` };
  }
}

interface Trial extends AsyncDisposable {
  /** Runs the tap into the target, beginning with the state of the last run. */
  run(held: Held, disturbance: Disturbance, ...words: readonly string[]): Promise<void>;
  compare(held: Held): Promise<Row>;
}

async function prepare(target: Target, bin: string): Promise<Trial> {
  const folder = await temporaryFolder();
  const config = await folder.write("target.json", target.configure(folder.path));
  const state = join(folder.path, "state.json");
  const [program = "", ...given] = target.command(bin, config);
  let handler: Handler = () => undefined;
  const api = await startApi((request) => handler(request));
  return {
    async run(held, disturbance, ...words) {
      let reached: () => void = () => undefined;
      const atRequest = new Promise<void>((resolve) => {
        reached = resolve;
      });
      handler = answerWith(held, (request) => {
        if (disturbance === "none" || request < disturbed) return undefined;
        reached();
        return disturbance === "refused" ? json({ error: "no" }, { status: 403 }) : new Promise(() => undefined);
      });
      const configuration = await folder.write("config.json", configurationOf(api.url));
      const tap = spawn(process.execPath, [spile, "--config", configuration, "--state", state, "-q", ...words]);
      const loader = spawn(program, given, { cwd: folder.path });
      tap.stdout.pipe(loader.stdin);
      loader.stdin.on("error", () => undefined);
      if (disturbance === "SIGTERM" || disturbance === "SIGKILL") {
        await atRequest;
        // A state may come up to a second late. By then, nothing more is on its way to the target.
        await new Promise((resolve) => setTimeout(resolve, 2000));
        tap.kill(disturbance);
      }
      const [tapped, loaded] = await Promise.all([ended(tap), ended(loader)]);
      if (loaded.code !== 0) throw new Error(`${target.name} ended with ${loaded.code}: ${loaded.stderr.slice(-300)}`);
      if (disturbance === "none" && tapped.code !== 0)
        throw new Error(`spile ended with ${tapped.code}: ${tapped.stderr}`);
      if (loaded.stdout !== "") await writeFile(state, loaded.stdout);
      else if (disturbance !== "none") throw new Error(`${target.name} printed no state`);
    },
    async compare(held) {
      let records = 0;
      for (const [stream, texts] of Object.entries(held)) {
        if (target.streams?.includes(stream) === false) continue;
        const kept = await target.kept(stream, folder.path, bin);
        const { missing, surplus, example } = compareValues(
          target.makes === undefined ? texts : texts.map(target.makes),
          kept,
        );
        if (missing > 0 || surplus > 0)
          throw new Error(`${stream}: ${missing} missing, ${surplus} too many; ${example}`);
        records += kept.length;
      }
      return { tried: "", records, result: "exact" };
    },
    async [Symbol.asyncDispose]() {
      await api.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function ended(child: ReturnType<typeof spawn>): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    said.stderr += piece;
  });
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    said.stdout += piece;
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), timeout);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, ...said });
    });
  });
}
