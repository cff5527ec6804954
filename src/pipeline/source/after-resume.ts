import type { SpileError } from "../../core/errors.ts";
import type { Checkpoint } from "../../resume/progress.ts";
import type { JobRun } from "../job-run.ts";

/** Is the page the one that a resumed job goes on with? */
export function isResumedAt(from: Checkpoint | undefined, { index, parents }: JobRun, number: number): boolean {
  return from?.position != null && parents.length === 0 && from.run === index && number === from.pages + 1;
}

/** A token that was kept for a resume may have died since; to ignore the refusal would lose the rest of the job. */
export function afterResume({ kind, message }: SpileError): string {
  if (kind !== "refused" || !/\b(400|404|410|422)\b/.test(message)) return message;
  const remedy = "its place may have expired since: run it without --resume to begin anew";
  return `${message.replace(pastEndHint, "")} (the job was resumed here; ${remedy})`;
}

const pastEndHint = / \(if this is how the API ends its pages: [^)]*\)/;
