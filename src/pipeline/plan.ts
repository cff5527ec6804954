import type { Path } from "../core/path.ts";
import type { Parameter, Request } from "../core/request.ts";
import type { Value } from "../core/value.ts";
import type { Scroll } from "../pagination/scroll.ts";
import type { Substitution } from "./placeholders.ts";

/** What descendants need of one record of a job: the values at `JobPlan.wanted`, by `pathText`. Absent ones are left out. */
export type Parent = ReadonlyMap<string, Value>;

/** A job made ready to run: every expression that needs no parent is evaluated. */
export interface JobPlan {
  /** Its data type, else its endpoint as written: the name in events, `--job` and the summary. */
  readonly label: string;
  readonly dataType: string;
  readonly endpoint: string;
  readonly id: string | undefined;
  /** Where it stands in the configuration. */
  readonly pointer: string;
  /** undefined: auto-detection. */
  readonly dataField: Path | undefined;
  readonly scroll: Scroll;
  readonly children: readonly ChildPlan[];
  /** Paths in this job's records that its descendants need. */
  readonly wanted: readonly Path[];
  /**
   * The runs of the job under the given parents: one for every combination of listed placeholder values. Throws
   * SpileError where a placeholder's value is missing.
   */
  runs(lineage: Lineage): Iterable<Start>;
}

/** Where a child job's run comes from. */
export interface Lineage {
  /** The records above it, the nearest first; none for a top-level job. */
  readonly parents: readonly Parent[];
  /** Placeholders and their values of the jobs above it, which it inherits. */
  readonly inherited: readonly Substitution[];
}

/** What one run of a job begins with. */
export interface Start {
  readonly request: Request;
  /** The parameters as the job has them, for paging that starts from them. */
  readonly parameters: readonly Parameter[];
  /** Columns that every record gains, in order: `parent_*` and user data; the JSON text of each. */
  readonly columns: readonly (readonly [name: string, json: string])[];
  /** Its placeholders with their values, for the jobs below it. */
  readonly substitutions: readonly Substitution[];
}

export interface ChildPlan {
  readonly plan: JobPlan;
  /** Does a parent record get requests of this child (`recursionFilter`)? */
  accepts(record: Value): boolean;
}
