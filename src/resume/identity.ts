import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { withSignalTurns } from "../core/blocking-work.ts";
import { SpileError } from "../core/errors.ts";
import { isToFiles, type RunOptions, type Target } from "../core/runs/run.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { withoutSecrets } from "../core/secrets/without-secrets.ts";
import { type Value, valueText } from "../core/values/value.ts";
import { version } from "../version.ts";
import type { Progress, RunIdentity } from "./progress.ts";

/** Returns the identity of a run. Must be called before the first expression is evaluated, since that adds and removes secrets. */
export async function identityOf(loaded: LoadedConfiguration, options: RunOptions): Promise<RunIdentity> {
  const { secrets, target } = options;
  const configuration = await configurationDigest(loaded, options);
  return { version, configuration, options: optionLines(options), output: outputOf(target, secrets) };
}

/** Returns a digest of a configuration and its settings. */
export async function configurationDigest(
  loaded: LoadedConfiguration,
  { secrets, signal }: Pick<RunOptions, "secrets" | "signal">,
): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of withSignalTurns(partsOf(loaded), signal)) {
    // Secrets are left out: a new password does not change any record, and nobody can guess a secret from the digest.
    hash.update(`${secrets.mask(valueText(withoutSecrets(part as Value)))}\n`);
  }
  return hash.digest("hex");
}

/** Yields everything in a configuration on which its records depend. Iterations may share a list of jobs, which is read once. */
function* partsOf({ configuration: { config: _, ...others }, iterations }: LoadedConfiguration): Generator<unknown> {
  yield others;
  const lists = new Map<unknown, number>();
  for (const [index, { config, settings }] of iterations.entries()) {
    const { jobs, ...fields } = config;
    yield [fields, Object.fromEntries(settings), lists.get(jobs) ?? index];
    if (lists.has(jobs)) continue;
    lists.set(jobs, index);
    yield* jobs;
  }
}

/** The options on which the records of a run depend, by their names in messages. */
const recordOptions: Readonly<Record<string, (options: RunOptions) => unknown>> = {
  "--job": ({ jobs }) => jobs,
  "--catalog": ({ datasets }) => datasets && [...datasets].sort(),
  "--tag": ({ tag }) => tag,
  "--unique": ({ unique }) => unique,
  "--max-records": ({ maxRecords }) => maxRecords,
  "--max-pages": ({ maxPages }) => maxPages,
  "--probe-end": ({ probeEnd }) => probeEnd,
};

/** Returns a line for each option that was given, with its name and a digest of its value. */
function optionLines(options: RunOptions): string {
  const values = Object.entries(recordOptions).map(([name, read]) => [name, JSON.stringify(read(options))] as const);
  return values.flatMap(([name, text]) => (text === undefined ? [] : `${name} ${digest(text)}`)).join("\n");
}

/** Returns the names of the options whose lines differ. */
function differingOptions(one: string, other: string): readonly string[] {
  const lineOf = (text: string, name: string) => text.split("\n").find((line) => line.startsWith(`${name} `));
  return Object.keys(recordOptions).filter((name) => lineOf(one, name) !== lineOf(other, name));
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
    const names = differingOptions(found.options, expected.options).join(", ");
    throw differs(`the interrupted run had other values of ${names}`);
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
