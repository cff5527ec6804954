import { SpileError } from "../core/errors.ts";
import { isObject, type Value } from "../core/value.ts";
import type { Watermarks } from "../core/watermark.ts";
import type { State } from "./state-file.ts";

/** How far earlier runs have come by a state. Throws SpileError `configuration` where that is not what a run writes. */
export function watermarksOf({ document }: State, name: string): Watermarks {
  const { incremental = {} } = document;
  if (isWatermarks(incremental)) return incremental;
  const example = '{"orders": {"path": "updated_at", "value": "2024-01-31T08:00:00Z"}}';
  throw new SpileError("configuration", `${name}: /incremental must hold objects as in ${example}`);
}

/** A state with these beside those that it has. */
export function withWatermarks(state: State, watermarks: Watermarks): State {
  if (Object.keys(watermarks).length === 0) return state;
  const { incremental } = state.document;
  const all = { ...(isObject(incremental) ? incremental : {}), ...watermarks };
  return { ...state, document: { ...state.document, incremental: all } };
}

export function isWatermarks(value: Value | undefined): value is Watermarks {
  if (!isObject(value)) return false;
  return Object.values(value).every(
    (one) => isObject(one) && one.value !== undefined && one.value !== null && typeof (one.path ?? "") === "string",
  );
}
