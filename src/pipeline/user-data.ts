import { isObject, type ValueObject } from "../core/value.ts";
import type { Job } from "../generated/configuration.ts";
import type { JobEnvironment } from "./compile-jobs.ts";

/** The user data of a job's records (spec 11): its own, else that of `config`; a scalar is one column. */
export function userDataOf(job: Job, { config, evaluate }: JobEnvironment): ValueObject {
  const value = evaluate(job.userData ?? config.userData ?? {});
  if (isObject(value)) return value;
  return { userData: value };
}
