import { basename } from "node:path";
import { exitCodes, SpileError } from "../../core/errors.ts";
import { probeFile } from "../../core/files/pending-file.ts";
import { areFinished, type RunResult } from "../../core/runs/run.ts";
import { printable } from "../../core/text/printable.ts";
import { type Value, valueText } from "../../core/values/value.ts";
import { suspectFilesMessage } from "../../output/suspect-files.ts";
import { timeOf } from "../../resume/journal.ts";
import { lockFile } from "../../resume/lock.ts";
import { noState, readState, writeState } from "../../resume/state-file.ts";
import { watermarksOf, withWatermarks } from "../../resume/watermarks.ts";
import type { ManifestHead } from "../../shards/manifest/manifest.ts";
import { leftovers, removeLeftovers } from "../../shards/manifest/verify-parts.ts";
import { movesAfter, watermarksAfter } from "../../shards/merge/merged-increment.ts";
import { type Merged, mergeParts } from "../../shards/merge-parts.ts";
import { type ReadPlan, readPlan, type Unit } from "../../shards/plan/plan-document.ts";
import { shardIndex } from "../../shards/plan/scheduler-index.ts";
import { planShards } from "../../shards/plan-shards.ts";
import { runShard } from "../../shards/run-shard.ts";
import type { CommandEnvironment } from "../command.ts";
import { requireDistinct } from "../distinct-files.ts";
import { loadConfiguration } from "../load.ts";
import type { OptionName } from "../option-table.ts";
import { deliver } from "../output.ts";
import { readGiven } from "../read-given.ts";
import { reportsFor, runOptions } from "../run-options.ts";
import { writeSummary } from "../summary.ts";
import { keepYoungGenerationSmall } from "../young-generation.ts";

/** A command after `spile shard`. */
interface SubcommandRow {
  /** The second operand as the usage shows it; undefined if there is none. */
  readonly second: string | undefined;
  /** The options of this command that another one does not take. An option that no command lists is taken by all three. */
  readonly options: readonly OptionName[];
  run(first: string, second: string, environment: CommandEnvironment): Promise<number>;
}

const requestOptions = ["set", "env", "max-wait", "max-response-bytes", "max-record-bytes", "max-depth"] as const;

const subcommands: Readonly<Record<string, SubcommandRow>> = {
  plan: {
    second: undefined,
    options: [...requestOptions, "count", "output", "rate", "state", "strict", "unique", "unique-limit"],
    run: plan,
  },
  run: {
    second: "CONFIG",
    options: [...requestOptions, "index", "to", "concurrency", "rate", "strict", "state", "resume"],
    run: runCommand,
  },
  merge: {
    second: "DIR",
    options: [
      "output",
      "split",
      "tag",
      "summary",
      "report",
      "metrics",
      "metrics-name",
      "state",
      "state-out",
      "strict",
      "clean",
    ],
    run: merge,
  },
};

/** Runs `spile shard plan | run | merge`. */
export async function shardCommand(operands: readonly string[], environment: CommandEnvironment): Promise<number> {
  const [word = "", first = "", second] = operands;
  const subcommand = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined;
  if (subcommand === undefined) {
    throw new SpileError(
      "usage",
      `spile shard ${printable(word)}: the commands are plan, run and merge, see spile help shard`,
    );
  }
  const limitedOptions = new Set(Object.values(subcommands).flatMap(({ options }) => options));
  const foreignOption = (Object.keys(environment.options) as OptionName[]).find(
    (name) => limitedOptions.has(name) && !subcommand.options.includes(name),
  );
  if (foreignOption !== undefined) throw foreignOptionError(foreignOption, word);
  if (subcommand.second === undefined && second !== undefined) {
    throw new SpileError("usage", `unexpected argument ${JSON.stringify(printable(second))}`);
  }
  if (subcommand.second !== undefined && second === undefined) {
    throw new SpileError("usage", `${subcommand.second} is missing: spile shard ${word} PLAN ${subcommand.second}`);
  }
  keepYoungGenerationSmall();
  return subcommand.run(first, second ?? "", environment);
}

function foreignOptionError(option: OptionName, word: string): SpileError {
  const owners = Object.entries(subcommands).flatMap(([name, { options }]) => (options.includes(option) ? [name] : []));
  const where = `it is an option of spile shard ${owners.join(" and ")}`;
  return new SpileError("usage", `option --${option} is not an option of spile shard ${word}; ${where}`);
}

async function plan(path: string, _: string, environment: CommandEnvironment): Promise<number> {
  const { options, stdout, report } = environment;
  const { count, output, state } = options;
  if (count === undefined) throw new SpileError("usage", "spile shard plan needs --count N, the number of shards");
  await requireDistinct([
    { role: "the configuration", path, isWritten: false },
    { role: "option --state", path: state, isWritten: false },
    { role: "option --output", path: output, isWritten: true },
  ]);
  const loaded = await loadConfiguration(path, environment);
  const before = state === undefined ? noState : await readState(state, environment.signal);
  const { watermarks, ...times } = timeOf(before, state ?? "", Math.floor(Date.now() / 1000));
  const time = state === undefined ? times : { ...times, watermarks };
  const plan = await planShards(loaded, runOptions(environment), { count, time });
  if (plan instanceof SpileError) return plan.exitCode;
  for (const unit of plan.units) {
    report.note(`${printable(unit.name)}: ${unitWords(unit, count)}\n`);
  }
  if (plan.rate !== undefined) report.note(`each shard sends at most ${plan.rate / count} requests a second\n`);
  await deliver(`${valueText(plan as unknown as Value)}\n`, output, stdout);
  return exitCodes.success;
}

function unitWords(unit: Unit, count: number): string {
  if (unit.kind === "strides") return `pages divided among ${count} shards`;
  if (unit.kind === "runs") return `windows or endpoints divided among ${count} shards`;
  if (unit.kind === "whole") return `shard ${unit.shard} runs the whole job`;
  return `parents divided among ${count} shards, each of which reads the job; shard ${unit.shard} writes the job's records`;
}

async function runCommand(planPath: string, path: string, environment: CommandEnvironment): Promise<number> {
  const { options, variables, report } = environment;
  const { to, state, resume = false } = options;
  if (to === undefined) throw new SpileError("usage", "spile shard run needs --to DIR, the folder of the parts");
  if (resume !== (state !== undefined)) {
    throw new SpileError(
      "usage",
      "spile shard run takes --resume and --state FILE together: FILE keeps the progress of a shard",
    );
  }
  await requireDistinct([
    { role: "the plan", path: planPath, isWritten: false },
    { role: "the configuration", path, isWritten: false },
    { role: "option --state", path: state, isWritten: true },
  ]);
  const read = await readPlanFile(planPath, environment);
  const index = shardIndex(options.index, variables, read.plan.count);
  const loaded = await loadConfiguration(path, environment);
  const outcome = await runShard(loaded, runOptions(environment), read, { index, to, state });
  if (outcome.kind === "done before") {
    report.note(`shard ${index} is done already\n`);
    return exitCodes.success;
  }
  report.summary(outcome.result);
  if (outcome.result.failure !== undefined) return outcome.result.exitCode;
  if (!outcome.isOurs)
    report.note(`another attempt of shard ${index} finished before this one, so the part of this one does not count\n`);
  return exitCodes.success;
}

async function merge(planPath: string, folder: string, environment: CommandEnvironment): Promise<number> {
  const { options, report, signal, stdout } = environment;
  const { output, split, summary, state, tag = false, strict = false, clean = false } = options;
  const stateOut = options["state-out"] ?? state;
  if (state === undefined && stateOut !== undefined) {
    throw new SpileError("usage", "--state-out needs --state FILE, the state that the plan was made with");
  }
  await requireDistinct([
    { role: "the plan", path: planPath, isWritten: false },
    { role: "option --output", path: output, isWritten: true },
    { role: "option --split", path: split, isWritten: true },
    { role: "option --summary", path: summary, isWritten: true },
    { role: "option --report", path: options.report, isWritten: true },
    { role: "option --metrics", path: options.metrics, isWritten: true },
    { role: "option --state", path: state, isWritten: true },
    { role: "option --state-out", path: options["state-out"], isWritten: true },
  ]);
  const startedAt = new Date();
  if (summary !== undefined && summary !== "-") await probeFile(summary);
  const reports = await reportsFor(environment, basename(planPath));
  const runResult = (exitCode: number, failure?: SpileError, merged?: Merged): RunResult => ({
    exitCode,
    failure,
    records: merged?.records ?? 0,
    jobs: merged?.jobs ?? [],
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
    suspectFiles: merged?.suspectFiles,
  });
  let result: RunResult;
  let shards: readonly ManifestHead[] = [];
  try {
    const read = await readPlanFile(planPath, environment);
    const { target, received } = runOptions(environment);
    const warn = (message: string, job: string): void =>
      report.emit({ event: "warning", level: "warning", message, job });
    const merged = await mergeParts(read, folder, { target, tag, strict, signal, warn, received });
    shards = merged.heads;
    const message = merged.suspectFiles && suspectFilesMessage(merged.suspectFiles, target);
    if (message !== undefined) report.fault(new SpileError("suspect", message));
    if (state !== undefined && stateOut !== undefined) await moveState(state, stateOut, read, merged);
    const dead = await leftovers(merged.heads, folder);
    if (clean) await removeLeftovers(dead, folder);
    else if (dead.length > 0) report.note(`files of dead attempts remain (--clean removes them): ${dead.join(", ")}\n`);
    result = runResult(merged.exitCode, undefined, merged);
  } catch (error) {
    if (!(error instanceof SpileError)) throw error;
    report.fault(error);
    result = runResult(error.exitCode, error);
  }
  report.summary(result);
  if (reports !== undefined) result = await reports.writeFiles(result, { shards });
  if (summary !== undefined) await writeSummary(summary, result, stdout);
  return result.exitCode;
}

/**
 * Stores the increments that the merged run has moved, and the time if the run fetched everything (contract C-11.8, C-17.2). If
 * `to` is not `from`, it is always written, because a script moves it into place.
 */
async function moveState(
  from: string,
  to: string,
  { plan }: ReadPlan,
  { jobs, moved, movedParents }: Merged,
): Promise<void> {
  const isComplete = areFinished(jobs);
  if (from === to && !isComplete && moved.length + movedParents.length === 0) return;
  const close = lockFile(to, "this state");
  try {
    const before = await readState(from);
    const watermarks = watermarksOf(before, from);
    const moves = [
      ...Object.entries(watermarksAfter(watermarks, moved)),
      ...movesAfter(watermarks, plan.units, movedParents),
    ];
    const state = withWatermarks(before, moves);
    const progress = from === to ? before.progress : undefined;
    const previousStart = isComplete ? plan.time.currentStart : before.previousStart;
    await writeState(to, { ...state, previousStart, progress });
  } finally {
    close();
  }
}

async function readPlanFile(path: string, { signal }: CommandEnvironment): Promise<ReadPlan> {
  return readPlan((await readGiven(path, `the plan ${path}`, signal)).toString(), path);
}
