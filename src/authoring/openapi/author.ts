import { isNumber, isObject, type Value } from "../../core/values/value.ts";
import type { Authored } from "../configuration-draft.ts";
import { type Explored, explore, unknown } from "../explore/explore.ts";
import type { Finding } from "../explore/finding.ts";
import { createExchangeMemory } from "../explore/trials/exchange-memory.ts";
import type { Exploration } from "../explore/trials/prober.ts";
import type { RequestDescription } from "../request-description.ts";
import { assemble } from "./assemble.ts";
import type { DescribedApi, DescribedJob } from "./configuration.ts";

export interface AuthoredApi extends Authored {
  readonly comments: ReadonlyMap<string, readonly string[]>;
}

const unproven =
  "Not proven: derived from the names in the description. Send one request for each job with --explore to prove it, or heed the verdict of the first run.";

/** Returns the configuration of a described API. Its paging is derived from names in the description and is not proven. */
export function authorApi(api: DescribedApi): AuthoredApi {
  return {
    configuration: assemble(api, api.jobs),
    credentials: [],
    comments: new Map([["/api/pagination", [unproven]]]),
  };
}

/**
 * Explores each job of a described API with at most `probes` requests besides its first one, and returns the configuration. It
 * contains only paging that responses have proved. A child job is explored with the first record of the list above it.
 */
export async function exploreApi(
  api: DescribedApi,
  exploration: Omit<Exploration, "draft" | "memory">,
  probes: number,
): Promise<AuthoredApi> {
  const comments = new Map<string, readonly string[]>();
  const remarks: string[] = [];
  const exploreOne = async (job: DescribedJob, jobPointer: string, above: readonly (Value | undefined)[]) => {
    const explored = await exploreJob(job, above);
    for (const [pointer, texts] of explored.comments) {
      if (pointer.startsWith("/config")) comments.set(pointer.replace("/config/jobs/0", jobPointer), texts);
      else remarks.push(...texts.map((text) => `${job.endpoint}: ${text}`));
    }
    const { dataType } = job.draft;
    const children: DescribedJob[] = [];
    for (const [index, child] of job.children.entries())
      children.push(await exploreOne(child, `${jobPointer}/children/${index}`, [...above, explored.sample]));
    return { ...job, params: explored.description.params, draft: { ...explored.job, dataType }, children };
  };
  const settingValue = (setting: string): Value | undefined => {
    const value = api.settings[setting];
    return isObject(value) ? exploration.environment[String(value.env)] : value;
  };
  const exploreJob = async (job: DescribedJob, above: readonly (Value | undefined)[]): Promise<Explored> => {
    const tellJob = ({ kind, text }: Finding): void => exploration.tell({ kind, text: `${job.endpoint}: ${text}` });
    const { endpoint, missing } = filledEndpoint(job, above, settingValue);
    const request = (path: string): RequestDescription => ({
      method: "GET",
      address: new URL(path, api.baseUrl).href,
      params: job.params,
      headers: [],
    });
    if (missing !== "") {
      tellJob({ kind: "note", text: `not requested: ${missing}` });
      return unknown(request(job.endpoint), `Not requested when this was written: ${missing}.`, job.draft);
    }
    return explore(request(endpoint), {
      ...exploration,
      memory: createExchangeMemory(1 + probes, exploration),
      draft: (description, draft) => ({
        configuration: assemble(api, [
          { ...job, endpoint, settings: [], filled: [], children: [], params: description.params, draft },
        ]),
        credentials: [],
      }),
      tell: tellJob,
    });
  };
  const jobs: DescribedJob[] = [];
  for (const [index, job] of api.jobs.entries()) jobs.push(await exploreOne(job, `/config/jobs/${index}`, []));
  if (remarks.length > 0) comments.set("/api/pagination", remarks);
  return { configuration: assemble(api, jobs), credentials: [], comments };
}

/** Fills an endpoint with the values of settings and of the records above. `missing`: names the first value that is missing; "" if none. */
function filledEndpoint(
  { endpoint, settings, filled }: DescribedJob,
  above: readonly (Value | undefined)[],
  settingValue: (setting: string) => Value | undefined,
): { readonly endpoint: string; readonly missing: string } {
  const values = [
    ...settings.map(({ parameter, setting }) => ({
      name: parameter,
      value: settingValue(setting),
      missing: `the setting ${setting} has no value yet`,
    })),
    ...filled.map(({ placeholder, field }, index) => {
      const record = above[index];
      const value = isObject(record) ? record[field] : undefined;
      return { name: placeholder, value, missing: "the list above it gave no value for its path" };
    }),
  ];
  const lacking = values.find(({ value }) => typeof value !== "string" && !isNumber(value));
  const text = values.reduce(
    (before, { name, value }) => before.replace(`{${name}}`, () => encodeURIComponent(String(value))),
    endpoint,
  );
  return { endpoint: text, missing: lacking?.missing ?? "" };
}
