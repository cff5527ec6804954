import { SpileError } from "../core/errors.ts";
import { warningEvent } from "../core/runs/event.ts";
import type { RunOptions } from "../core/runs/run.ts";
import { isWatermarks, type Moved, type Watermarks } from "../core/runs/watermark.ts";
import { isObject, valueText } from "../core/values/value.ts";
import { MovedWatermarks } from "./moved-watermarks.ts";
import type { State } from "./state-file.ts";

/** Returns the watermarks of earlier runs in a state. Throws SpileError `configuration` if they are invalid. */
export function watermarksOf({ document }: State, name: string): Watermarks {
  const { incremental = {} } = document;
  if (isWatermarks(incremental)) return incremental;
  const example = '{"orders": {"path": "updated_at", "value": "2024-01-31T08:00:00Z"}}';
  throw new SpileError("configuration", `${name}: /incremental must hold objects as in ${example}`);
}

/**
 * Returns the watermarks with which a resumed run begins. A watermark that the interrupted run has moved window by window gets
 * back the value that it had at the beginning of that run, so that the windows are the same.
 */
export function watermarksAtBeginning(
  watermarks: Watermarks,
  { watermarks: moved }: { readonly watermarks: Watermarks },
): Watermarks {
  const begunWatermarks = Object.entries(moved).filter(([, { began }]) => began !== undefined);
  return { ...watermarks, ...Object.fromEntries(begunWatermarks) };
}

/** Returns a state with moved increments. */
export function withWatermarks(state: State, moved: readonly Moved[]): State {
  if (moved.length === 0) return state;
  const movedWatermarks = new MovedWatermarks();
  movedWatermarks.take(moved);
  return overWatermarks(state, movedWatermarks);
}

/** Returns a state with the watermarks in `moved`. */
export function overWatermarks(state: State, moved: MovedWatermarks): State {
  const { incremental } = state.document;
  const all = moved.over(isObject(incremental) ? incremental : {});
  if (Object.keys(all).length === 0) return state;
  return { ...state, document: { ...state.document, incremental: all } };
}

/** Returns whether a state may store an increment, and warns if it may not because the increment holds a secret. */
export function isStorable([key, watermark]: Moved, { secrets, emit }: Pick<RunOptions, "secrets" | "emit">): boolean {
  if (!secrets.holds(valueText(watermark))) return true;
  const message = `the increment of ${key} holds a secret, which the state does not store: the next run begins where this one did`;
  emit(warningEvent(message));
  return false;
}
