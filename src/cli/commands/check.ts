import { createCompiler } from "../../compile/compile.ts";
import type { JobPlan } from "../../compile/plan.ts";
import type { LoadedConfiguration } from "../../config/loaded.ts";
import { withSignalTurns } from "../../core/blocking-work.ts";
import { ConfigurationError, exitCodes, type Fault, faultLine, SpileError } from "../../core/errors.ts";
import { type RunEvent, warningEvent } from "../../core/runs/event.ts";
import { timeWithoutState } from "../../core/runs/run.ts";
import { printable } from "../../core/text/printable.ts";
import { divisionWords, scrollerOf, type TopLevelJob } from "../../shards/plan/division.ts";
import type { CommandEnvironment } from "../command.ts";
import { loadConfiguration, loadSilently } from "../load.ts";
import { print } from "../output.ts";
import { requestName } from "../request-name.ts";
import { runOptions } from "../run-options.ts";

/**
 * Runs `spile check`, which finds every fault that a run finds before its first request (exit 78), and sends nothing. Prints a line
 * for each job, with tabs between the columns: name, method and endpoint, paging, and with `--shards` the division. Children
 * follow their parent, indented. An iteration with other jobs adds its own list. With `--format json`, prints the faults and
 * warnings instead of the jobs.
 */
export async function checkCommand(path: string, environment: CommandEnvironment): Promise<number> {
  if (environment.options["check-format"] === "json") return checkAsJson(path, environment);
  const loaded = await loadConfiguration(path, environment);
  for (const hint of loaded.hints) {
    environment.report.emit(warningEvent(faultLine(hint)));
  }
  await print(await jobsText(loaded, environment), environment.stdout);
  return exitCodes.success;
}

async function jobsText(loaded: LoadedConfiguration, environment: CommandEnvironment): Promise<string> {
  const maskedText = (text: string): string => printable(environment.secrets.mask(text));
  const lists = new Set<string>();
  const compiler = createCompiler(loaded, timeWithoutState(), runOptions(environment));
  for await (const { iteration, jobs } of compiler.compileAll()) {
    const lines: string[][] = [];
    let job = 0;
    for await (const plan of withSignalTurns(jobs, environment.signal)) {
      const [firstRow = [], ...below] = jobRows(plan, "");
      const division = divisionColumn(loaded, { plan, scroller: scrollerOf(loaded, iteration, job) }, environment);
      lines.push([...firstRow, ...division], ...below);
      job += 1;
    }
    lists.add(lines.map((columns) => `${columns.map(maskedText).join("\t")}\n`).join(""));
  }
  return [...lists].join("");
}

function jobRows(plan: JobPlan, indent: string): string[][] {
  const { label, children } = plan;
  const row = [`${indent}${label}`, requestName(plan), plan.paging()];
  return [row, ...children.flatMap(({ plan: child }) => jobRows(child, `${indent}  `))];
}

/** Returns the column that says how the job would be divided among shards; empty without `--shards`. */
function divisionColumn(
  loaded: LoadedConfiguration,
  job: TopLevelJob,
  { options: { shards, job: chosen, unique } }: CommandEnvironment,
): string[] {
  if (shards === undefined) return [];
  if (chosen !== undefined)
    throw new SpileError("usage", "options --shards and --job exclude each other: spile shard always runs all jobs");
  return [divisionWords(loaded, job, { count: shards, unique: unique !== undefined })];
}

async function checkAsJson(path: string, environment: CommandEnvironment): Promise<number> {
  const maskedText = (text: string): string => printable(environment.secrets.mask(text));
  const line = (level: "error" | "warning", { pointer, message, suggestion }: Fault): string =>
    `${JSON.stringify({ level, pointer, message: maskedText(message), suggestion })}\n`;
  const warnings: Fault[] = [];
  const emit = (event: RunEvent): void => {
    if (event.level === "warning") warnings.push(faultOf(event.message));
  };
  let faults: readonly Fault[] = [];
  try {
    const loaded = await loadSilently(path, environment);
    warnings.push(...loaded.warnings, ...loaded.hints);
    await jobsText(loaded, { ...environment, report: { ...environment.report, emit } });
  } catch (error) {
    if (!(error instanceof SpileError) || error.kind !== "configuration") throw error;
    if (error instanceof ConfigurationError) warnings.push(...error.warnings);
    faults =
      error instanceof ConfigurationError ? error.faults : [{ pointer: error.pointer ?? "", message: error.message }];
  }
  const lines = [
    ...faults.map((fault) => line("error", fault)),
    ...warnings.map((fault) => line("warning", fault)),
  ].join("");
  await print(lines, environment.stdout);
  return faults.length > 0 ? exitCodes.configuration : exitCodes.success;
}

/** Splits a warning about a plan into the JSON pointer at its beginning, if there is one, and the message. */
function faultOf(message: string): Fault {
  const [, pointer = "", rest = message] = /^(\/\S*): (.*)$/s.exec(message) ?? [];
  return { pointer, message: rest };
}
