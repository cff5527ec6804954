import { printable } from "../../core/printable.ts";
import { integer } from "../../core/value.ts";
import type { Job, Pagination, Scroller } from "../../generated/configuration.ts";
import { compile } from "../../pipeline/compile.ts";
import type { JobPlan } from "../../pipeline/plan.ts";
import type { CommandEnvironment } from "../command.ts";
import { loadConfiguration } from "../load.ts";
import { print } from "../output.ts";
import { runOptions } from "./run.ts";

/**
 * `spile check`: the jobs that a run would take, a line each, as columns between tabs: name, method and endpoint,
 * paging. Children follow their parent, indented; iterations with other jobs add theirs. Finds all that a run finds
 * before its first request, and sends nothing; faults are exit 78.
 */
export async function checkCommand(path: string, environment: CommandEnvironment): Promise<number> {
  const loaded = await loadConfiguration(path, environment);
  const { pagination } = loaded.configuration.api;
  const shown = (text: string): string => printable(environment.secrets.mask(text));
  const jobsAt = new Map([...loaded.pointers].map(([job, pointer]) => [pointer, job]));
  const time = { currentStart: Math.floor(Date.now() / 1000), previousStart: 0 };
  const lists = new Set<string>();
  for (const [index, config] of loaded.configs.entries()) {
    const settings = loaded.runs[index] ?? new Map();
    const { jobs, session } = await compile(loaded, { config, settings }, time, runOptions(environment));
    session.close();
    const lines = jobs.flatMap((plan) => rows(plan, jobsAt, pagination, ""));
    lists.add(lines.map((columns) => `${columns.map(shown).join("\t")}\n`).join(""));
  }
  await print([...lists].join(""));
  return 0;
}

function rows(
  plan: JobPlan,
  jobsAt: ReadonlyMap<string, Job>,
  pagination: Pagination | undefined,
  indent: string,
): string[][] {
  const job = jobsAt.get(plan.pointer);
  const request = `${job?.method?.toUpperCase() ?? "GET"} ${plan.endpoint}`;
  return [
    [`${indent}${plan.label}`, request, pagingText(scrollerOf(job?.scroller, pagination), job?.params)],
    ...plan.children.flatMap((child) => rows(child.plan, jobsAt, pagination, `${indent}  `)),
  ];
}

function scrollerOf(name: string | undefined, pagination: Pagination | undefined): Pagination | Scroller | undefined {
  if (pagination?.method !== "multiple") return pagination;
  return new Map(Object.entries(pagination.scrollers)).get(name ?? pagination.default ?? "default");
}

function pagingText(pagination: Pagination | Scroller | undefined, params: Job["params"]): string {
  if (pagination === undefined || pagination.method === "none") return "one request";
  if (!("limit" in pagination)) return pagination.method;
  const limit = integer(params?.[pagination.limitParam ?? "limit"]) ?? pagination.limit;
  return limit === undefined ? pagination.method : `${pagination.method}, ${limit} a page`;
}
