import { type Value, type ValueObject, valueText } from "../../core/value.ts";
import type { DescribedApi, DescribedJob } from "./configuration.ts";

/**
 * The configuration of an API and these jobs. One way of paging for all is written as such, several become scrollers that
 * jobs choose by name.
 */
export function assemble(api: DescribedApi, jobs: readonly DescribedJob[]): ValueObject {
  const { security, settings, baseUrl } = api;
  const { pagination, scrollerOf } = pagingFor(jobs.flatMap(withChildren));
  const http = filledOrNone([
    ...(Object.keys(security.headers).length === 0 ? [] : [["defaultOptions", { headers: security.headers }] as const]),
    ...responsesOf(jobs.flatMap(withChildren)),
  ]);
  return {
    api: {
      baseUrl,
      ...(security.authentication === undefined ? {} : { authentication: security.authentication }),
      ...(pagination === undefined ? {} : { pagination }),
      ...(http === undefined ? {} : { http }),
    },
    config: { ...security.settings, ...settings, jobs: jobs.map((job) => written(job, scrollerOf)) },
  };
}

function withChildren(job: DescribedJob): DescribedJob[] {
  return [job, ...job.children.flatMap(withChildren)];
}

/** The rules for answers that jobs need, each once. */
function responsesOf(jobs: readonly DescribedJob[]): readonly (readonly [name: string, rules: Value])[] {
  const rules = new Map(jobs.flatMap(({ draft }) => draft.responses ?? []).map((rule) => [valueText(rule), rule]));
  return rules.size === 0 ? [] : [["responses", [...rules.values()]]];
}

/** The name of a job's scroller; undefined if there is nothing to choose. */
type ScrollerOf = (job: DescribedJob) => string | undefined;

function pagingFor(jobs: readonly DescribedJob[]): {
  readonly pagination: ValueObject | undefined;
  readonly scrollerOf: ScrollerOf;
} {
  const scrollers = new Map<string, { readonly name: string; readonly pagination: ValueObject }>();
  for (const { draft } of jobs) {
    if (draft.pagination === undefined || scrollers.has(JSON.stringify(draft.pagination))) continue;
    const method = String(draft.pagination.method).replace(".", "-");
    const same = [...scrollers.values()].filter(({ name }) => name.startsWith(method)).length;
    scrollers.set(JSON.stringify(draft.pagination), {
      name: same === 0 ? method : `${method}-${same + 1}`,
      pagination: draft.pagination,
    });
  }
  const all = [...scrollers.values()];
  if (all.length === 0) return { pagination: undefined, scrollerOf: () => undefined };
  if (all.length === 1 && jobs.every(({ draft }) => draft.pagination !== undefined))
    return { pagination: all[0]?.pagination, scrollerOf: () => undefined };
  const multiple = {
    method: "multiple",
    scrollers: Object.fromEntries(all.map(({ name, pagination }) => [name, pagination])),
  };
  return {
    pagination: multiple,
    scrollerOf: ({ draft }) =>
      draft.pagination === undefined ? undefined : scrollers.get(JSON.stringify(draft.pagination))?.name,
  };
}

function written(job: DescribedJob, scrollerOf: ScrollerOf): ValueObject {
  const { filled, params, headers, draft, children } = job;
  const entries: Readonly<Record<string, Value | undefined>> = {
    endpoint: endpointOf(job),
    placeholders: filledOrNone(filled.map(({ placeholder, field }) => [placeholder, field])),
    params: filledOrNone(params.map(({ name, value }) => [name, value])),
    headers: filledOrNone(Object.entries(headers)),
    dataField: draft.dataField,
    dataType: draft.dataType,
    format: draft.format,
    scroller: scrollerOf(job),
    children: children.length === 0 ? undefined : children.map((child) => written(child, scrollerOf)),
  };
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

/** Returns the endpoint; one with values of settings is an expression. */
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
