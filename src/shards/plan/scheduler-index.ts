import { SpileError } from "../../core/errors.ts";

/** Variables in which schedulers give a task its index, in order of precedence, each with the index of the first task. */
const variables: readonly (readonly [name: string, first: number])[] = [
  ["JOB_COMPLETION_INDEX", 0],
  ["SLURM_ARRAY_TASK_ID", 0],
  ["AWS_BATCH_JOB_ARRAY_INDEX", 0],
  ["CLOUD_RUN_TASK_INDEX", 0],
  ["BATCH_TASK_INDEX", 0],
  ["PARALLEL_SEQ", 1],
];

/**
 * Returns the index of a shard, from 0: `indexOption`, else the index in a variable of a scheduler. Throws SpileError `usage` if
 * there is none, if it is not a number, or if it is out of range.
 */
export function shardIndex(
  indexOption: number | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  count: number,
): number {
  if (indexOption !== undefined) return checkedIndex(indexOption, "--index", 0, count);
  for (const [name, first] of variables) {
    const text = environment[name];
    if (text === undefined || text === "") continue;
    if (!/^[0-9]{1,9}$/.test(text)) throw new SpileError("usage", `${name} is not an index: ${JSON.stringify(text)}`);
    return checkedIndex(Number(text), name, first, count);
  }
  const names = variables.map(([name]) => name).join(", ");
  throw new SpileError("usage", `which shard is this? Give --index, or let the scheduler set one of ${names}`);
}

function checkedIndex(index: number, name: string, first: number, count: number): number {
  if (index >= first && index < first + count) return index - first;
  throw new SpileError("usage", `${name} is ${index}, but the plan has the shards ${first} to ${first + count - 1}`);
}
