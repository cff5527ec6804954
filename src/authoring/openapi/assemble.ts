import { type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import { pagingFor, type SharedPaging } from "../scrollers.ts";
import type { DescribedApi, DescribedJob } from "./configuration.ts";

/**
 * Returns the configuration of an API with these jobs. If all jobs page alike, their paging is `api.pagination`; otherwise each
 * way of paging becomes a scroller, and each job names its own.
 */
export function assemble(api: DescribedApi, jobs: readonly DescribedJob[]): ValueObject {
  const { security, settings, baseUrl } = api;
  const { pagination, scrollerOf } = pagingFor(jobs.flatMap(withChildren).map(({ draft }) => draft.pagination));
  const rules = sharedRules(jobs.flatMap(withChildren));
  const http = filledOrNone([
    ...(Object.keys(security.headers).length === 0 ? [] : [["defaultOptions", { headers: security.headers }] as const]),
    ...(rules === undefined ? [] : [["responses", rules] as const]),
  ]);
  const shared: Shared = { scrollerOf, hasRules: rules !== undefined };
  return {
    api: {
      baseUrl,
      ...(security.authentication === undefined ? {} : { authentication: security.authentication }),
      ...authenticationsOf(api, jobs),
      ...(pagination === undefined ? {} : { pagination }),
      ...(http === undefined ? {} : { http }),
    },
    config: { ...security.settings, ...settings, jobs: jobs.map((job) => written(job, shared)) },
  };
}

function withChildren(job: DescribedJob): DescribedJob[] {
  return [job, ...job.children.flatMap(withChildren)];
}

/** Returns the rules for answers if all jobs need the same ones; undefined if each job has its own. */
function sharedRules(jobs: readonly DescribedJob[]): Value | undefined {
  const [first, ...others] = jobs.map(({ draft }) => draft.responses ?? []);
  if (first === undefined || first.length === 0) return undefined;
  return others.every((rules) => valueText(rules) === valueText(first)) ? first : undefined;
}

/** Returns the authentications that jobs name. */
function authenticationsOf({ authentications }: DescribedApi, jobs: readonly DescribedJob[]): ValueObject {
  const names = new Set(jobs.flatMap(withChildren).map(({ authentication }) => authentication));
  const used = Object.entries(authentications).filter(([name]) => names.has(name));
  return used.length === 0 ? {} : { authentications: Object.fromEntries(used) };
}

/** Parts of the configuration that jobs share. */
interface Shared extends Pick<SharedPaging, "scrollerOf"> {
  /** True if `api.http.responses` has the rules of all jobs. */
  readonly hasRules: boolean;
}

function written(job: DescribedJob, shared: Shared): ValueObject {
  const { filled, params, headers, draft, children } = job;
  const entries: Readonly<Record<string, Value | undefined>> = {
    endpoint: endpointOf(job),
    placeholders: filledOrNone(filled.map(({ placeholder, field }) => [placeholder, field])),
    params: filledOrNone(params.map(({ name, value }) => [name, value])),
    headers: filledOrNone(Object.entries(headers)),
    authentication: job.authentication,
    responses: shared.hasRules ? undefined : draft.responses,
    dataField: draft.dataField,
    dataType: draft.dataType,
    format: draft.format,
    scroller: shared.scrollerOf(draft.pagination),
    children: children.length === 0 ? undefined : children.map((child) => written(child, shared)),
  };
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

/** Returns the endpoint, which is an expression if it contains values of settings. */
function endpointOf({ endpoint, settings }: DescribedJob): Value {
  if (settings.length === 0) return endpoint;
  const args: Value[] = [];
  let text = "";
  for (const piece of endpoint.split(/(\{[^{}]*\})/)) {
    const found = settings.find(({ parameter }) => piece === `{${parameter}}`);
    if (found === undefined) text += piece;
    else args.push(...(text === "" ? [] : [text]), { attr: found.setting });
    if (found !== undefined) text = "";
  }
  return { function: "concat", args: text === "" ? args : [...args, text] };
}

function filledOrNone(entries: readonly (readonly [name: string, value: Value])[]): ValueObject | undefined {
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
