import { linesOf } from "./dataset.ts";
import { course } from "./figures.ts";
import type { Soaked } from "./run.ts";

/** One criterion; `holds` is undefined if the run was too short to decide. */
export interface Verdict {
  readonly what: string;
  readonly holds: boolean | undefined;
  readonly found: string;
}

/** Bounds of resident memory in MB: its growth over the second half, by the slope, and its greatest value. */
const growthBound = 12;
const memoryBound = 200;
/** Bounds of open descriptors (4 connections, pipes, files): growth over the second half, by the slope, and greatest number. */
const descriptorGrowthBound = 2;
const descriptorBound = 64;
/** Seconds of samples below which memory and descriptors are not judged, since a process first warms up. */
export const shortest = 100;

export function verdicts(soaked: Soaked): Verdict[] {
  return [lines(soaked), ending(soaked), load(soaked), memory(soaked), descriptors(soaked)];
}

/**
 * Judges the lines: each expected line, in order, and no other. All lines are expected at the end, or all so far if the run was
 * interrupted.
 */
function lines({ fault, lines, served, exitCode }: Soaked): Verdict {
  const interrupted = exitCode === 130;
  const due = served.orders === undefined ? Number.POSITIVE_INFINITY : linesOf(served.orders);
  const found = fault ?? (interrupted ? `${lines} of a run that was interrupted` : `${lines} of ${due}`);
  return { what: "lines exact", holds: fault === undefined && (interrupted || lines === due), found };
}

function ending({ exitCode, job, errors, state, lines, checkpoints }: Soaked): Verdict {
  const saved = state.progress === undefined && (state.time?.previousStart ?? 0) > 0;
  const clean = exitCode === 0 && job?.verdict === "complete" && job.records === lines && saved;
  // Before the first page and its items are written, there is no place to continue from.
  const stopped = exitCode === 130 && (state.progress !== undefined || checkpoints === 0);
  const details =
    clean || stopped ? "" : `, ${job?.records} records, progress ${saved ? "removed" : "left"}: ${errors}`;
  return { what: "a clean end", holds: clean || stopped, found: `exit code ${exitCode}, ${job?.verdict}${details}` };
}

/** Judges whether the run met logins, revoked tokens, checkpoints and faults, so that its other verdicts say something. */
function load({ served, checkpoints }: Soaked): Verdict {
  const { logins, revoked, late } = served;
  const faults = Object.entries(served.faults).map(([kind, count]) => `${count} ${kind}`);
  const found = `${logins} logins, ${revoked} tokens revoked, ${late} used late, ${checkpoints} checkpoints, ${faults.join(", ")}`;
  return { what: "a load", holds: logins > 1 && revoked > 0 && checkpoints > 1 && faults.length > 0, found };
}

function memory({ samples }: Soaked): Verdict {
  const { largest, growth } = course(samples, "memory");
  const found = `${growth.toFixed(1)} MB in the second half (at most ${growthBound}), largest ${largest.toFixed(0)} MB (at most ${memoryBound})`;
  return { what: "memory flat", holds: judged({ samples }, growth <= growthBound && largest <= memoryBound), found };
}

function descriptors({ samples }: Soaked): Verdict {
  const { largest, growth } = course(samples, "descriptors");
  const holds = judged({ samples }, growth <= descriptorGrowthBound && largest <= descriptorBound);
  const found = `${growth.toFixed(1)} in the second half (at most ${descriptorGrowthBound}), largest ${largest} (at most ${descriptorBound})`;
  return { what: "descriptors flat", holds, found };
}

function judged({ samples }: Pick<Soaked, "samples">, holds: boolean): boolean | undefined {
  return samples.length < shortest ? undefined : holds;
}
