import type { SpileError } from "../../core/errors.ts";
import type { Checkpoint } from "../../resume/progress.ts";
import type { Slot } from "../job-run.ts";

/**
 * Judges a page's error where its job was resumed. If the first request is refused as one with an unknown token is, the place may
 * have expired: returns what `expired` makes of it, or says so in the message. To ignore such a refusal would lose the rest of the
 * job, so the hint to do that is taken out of the message.
 */
export function afterResume(
  error: SpileError,
  from: Checkpoint | undefined,
  { run: { index, parents }, number }: Pick<Slot, "run" | "number">,
  expired: ((error: SpileError) => Error) | undefined,
): Error | undefined {
  const isResumed = from?.position != null && parents.length === 0 && from.run === index && number === from.pages + 1;
  if (!isResumed || error.kind !== "refused" || !/\banswered (400|404|410|422)\b/.test(error.message)) return undefined;
  error.message = error.message.replace(/ \(if this is how the API ends its pages: [^)]*\)/, "");
  if (expired !== undefined) return expired(error);
  error.message += ` (the job was resumed here; ${remedy})`;
  return undefined;
}

const remedy = "its place may have expired since: run it without --resume to begin anew";
