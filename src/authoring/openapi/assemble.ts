import { type Value, type ValueObject, valueText } from "../../core/value.ts";
import { pagingFor, type SharedPaging } from "../scrollers.ts";
import type { DescribedApi, DescribedJob } from "./configuration.ts";

/**
 * The configuration of an API and these jobs. One way of paging for all is written as such, several become scrollers that
 * jobs choose by name.
 */
export function assemble(api: DescribedApi, jobs: readonly DescribedJob[]): ValueObject {
  const { security, settings, baseUrl } = api;
  const { pagination, scrollerOf } = pagingFor(jobs.flatMap(withChildren).map(({ draft }) => draft.pagination));
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

function written(job: DescribedJob, scrollerOf: SharedPaging["scrollerOf"]): ValueObject {
  const { filled, params, headers, draft, children } = job;
  const entries: Readonly<Record<string, Value | undefined>> = {
    endpoint: endpointOf(job),
    placeholders: filledOrNone(filled.map(({ placeholder, field }) => [placeholder, field])),
    params: filledOrNone(params.map(({ name, value }) => [name, value])),
    headers: filledOrNone(Object.entries(headers)),
    dataField: draft.dataField,
    dataType: draft.dataType,
    format: draft.format,
    scroller: scrollerOf(draft.pagination),
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
