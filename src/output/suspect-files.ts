import { isToFiles, type RunOptions, type RunResult, type Target } from "../core/runs/run.ts";

/** Returns whether lines go to suspect files: under `--strict`, if the target is a file or folder and a job is suspect (contract C-9.8). */
export function usesSuspectFiles(
  jobs: RunResult["jobs"],
  { strict, target }: Pick<RunOptions, "strict" | "target">,
): boolean {
  return strict === true && isToFiles(target) && jobs.some(({ verdict }) => verdict === "suspect");
}

const maxNames = 3;

/** Returns the message about suspect files; undefined if the target has no earlier content: a stream, a device or a pipe. */
export function suspectFilesMessage(files: readonly string[], target: Target): string | undefined {
  if (!isToFiles(target)) return undefined;
  if (target.kind === "file" && files.length === 0) return undefined;
  const stays =
    target.kind === "file" ? `${target.path} stays as it was` : `the files in ${target.path} stay as they were`;
  const more = files.length > maxNames ? `, and ${files.length - maxNames} more` : "";
  const names =
    files.length === 0
      ? "there are no new lines"
      : `the new lines are in ${files.slice(0, maxNames).join(", ")}${more}`;
  return `a job is suspect, and --strict is on: ${stays}; ${names}`;
}
