import type { Writable } from "node:stream";
import type { RunResult } from "../core/runs/run.ts";
import { summaryOf } from "../report/summary.ts";
import { deliver } from "./output.ts";

/**
 * Writes as JSON how the run and each of its jobs ended (`--summary`, contract C-10.4). The file is replaced as a whole; `-` is
 * stdout. Throws an `output` error.
 */
export async function writeSummary(path: string, result: RunResult, stdout: Writable): Promise<void> {
  await deliver(`${JSON.stringify(summaryOf(result), undefined, 2)}\n`, path, stdout);
}
