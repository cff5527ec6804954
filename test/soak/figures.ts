import type { Sample } from "./process-figures.ts";

/** A few figures of a series of samples: the first, the median, the largest, the last, and the trend of the second half. */
export interface Course {
  readonly start: number;
  readonly median: number;
  readonly largest: number;
  readonly end: number;
  /** Slope per minute of the straight line that fits the second half best. */
  readonly slope: number;
  /** Growth over the second half according to this slope. */
  readonly growth: number;
}

export function course(samples: readonly Sample[], of: "memory" | "descriptors"): Course {
  const values = samples.map((sample) => sample[of]);
  const half = samples.slice(samples.length >> 1);
  const minutes = half.map(({ at }) => at / 60);
  const slope = slopeOf(minutes, values.slice(samples.length >> 1));
  return {
    start: values[0] ?? Number.NaN,
    median: median(values),
    largest: Math.max(...values),
    end: values.at(-1) ?? Number.NaN,
    slope,
    growth: slope * ((minutes.at(-1) ?? 0) - (minutes[0] ?? 0)),
  };
}

/** Returns the slope by least squares; 0 if there is nothing to compare. */
function slopeOf(xs: readonly number[], ys: readonly number[]): number {
  const meanX = mean(xs);
  const meanY = mean(ys);
  const spread = sum(xs.map((x) => (x - meanX) ** 2));
  return spread === 0 ? 0 : sum(xs.map((x, index) => (x - meanX) * ((ys[index] ?? 0) - meanY))) / spread;
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
