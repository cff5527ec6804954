import { SpileError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Configuration, Job, Pagination, Scroller } from "../../generated/configuration.ts";
import type { CommandEnvironment } from "../command.ts";
import { loadConfiguration } from "../load.ts";
import { print } from "../output.ts";

/**
 * `spile check`: the jobs that a run would take, a line each, as columns between tabs: name, method and endpoint,
 * paging. Children follow their parent, indented. Sends nothing; faults are exit 78.
 */
export async function checkCommand(path: string, environment: CommandEnvironment): Promise<number> {
  const { configuration } = await loadConfiguration(path, environment);
  const lines = selected(configuration, environment.options.job).flatMap((job) => jobLines(job, configuration, ""));
  await print(lines.map((line) => `${printable(environment.secrets.mask(line))}\n`).join(""));
  return 0;
}

function selected({ config }: Configuration, names: readonly string[] | undefined): readonly Job[] {
  if (names === undefined) return config.jobs;
  for (const name of names) {
    if (config.jobs.some((job) => isNamed(job, name))) continue;
    const known = [...new Set(config.jobs.map(label))].join(", ");
    throw new SpileError("usage", `option --job: there is no job ${JSON.stringify(name)}; there are ${known}`);
  }
  return config.jobs.filter((job) => names.some((name) => isNamed(job, name)));
}

function isNamed(job: Job, name: string): boolean {
  return job.dataType === name || job.endpoint === name || job.id === name;
}

function label(job: Job): string {
  return job.dataType ?? job.endpoint;
}

function jobLines(job: Job, configuration: Configuration, indent: string): string[] {
  const method = job.method?.toUpperCase() ?? "GET";
  const paging = pagingText(configuration.api.pagination, job.scroller);
  return [
    `${indent}${label(job)}\t${method} ${job.endpoint}\t${paging}`,
    ...(job.children ?? []).flatMap((child) => jobLines(child, configuration, `${indent}  `)),
  ];
}

function pagingText(pagination: Pagination | Scroller | undefined, scroller: string | undefined): string {
  if (pagination === undefined) return "one request";
  if (pagination.method === "multiple") {
    const name = scroller ?? pagination.default ?? "default";
    return Object.hasOwn(pagination.scrollers, name)
      ? pagingText(pagination.scrollers[name], undefined)
      : "one request";
  }
  return "limit" in pagination ? `${pagination.method}, ${pagination.limit} a page` : pagination.method;
}
