import type { Writable } from "node:stream";
import { outputError } from "../core/files/pending-file.ts";
import type { Value } from "../core/values/value.ts";
import { stateMessage } from "../output/singer/messages.ts";
import { documentOf, noState, readState, type State } from "./state-file.ts";
import type { StatePlace } from "./state-place.ts";

/**
 * Opens the state of a run that speaks Singer: reads it from the file that a target has left (contract C-21.2), and writes each
 * new one in a STATE message behind the records before it. The target, which knows which records are safe, keeps it. Rejects with
 * SpileError `configuration` if the file cannot be read.
 */
export async function singerPlace(
  path: string | undefined,
  output: Writable,
  signal?: AbortSignal,
): Promise<StatePlace> {
  const before = path === undefined ? noState : await readState(path, signal);
  let weight = 0;
  return {
    name: path ?? "the state",
    progressName: path ?? "the state",
    before,
    tag: "",
    isTold: true,
    get weight() {
      return weight;
    },
    append: async () => false,
    async write(state, { most = Number.POSITIVE_INFINITY } = {}) {
      const message = stateMessage(stateValue(state));
      weight = message.length;
      if (weight > most) return false;
      await writeText(output, message);
      return true;
    },
    discardProgress: async () => ({ ...before, progress: undefined }),
    removeUnfinished: async () => undefined,
    close: () => undefined,
  };
}

function writeText(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error == null ? resolve() : reject(outputError(error, "stdout"))));
  });
}

/**
 * Returns a state in Singer's form: the marks of increments are its bookmarks. `progress` is always there: if states are merged,
 * as Meltano does, an earlier one's would stay.
 */
function stateValue(state: State): Value {
  const { incremental = {}, progress = null, ...others } = documentOf(state);
  return { bookmarks: incremental, ...others, progress };
}
