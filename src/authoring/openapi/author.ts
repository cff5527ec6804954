import { isNumber, isObject, type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import { filled, present } from "../configuration-draft.ts";
import { type ConfiguredJob, describedConfiguration, withChildren } from "../described/configuration.ts";
import type { AuthoredApi } from "../described/streams.ts";
import { joinedValue } from "../described/values.ts";
import { type Explored, explore, unprovedResult } from "../explore/explore.ts";
import type { Finding } from "../explore/finding.ts";
import { createExchangeMemory } from "../explore/trials/exchange-memory.ts";
import type { Exploration } from "../explore/trials/prober.ts";
import type { RequestDescription } from "../request-description.ts";
import type { DescribedApi, DescribedJob } from "./description.ts";

const unproven =
  "Not proven: derived from the names in the description. spile init --explore proves it with a few requests for each job; without it, look at the verdict of the first run.";

/** Returns the configuration of a described API, with paging that is derived from names and not proven. */
export function authorApi(api: DescribedApi): AuthoredApi {
  return {
    ...assemble(api, api.jobs),
    comments: new Map([["/api/pagination", [unproven]]]),
  };
}

/**
 * Explores each job of a described API, and returns the configuration with the paging that responses have proved. A child job is
 * explored with a sample record of each job above it. `probes`: maximum number of requests for a job after its first one.
 */
export async function exploreApi(
  api: DescribedApi,
  exploration: Omit<Exploration, "draft" | "memory">,
  probes: number,
): Promise<AuthoredApi> {
  const comments = new Map<string, readonly string[]>();
  const pagingComments: string[] = [];
  const exploreOne = async (job: DescribedJob, jobPointer: string, above: readonly (Value | undefined)[]) => {
    const result = await exploreJob(job, above);
    for (const [pointer, texts] of result.comments) {
      if (pointer.startsWith("/config")) comments.set(pointer.replace("/config/jobs/0", jobPointer), texts);
      else pagingComments.push(...texts.map((text) => `${job.endpoint}: ${text}`));
    }
    const { dataType } = job.draft;
    const children: DescribedJob[] = [];
    for (const [index, child] of job.children.entries())
      children.push(await exploreOne(child, `${jobPointer}/children/${index}`, [...above, result.sample]));
    return { ...job, params: result.description.params, draft: { ...result.job, dataType }, children };
  };
  const settingValue = (setting: string): Value | undefined => {
    const value = api.settings[setting];
    return isObject(value) ? exploration.environment[String(value.env)] : value;
  };
  const exploreJob = async (job: DescribedJob, above: readonly (Value | undefined)[]): Promise<Explored> => {
    const reportForJob = ({ kind, text }: Finding): void =>
      exploration.reportFinding({ kind, text: `${job.endpoint}: ${text}` });
    const { endpoint, missing } = filledEndpoint(job, above, settingValue);
    const request = (path: string): RequestDescription => ({
      method: "GET",
      address: new URL(path, api.baseUrl).href,
      params: job.params,
      headers: [],
    });
    if (missing !== "") {
      reportForJob({ kind: "note", text: `not requested: ${missing}` });
      return unprovedResult(request(job.endpoint), `Not requested when this was written: ${missing}.`, job.draft);
    }
    return explore(request(endpoint), {
      ...exploration,
      memory: createExchangeMemory(1 + probes, exploration),
      draft: (description, draft) =>
        assemble(api, [
          { ...job, endpoint, settings: [], placeholders: [], children: [], params: description.params, draft },
        ]),
      reportFinding: reportForJob,
    });
  };
  const jobs: DescribedJob[] = [];
  for (const [index, job] of api.jobs.entries()) jobs.push(await exploreOne(job, `/config/jobs/${index}`, []));
  if (pagingComments.length > 0) comments.set("/api/pagination", pagingComments);
  return { ...assemble(api, jobs), comments };
}

/**
 * Replaces the braces in an endpoint by values of settings and of `above`, the sample records of the jobs above. `missing`: the
 * reason why the first missing value is missing; "" if all are there.
 */
function filledEndpoint(
  { endpoint, settings, placeholders }: DescribedJob,
  above: readonly (Value | undefined)[],
  settingValue: (setting: string) => Value | undefined,
): { readonly endpoint: string; readonly missing: string } {
  const values = [
    ...settings.map(({ parameter, setting }) => ({
      name: parameter,
      value: settingValue(setting),
      missing: `the setting ${setting} has no value yet`,
    })),
    ...placeholders.map(({ placeholder, field }, index) => {
      const record = above[index];
      const value = isObject(record) ? record[field] : undefined;
      return { name: placeholder, value, missing: "the list above it has no value for its path" };
    }),
  ];
  const firstMissing = values.find(({ value }) => typeof value !== "string" && !isNumber(value));
  const text = values.reduce(
    (before, { name, value }) => before.replace(`{${name}}`, () => encodeURIComponent(String(value))),
    endpoint,
  );
  return { endpoint: text, missing: firstMissing?.missing ?? "" };
}

/** Returns the configuration of an API with these jobs. */
function assemble(api: DescribedApi, jobs: readonly DescribedJob[]): Omit<AuthoredApi, "comments"> {
  const { security, settings, baseUrl } = api;
  const { authentication, headers } = security;
  const responses = sharedRules(jobs.flatMap(withChildren));
  const authentications = authenticationsOf(api, jobs);
  const members = { ...security.settings, ...settings };
  return {
    ...describedConfiguration(
      { baseUrl, authentication, authentications, headers, responses },
      members,
      jobs.map((job) => partsOf(job, responses !== undefined)),
    ),
    variables: Object.values(members).flatMap((value) =>
      isObject(value) ? [{ variable: String(value.env), title: "for you to fill in" }] : [],
    ),
  };
}

/** Returns the response rules of the jobs if all jobs have the same; undefined if they differ or there are none. */
function sharedRules(jobs: readonly DescribedJob[]): Value | undefined {
  const [first, ...others] = jobs.map(({ draft }) => draft.responses ?? []);
  if (first === undefined || first.length === 0) return undefined;
  return others.every((rules) => valueText(rules) === valueText(first)) ? first : undefined;
}

/** Returns the authentications to which jobs refer by name. */
function authenticationsOf({ authentications }: DescribedApi, jobs: readonly DescribedJob[]): ValueObject | undefined {
  const names = new Set(jobs.flatMap(withChildren).map(({ authentication }) => authentication));
  return filled(Object.fromEntries(Object.entries(authentications).filter(([name]) => names.has(name))));
}

/** Returns the parts of a job. `hasSharedRules`: true if `api.http.responses` contains the rules of all jobs. */
function partsOf(job: DescribedJob, hasSharedRules: boolean): ConfiguredJob {
  const { params, headers, authentication, draft } = job;
  return {
    fields: present({
      endpoint: endpointOf(job),
      placeholders: filled(Object.fromEntries(job.placeholders.map(({ placeholder, field }) => [placeholder, field]))),
      params: filled(Object.fromEntries(params.map(({ name, value }) => [name, value]))),
      headers: filled(headers),
      authentication,
      responses: hasSharedRules ? undefined : draft.responses,
      dataField: draft.dataField,
      dataType: draft.dataType,
      format: draft.format,
    }),
    pagination: draft.pagination,
    children: job.children.map((child) => partsOf(child, hasSharedRules)),
  };
}

/** Returns the endpoint: an expression if parts of it come from settings, else a text. */
function endpointOf({ endpoint, settings }: DescribedJob): Value {
  const pieces = endpoint.split(/(\{[^{}]*\})/).map((piece): Value => {
    const found = settings.find(({ parameter }) => piece === `{${parameter}}`);
    return found === undefined ? piece : { attr: found.setting };
  });
  return joinedValue(...pieces);
}
