import type { JobResult, RunTime } from "../../core/runs/run.ts";
import type { Mark, Sink } from "../../output/sink.ts";
import { type Journal, openJournal } from "../../resume/journal.ts";
import type { Standing } from "../../resume/progress.ts";
import type { ShardState } from "./shard-state.ts";

/** The values that the run of a shard takes from its plan, and the target of its lines. */
export interface Frozen {
  readonly time: RunTime;
  readonly fingerprintKey: string;
  /** Replaces the target of the run. */
  readonly sink?: Sink;
  /** Returns the mark to send after the lines of each page, including those of its children. */
  readonly mark?: (standing: Standing, results: readonly JobResult[]) => Mark | undefined;
  /** The progress of an earlier attempt. */
  readonly from?: Pick<ShardState, "standing" | "results"> | undefined;
  /** Returns the time of the paging's clock, in milliseconds. */
  readonly now?: () => number;
}

/** Returns a function that opens journals without a state, with the given time. */
export function frozenJournal({ time, fingerprintKey, sink, mark, from, now }: Frozen): typeof openJournal {
  return async (loaded, { state: _, resume: __, ...options }, startedAt): Promise<Journal> => {
    const journal = await openJournal(loaded, options, startedAt);
    return {
      ...journal,
      time,
      fingerprintKey,
      ...(from === undefined ? {} : { from: from.standing, results: from.results }),
      now: now ?? journal.now,
      ...(sink === undefined ? {} : { open: async () => sink }),
      mark: mark && ((standing, { results }) => mark(standing, results)),
    };
  };
}
