import type { FollowingStarts, JobPlan, Lineage, Parent, Start, StepsStart } from "../../compile/plan.ts";
import { asSpileError, SpileError } from "../../core/errors.ts";
import type { Request } from "../../core/request.ts";
import type { Advance } from "../../pagination/scroll.ts";
import { SeenPages } from "../../pagination/seen-pages.ts";
import type { Interrupted, JobRun, Slot } from "../job-run.ts";
import type { ReadOutcome, StepsToAsk } from "../page.ts";

/**
 * The runs of a job, made one at a time; where they cannot be made, one that fails when its turn comes. `now` is in
 * milliseconds; `from`, where a top-level job goes on that was interrupted: its runs before that have ended; a position of
 * null is the run's beginning.
 */
export function* jobRunsOf(plan: JobPlan, lineage: Lineage, now: () => number, from?: Interrupted): Generator<JobRun> {
  const { parents } = lineage;
  let index = 0;
  try {
    for (const start of plan.runs(lineage)) {
      const interrupted = index === from?.run ? from : undefined;
      const run = { plan, parents, index };
      if (index >= (from?.run ?? 0)) {
        yield "steps" in start ? stepsRun(run, start, interrupted) : begun(run, start, now, interrupted);
      }
      index += 1;
    }
  } catch (error) {
    yield failing({ plan, parents, index }, error);
  }
}

/** What the answers to a run's steps lead to. Throws SpileError where an answer lacks what is read of it. */
export function followingOf({ start, answered }: JobRun): FollowingStarts | undefined {
  return "steps" in start ? start.follow(answered?.answers ?? []) : undefined;
}

/** The runs that the answers to a run's steps lead to, one at a time. */
export function* runsAfterSteps(
  { plan, parents, index, answered, from }: JobRun,
  following: FollowingStarts,
  now: () => number,
): Generator<JobRun> {
  const first = from?.steps?.part ?? 0;
  let part = 0;
  try {
    for (const start of following) {
      const interrupted = part === first ? from : undefined;
      const own = answered && { ...answered, part };
      if (part >= first) yield { answered: own, ...begun({ plan, parents, index }, start, now, interrupted) };
      part += 1;
    }
  } catch (error) {
    yield failing({ plan, parents, index }, error);
  }
}

type Place = Pick<JobRun, "plan" | "parents" | "index">;

function begun(place: Place, start: Start, now: () => number, from: Interrupted | undefined): JobRun {
  const known = from?.position ?? place.plan.scroll.start(start.parameters, now());
  return { start, pages: [], known, settled: from?.pages ?? 0, ...place };
}

function stepsRun(place: Place, start: StepsStart, from: Interrupted | undefined): JobRun {
  return { start, pages: [], known: null, settled: 0, from, answered: from?.steps, ...place };
}

function failing(place: Place, error: unknown): JobRun {
  return { start: asSpileError(error), pages: [], known: null, settled: 0, ...place };
}

/** The runs of a child job for records of a page of `above`. */
export function* childRunsOf(
  plan: JobPlan,
  parents: Iterable<Parent>,
  above: JobRun,
  now: () => number,
): Generator<JobRun> {
  const inherited = "substitutions" in above.start ? above.start.substitutions : [];
  try {
    for (const parent of plan.grouped(parents)) {
      yield* jobRunsOf(plan, { parents: [parent, ...above.parents], inherited }, now);
    }
  } catch (error) {
    yield { ...failing({ plan, parents: above.parents, index: 0 }, error), isWhole: true };
  }
}

export function requestOf({ run: { plan, start, answered }, position }: Slot): Request | StepsToAsk | SpileError {
  if (start instanceof SpileError) return start;
  if ("steps" in start) return { steps: start.steps, run: start.run, known: answered?.answers ?? [] };
  try {
    return plan.scroll.request(start.request, position);
  } catch (error) {
    return asSpileError(error);
  }
}

/** Where a run goes on behind a page. */
export function advanced({ run, position }: Slot, { summary }: ReadOutcome, now: number): Advance {
  try {
    run.seen ??= new SeenPages();
    return run.plan.scroll.advance(position, summary, now, run.seen);
  } catch (error) {
    return { next: undefined, verdict: undefined, repeated: false, warnings: [], failure: asSpileError(error) };
  }
}
