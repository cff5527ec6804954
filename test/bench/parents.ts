import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Contender, spile } from "./contenders.ts";
import type { Work } from "./works.ts";

/** Beginnings of a run: without a state, from a state with a value for each parent, or without increments. */
const beginnings = { spile: "first", "spile from a full state": "full", "spile without increments": "none" } as const;

type Beginning = (typeof beginnings)[keyof typeof beginnings];

/** Returns contenders with increments of many parents, and others that send the same requests without increments. */
export function parentRivals(folder: string): Readonly<Record<string, readonly Contender[]>> {
  return { parents: Object.entries(beginnings).map(([name, beginning]) => contender(folder, name, beginning)) };
}

function contender(folder: string, name: string, beginning: Beginning): Contender {
  return {
    ...spile(folder),
    name,
    commandLine(work, base) {
      const path = join(folder, "parents-state.json");
      rmSync(path, { force: true });
      if (beginning === "full") writeFileSync(path, fullState(work));
      const command = spile(folder).commandLine(beginning === "none" ? withoutIncrements(work) : work, base);
      return beginning === "none" ? command : [...command, "--state", path];
    },
  };
}

function fullState({ configured, pages }: Work): string {
  const { path } = JSON.parse(JSON.stringify(configured)).jobs[0].children[0].incremental;
  const partitions = Array.from({ length: pages }, (_, id) => ({ context: { id }, value: "000000000" }));
  return `${JSON.stringify({ incremental: { item: { path, partitions } } })}\n`;
}

function withoutIncrements(work: Work): Work {
  const { jobs } = JSON.parse(JSON.stringify(work.configured));
  for (const child of jobs[0].children) {
    child.incremental = undefined;
    child.params.since = "000000000";
  }
  return { ...work, configured: { limit: 1000, jobs } };
}
