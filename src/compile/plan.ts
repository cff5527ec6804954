import type { Method, OwnParameter, Request } from "../core/requests/request.ts";
import type { Dataset } from "../core/runs/dataset.ts";
import type { Lines } from "../core/runs/lines.ts";
import type { StepAnswer } from "../core/runs/step-answer.ts";
import type { Path } from "../core/values/path.ts";
import type { Value } from "../core/values/value.ts";
import type { Column, Columns } from "../extract/records.ts";
import type { ResponseFilter } from "../extract/response-filter.ts";
import type { Selection } from "../extract/selection.ts";
import type { Format } from "../generated/configuration.ts";
import type { AnswerPolicy } from "../http/exchange/answer-policy.ts";
import type { PartRates } from "../http/pacing/rates.ts";
import type { Scroll } from "../pagination/scroll.ts";
import type { Step, StepRun } from "../steps/step.ts";
import type { Increment } from "./jobs/increment.ts";
import type { Window, Windows } from "./jobs/windows.ts";

/**
 * The values of one record of a job that its descendants need: those at `JobPlan.wanted`, by `pathText`. Absent ones are left out.
 */
export type Parent = ReadonlyMap<string, Value>;

/** A job made ready to run: every expression that needs no parent is evaluated. */
export interface JobPlan {
  /** Its data type, else its endpoint as written: the name in events, `--job` and the summary. */
  readonly label: string;
  readonly dataType: string;
  /** As written; an expression as JSON. */
  readonly endpoint: string;
  /** After evaluation, before placeholders are filled. */
  readonly endpoints: readonly string[];
  readonly method: Method;
  /** Returns its paging, and whatever else is unusual about it, in words. */
  paging(): string;
  readonly id: string | undefined;
  /** Its JSON pointer in the configuration. */
  readonly pointer: string;
  /** undefined: auto-detection. */
  readonly dataField: Path | undefined;
  /** Which part of what stands there is a record; undefined: as contract C-7.2 says. */
  readonly selection: Selection | undefined;
  /** Judges the answers to its requests, those of its steps too. */
  readonly policy: AnswerPolicy;
  /** Name of its authentication in `api.authentications`; false: none; undefined: `api.authentication`. */
  readonly authentication: string | false | undefined;
  /** Rates of its requests beside those of the run. */
  readonly rates: PartRates | undefined;
  /** As configured. Undefined: the response's Content-Type decides. */
  readonly format: Format | undefined;
  readonly scroll: Scroll;
  /** Reason why every end of the job is suspect, whatever its answers say; undefined if there is none. */
  readonly doubt: string | undefined;
  /** The requests before it. Undefined: there are none. */
  readonly steps: readonly Step[] | undefined;
  /** undefined: the job starts from the beginning in every run. */
  readonly increment: Increment | undefined;
  /** undefined: the job runs once. */
  readonly windows: Windows | undefined;
  readonly children: readonly ChildPlan[];
  /** Datasets of its own lines that are written; none: the job is run for its children alone. */
  readonly datasets: readonly Dataset[];
  /** Datasets of its lines that are not wanted: the lines are made, since paging and children go by them, and not written. */
  readonly unwritten?: ReadonlySet<string> | undefined;
  /** Puts the JSON text of chosen values into a record. */
  readonly filter: ResponseFilter | undefined;
  /** Makes mapped records, for one dataset or more, of whole lines and the columns that each of their records gains. */
  readonly map: ((lines: Buffer, columns: Columns) => readonly Lines[]) | undefined;
  /** Paths in this job's records that its descendants need. */
  readonly wanted: readonly Path[];
  /**
   * The runs of the job under the given parents: one for every combination of listed placeholder values, of each for every
   * window, and of that for every endpoint. Throws SpileError where a placeholder's value is missing. The nearest parent is one
   * that `grouped` gives.
   */
  runs(lineage: Lineage): Iterable<Start | StepsStart>;
  /** The parents of a page of the job above, as this one asks for them: by themselves, or several as one. Throws as `runs` does. */
  grouped(parents: Iterable<Parent>): Iterable<Parent>;
}

/** The parents of a child job's run. */
export interface Lineage {
  /** The records above it, the nearest first; none for a top-level job. */
  readonly parents: readonly Parent[];
  /** Placeholders and their values of the jobs above it, which it inherits. */
  readonly inherited: readonly Substitution[];
}

/** That of a top-level job. */
export const noLineage: Lineage = { parents: [], inherited: [] };

/** The runs with which a top-level job begins: where it has windows, those of the first. */
export function* openingRuns({ runs }: JobPlan): Iterable<Start | StepsStart> {
  for (const start of runs(noLineage)) {
    if (start.window !== undefined && start.window.index > 0) return;
    yield start;
  }
}

/** A placeholder with its value: what `{name}` in an endpoint becomes. */
export interface Substitution {
  readonly name: string;
  /** The path as configured: it names the column `parent_<path>`. undefined: the value is of several parents, and gives none. */
  readonly path: string | undefined;
  readonly value: Value;
  /**
   * A text that goes into an address as it is (a function's result, a batch). Undefined: the value, percent-encoded for its place.
   */
  readonly raw: string | undefined;
}

/** The beginning of one run of a job. */
export interface Start {
  /** The name of the run among those of its job, for people. Undefined: only its parents tell it from others. */
  readonly name: string | undefined;
  /** The window of the run, and which of the job's endpoints there it has, from 0. */
  readonly window: (Window & { readonly endpoint: number }) | undefined;
  readonly request: Request;
  /** Its address was given by the answers to steps, to be fetched wherever it is. */
  readonly given: boolean;
  /** The job's own parameters, without the defaults, for paging that starts from them. */
  readonly parameters: readonly OwnParameter[];
  /** Columns that every record gains, in order: `parent_*` and user data; the JSON text of each. */
  readonly columns: readonly Column[];
  /** Its placeholders with their values, for the jobs below it. */
  readonly substitutions: readonly Substitution[];
  /** The increment of a child job for the parent. Runs for one parent have the same object. */
  readonly increment: Increment | undefined;
}

/** The beginning of the runs of a job with steps. */
export interface StepsStart extends Pick<Start, "name" | "window" | "increment"> {
  readonly steps: readonly Step[];
  readonly run: StepRun;
  /** The runs that the answers to all steps lead to. Throws SpileError where an answer lacks what is read of it. */
  follow(answers: readonly StepAnswer[]): FollowingStarts;
}

/** Runs that follow the answers to steps; making one may throw SpileError. */
export interface FollowingStarts extends Iterable<Start> {
  readonly count: number;
}

export interface ChildPlan {
  readonly plan: JobPlan;
  /** A filter picks the parents. Without one every record is accepted, whatever `accepts` is given. */
  readonly filters: boolean;
  /** Returns whether a parent record gets requests of this child (`recursionFilter`). */
  accepts(record: Value): boolean;
}

/** Returns the plan of a job that is run for its children alone: its lines are made, and not written. */
export function withoutLines(plan: JobPlan): JobPlan {
  if (plan.datasets.length === 0) return plan;
  const unwritten = new Set([...(plan.unwritten ?? []), ...plan.datasets.map(({ name }) => name)]);
  return { ...plan, datasets: [], unwritten, paging: () => `${plan.paging()}; ${notWritten}` };
}

/** Added to what is said of a job whose records are not written. */
export const notWritten = "its records are not written";

/** A job and all below it. */
export function withChildren(plan: JobPlan): readonly JobPlan[] {
  return [plan, ...plan.children.flatMap((child) => withChildren(child.plan))];
}
