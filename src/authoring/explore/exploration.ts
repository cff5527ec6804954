import type { Secrets } from "../../core/redact.ts";
import type { Authored, JobDraft } from "../configuration-draft.ts";
import type { RequestDescription } from "../request-description.ts";
import type { Finding } from "./finding.ts";
import type { ExchangeMemory } from "./trials/exchange-memory.ts";

/** What an API is explored with: handed from the first request to the last trial. */
export interface Exploration {
  /** The configuration of a request and a job. */
  readonly draft: (description: RequestDescription, job: JobDraft) => Authored;
  readonly memory: ExchangeMemory;
  readonly signal: AbortSignal;
  readonly secrets: Secrets;
  readonly environment: NodeJS.ProcessEnv;
  readonly tell: (finding: Finding) => void;
}
