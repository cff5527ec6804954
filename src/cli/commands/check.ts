import { SpileError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { integer } from "../../core/value.ts";
import type { Job, Pagination, Scroller } from "../../generated/configuration.ts";
import type { CommandEnvironment } from "../command.ts";
import { loadConfiguration } from "../load.ts";
import { print } from "../output.ts";

/**
 * `spile check`: the jobs that a run would take, a line each, as columns between tabs: name, method and endpoint,
 * paging. Children follow their parent, indented; iterations with other jobs add theirs. Sends nothing; faults are
 * exit 78.
 */
export async function checkCommand(path: string, environment: CommandEnvironment): Promise<number> {
  const { configuration, configs } = await loadConfiguration(path, environment);
  const { pagination } = configuration.api;
  const shown = (text: string): string => printable(environment.secrets.mask(text));
  const lists = configs.map(({ jobs }) =>
    selected(jobs, environment.options.job)
      .flatMap((job) => rows(job, pagination, ""))
      .map((columns) => `${columns.map(shown).join("\t")}\n`)
      .join(""),
  );
  await print([...new Set(lists)].join(""));
  return 0;
}

function selected(jobs: readonly Job[], names: readonly string[] | undefined): readonly Job[] {
  if (names === undefined) return jobs;
  for (const name of names) {
    if (jobs.some((job) => isNamed(job, name))) continue;
    const known = [...new Set(jobs.map(label))].join(", ");
    throw new SpileError("usage", `option --job: there is no job ${JSON.stringify(name)}; there are ${known}`);
  }
  return jobs.filter((job) => names.some((name) => isNamed(job, name)));
}

function isNamed(job: Job, name: string): boolean {
  return job.dataType === name || job.endpoint === name || job.id === name;
}

function label(job: Job): string {
  return job.dataType ?? job.endpoint;
}

function rows(job: Job, pagination: Pagination | undefined, indent: string): string[][] {
  const request = `${job.method?.toUpperCase() ?? "GET"} ${job.endpoint}`;
  return [
    [`${indent}${label(job)}`, request, pagingText(scrollerOf(job, pagination), job)],
    ...(job.children ?? []).flatMap((child) => rows(child, pagination, `${indent}  `)),
  ];
}

function scrollerOf({ scroller }: Job, pagination: Pagination | undefined): Pagination | Scroller | undefined {
  if (pagination?.method !== "multiple") return pagination;
  return new Map(Object.entries(pagination.scrollers)).get(scroller ?? pagination.default ?? "default");
}

function pagingText(pagination: Pagination | Scroller | undefined, { params }: Job): string {
  if (pagination === undefined || pagination.method === "none") return "one request";
  if (!("limit" in pagination)) return pagination.method;
  const limit = integer(params?.[pagination.limitParam ?? "limit"]) ?? pagination.limit;
  return limit === undefined ? pagination.method : `${pagination.method}, ${limit} a page`;
}
