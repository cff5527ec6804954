import type { Increment } from "../../compile/jobs/increment.ts";
import type { Moved } from "../../core/runs/watermark.ts";
import { type Value, valueText } from "../../core/values/value.ts";
import type { Mark } from "../../output/sink.ts";
import type { RunDependencies } from "./job-runs.ts";
import type { PageSourceOptions } from "./options.ts";
import type { Partition } from "./partition.ts";

type Options = Pick<PageSourceOptions, "emit" | "now" | "moved" | "moves" | "movesByWindow">;

/** Moves increments while their jobs run: those of child jobs after each parent, others after each window if `movesByWindow`. */
export class EarlyMoves implements RunDependencies {
  readonly movesByWindow: boolean;
  readonly #options: Options;
  readonly #isNews: (warning: string) => boolean;
  /** True if increments have moved since the last mark. */
  #haveMoved = false;

  /** `isNews` returns whether the current job has not reported the warning yet, and remembers it. */
  constructor(options: Options, isNews: (warning: string) => boolean) {
    this.#options = options;
    this.movesByWindow = options.movesByWindow;
    this.#isNews = isNews;
  }

  now(): number {
    return this.#options.now();
  }

  ended({ increment, progress, plan }: Partition): void {
    const { key, partitions, context, before = null } = increment;
    if (context === undefined) {
      // Notices about the increment of a top-level job are reported when the job ends.
      const watermark = progress.movedFurther();
      if (watermark !== undefined) this.#moved([key, { ...watermark, began: before }]);
      return;
    }
    const { label, dataType } = plan;
    for (const message of progress.notices(this.now())) {
      if (!this.#isNews(`${label}\n${message}`)) continue;
      this.#options.emit({ event: "warning", level: "warning", message, job: label, dataType });
    }
    const watermark = progress.moved();
    const { value } = watermark ?? {};
    if (watermark === undefined || value === undefined) return;
    if (partitions?.move(context, value, (now) => stays(increment, now, value)) !== true) return;
    this.#moved([key, watermark, context]);
  }

  #moved(moved: Moved): void {
    this.#options.moved(moved);
    this.#haveMoved = true;
  }

  /** Must be called when a mark of a checkpoint was made, since that mark covers all moves so far. */
  markMade(): void {
    this.#haveMoved = false;
  }

  /** Returns a mark between two checkpoints, if increments have moved since the last mark. */
  mark(): Mark | undefined {
    const haveMoved = this.#haveMoved;
    this.#haveMoved = false;
    return haveMoved ? this.#options.moves?.() : undefined;
  }
}

/**
 * Returns whether an increment keeps its current value instead of the next one. A value from records never goes back. A value
 * from a response is kept only if the next one is equal.
 */
function stays({ source, type }: Increment, current: Value, next: Value): boolean {
  return "path" in source ? type.compare(current, next) >= 0 : valueText(current) === valueText(next);
}
