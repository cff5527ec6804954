import assert from "node:assert/strict";
import type { Api } from "../helpers/api.ts";
import { type CliOptions, type Finished, records, spile } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

/** A user's configuration, to which the address of the API is added, and the options of the command. */
export interface Given extends CliOptions {
  /** Fields of `api`. */
  readonly api?: Readonly<Record<string, unknown>>;
  /** Fields of `config`. Without `jobs`, there is one job with the endpoint `items`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Fields of that one job. */
  readonly job?: Readonly<Record<string, unknown>>;
  readonly iterations?: readonly unknown[];
  readonly args?: readonly string[];
  /** True to wait before retries as long as in real use. */
  readonly waits?: boolean;
  /** True to run in a separate process. */
  readonly started?: boolean;
}

/** The configuration that `run` gives to the command. */
export function configurationFor(url: string, { api, config, job, iterations }: Given): Record<string, unknown> {
  const jobs = [{ endpoint: "items", ...job }];
  const document = { api: { baseUrl: url, ...api }, config: { jobs, ...config } };
  return iterations === undefined ? document : { ...document, iterations };
}

/**
 * Runs the command on a configuration for `api`, as a process only if `started` says so. Checks what must be true for every run:
 * stdout consists of whole lines of JSON, and stderr has no stack trace and no secret of `config`.
 */
export async function run(api: Pick<Api, "url">, given: Given = {}): Promise<Finished> {
  const configuration = configurationFor(api.url, given);
  const { args = [], started } = given;
  const stdin = JSON.stringify(configuration);
  const words = ["-", ...args];
  const end = await (started ? spile(words, { ...given, stdin }) : spileHere(words, { ...given, stdin }));
  records(end.stdout);
  assert.doesNotMatch(end.stderr, /^ +at |UnhandledPromise|\bundefined\b|\[object Object\]|bug in spile/m);
  for (const [name, value] of Object.entries(given.config ?? {})) {
    if (name.startsWith("#") && typeof value === "string") assertAbsent(end.stderr, value);
  }
  return end;
}

/** Asserts that a text contains no form of a secret: plain, percent-encoded or in base64. */
function assertAbsent(text: string, secret: string): void {
  const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64").replace(/=+$/, "")];
  for (const form of forms) assert.ok(!text.includes(form), `the text shows a secret as ${form}:\n${text}`);
}

/** Returns the lines of stderr at a level, without the level. */
export function messagesOf({ stderr }: Finished, level: "info" | "warning" | "error"): string[] {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith(`${level} `))
    .map((line) => line.slice(level.length + 1));
}

export const offset = (limit: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
  pagination: { method: "offset", limit, ...more },
});
