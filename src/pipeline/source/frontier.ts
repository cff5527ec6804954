import type { JobPlan } from "../../compile/plan.ts";
import { PageCancellation } from "../../core/cancellation.ts";
import { SpileError } from "../../core/errors.ts";
import type { Advance, Position } from "../../pagination/scroll.ts";
import type { InFlight } from "../in-flight.ts";
import type { JobRun, Slot } from "../job-run.ts";

/** Runs of a job that will follow, made one at a time. */
export interface Upcoming {
  readonly plan: JobPlan;
  readonly runs: Iterator<JobRun>;
}

/** The advance after the answers to a run's steps: the run has no further page. */
export const noAdvance: Advance = { next: undefined, verdict: undefined, repeated: false, warnings: [] };

/**
 * Decides which page is requested next, and whose turn it is: a depth-first walk over jobs, pages and children, as a list in the
 * order of the output. It knows no streams and sends nothing. Pages may be requested before their turn: certain ones first, then
 * guesses that assume full pages. A wrong guess is aborted when the page before it has ended. So neither the order nor the set of
 * pages in the output depends on how many are in flight.
 */
export class Frontier {
  readonly #inFlight: InFlight;
  #nodes: (JobRun | Upcoming)[] = [];
  #outstanding = 0;

  constructor(inFlight: InFlight) {
    this.#inFlight = inFlight;
  }

  /** True if nothing is left to request or to wait for. */
  get idle(): boolean {
    this.#expand(0);
    return this.#nodes.length === 0;
  }

  /** The page whose lines are written next; undefined if it was not requested yet. */
  get head(): Slot | undefined {
    const first = this.#nodes[0];
    return first !== undefined && isRun(first) ? first.pages[0] : undefined;
  }

  /** The run whose page is written next, requested or not; undefined if there is none. */
  get first(): JobRun | undefined {
    return this.#expand(0) ? (this.#nodes[0] as JobRun) : undefined;
  }

  /** The jobs with something left to request or to wait for. */
  get pending(): ReadonlySet<JobPlan> {
    return new Set(this.#nodes.map(({ plan }) => plan));
  }

  /** Puts runs before all others. */
  push(upcoming: Upcoming): void {
    this.#nodes.unshift(upcoming);
  }

  /** Returns the next page to request; undefined if enough pages are in flight, or no page is known. */
  take(): Slot | undefined {
    // The page for which all others wait is requested even if as many pages are in flight as allowed.
    if (!this.#inFlight.allows(this.#outstanding) && this.head !== undefined) return undefined;
    return this.#find((run) => this.#following(run)) ?? this.#find((run) => this.#guess(run));
  }

  /** Ends the page at the head. `children` come before the run's next page. Returns whether the run is over. */
  settle(slot: Slot, step: Advance, children: readonly Upcoming[]): boolean {
    const { run } = slot;
    if (this.head !== slot) throw new Error("a page was settled out of turn");
    run.pages.shift();
    run.settled += 1;
    this.#outstanding -= 1;
    const { next, reached, expected, endAdvice } = step;
    run.endAdvice = endAdvice;
    run.reach = reached === undefined || expected === undefined ? undefined : { records: reached, total: expected };
    const guessed = run.pages[0];
    if (next !== undefined && guessed !== undefined && run.plan.scroll.same(guessed.position, next)) {
      guessed.position = next;
    } else {
      this.#abort(run);
      run.knownPosition = next;
      if (next === undefined) this.#nodes.shift();
    }
    this.#nodes.unshift(...children);
    return next === undefined;
  }

  /** Gives up the run of the page at the head; other runs continue. */
  drop({ run }: Slot): void {
    this.#abort(run);
    run.knownPosition = undefined;
    this.#nodes = this.#nodes.filter((node) => node !== run);
  }

  /** Gives up all pages, requested or known. */
  clear(): void {
    this.abort();
    this.#nodes = [];
  }

  /** Gives up all requested pages. */
  abort(): void {
    for (const node of this.#nodes) if (isRun(node)) this.#abort(node);
  }

  #find(position: (run: JobRun) => Position | undefined): Slot | undefined {
    for (let index = 0; this.#expand(index); index += 1) {
      const run = this.#nodes[index] as JobRun;
      const found = position(run);
      if (found !== undefined) return this.#ask(run, found);
    }
    return undefined;
  }

  /** Returns the known position (which may be null), else a guess once a page of the run has shown what its pages are like. */
  #following(run: JobRun): Position | undefined {
    if (run.knownPosition !== undefined) return run.knownPosition;
    return run.settled > 0 ? this.#guess(run) : undefined;
  }

  /**
   * Returns a guess of the next position. A run with children does not guess: its children come first, and take up the allowed
   * number of pages in flight. A run without pages does not guess, either.
   */
  #guess({ pages, settled, plan, start }: JobRun): Position | undefined {
    const last = pages.at(-1);
    if (last === undefined || plan.children.length > 0 || isPageless(start)) return undefined;
    return this.#inFlight.guesses(pages.length, settled) ? plan.scroll.ahead(last.position) : undefined;
  }

  #ask(run: JobRun, position: Position): Slot {
    const slot = { run, number: run.settled + run.pages.length + 1, position, abort: new PageCancellation() };
    run.knownPosition = undefined;
    run.pages.push(slot);
    this.#outstanding += 1;
    return slot;
  }

  /**
   * Makes sure that the node at `index` is a run: if it stands for upcoming runs, makes the next of them. Returns false if there
   * is no run at or after `index`.
   */
  #expand(index: number): boolean {
    for (;;) {
      const node = this.#nodes[index];
      if (node === undefined) return false;
      if (isRun(node)) return true;
      const result = node.runs.next();
      if (result.done === true) this.#nodes.splice(index, 1);
      else this.#nodes.splice(index, 0, result.value);
    }
  }

  #abort(run: JobRun): void {
    for (const { abort } of run.pages) abort.abort();
    this.#outstanding -= run.pages.length;
    run.pages.length = 0;
  }
}

/** Returns the position of the run's next page to be written; undefined if it depends on a page in flight. */
export function nextPosition({ pages, knownPosition }: JobRun): Position | undefined {
  return pages[0]?.position ?? knownPosition;
}

/** Returns whether a run cannot begin, or has only the answers to its steps as its page. */
function isPageless(start: JobRun["start"]): boolean {
  return start instanceof SpileError || "steps" in start;
}

function isRun(node: JobRun | Upcoming): node is JobRun {
  return "pages" in node;
}
