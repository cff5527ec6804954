import type { JobResult, RunTime } from "../core/run.ts";
import type { Mark, Sink } from "../output/sink.ts";
import { type Journal, openJournal } from "../resume/journal.ts";

/** What a run in shards takes from its plan, and where its lines go. */
export interface Frozen {
  readonly time: RunTime;
  readonly fingerprintKey: string;
  /** Instead of the run's target. */
  readonly sink?: Sink;
  /** What follows the lines of each page, those of its children included. */
  readonly mark?: () => Mark | undefined;
}

/** Opens journals without a state file whose time is given. */
export function frozenJournal({ time, fingerprintKey, sink, mark }: Frozen): typeof openJournal {
  return async (loaded, { state: _, resume: __, ...options }, startedAt): Promise<Journal> => ({
    ...(await openJournal(loaded, options, startedAt)),
    time,
    fingerprintKey,
    ...(sink === undefined ? {} : { open: async () => sink }),
    mark: mark && ((_standing, _results: readonly JobResult[]) => mark()),
  });
}
