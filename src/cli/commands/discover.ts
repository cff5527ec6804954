import { createCompiler } from "../../compile/compile.ts";
import { exitCodes } from "../../core/errors.ts";
import { maskedDatasets } from "../../core/runs/conceal.ts";
import { addDataset, type Dataset } from "../../core/runs/dataset.ts";
import { timeWithoutState } from "../../core/runs/run.ts";
import { indentedText } from "../../core/values/value.ts";
import { catalogOf } from "../../output/singer/catalog.ts";
import type { CommandEnvironment } from "../command.ts";
import { loadConfiguration } from "../load.ts";
import { print } from "../output.ts";
import { runOptions } from "../run-options.ts";

/** Runs `spile --discover`, which prints the datasets of all jobs as a Singer catalog. Sends nothing. */
export async function discoverCommand(path: string, environment: CommandEnvironment): Promise<number> {
  const loaded = await loadConfiguration(path, environment);
  const datasets = new Map<string, Dataset>();
  const compiler = createCompiler(loaded, timeWithoutState(), runOptions(environment));
  for await (const compiled of compiler.compileAll()) {
    for (const dataset of compiled.datasets.values()) addDataset(datasets, dataset);
  }
  const masked = await maskedDatasets(datasets, environment.secrets, environment.signal);
  await print(`${indentedText(catalogOf(masked))}\n`, environment.stdout);
  return exitCodes.success;
}
