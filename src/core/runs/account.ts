/**
 * The waits of a run, the weightiest first: if several hold at once, the first counts. `reader`: the output takes no
 * more lines. `transfer`: the rest of an answer. `answer`: its beginning. `rateLimit`: the time at which a request may begin.
 * `retry`: the next try. All other time is spile's own work.
 */
export const activities = ["reader", "transfer", "answer", "rateLimit", "retry"] as const;

export type Activity = (typeof activities)[number];

/** Keeps account of where the time of a run goes. Times are those of `performance.now`. */
export interface Account {
  /** The run begins. */
  open(time: number): void;
  /** The run has ended. */
  close(time: number): void;
  /** Returns `work`, and counts the time until it settles. */
  during<T>(activity: Activity, work: Promise<T>, dataset?: string): Promise<T>;
  /** The run has pages that may be fetched side by side. */
  mayRunAhead(): void;
  /** A request is sent. */
  sent(dataset?: string): RequestClock;
}

/** Keeps the time of one request, from its sending to the last byte of its answer. */
export interface RequestClock {
  /** The answer begins, or the request has failed. */
  answered(): void;
  /** More of the body is waited for. */
  waits(): void;
  /** More of the body has come, or its end. */
  received(): void;
}

const noClock: RequestClock = { answered: () => undefined, waits: () => undefined, received: () => undefined };

/** The account of a run whose time nobody asks for. */
export const noAccount: Account = {
  open: () => undefined,
  close: () => undefined,
  during: (_activity, work) => work,
  mayRunAhead: () => undefined,
  sent: () => noClock,
};
