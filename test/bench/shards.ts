import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Contender, command, configuration, spile } from "./contenders.ts";
import type { Work } from "./works.ts";

const shards = 4;

const steps = {
  plan: `"$1" "$2" shard plan config.json --count ${shards} --output plan.json --quiet`,
  run: `rm -rf parts; for index in $(seq 0 ${shards - 1}); do
    "$1" "$2" shard run plan.json config.json --to parts --index $index --quiet & running="$running $!"
  done; for process in $running; do wait $process || exit; done`,
  merge: `"$1" "$2" shard merge plan.json parts --quiet`,
};

/** Commands that process existing parts, by name. */
const mergers = {
  "spile shard merge": { command: steps.merge, lines: "exact" },
  "spile shard merge -o": { command: `${steps.merge} -o all.ndjson`, lines: "unchecked" },
  "cat through sha256sum": { command: "cat parts/*.ndjson | sha256sum", lines: "unchecked" },
} as const;

/** Returns the contenders that run in shards or merge them, by the name of the work. */
export function shardRivals(folder: string): Readonly<Record<string, readonly Contender[]>> {
  return {
    shards: [spile(folder), inShards(folder, "run"), inShards(folder, "all")],
    merge: (Object.keys(mergers) as (keyof typeof mergers)[]).map((who) => merging(folder, who)),
  };
}

/** Returns a contender that runs a configuration in shards on this machine: all three steps, or only the shards, side by side. */
function inShards(folder: string, which: "all" | "run"): Contender {
  return {
    name: which === "all" ? `plan, ${shards} shards, merge` : `${shards} shards side by side`,
    lines: which === "all" ? "exact" : "unchecked",
    needs: [],
    commandLine(work, base) {
      const home = prepare(folder, work, base);
      return script(home, which === "all" ? `${steps.plan} && { ${steps.run}; } && ${steps.merge}` : steps.run);
    },
  };
}

function merging(folder: string, who: keyof typeof mergers): Contender {
  const { command, lines } = mergers[who];
  return {
    name: who,
    lines,
    needs: [],
    commandLine(work, base) {
      const home = prepare(folder, work, base);
      if (!existsSync(join(home, "parts"))) execute(home, steps.run);
      return script(home, command);
    },
  };
}

/** Prepares a folder with the configuration and a plan for it. */
function prepare(folder: string, work: Work, base: string): string {
  const home = join(folder, `${work.name}-${Math.round(work.megabytes)}-shards`);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.json"), JSON.stringify(configuration(work, base)));
  if (!existsSync(join(home, "plan.json"))) execute(home, steps.plan);
  return home;
}

function execute(home: string, text: string): void {
  const [file = "", ...words] = script(home, text);
  execFileSync(file, words, { stdio: ["ignore", "ignore", "inherit"] });
}

function script(home: string, text: string): readonly string[] {
  return ["sh", "-c", `cd "$3" && { ${text}; }`, "sh", process.execPath, command, home];
}
