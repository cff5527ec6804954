import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration } from "../../src/compile/read.ts";
import type { LoadedConfiguration } from "../../src/config/loaded.ts";
import { SpileError } from "../../src/core/errors.ts";
import type { RunOptions } from "../../src/core/runs/run.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { type Value, valueText } from "../../src/core/values/value.ts";
import { type Merged, type MergeOptions, mergeParts } from "../../src/shards/merge-parts.ts";
import { type ReadPlan, readPlan } from "../../src/shards/plan/plan-document.ts";
import { planShards } from "../../src/shards/plan-shards.ts";
import { runShard, type ShardOutcome } from "../../src/shards/run-shard.ts";
import { collector } from "../helpers/run.ts";

const time = { currentStart: 1_700_000_000, previousStart: 0 };

/** In shards, the state is always a file. */
export type ShardRunOptions = Omit<Partial<RunOptions>, "state"> & { readonly state?: string | undefined };

/** The three steps, within this process. */
export interface Sharded {
  readonly folder: string;
  readonly read: ReadPlan;
  readonly planText: string;
  /** Runs a shard. With `state` in its options, the shard keeps its progress there and resumes from it. */
  run(index: number, options?: ShardRunOptions): Promise<ShardOutcome>;
  merge(options?: MergingOptions): Promise<MergedText>;
  [Symbol.asyncDispose](): Promise<void>;
}

type MergingOptions = Partial<Pick<MergeOptions, "tag" | "strict" | "signal">>;

export interface MergedText extends Merged {
  readonly output: string;
  readonly warnings: readonly string[];
}

/** Plans shards of a configuration in a new folder, and returns the functions that run and merge them. */
export async function planned(
  configuration: unknown,
  count: number,
  {
    environment = {},
    unique,
  }: { readonly environment?: Readonly<Record<string, string>>; readonly unique?: string | undefined } = {},
): Promise<Sharded> {
  const folder = await mkdtemp(join(tmpdir(), "spile-shards-"));
  const first = loadedOf(configuration, environment);
  const made = await planShards(first.loaded, { ...first.options, unique }, { count, time });
  if (made instanceof SpileError) throw made;
  const planText = valueText(made as unknown as Value);
  const read = readPlan(planText, "plan");
  return {
    folder,
    read,
    planText,
    run(index, given) {
      const { loaded, options } = loadedOf(configuration, environment);
      return runShard(loaded, { ...options, ...given }, read, { index, to: folder, state: given?.state });
    },
    async merge({ tag = false, strict = false, signal = new AbortController().signal } = {}) {
      const { stream, text } = collector();
      const warnings: string[] = [];
      const merged = await mergeParts(read, folder, {
        target: { kind: "stream", stream },
        tag,
        strict,
        signal,
        warn: (message) => warnings.push(message),
      });
      return { ...merged, output: text(), warnings };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

function loadedOf(
  configuration: unknown,
  environment: Readonly<Record<string, string>>,
): { readonly loaded: LoadedConfiguration; readonly options: RunOptions } {
  const secrets = new Secrets();
  const loaded = readConfiguration(JSON.stringify(configuration), {
    name: "test",
    set: new Map(),
    environment,
    strict: false,
    secrets,
  });
  const options: RunOptions = {
    target: { kind: "stream", stream: collector().stream },
    signal: new AbortController().signal,
    emit: () => undefined,
    secrets,
    backoff: () => 1,
  };
  return { loaded, options };
}
