import type { Authored } from "../configuration-draft.ts";
import { createExchangeMemory } from "../explore/exchange-memory.ts";
import { explore } from "../explore/explore.ts";
import type { Finding } from "../explore/finding.ts";
import type { Laboratory } from "../explore/trial.ts";
import { assemble, type DescribedApi, type DescribedJob } from "./configuration.ts";

export interface AuthoredApi extends Authored {
  readonly comments: ReadonlyMap<string, readonly string[]>;
}

const unproven =
  "Not proven: made of the names in the description. Send one request for each job with --explore to prove it, or heed the verdict of the first run.";

/** The configuration of a described API, its paging as the description's names suggest it. */
export function authorApi(api: DescribedApi): AuthoredApi {
  return {
    configuration: assemble(api, api.jobs),
    credentials: [],
    comments: new Map([["/api/pagination", [unproven]]]),
  };
}

/** The same, but each job is explored by at most so many requests beside its first; only paging that was shown is kept. */
export async function exploreApi(
  api: DescribedApi,
  laboratory: Omit<Laboratory, "draft" | "memory">,
  probes: number,
  tell: (finding: Finding) => void,
): Promise<AuthoredApi> {
  const jobs: DescribedJob[] = [];
  const comments = new Map<string, readonly string[]>();
  const remarks: string[] = [];
  for (const [index, described] of api.jobs.entries()) {
    const tellJob = ({ kind, text }: Finding): void => tell({ kind, text: `${described.endpoint}: ${text}` });
    const explored = await explore(
      { method: "GET", address: new URL(described.endpoint, api.baseUrl).href, params: described.params, headers: [] },
      {
        ...laboratory,
        memory: createExchangeMemory(1 + probes),
        draft: (description, draft) => ({
          configuration: assemble(api, [{ ...described, params: description.params, draft }]),
          credentials: [],
        }),
      },
      tellJob,
    );
    const { dataType } = described.draft;
    jobs.push({ ...described, params: explored.description.params, draft: { ...explored.job, dataType } });
    for (const [pointer, texts] of explored.comments) {
      if (pointer.startsWith("/config")) comments.set(pointer.replace("/jobs/0", `/jobs/${index}`), texts);
      else remarks.push(...texts.map((text) => `${described.endpoint}: ${text}`));
    }
  }
  if (remarks.length > 0) comments.set("/api/pagination", remarks);
  return { configuration: assemble(api, jobs), credentials: [], comments };
}
