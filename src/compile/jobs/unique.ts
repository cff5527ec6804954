import { SpileError } from "../../core/errors.ts";
import { type Path, parsePath } from "../../core/values/path.ts";
import type { JobPlan } from "../plan.ts";

/** Default of `--unique-limit`. */
const defaultLimit = 10_000_000;

/** `--unique`: the rule that distinguishes records. */
export interface Unique {
  /** Path of the key in a written record, without the object of `--tag` around it. */
  readonly path: Path;
  /** Maximum number of keys of one job together with its child jobs. */
  readonly limit: number;
}

export function uniqueOf(path: string | undefined, limit: number = defaultLimit): Unique | undefined {
  return path === undefined ? undefined : { path: parsePath(path), limit };
}

/** Throws SpileError (usage) for jobs with a mapping, in which a record is not a line. */
export function refuseMappings(jobs: readonly JobPlan[]): void {
  for (const { map, label, children } of jobs) {
    if (map !== undefined) {
      throw new SpileError(
        "usage",
        `--unique cannot compare the records of ${JSON.stringify(label)}, because config.mappings maps them to other records`,
      );
    }
    refuseMappings(children.map(({ plan }) => plan));
  }
}
