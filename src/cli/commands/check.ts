import { compile } from "../../compile/compile.ts";
import type { JobPlan } from "../../compile/plan.ts";
import { printable } from "../../core/printable.ts";
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
  const shown = (text: string): string => printable(environment.secrets.mask(text));
  const time = { currentStart: Math.floor(Date.now() / 1000), previousStart: 0 };
  const lists = new Set<string>();
  const options = runOptions(environment);
  for (const iteration of loaded.configs.keys()) {
    const { jobs, session, warnings } = await compile(loaded, iteration, time, options);
    session.close();
    for (const message of warnings) options.emit({ event: "warning", level: "warning", message });
    const lines = jobs.flatMap((plan) => rows(plan, ""));
    lists.add(lines.map((columns) => `${columns.map(shown).join("\t")}\n`).join(""));
  }
  await print([...lists].join(""), environment.stdout);
  return 0;
}

function rows({ label, method, endpoint, paging, children }: JobPlan, indent: string): string[][] {
  const own = [`${indent}${label}`, `${method} ${endpoint}`, paging];
  return [own, ...children.flatMap(({ plan }) => rows(plan, `${indent}  `))];
}
