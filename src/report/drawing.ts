import type { Activity } from "../core/runs/account.ts";
import { type Bar, type ShareName, shareNames, type Timeline } from "./run-account.ts";

/** Width of a drawing in its own units. */
const width = 1000;

/** Height of the drawing of shares. The drawing of bars has about this height if there are many lanes. */
const height = 120;

const maxLanes = 64;

/** The shapes of one kind: the data of an SVG path. */
export interface Shapes {
  readonly kind: ShareName;
  readonly d: string;
}

export interface Drawing {
  readonly height: number;
  readonly shapes: readonly Shapes[];
}

/** Draws requests and waits as bars, each in the first free lane. */
export function drawBars(bars: readonly Bar[], durationMs: number): Drawing {
  const lanes: number[] = [];
  const places = bars.map((bar) => {
    const freeLane = lanes.findIndex((until) => until <= bar.from);
    const lane = freeLane >= 0 ? freeLane : Math.min(lanes.length, maxLanes - 1);
    lanes[lane] = Math.max(lanes[lane] ?? 0, bar.to);
    return lane;
  });
  const laneHeight = Math.max(2, Math.min(20, Math.floor(height / Math.max(1, lanes.length))));
  const scale = width / Math.max(1, durationMs);
  const data = new Map<Activity, string>();
  const draw = (kind: Activity, lane: number, from: number, to: number): void => {
    const left = round(from * scale);
    const wide = Math.max(0.3, round(to * scale) - left);
    const gap = laneHeight > 4 ? 1 : 0;
    const rectangle = `M${left} ${lane * laneHeight}h${round(wide)}v${laneHeight - gap}h-${round(wide)}z`;
    data.set(kind, (data.get(kind) ?? "") + rectangle);
  };
  for (const [index, bar] of bars.entries()) {
    const lane = places[index] ?? 0;
    const { kind, from, to, answered = to } = bar;
    draw(kind, lane, from, answered);
    if (to > answered) draw("transfer", lane, answered, to);
  }
  return { height: Math.max(1, lanes.length) * laneHeight, shapes: inOrder(data) };
}

/** Draws shares of time as columns, one on top of the other. */
export function drawShares({ binMs, shares }: Timeline, durationMs: number): Drawing {
  const scale = width / Math.max(1, durationMs);
  const data = new Map<ShareName, string>();
  const bases = shares.spile.map(() => height);
  for (const name of shareNames) {
    for (const [index, ms] of shares[name].entries()) {
      const from = index * binMs;
      const span = Math.min(binMs, durationMs - from);
      const tall = span <= 0 ? 0 : Math.min(bases[index] ?? 0, (ms / span) * height);
      if (tall <= 0) continue;
      bases[index] = (bases[index] ?? 0) - tall;
      const wide = round(span * scale);
      const shape = `M${round(from * scale)} ${round(bases[index] ?? 0)}h${wide}v${round(tall)}h-${wide}z`;
      data.set(name, (data.get(name) ?? "") + shape);
    }
  }
  return { height, shapes: inOrder(data) };
}

/** Draws amounts over time as an area. The greatest amount has the height of the drawing. */
export function drawAmounts(amounts: readonly number[], binMs: number, durationMs: number, areaHeight: number): string {
  const scale = width / Math.max(1, durationMs);
  const greatest = Math.max(...amounts, 1e-9);
  const steps = amounts.map((amount, index) => {
    const to = Math.min((index + 1) * binMs, durationMs);
    return `V${round(areaHeight - (amount / greatest) * areaHeight)}H${round(to * scale)}`;
  });
  return `M0 ${areaHeight}${steps.join("")}V${areaHeight}z`;
}

function inOrder(data: ReadonlyMap<ShareName, string>): readonly Shapes[] {
  return shareNames.flatMap((kind) => {
    const d = data.get(kind);
    return d === undefined ? [] : [{ kind, d }];
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
