import { isEmpty } from "../../core/values/emptiness.ts";
import { isObject, type Value, valueText } from "../../core/values/value.ts";
import type { Column } from "../../extract/records.ts";
import type { Job } from "../../generated/configuration.ts";
import type { JobEnvironment } from "../environment.ts";

/**
 * Returns the user data of a job as columns of its records, as in Generic Extractor (contract C-11.6). A top-level job gets the
 * user data of `config`, where its own user data replaces equal names. A child job has only its own. A scalar becomes the column
 * `userData` if it is in `config`, and `job_parent_id` if it is in a job.
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
