import type { Writable } from "node:stream";
import { outputError } from "../core/files/pending-file.ts";
import type { Value } from "../core/values/value.ts";
import { stateMessage } from "../output/singer/messages.ts";
import { documentOf, noState, readState, type State } from "./state-file.ts";
import type { StatePlace } from "./state-place.ts";

/**
 * A run that speaks Singer reads its state from the file that a target has left (contract C-21.2), and tells each new one
 * in a STATE message behind the records before it: the target, which knows what of them is safe, keeps it. Rejects with
 * SpileError `configuration` where the file cannot be read.
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
      await written(output, message);
      return true;
    },
    discardProgress: async () => ({ ...before, progress: undefined }),
    removeUnfinished: async () => undefined,
    close: () => undefined,
  };
}

function written(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => (error == null ? resolve() : reject(outputError(error, "stdout"))));
  });
}

/**
 * A state as Singer has it: the marks of increments are its bookmarks. `progress` is there in any case: where states are
 * laid over each other, as Meltano does, that of an earlier one would stay.
 */
function stateValue(state: State): Value {
  const { incremental = {}, progress = null, ...others } = documentOf(state);
  return { bookmarks: incremental, ...others, progress };
}
