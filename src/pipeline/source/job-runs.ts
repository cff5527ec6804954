import {
  type FollowingStarts,
  type JobPlan,
  type Lineage,
  noLineage,
  type Parent,
  type Start,
  type StepsStart,
} from "../../compile/plan.ts";
import { asSpileError, SpileError } from "../../core/errors.ts";
import type { Request } from "../../core/requests/request.ts";
import type { Advance } from "../../pagination/scroll.ts";
import { SeenPages } from "../../pagination/seen-pages.ts";
import type { Interrupted, JobRun, Resumed, Slot } from "../job-run.ts";
import type { ReadOutcome, StepsToSend } from "../page.ts";
import { type Partition, type PartitionObserver, partitionOf, type TopLevelProgress } from "./partition.ts";

/** The dependencies of the functions that make runs. */
export interface RunDependencies extends PartitionObserver {
  /** Returns milliseconds since 1970. */
  now(): number;
}

/** Origin of a job's runs. `above`: the partitions to which the parent run belongs; empty for a top-level job. */
interface Origin extends Lineage {
  readonly above: readonly Partition[];
  /** Present for a top-level job. */
  readonly topLevel?: TopLevelProgress;
}

/**
 * Makes the runs of a top-level job, one at a time. `from`: the place where the job was interrupted. The runs before that place have
 * ended. If the position in `from` is null, its run starts at the beginning.
 */
export function topLevelRuns(
  plan: JobPlan,
  dependencies: RunDependencies,
  { from, ...topLevel }: TopLevelProgress & { readonly from: Interrupted | undefined },
): Generator<JobRun> {
  return jobRunsOf(plan, { above: [], topLevel, ...noLineage }, dependencies, from);
}

/** Makes runs. If they cannot be made, it yields one run that fails when its turn comes. */
function* jobRunsOf(
  plan: JobPlan,
  origin: Origin,
  dependencies: RunDependencies,
  from?: Interrupted,
): Generator<JobRun> {
  const { parents, above, topLevel } = origin;
  let index = 0;
  let partition: Partition | undefined;
  try {
    for (const start of plan.runs(origin)) {
      if (index >= (from?.run ?? 0)) {
        const interrupted = index === from?.run ? from : undefined;
        partition = partition?.following(start) ?? partitionOf(start, plan, dependencies, topLevel);
        const partitions = partition === undefined ? above : [partition, ...above];
        const place = { plan, parents, index, partition, partitions };
        yield holdPartitions(
          "steps" in start ? stepsRun(place, start, interrupted) : beginRun(place, start, dependencies, interrupted),
        );
      }
      index += 1;
    }
    partition?.close();
  } catch (error) {
    yield holdPartitions(failedRun({ plan, parents, index, partitions: above }, error));
  }
}

/** Returns the run, and makes its partitions wait for it. */
function holdPartitions(run: JobRun): JobRun {
  for (const partition of run.partitions) partition.hold();
  return run;
}

/** Yields runs. The partitions wait until all of them were made and have ended. */
function* withPartitionsHeld(partitions: readonly Partition[], runs: Iterable<JobRun>): Generator<JobRun> {
  yield* runs;
  for (const partition of partitions) partition.release();
}

/**
 * Returns the starts of the runs that follow the steps of a run. Throws SpileError if an answer to the steps lacks a value that is
 * read.
 */
export function followingOf({ start, answered }: JobRun): FollowingStarts | undefined {
  return "steps" in start ? start.follow(answered?.answers ?? []) : undefined;
}

/** Makes the runs that follow the steps of a run, one at a time. */
export function runsAfterSteps(
  run: JobRun,
  following: FollowingStarts,
  dependencies: RunDependencies,
): Generator<JobRun> {
  for (const partition of run.partitions) partition.hold();
  return withPartitionsHeld(run.partitions, runsFollowing(run, following, dependencies));
}

function* runsFollowing(
  { plan, parents, index, answered, from, partition, partitions }: JobRun,
  following: FollowingStarts,
  dependencies: RunDependencies,
): Generator<JobRun> {
  const first = from?.steps?.part ?? 0;
  const place = { plan, parents, index, partition, partitions };
  const hasOldAnswers = from?.steps !== undefined && from.steps.answers.length === answered?.answers.length;
  let part = 0;
  try {
    for (const start of following) {
      const interrupted = part === first ? from : undefined;
      const runSteps = answered && { ...answered, part };
      if (part >= first)
        yield holdPartitions({
          answered: runSteps,
          ...beginRun(place, start, dependencies, interrupted, hasOldAnswers),
        });
      part += 1;
    }
  } catch (error) {
    // This run never ends well, so its partitions do not move.
    yield holdPartitions(failedRun(place, error));
  }
}

type Place = Pick<JobRun, "plan" | "parents" | "index" | "partition" | "partitions">;

/** Begins a run. `hasOldAnswers`: the answers that led to the run come from the interrupted run. */
function beginRun(
  place: Place,
  start: Start,
  dependencies: RunDependencies,
  from: Interrupted | undefined,
  hasOldAnswers = false,
): JobRun {
  const startPosition = from?.position ?? place.plan.scroll.start(start.parameters, dependencies.now());
  const settled = from?.pages ?? 0;
  const by = hasOldAnswers ? "answers" : from?.position == null ? undefined : "place";
  const resumed: Resumed | undefined = by && { page: settled + 1, by };
  return { start, pages: [], knownPosition: startPosition, settled, resumed, ...place };
}

function stepsRun(place: Place, start: StepsStart, from: Interrupted | undefined): JobRun {
  return { start, pages: [], knownPosition: null, settled: 0, from, answered: from?.steps, ...place };
}

function failedRun(place: Place, error: unknown): JobRun {
  return { start: asSpileError(error), pages: [], knownPosition: null, settled: 0, ...place };
}

/** Makes the runs of a child job for the parent records of one page. `above`: the run of the parent job that fetched the page. */
export function childRunsOf(
  plan: JobPlan,
  parents: Iterable<Parent>,
  above: JobRun,
  dependencies: RunDependencies,
): Generator<JobRun> {
  for (const partition of above.partitions) partition.hold();
  return withPartitionsHeld(above.partitions, runsOfParents(plan, parents, above, dependencies));
}

function* runsOfParents(
  plan: JobPlan,
  parents: Iterable<Parent>,
  { start, parents: older, partitions }: JobRun,
  dependencies: RunDependencies,
): Generator<JobRun> {
  const inherited = "substitutions" in start ? start.substitutions : [];
  try {
    for (const parent of plan.grouped(parents)) {
      yield* jobRunsOf(plan, { parents: [parent, ...older], inherited, above: partitions }, dependencies);
    }
  } catch (error) {
    yield holdPartitions({ ...failedRun({ plan, parents: older, index: 0, partitions }, error), endsJob: true });
  }
}

export function requestOf({ run: { plan, start, answered }, position }: Slot): Request | StepsToSend | SpileError {
  if (start instanceof SpileError) return start;
  if ("steps" in start) return { steps: start.steps, run: start.run, knownAnswers: answered?.answers ?? [] };
  try {
    return plan.scroll.request(start.request, position);
  } catch (error) {
    return asSpileError(error);
  }
}

/** Returns how a run continues after a page. */
export function advanceAfter({ run, number, position }: Slot, { summary }: ReadOutcome, now: number): Advance {
  try {
    run.seen ??= new SeenPages(number === 1);
    const runSummary = number === run.resumed?.page ? { ...summary, resumed: run.resumed.by } : summary;
    return run.plan.scroll.advance(position, runSummary, now, run.seen);
  } catch (error) {
    return { next: undefined, verdict: undefined, repeated: false, warnings: [], failure: asSpileError(error) };
  }
}
