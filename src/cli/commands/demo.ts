import { once } from "node:events";
import { exitCodes, messageOf, SpileError } from "../../core/errors.ts";
import { demoConfiguration, demoUser } from "../../demo/configuration.ts";
import { datasets } from "../../demo/datasets.ts";
import { type DemoApi, maxPageSize, startDemoApi } from "../../demo/server.ts";
import type { CommandEnvironment } from "../command.ts";
import { interpret } from "../load.ts";
import { print } from "../output.ts";
import { runConfiguration } from "./run.ts";

/** Seconds for which the demo API's tokens are good: long enough to copy one into another command. */
const tokenSeconds = 60;

/** Runs `spile demo`, which extracts from a built-in API. With `--serve` the API keeps running, for the user's own experiments. */
export async function demoCommand(environment: CommandEnvironment): Promise<number> {
  const api = await startDemoApi({ port: environment.options.port ?? 0, tokenSeconds }).catch((error: unknown) => {
    const message = `cannot start the demo API on port ${environment.options.port ?? 0}: ${messageOf(error)}`;
    throw new SpileError("temporary", message, { cause: error });
  });
  try {
    return await (environment.options.serve ? serve(api, environment) : runOnce(api, environment));
  } finally {
    await api.close();
  }
}

function runOnce(api: DemoApi, environment: CommandEnvironment): Promise<number> {
  api.unref();
  const jobs = [...datasets].map(([name, { size }]) => `${name} (${size})`).join(", ");
  environment.report.note(
    `demo: a sugarbush API listens on ${api.url} while this runs
demo: the configuration logs in with POST login, renews its token every ${tokenSeconds} s
demo: and pages by offset, 100 records a page, through ${jobs}
demo: spile demo --serve keeps the API up and prints that configuration\n`,
  );
  return runConfiguration(
    () => interpret(JSON.stringify(demoConfiguration(api.url)), "demo", environment),
    environment,
    "demo",
  );
}

/**
 * Keeps the API running until a signal. The configuration goes to stdout, so that `> demo.json` saves it, and all explanations go
 * to stderr.
 */
async function serve(api: DemoApi, { signal, stdout, report }: CommandEnvironment): Promise<number> {
  const login = `${api.url}login?user=${demoUser.user}&password=${demoUser.password}`;
  const token = `$(curl -s '${login}' | jq -r .session.token)`;
  await print(`${JSON.stringify(demoConfiguration(api.url), undefined, 2)}\n`, stdout);
  report.note(
    `demo: a sugarbush API listens on ${api.url} until Ctrl-C; its largest page is ${maxPageSize} records
demo: save the configuration above as demo.json, then: spile demo.json | jq .
demo: or by hand: curl -s -H "Authorization: Bearer ${token}" '${api.url}trees?limit=2&offset=0'\n`,
  );
  if (!signal.aborted) await once(signal, "abort");
  return signal.reason instanceof SpileError ? signal.reason.exitCode : exitCodes.success;
}
