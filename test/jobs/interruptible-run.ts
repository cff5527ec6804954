import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RunOptions } from "../../src/core/runs/run.ts";
import { collector } from "../helpers/run.ts";

export interface InterruptibleRun {
  readonly options: Pick<RunOptions, "state" | "target" | "signal">;
  /** Stops the run, or kills it. */
  interrupt(): void;
  /** Returns the lines that the ended run has delivered. If it was killed, restores the state and its log to their content at that time. */
  delivered(isDone: boolean): Promise<string>;
  wasKilled(): boolean;
}

/**
 * Prepares a run that a test can interrupt. `file`: its output; undefined for a stream. `isKill`: an interruption has the effect
 * of kill -9, which leaves the state unchanged, while a stopped run still writes it.
 */
export function interruptibleRun(
  state: string,
  { file, isKill }: { readonly file: string | undefined; readonly isKill: boolean },
): InterruptibleRun {
  const paths = [state, `${state}.log`];
  const stop = new AbortController();
  const { stream, text } = collector();
  let killed: { readonly files: readonly (readonly [string, string])[]; readonly output: string } | undefined;
  return {
    options: {
      state,
      signal: stop.signal,
      target: file === undefined ? { kind: "stream", stream } : { kind: "file", path: file },
    },
    interrupt() {
      const files = paths.filter(existsSync).map((path) => [path, readFileSync(path, "utf8")] as const);
      if (isKill) killed = { files, output: text() };
      stop.abort(new Error("stopped"));
    },
    async delivered(isDone) {
      if (killed !== undefined) {
        for (const path of paths) rmSync(path, { force: true });
        for (const [path, content] of killed.files) writeFileSync(path, content);
      }
      if (file === undefined) return killed?.output ?? text();
      return isDone ? readFile(file, "utf8") : "";
    },
    wasKilled: () => killed !== undefined,
  };
}
