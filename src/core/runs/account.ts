/**
 * The waits of a run. `reader`: until the output takes more lines. `transfer`: until the rest of an answer comes. `answer`: until
 * an answer begins. `rateLimit`: until a request may begin. `retry`: until the next attempt is due. If several waits overlap, the
 * first one in this list counts. All other time is spile's own work.
 */
export const activities = ["reader", "transfer", "answer", "rateLimit", "retry"] as const;

export type Activity = (typeof activities)[number];

/** Measures how a run spends its time. Times are those of `performance.now`. */
export interface Account {
  /** Reports that the run begins. */
  open(time: number): void;
  /** Reports that the run has ended. */
  close(time: number): void;
  /** Returns `work`, and counts the time until it settles. */
  during<T>(activity: Activity, work: Promise<T>, dataset?: string): Promise<T>;
  /** Reports that the run has pages that may be fetched concurrently. */
  mayRunAhead(): void;
  /** Reports that a request is sent. */
  sent(dataset?: string): RequestClock;
}

/** Measures the time of one request, until the last byte of its answer. */
export interface RequestClock {
  /** Reports that the answer has begun, or that the request has failed. */
  answered(): void;
  /** Reports the beginning of a wait for more of the body. */
  waits(): void;
  /** Reports that more of the body, or its end, has come. */
  received(): void;
}

const noClock: RequestClock = { answered: () => undefined, waits: () => undefined, received: () => undefined };

/** The account of a run whose time is not reported. */
export const noAccount: Account = {
  open: () => undefined,
  close: () => undefined,
  during: (_activity, work) => work,
  mayRunAhead: () => undefined,
  sent: () => noClock,
};
