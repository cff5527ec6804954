import { type Account, type Activity, activities, type RequestClock } from "../core/runs/account.ts";
import type { RunEvent } from "../core/runs/event.ts";
import { Bins } from "./bins.ts";

/** The shares of a run's time: its waits, and spile's own work. */
export const shareNames = [...activities, "spile"] as const;

export type ShareName = (typeof shareNames)[number];

/** Index of each activity's column in `Bins`. */
const activityColumns = Object.fromEntries(activities.map((name, index) => [name, index])) as Readonly<
  Record<Activity, number>
>;

/** Indices of the columns for spile's own work, for records and for bytes. */
const spileColumn: number = activities.length;
const recordsColumn: number = shareNames.length;
const bytesColumn = recordsColumn + 1;

/** Milliseconds of each share. */
export type Shares = Readonly<Record<ShareName, number>>;

/** A single request or wait. Times are milliseconds from the beginning of the run. */
export interface Bar {
  readonly kind: Activity;
  readonly from: number;
  /** Time at which the answer began. Absent for a wait. */
  answered?: number;
  to: number;
}

/** Maximum number of bars. For a run that would have more, a report shows the timeline instead. */
const maxBars = 1000;

/** Shortest wait that gets a bar, in milliseconds. */
const shortestBar = 1;

/** A page at which a job became suspect or failed. */
export interface EvidencePage {
  readonly page: number | undefined;
  readonly window: string | undefined;
  /** Address of the page, with secrets masked. */
  readonly url: string | undefined;
}

/** The figures of one dataset. */
export interface DatasetAccount {
  /** Beginning of the first request, or of the wait before it, in milliseconds from the beginning of the run. */
  readonly from: number;
  /** End of the last answer, in milliseconds from the beginning of the run. */
  to: number;
  /** Milliseconds of the waits for a rate limit and before retries. Concurrent waits are added up. */
  waitMs: number;
  suspect?: EvidencePage | undefined;
  failed?: EvidencePage | undefined;
}

/** Figures over time. Each short period (bin) has the milliseconds of each share, the records and the bytes. */
export interface Timeline {
  /** Length of a period in milliseconds. */
  readonly binMs: number;
  readonly shares: Readonly<Record<ShareName, readonly number[]>>;
  readonly records: readonly number[];
  readonly bytes: readonly number[];
}

/** Collects the shares of a run's time, the bars of its requests and the figures of its datasets. */
export class RunAccount implements Account {
  readonly #now: () => number;
  readonly #bins = new Bins(bytesColumn + 1);
  readonly #totals = new Float64Array(shareNames.length);
  /** Number of waits in progress for each activity. */
  readonly #active = new Int32Array(activities.length);
  readonly #datasets = new Map<string, DatasetAccount>();
  #bars: Bar[] | undefined = [];
  /** Index of the share to which the time since `#since` belongs. */
  #currentShare = spileColumn;
  #since = 0;
  #startTime = 0;
  #isOpen = false;
  /** Greatest number of requests that waited for answers at the same time. */
  maxConcurrent = 0;
  hasBegun = false;
  /** True if the run had pages that could be fetched concurrently. */
  canRunAhead = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  open(time: number): void {
    this.#startTime = time;
    this.#since = time;
    this.#isOpen = true;
    this.hasBegun = true;
  }

  close(time: number): void {
    this.#pass(time);
    this.#isOpen = false;
  }

  mayRunAhead(): void {
    this.canRunAhead = true;
  }

  async during<T>(activity: Activity, work: Promise<T>, dataset?: string): Promise<T> {
    const from = this.#change(activity, 1);
    try {
      return await work;
    } finally {
      const to = this.#change(activity, -1);
      if (to - from >= shortestBar) this.#addBar({ kind: activity, from, to });
      if (dataset !== undefined && isWait(activity)) this.#accountOf(dataset, from).waitMs += to - from;
    }
  }

  sent(dataset?: string): RequestClock {
    const from = this.#change("answer", 1);
    this.maxConcurrent = Math.max(this.maxConcurrent, this.#active[activityColumns.answer] ?? 0);
    const bar: Bar = { kind: "answer", from, to: from };
    this.#addBar(bar);
    const account = dataset === undefined ? undefined : this.#accountOf(dataset, from);
    const countAnswer = (time: number): void => {
      bar.to = time;
      if (account !== undefined) account.to = time;
    };
    return {
      answered: () => {
        bar.answered = this.#change("answer", -1);
        countAnswer(bar.answered);
      },
      waits: () => void this.#change("transfer", 1),
      received: () => countAnswer(this.#change("transfer", -1)),
    };
  }

  /** Counts the records and bytes of a page, and keeps the first page at which a dataset became suspect or failed. */
  count({ event, dataType, records = 0, bytes = 0, verdict, page, window, url }: RunEvent): void {
    if (event === "page") {
      const time = this.#elapsed(this.#now());
      this.#bins.add(recordsColumn, time, records);
      this.#bins.add(bytesColumn, time, bytes);
    }
    const account = dataType === undefined ? undefined : this.#datasets.get(dataType);
    if (account === undefined) return;
    if (event === "page" && verdict === "suspect") account.suspect ??= { page, window, url };
    if (event === "error") account.failed ??= { page, window, url };
  }

  dataset(name: string): DatasetAccount | undefined {
    return this.#datasets.get(name);
  }

  /** Returns the bars of requests and waits, sorted by their beginnings; undefined if there were too many. */
  bars(): readonly Bar[] | undefined {
    return this.#bars && [...this.#bars].sort((one, other) => one.from - other.from);
  }

  /** Returns the shares in whole milliseconds. They add up to the duration. */
  shares(durationMs: number): Shares {
    let sum = 0;
    let assignedMs = 0;
    const entries = activities.map((name, index): [ShareName, number] => {
      sum += this.#totals[index] ?? 0;
      const ms = Math.min(Math.round(sum), durationMs) - assignedMs;
      assignedMs += ms;
      return [name, ms];
    });
    return Object.fromEntries([...entries, ["spile", durationMs - assignedMs]]) as Shares;
  }

  timeline(durationMs: number): Timeline {
    const rounded = (column: number): readonly number[] =>
      this.#bins.values(column, durationMs).map((value) => Math.round(value * 10) / 10);
    return {
      binMs: this.#bins.width,
      shares: Object.fromEntries(shareNames.map((name, index) => [name, rounded(index)])) as Timeline["shares"],
      records: rounded(recordsColumn),
      bytes: rounded(bytesColumn),
    };
  }

  #accountOf(name: string, from: number): DatasetAccount {
    const existing = this.#datasets.get(name);
    if (existing !== undefined) return existing;
    const account: DatasetAccount = { from, to: from, waitMs: 0 };
    this.#datasets.set(name, account);
    return account;
  }

  #addBar(bar: Bar): void {
    this.#bars?.push(bar);
    if ((this.#bars?.length ?? 0) > maxBars) this.#bars = undefined;
  }

  /** Changes the number of waits in progress by one. Returns the milliseconds since the beginning of the run. */
  #change(activity: Activity, step: 1 | -1): number {
    const now = this.#now();
    this.#pass(now);
    const index = activityColumns[activity];
    this.#active[index] = (this.#active[index] ?? 0) + step;
    // A loop is faster than a search by callback, and this runs some ten times for each page.
    let first = 0;
    while (first < spileColumn && this.#active[first] === 0) first += 1;
    this.#currentShare = first;
    return this.#elapsed(now);
  }

  /** Adds the time since the last change to the current share. */
  #pass(now: number): void {
    if (!this.#isOpen || now <= this.#since) return;
    this.#totals[this.#currentShare] = (this.#totals[this.#currentShare] ?? 0) + now - this.#since;
    this.#bins.spread(this.#currentShare, this.#elapsed(this.#since), this.#elapsed(now));
    this.#since = now;
  }

  #elapsed(time: number): number {
    return time - this.#startTime;
  }
}

function isWait(activity: Activity): boolean {
  return activity === "rateLimit" || activity === "retry";
}
