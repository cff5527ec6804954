import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { SpileError } from "../core/errors.ts";
import { isToFiles, type RunOptions, type Target } from "../core/runs/run.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { withoutSecrets } from "../core/secrets/without-secrets.ts";
import { type Value, valueText } from "../core/values/value.ts";
import { version } from "../version.ts";
import type { Progress, RunIdentity } from "./progress.ts";

/** Returns the identity of a run. Must be called before the first expression is evaluated, since that adds and removes secrets. */
export function identityOf(loaded: LoadedConfiguration, options: RunOptions): RunIdentity {
  const { secrets, target } = options;
  const { jobs, tag, unique, maxRecords, maxPages, probeEnd } = options;
  const datasets = options.datasets && [...options.datasets].sort();
  const configs = loaded.iterations.map(({ config }) => config);
  const settings = loaded.iterations.map((iteration) => Object.fromEntries(iteration.settings));
  // Secrets are left out: a new password does not change any record, and nobody can guess a secret from the digest.
  const configuration = withoutSecrets([loaded.configuration, configs, settings] as unknown as Value);
  return {
    version,
    configuration: digest(secrets.mask(valueText(configuration))),
    options: digest(JSON.stringify({ jobs, datasets, tag, unique, maxRecords, maxPages, probeEnd })),
    output: outputOf(target, secrets),
  };
}

/** Throws SpileError `configuration` if further records would not match those that the interrupted run has written. */
export function checkIdentity(found: Progress, expected: RunIdentity): void {
  const differs = (what: string): SpileError =>
    new SpileError("configuration", `cannot resume: ${what}; without --resume the run starts over`);
  if (found.version !== expected.version) throw differs(`the run was interrupted under spile ${found.version}`);
  if (found.configuration !== expected.configuration) {
    throw differs("the configuration, or a setting given to it, has changed since the run was interrupted");
  }
  if (found.options !== expected.options) {
    const names = "--job, --catalog, --tag, --unique, --max-records, --max-pages and --probe-end";
    throw differs(`${names} must be as they were when the run was interrupted`);
  }
  if (found.output !== expected.output) {
    throw differs(`the interrupted run wrote to ${found.output}, this one would write to ${expected.output}`);
  }
}

/** Returns a text that distinguishes the unfinished files of a state from those of others. */
export async function tagOf(state: string): Promise<string> {
  const path = resolve(state);
  const folder = await realpath(dirname(path)).catch(() => dirname(path));
  return digest(join(folder, basename(path))).slice(0, 8);
}

function outputOf(target: Target, secrets: Secrets): string {
  if (isToFiles(target)) return secrets.mask(resolve(target.path));
  return target.kind === "singer" ? "stdout as Singer messages" : "stdout";
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
