import { createCompiler } from "../../compile/compile.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { withChildren } from "../../compile/plan.ts";
import type { LoadedConfiguration } from "../../config/loaded.ts";
import { SpileError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/runs/event.ts";
import { type JobResult, type RunOptions, timeWithoutState } from "../../core/runs/run.ts";
import { counted } from "../../core/text/counted.ts";
import { printable } from "../../core/text/printable.ts";
import { run } from "../../pipeline/run.ts";
import type { CommandEnvironment } from "../command.ts";
import { wrap } from "../figures.ts";
import { loadConfiguration } from "../load.ts";
import { print } from "../output.ts";
import { gridOf } from "../preview/cells.ts";
import { firstRecords } from "../preview/first-records.ts";
import { tableText } from "../preview/table.ts";
import { requestName } from "../request-name.ts";
import { runOptions } from "../run-options.ts";

/** Maximum number of records of a job that are shown. */
const maxRecords = 20;

/** The number of records on a job's page, and the total that the API reports. */
interface FirstPageCounts {
  readonly records: number;
  readonly expected: number | undefined;
}

/**
 * Runs `spile preview`, which shows the first records of each job as a table. Fetches one page of each job, in the first iteration
 * or that of `--iteration`. A child job runs for the first parent that it accepts. Returns the exit code of the run that fetches them.
 */
export async function previewCommand(path: string, environment: CommandEnvironment): Promise<number> {
  const all = await loadConfiguration(path, environment);
  const loaded = onlyIteration(all, environment.options.iteration ?? 1);
  const { stream, found } = firstRecords(maxRecords);
  const firstPages = new Map<string, FirstPageCounts>();
  const options: RunOptions = {
    ...runOptions(environment),
    target: { kind: "stream", stream },
    tag: true,
    maxPages: 1,
    sample: true,
    emit(event: RunEvent) {
      if (event.event === "page") {
        firstPages.set(event.dataType ?? "", { records: event.records ?? 0, expected: event.expected });
      }
      environment.report.emit(event);
    },
  };
  const plans = await plansOf(loaded, options);
  const { exitCode, jobs } = await run(loaded, options);
  const { options: commandOptions, stdout, secrets, variables } = environment;
  const mask = (text: string): string => secrets.mask(text);
  const color = stdout.isTTY === true && commandOptions["no-color"] !== true && (variables.NO_COLOR ?? "") === "";
  const width = stdout.columns ?? 100;
  const table = (dataset: string): string => {
    const records = found.get(dataset) ?? [];
    return records.length === 0
      ? ""
      : tableText(gridOf(records, { chosen: commandOptions.columns, mask }), { width, color });
  };
  const results = new Map(jobs.map((result) => [result.dataType, result]));
  const sections = plans.map((plan) => {
    const heading = headingOf(plan, firstPages.get(plan.dataType), results.get(plan.dataType));
    // Lines are wrapped only on a terminal.
    const headingLines =
      stdout.columns === undefined ? [heading] : heading.split("\n").flatMap((line) => wrap(line, width));
    return `${headingLines.join("\n")}\n${table(plan.dataType)}`;
  });
  const dataTypes = new Set(plans.map(({ dataType }) => dataType));
  const mappedDatasets = [...found.keys()]
    .filter((name) => !dataTypes.has(name))
    .map((name) => `${printable(name)}\n${table(name)}`);
  const count = all.iterations.length;
  const title = count > 1 ? [`iteration ${commandOptions.iteration ?? 1} of ${count}\n`] : [];
  await print(mask([...title, ...sections, ...mappedDatasets].join("\n")), stdout);
  return exitCode;
}

function onlyIteration(loaded: LoadedConfiguration, number: number): LoadedConfiguration {
  const count = loaded.iterations.length;
  if (number > count) {
    throw new SpileError(
      "usage",
      `option --iteration: there is no iteration ${number}; the configuration has ${count}`,
    );
  }
  return { ...loaded, iterations: loaded.iterations.slice(number - 1, number) };
}

/** Returns the plans of all jobs in the order of a run, each job before its children. */
async function plansOf(loaded: LoadedConfiguration, options: RunOptions): Promise<readonly JobPlan[]> {
  const { jobs } = await createCompiler(loaded, timeWithoutState(), options).compile(0);
  return [...jobs].flatMap(withChildren);
}

function headingOf(plan: JobPlan, firstPage: FirstPageCounts | undefined, result: JobResult | undefined): string {
  const title = [plan.label, requestName(plan), plan.paging()].map(printable).join("   ");
  if (firstPage === undefined)
    return `${title}\nnot requested: no parent record needed this job, or the run failed earlier`;
  if (plan.datasets.length === 0) return title;
  const expected = result?.expected ?? firstPage.expected;
  const total = expected === undefined ? "" : `, of ${expected} that the API reports`;
  const remark = firstPage.records > maxRecords ? `, the first ${maxRecords} shown` : "";
  const doubt = result?.verdict === "suspect" ? `\n${printable(result.reason)}` : "";
  return `${title}\n${counted(firstPage.records, "record")} on the first page${total}${remark}${doubt}`;
}
