import { readConfiguration } from "../../compile/read.ts";
import { ConfigurationError, type SpileError } from "../../core/errors.ts";
import type { Secrets } from "../../core/redact.ts";
import { isObject, type ValueObject, valueText } from "../../core/value.ts";
import { run } from "../../pipeline/run.ts";
import type { Authored, JobDraft } from "../configuration-draft.ts";
import type { RequestDescription } from "../request-description.ts";
import { type Exchanged, type ExchangeMemory, patience } from "./exchange-memory.ts";
import { openNothing } from "./nothing.ts";

export interface Laboratory {
  /** The configuration of a request and a job. */
  readonly draft: (description: RequestDescription, job: JobDraft) => Authored;
  readonly memory: ExchangeMemory;
  readonly signal: AbortSignal;
  readonly secrets: Secrets;
  readonly environment: NodeJS.ProcessEnv;
}

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
  laboratory: Laboratory,
): Promise<TrialOutcome> {
  const { memory, signal, secrets, environment } = laboratory;
  const text = valueText(withoutRetries(authored.configuration));
  const values = Object.fromEntries(authored.credentials.map(({ variable, value }) => [variable, value]));
  const variables = { ...environment, ...values };
  memory.take();
  try {
    const loaded = readConfiguration(text, {
      name: "configuration",
      set: new Map(),
      environment: variables,
      strict: false,
      secrets,
    });
    const { failure } = await run(loaded, {
      target: { kind: "stream", stream: openNothing() },
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
