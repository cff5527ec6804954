import { Writable } from "node:stream";
import { readConfiguration } from "../../../compile/read.ts";
import { ConfigurationError, type SpileError } from "../../../core/errors.ts";
import { isObject, type ValueObject, valueText } from "../../../core/value.ts";
import { loadPatterns } from "../../../expression/pattern.ts";
import { run } from "../../../pipeline/run.ts";
import type { Authored } from "../../configuration-draft.ts";
import type { Exploration } from "../exploration.ts";
import { type Exchanged, patience } from "./exchange-memory.ts";

/** How a configuration did on its first pages. */
export interface TrialOutcome {
  /** The exchanges, one a page; redirects left out. */
  readonly pages: readonly Exchanged[];
  readonly failure: SpileError | undefined;
  /** A request was wanted that may not be sent any more. */
  readonly refused: boolean;
}

/** Runs a configuration for so many pages, as a user's run would go, with no retries and no records written. */
export async function tryConfiguration(
  authored: Authored,
  maxPages: number,
  exploration: Exploration,
): Promise<TrialOutcome> {
  const { memory, signal, secrets, environment } = exploration;
  const text = valueText(withoutRetries(authored.configuration));
  const values = Object.fromEntries(authored.credentials.map(({ variable, value }) => [variable, value]));
  const variables = { ...environment, ...values };
  memory.take();
  try {
    await loadPatterns(text);
    const loaded = readConfiguration(text, {
      name: "configuration",
      set: new Map(),
      environment: variables,
      strict: false,
      secrets,
    });
    const { failure } = await run(loaded, {
      target: { kind: "stream", stream: nowhere() },
      signal,
      emit: () => undefined,
      secrets,
      variables,
      maxPages,
      maxWait: patience,
      transport: memory.transport,
    });
    signal.throwIfAborted();
    const { exchanges, refused } = memory.take();
    return {
      pages: exchanges.filter(({ response }) => response.status < 300 || response.status > 399),
      failure,
      refused,
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { pages: [], failure: error, refused: false };
  }
}

function withoutRetries(configuration: ValueObject): ValueObject {
  const { api } = configuration;
  return isObject(api) ? { ...configuration, api: { ...api, retryConfig: { maxRetries: 0 } } } : configuration;
}

/** Takes the records of a trial and keeps none. */
function nowhere(): Writable {
  return new Writable({
    write(_chunk, _encoding, callback) {
      callback();
    },
  });
}
