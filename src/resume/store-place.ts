import { messageOf, SpileError } from "../core/errors.ts";
import type { StateStore } from "../core/runs/run.ts";
import { parseValue, valueText } from "../core/values/value.ts";
import { afterEntries, type LogEntry } from "./log-entry.ts";
import { documentOf, type State, stateOf } from "./state-file.ts";
import type { StatePlace } from "./state-place.ts";

const name = "the state";

/** Most entries that are kept in memory before the whole state replaces them. */
const mostEntries = 1000;

/**
 * Opens the state that a program keeps. It is loaded once, and saved once when the run has ended; until then it is in memory.
 * Rejects with SpileError `temporary` if it cannot be loaded, and `configuration` if it is no state.
 */
export async function storePlace(store: StateStore): Promise<StatePlace> {
  const before = stateOf(await loaded(store), name);
  let latest: State | undefined;
  let entries: string[] = [];
  return {
    name,
    progressName: name,
    before,
    tag: "",
    isTold: false,
    weight: 0,
    async append(entry) {
      if (latest === undefined || entries.length >= mostEntries) return false;
      entries.push(entry);
      return true;
    },
    async write(state) {
      latest = state;
      entries = [];
      return true;
    },
    async discardProgress() {
      const left = { ...before, progress: undefined };
      if (before.progress !== undefined) latest = left;
      return left;
    },
    removeUnfinished: async () => undefined,
    async flush() {
      if (latest === undefined) return;
      const document = afterEntries(documentOf(latest), entries.map(parseValue) as unknown as readonly LogEntry[]);
      latest = undefined;
      try {
        await store.save(valueText(document));
      } catch (error) {
        throw new SpileError("output", `cannot save the state: ${messageOf(error)}`, { cause: error });
      }
    },
    close: () => undefined,
  };
}

async function loaded(store: StateStore): Promise<string> {
  let text: unknown;
  try {
    text = await store.load();
  } catch (error) {
    throw new SpileError("temporary", `cannot load the state: ${messageOf(error)}`, { cause: error });
  }
  if (text === undefined || text === null) return "";
  if (typeof text === "string") return text;
  throw new SpileError("configuration", "cannot load the state: load() must give the text that save() was given");
}
