import { spawn } from "node:child_process";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Handler, json, startApi } from "../helpers/api.ts";
import { command as spile, temporaryFolder } from "../helpers/cli.ts";
import { compareValues } from "../helpers/same-values.ts";
import { install } from "../helpers/virtual-environment.ts";
import { ended, type Row } from "./attempts.ts";
import { answerWith, configurationOf, type Held, heldRecords } from "./records.ts";

export const meltano = { name: "meltano", packages: ["meltano==4.4.1"] };

/** Runs Meltano with spile as its extractor, as in docs/singer.md, and target-jsonl: discovery, selection, state. */
export async function tryMeltano(bin: string, count: number, root: string): Promise<readonly Row[]> {
  const loader = join(await install("target-jsonl", ["target-jsonl==0.1.4"], root), "target-jsonl");
  const held = heldRecords(count);
  const total = (streams: readonly string[]): number =>
    streams.reduce((sum, stream) => sum + (held[stream]?.length ?? 0), 0);
  const judged = async (tried: string, streams: readonly string[], work: (project: Project) => Promise<void>) => {
    try {
      await using project = await createProject(bin, loader);
      await work(project);
      await project.compare(held, streams);
      return { tried, records: total(streams), result: "exact" };
    } catch (error) {
      return { tried, records: 0, result: `FAULT: ${error instanceof Error ? error.message : error}` };
    }
  };
  const both = Object.keys(held);
  return [
    await judged("meltano run, with its discovery", both, async (project) => project.run(held)),
    await judged("meltano select accounts '*'", ["accounts"], async (project) => {
      await project.call("select", "tap-spile", "accounts", "*");
      await project.run(held);
    }),
    await judged("refused under way, then resumed from Meltano's state", both, async (project) => {
      await project.run(held, 9);
      await project.run(held);
    }),
  ];
}

interface Project extends AsyncDisposable {
  call(...words: readonly string[]): Promise<void>;
  /** Runs tap and target. The API refuses requests from this number on. */
  run(held: Held, refusedFrom?: number): Promise<void>;
  compare(held: Held, streams: readonly string[]): Promise<void>;
}

async function createProject(bin: string, loader: string): Promise<Project> {
  const folder = await temporaryFolder();
  let handler: Handler = () => undefined;
  const api = await startApi((request) => handler(request));
  const tap = await folder.write("spile-tap", `#!/bin/sh\nexec '${process.execPath}' '${spile}' --resume "$@"\n`);
  await chmod(tap, 0o755);
  await mkdir(join(folder.path, "kept"));
  await folder.write("meltano.yml", projectOf(configurationOf(api.url), tap, loader));
  const start = (words: readonly string[]) => {
    const env = { ...process.env, MELTANO_SEND_ANONYMOUS_USAGE_STATS: "false", NO_COLOR: "1" };
    return ended(spawn(join(bin, "meltano"), words, { cwd: folder.path, env }));
  };
  const call = async (...words: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await start(words);
    if (code !== 0) throw new Error(`meltano ${words[0]} ended with ${code}: ${(stdout + stderr).slice(-400)}`);
  };
  return {
    call,
    async run(held, refusedFrom) {
      handler = answerWith(held, (request) =>
        refusedFrom !== undefined && request >= refusedFrom ? json({ error: "no" }, { status: 403 }) : undefined,
      );
      if (refusedFrom === undefined) return call("run", "tap-spile", "target-jsonl");
      const { code } = await start(["run", "tap-spile", "target-jsonl"]);
      if (code === 0) throw new Error("meltano accepted an incomplete run");
    },
    async compare(held, streams) {
      for (const stream of Object.keys(held)) {
        const path = join(folder.path, "kept", `${stream}.jsonl`);
        const kept = (await readFile(path, "utf8").catch(() => "")).split("\n").slice(0, -1);
        const expected = streams.includes(stream) ? (held[stream] ?? []) : [];
        const { missing, surplus, example } = compareValues(expected, kept);
        if (missing + surplus > 0) throw new Error(`${stream}: ${missing} missing, ${surplus} too many; ${example}`);
      }
    },
    async [Symbol.asyncDispose]() {
      await api.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Returns the project. It is written as JSON, which is valid YAML. */
function projectOf(configuration: object, tap: string, loader: string): object {
  return {
    default_environment: "dev",
    send_anonymous_usage_stats: false,
    environments: [{ name: "dev" }],
    plugins: {
      extractors: [
        {
          name: "tap-spile",
          namespace: "tap_spile",
          executable: tap,
          capabilities: ["catalog", "discover", "state"],
          settings: [
            { name: "api", kind: "object" },
            { name: "config", kind: "object" },
          ],
          config: configuration,
        },
      ],
      loaders: [
        {
          name: "target-jsonl",
          namespace: "target_jsonl",
          executable: loader,
          settings: [{ name: "destination_path" }, { name: "do_timestamp_file", kind: "boolean" }],
          config: { destination_path: "kept", do_timestamp_file: false },
        },
      ],
    },
  };
}
