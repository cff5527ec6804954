import { dirname } from "node:path";
import { isObject } from "../core/values/value.ts";
import { removeKept } from "../output/folder-sink.ts";
import { type State, writeState } from "./state-file.ts";

/** Removes the progress of a run that is not resumed, and its unfinished files. Returns the state without it. */
export async function discardProgress(path: string, state: State, tag: string): Promise<State> {
  if (state.progress === undefined) return state;
  const left = { ...state, progress: undefined };
  await writeState(path, left);
  const { output } = isObject(state.progress) ? state.progress : {};
  if (typeof output === "string") await removeUnfinished(output, tag);
  return left;
}

/** Removes the unfinished files of a state, in a folder or of a file. */
export async function removeUnfinished(output: string, tag: string): Promise<void> {
  for (const folder of [output, dirname(output)]) await removeKept(folder, tag);
}
