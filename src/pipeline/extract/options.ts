import type { ReadingPlan } from "../../compile/jobs/reading-plan.ts";
import type { LineBudget } from "../line-budget.ts";

export interface ExtractOptions extends ReadingPlan {
  readonly budget: LineBudget;
  /** Key of the run's fingerprints. */
  readonly fingerprintKey: string;
}
