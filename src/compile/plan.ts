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

/** The values in a record that the jobs below need (`JobPlan.wantedPaths`), by `pathText`. A missing value has no entry. */
export type Parent = ReadonlyMap<string, Value>;

/** A compiled job. Only expressions that read a parent, a window or an answer to a step are still to be evaluated. */
export interface JobPlan {
  /** Its name in events, `--job` and the summary: the data type, else the endpoint as written. */
  readonly label: string;
  readonly dataType: string;
  /** Endpoint as written; an expression as JSON. */
  readonly endpoint: string;
  /** Endpoints after evaluation, before placeholders are filled. */
  readonly endpoints: readonly string[];
  readonly method: Method;
  /** Describes for people its paging, and everything else that is unusual about it. */
  paging(): string;
  readonly id: string | undefined;
  /** Its JSON pointer in the configuration. */
  readonly pointer: string;
  /** Path of the records; undefined to detect them. */
  readonly dataField: Path | undefined;
  /** Rule that selects the records at the data field; undefined for the usual rule (contract C-7.2). */
  readonly selection: Selection | undefined;
  /** Policy for the answers to its requests, including those of its steps. */
  readonly policy: AnswerPolicy;
  /** Name of its authentication in `api.authentications`; false for none, undefined for `api.authentication`. */
  readonly authentication: string | false | undefined;
  /** Rates of its requests, in addition to those of the run. */
  readonly rates: PartRates | undefined;
  /** Format as configured; undefined if the Content-Type of the response decides. */
  readonly format: Format | undefined;
  readonly scroll: Scroll;
  /** The reason why every end of the job is suspect, no matter what its answers say; undefined if there is none. */
  readonly doubt: string | undefined;
  /** Steps before its requests; undefined if there are none. */
  readonly steps: readonly Step[] | undefined;
  /** Increment; undefined if every run starts from the beginning. */
  readonly increment: Increment | undefined;
  /** Windows; undefined if the job has none. */
  readonly windows: Windows | undefined;
  readonly children: readonly ChildPlan[];
  /** Datasets of its own lines that are written; empty if the job runs only for its children. */
  readonly datasets: readonly Dataset[];
  /** Datasets whose lines are made but not written, since paging and children depend on them. */
  readonly unwritten?: ReadonlySet<string> | undefined;
  /** Replaces chosen values of a record by their JSON text. */
  readonly filter: ResponseFilter | undefined;
  /** Makes records of one or more datasets from whole lines, by the mapping. `columns`: columns that each record gets. */
  readonly map: ((lines: Buffer, columns: Columns) => readonly Lines[]) | undefined;
  /** Paths in this job's records that its descendants need. */
  readonly wantedPaths: readonly Path[];
  /**
   * Returns the runs of the job under the given parents: one for every combination of placeholder values, window and endpoint. If the
   * job has steps, the endpoints follow from their answers, so returns one StepsStart for all endpoints. Throws SpileError if the
   * value of a placeholder is missing. The nearest parent must come from `grouped`.
   */
  runs(lineage: Lineage): Iterable<Start | StepsStart>;
  /** Returns the parents of a page as `runs` needs them: unchanged, or several joined into one for a batch. Throws as `runs` does. */
  grouped(parents: Iterable<Parent>): Iterable<Parent>;
}

/** The parents of a child job's run. */
export interface Lineage {
  /** The records above it, the nearest first; empty for a top-level job. */
  readonly parents: readonly Parent[];
  /** Placeholders that it inherits from the jobs above it, with their values. */
  readonly inherited: readonly Substitution[];
}

/** The lineage of a top-level job. */
export const noLineage: Lineage = { parents: [], inherited: [] };

/** Yields the runs with which a top-level job begins: all of them or, if it has windows, those of the first window. */
export function* openingRuns({ runs }: JobPlan): Iterable<Start | StepsStart> {
  for (const start of runs(noLineage)) {
    if (start.window !== undefined && start.window.index > 0) return;
    yield start;
  }
}

/** A placeholder with the value that replaces `{name}` in an endpoint. */
export interface Substitution {
  readonly name: string;
  /** The path as configured, for the column `parent_<path>`. Undefined for the values of several parents, which have no column. */
  readonly path: string | undefined;
  readonly value: Value;
  /**
   * A text that is put into an address unchanged (the result of a function, a batch). If undefined, `value` is put there,
   * percent-encoded.
   */
  readonly raw: string | undefined;
}

/** The beginning of one run of a job. */
export interface Start {
  /** The name of the run for people: its window, its endpoint or both. Undefined if the job has no windows and no list of endpoints. */
  readonly name: string | undefined;
  /** The window of the run, with the number of its endpoint, from 0. */
  readonly window: (Window & { readonly endpoint: number }) | undefined;
  readonly request: Request;
  /** True if its address came from the answers to steps. It is then fetched from any origin. */
  readonly isFromAnswers: boolean;
  /** The job's own parameters, without the defaults, for paging that starts from them. */
  readonly parameters: readonly OwnParameter[];
  /** Columns that are added to every record, in order: `parent_*` and user data. */
  readonly columns: readonly Column[];
  /** Its placeholders with their values, for the jobs below it. */
  readonly substitutions: readonly Substitution[];
  /** The increment of a child job for the parent; undefined in a top-level job. All runs for one parent have the same object. */
  readonly increment: Increment | undefined;
}

/** The beginning of the runs of a job with steps. */
export interface StepsStart extends Pick<Start, "name" | "window" | "increment"> {
  readonly steps: readonly Step[];
  readonly run: StepRun;
  /** Returns the runs that follow from the answers to all steps. Throws SpileError if an answer lacks a value that is read. */
  follow(answers: readonly StepAnswer[]): FollowingStarts;
}

/** Runs that follow from the answers to steps. Reading them may throw SpileError. */
export interface FollowingStarts extends Iterable<Start> {
  readonly count: number;
}

export interface ChildPlan {
  readonly plan: JobPlan;
  /** True if a filter chooses the parents. Otherwise `accepts` returns true for every record. */
  readonly filters: boolean;
  /** Returns whether a parent record gets requests of this child (`recursionFilter`). */
  accepts(record: Value): boolean;
}

/** Returns the plan of a job that only runs for its children: its lines are made but not written. */
export function withoutLines(plan: JobPlan): JobPlan {
  if (plan.datasets.length === 0) return plan;
  const unwritten = new Set([...(plan.unwritten ?? []), ...plan.datasets.map(({ name }) => name)]);
  return { ...plan, datasets: [], unwritten, paging: () => `${plan.paging()}; ${notWritten}` };
}

/** Words added to the description of a job whose records are not written. */
export const notWritten = "its records are not written";

/** Returns a job and all jobs below it. */
export function withChildren(plan: JobPlan): readonly JobPlan[] {
  return [plan, ...plan.children.flatMap((child) => withChildren(child.plan))];
}
