import type { Value, ValueObject } from "../../core/values/value.ts";
import { type Authored, filled, present } from "../configuration-draft.ts";
import { withoutLiteralCredentials } from "./literal-credentials.ts";

/** A job of a described API. */
export interface ConfiguredJob {
  /** The job's fields before `scroller`, in the order in which they are written. */
  readonly fields: ValueObject;
  readonly pagination: ValueObject | undefined;
  /** The job's fields after `scroller`. */
  readonly lastFields?: ValueObject;
  readonly children: readonly ConfiguredJob[];
}

/** Parts of the configuration of a described API that all jobs share. */
export interface ApiParts {
  readonly baseUrl: Value;
  readonly authentication: Value | undefined;
  readonly authentications: ValueObject | undefined;
  /** Headers of every request. */
  readonly headers: ValueObject | undefined;
  readonly responses?: Value | undefined;
  readonly rateLimit?: Value | undefined;
  /** Names of the headers of all authentications. */
  readonly secretHeaders?: readonly string[];
}

/** Returns the configuration of a described API, without the credentials that the description contains. */
export function describedConfiguration(
  { baseUrl, authentication, authentications, headers = {}, responses, rateLimit, secretHeaders }: ApiParts,
  settings: ValueObject,
  jobs: readonly ConfiguredJob[],
): Authored {
  const { pagination, scrollerOf } = pagingFor(jobs.flatMap(withChildren).map((job) => job.pagination));
  const jobObject = ({ fields, lastFields = {}, children, ...job }: ConfiguredJob): ValueObject =>
    present({
      ...fields,
      scroller: scrollerOf(job.pagination),
      ...lastFields,
      children: children.length === 0 ? undefined : children.map(jobObject),
    });
  const defaultOptions = filled({ headers: filled(headers) });
  const configuration = {
    api: present({
      baseUrl,
      authentication,
      authentications,
      pagination,
      http: filled({ defaultOptions, responses, rateLimit }),
    }),
    config: { ...settings, jobs: jobs.map(jobObject) },
  };
  return withoutLiteralCredentials(configuration, secretHeaders);
}

/** Returns a job and all jobs below it, each job before its children. */
export function withChildren<Job extends { readonly children: readonly Job[] }>(job: Job): readonly Job[] {
  return [job, ...job.children.flatMap(withChildren<Job>)];
}

interface SharedPaging {
  /** `api.pagination`. */
  readonly pagination: ValueObject | undefined;
  /** Returns a job's `scroller`; undefined if the job needs none. */
  scrollerOf(pagination: ValueObject | undefined): string | undefined;
}

/** Returns the paging of jobs. If all have the same one, it is `api.pagination`; otherwise each becomes a scroller with a name. */
function pagingFor(all: readonly (ValueObject | undefined)[]): SharedPaging {
  const scrollers = new Map<string, { readonly name: string; readonly pagination: ValueObject }>();
  for (const pagination of all) {
    if (pagination === undefined || scrollers.has(JSON.stringify(pagination))) continue;
    const method = String(pagination.method).replace(".", "-");
    const same = [...scrollers.values()].filter((one) => one.pagination.method === pagination.method).length;
    scrollers.set(JSON.stringify(pagination), { name: same === 0 ? method : `${method}-${same + 1}`, pagination });
  }
  const [first, ...others] = [...scrollers.values()];
  if (first === undefined) return { pagination: undefined, scrollerOf: () => undefined };
  if (others.length === 0 && all.every((pagination) => pagination !== undefined))
    return { pagination: first.pagination, scrollerOf: () => undefined };
  const namedScrollers = Object.fromEntries([first, ...others].map(({ name, pagination }) => [name, pagination]));
  return {
    pagination: { method: "multiple", scrollers: namedScrollers },
    scrollerOf: (pagination) =>
      pagination === undefined ? undefined : scrollers.get(JSON.stringify(pagination))?.name,
  };
}
