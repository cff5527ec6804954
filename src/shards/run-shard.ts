import { hostname } from "node:os";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { SpileError } from "../core/errors.ts";
import { warningEvent } from "../core/runs/event.ts";
import type { RunOptions, RunResult } from "../core/runs/run.ts";
import { run } from "../pipeline/run.ts";
import { configurationDigest } from "../resume/identity.ts";
import { isBeginning } from "../resume/progress.ts";
import type { ManifestHead } from "./manifest/manifest.ts";
import { readManifestHead } from "./manifest/manifest-file.ts";
import { verifyPart } from "./manifest/verify-parts.ts";
import type { ReadPlan, ShardPlan } from "./plan/plan-document.ts";
import { frozenJournal } from "./run/frozen-journal.ts";
import { newAttempt, openPart, type Part } from "./run/part.ts";
import { linesBefore, readShardState, type ShardState, ShardStateFile } from "./run/shard-state.ts";
import { ShardWork } from "./run/shard-work.ts";

export interface ShardOptions {
  readonly index: number;
  /** Folder of the parts. */
  readonly to: string;
  /** File for the shard's progress, from which it also continues. */
  readonly state?: string | undefined;
}

/** The outcome of a shard. There is no run if an earlier attempt was complete. `isOurs`: the manifest is that of this attempt. */
export type ShardOutcome =
  | { readonly kind: "done before" }
  | { readonly kind: "ran"; readonly result: RunResult; readonly isOurs: boolean };

/**
 * Runs a shard's units of a plan, and writes its part and manifest. Rejects with SpileError `configuration` if the plan was made from
 * another configuration. Failures of the run itself are in the result.
 */
export async function runShard(
  loaded: LoadedConfiguration,
  runOptions: RunOptions,
  read: ReadPlan,
  options: ShardOptions,
): Promise<ShardOutcome> {
  const { index, to } = options;
  await requireSame(loaded, runOptions, read.plan);
  if ((await readManifestHead(to, index, read.digest)) !== undefined) return { kind: "done before" };
  const { from, part, attempt } = await openAttempt(read, options, runOptions);
  const file = options.state === undefined ? undefined : new ShardStateFile(options.state, part.sink.sync);
  const startedAt = new Date().toISOString();
  try {
    const { work, result } = await runUnits(loaded, runOptions, read, { index, attempt, part, from, file });
    if (result.failure !== undefined) {
      if (await keepProgress(file)) await part.close();
      else await part.remove();
      return { kind: "ran", result, isOurs: false };
    }
    const head: ManifestHead = {
      version: 1,
      plan: read.digest,
      index,
      attempt,
      host: hostname(),
      startedAt,
      endedAt: new Date().toISOString(),
      bytes: part.bytes(),
    };
    const isOurs = await part.publish(head, work.manifestLines(result));
    await file?.remove();
    if (!isOurs) await part.remove();
    return { kind: "ran", result, isOurs };
  } catch (error) {
    await part.remove();
    throw error;
  }
}

interface Attempt {
  readonly index: number;
  readonly attempt: string;
  readonly part: Part;
  readonly from: ShardState | undefined;
  readonly file: ShardStateFile | undefined;
}

async function runUnits(
  loaded: LoadedConfiguration,
  runOptions: RunOptions,
  { plan, digest }: ReadPlan,
  { index, attempt, part, from, file }: Attempt,
): Promise<{ readonly work: ShardWork; readonly result: RunResult }> {
  const { secrets, now: clock = Date.now } = runOptions;
  const pause = from === undefined ? 0 : clock() - from.clock;
  const now = (): number => clock() - pause;
  const work = new ShardWork({
    plan,
    index,
    part,
    secrets,
    from,
    async reached(place) {
      const clock = now();
      // With `unique`, a later process cannot continue within a job, since it does not know the keys that the job has written.
      if (plan.unique !== undefined && !isBeginning(place.standing.checkpoint)) return;
      await file?.reached(() => ({ version: 1, plan: digest, index, attempt, clock, ...place, units: place.units() }));
    },
  });
  const rate = runOptions.rate ?? (plan.rate === undefined ? undefined : plan.rate / plan.count);
  const { unique, uniqueLimit } = plan;
  const result = await run(
    loaded,
    { ...runOptions, rate, processes: plan.count, unique, uniqueLimit },
    {
      openJournal: frozenJournal({
        ...plan,
        // A plan that was made without a state has no watermarks. `spile shard plan` has already reported that.
        time: { ...plan.time, watermarks: plan.time.watermarks ?? {} },
        sink: part.sink,
        from,
        now,
        mark: (standing, results) => work.mark(standing, results),
      }),
      jobs: (compiled, iteration) => work.jobs(compiled, iteration, runOptions.signal),
      ended: (run, watermark) => work.endPage(run, watermark),
      moved: (moved) => work.addMoved(moved),
    },
  );
  return { work, result };
}

/**
 * Opens the part of a new attempt. If an earlier attempt has left its state, the part begins with a copy of the earlier part. If
 * that cannot be used, warns and starts over.
 */
async function openAttempt(
  { digest }: ReadPlan,
  { index, to, state }: ShardOptions,
  { emit, signal }: RunOptions,
): Promise<Omit<Attempt, "index" | "file">> {
  const from = state === undefined ? undefined : await readShardState(state, { plan: digest, index, signal });
  if (from !== undefined) {
    const attempt = newAttempt();
    try {
      const part = await openPart(to, { index, attempt }, from);
      try {
        await verifyPart({ index, attempt, bytes: from.bytes }, linesBefore(from), to);
        const message = `continuing after ${from.bytes} bytes of an earlier attempt`;
        emit({ event: "run.start", level: "info", message });
        return { from, part, attempt };
      } catch (error) {
        await part.remove();
        throw error;
      }
    } catch (error) {
      if (!(error instanceof SpileError)) throw error;
      const message = `${error.message}; starting over`;
      emit(warningEvent(message));
    }
  }
  const attempt = newAttempt();
  return { from: undefined, attempt, part: await openPart(to, { index, attempt }) };
}

/** Saves the progress of a shard that failed. Returns whether there is progress from which it can continue. */
async function keepProgress(file: ShardStateFile | undefined): Promise<boolean> {
  await file?.keep().catch(() => undefined);
  return file?.isWritten === true;
}

async function requireSame(loaded: LoadedConfiguration, options: RunOptions, plan: ShardPlan): Promise<void> {
  if ((await configurationDigest(loaded, options)) === plan.configuration) return;
  const what = "the configuration, or a setting given to it, is not the one from which the plan was made";
  throw new SpileError("configuration", `${what}; make a new plan and run all its shards`);
}
