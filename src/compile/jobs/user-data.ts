import { isEmpty } from "../../core/values/emptiness.ts";
import { isObject, type Value, valueText } from "../../core/values/value.ts";
import type { Column } from "../../extract/records.ts";
import type { Job } from "../../generated/configuration.ts";
import type { JobEnvironment } from "../environment.ts";

/**
 * The user data of a job's records as columns, as in Generic Extractor (contract C-11.6): a top-level job has that of `config`
 * with its own in it, a child only its own. A scalar is the column `userData` in `config` and `job_parent_id` in a job.
 */
export function userDataOf(
  job: Job,
  { config, evaluate }: JobEnvironment,
  isChild: boolean,
  contexts?: Readonly<Record<string, Value>>,
): readonly Column[] {
  const shared = isChild ? [] : namedValues(config.userData, "userData");
  const jobValues = namedValues(job.userData, "job_parent_id");
  const evaluated = [
    ...shared.map(([name, value]) => [name, evaluate(value)] as const),
    ...jobValues.map(([name, value]) => [name, evaluate(value, contexts)] as const),
  ];
  return [...new Map(evaluated)].map(([name, value]) => ({ name, json: valueText(value) }));
}

function namedValues(userData: Value | undefined, name: string): readonly (readonly [string, Value])[] {
  if (userData === undefined || isEmpty(userData)) return [];
  return isObject(userData) || Array.isArray(userData) ? Object.entries(userData) : [[name, userData]];
}
