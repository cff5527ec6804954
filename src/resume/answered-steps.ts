import type { StepAnswer } from "../core/runs/step-answer.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { type Value, valueText } from "../core/values/value.ts";
import type { Checkpoint, Progress } from "./progress.ts";

/** Returns whether lines may have been written after the steps were answered. */
export function isAfterSteps({ steps, position }: Checkpoint): boolean {
  return steps !== undefined && (steps.part > 0 || position !== null);
}

/**
 * Returns the reason why the answer to a step is not kept: `secret` if it contains a secret, `quiet` if it may not be reused
 * anyway, so that no warning is needed. Undefined if the answer is kept.
 */
export function reasonNotKept({ at, goodUntil, values }: StepAnswer, secrets: Secrets): "quiet" | "secret" | undefined {
  if (goodUntil <= at) return "quiet";
  return secrets.holds(valueText(values)) ? "secret" : undefined;
}

/**
 * Returns the progress from which a run resumes at `now` (Unix ms). If the answer to a step is no longer valid then, this step,
 * the later steps and the runs after them are repeated (contract C-18.4).
 */
export function atLaterTime(progress: Progress, now: number): Progress {
  const { checkpoint, failed, lengths, anew } = progress;
  const laterCheckpoint = withValidAnswers(checkpoint, now);
  const isAnew = isAfterSteps(checkpoint) && !isAfterSteps(laterCheckpoint);
  return {
    ...progress,
    checkpoint: laterCheckpoint,
    failed: failed.map((one) => withValidAnswers(one, now)),
    lengths: isAnew && anew !== undefined ? anew : lengths,
  };
}

function withValidAnswers(checkpoint: Checkpoint, now: number): Checkpoint {
  const { steps } = checkpoint;
  const first = steps?.answers.findIndex(({ goodUntil }) => goodUntil <= now) ?? -1;
  if (steps === undefined || first < 0) return checkpoint;
  const validSteps = { ...steps, answers: steps.answers.slice(0, first), part: 0 };
  return { ...checkpoint, position: null, pages: 0, tally: steps.tally as Value, steps: validSteps };
}
