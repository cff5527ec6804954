import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startBenchApi } from "./api.ts";
import { slips } from "./committed.ts";
import { compare, compareCommands } from "./compare.ts";
import { commands, rivals } from "./contenders.ts";
import { judge, type Result } from "./goals.ts";
import { goalTable, heading, workTable } from "./report.ts";
import { shardRivals } from "./shards.ts";
import { type Scale, works } from "./works.ts";

/*
 * Asks: how fast and how small is spile beside what people use today, and do the goals hold?
 *   npm run bench                        a minute or so, sizes of a tenth
 *   npm run bench -- --scale full        the real sizes, a quarter of an hour; writes test/bench/results/
 *   npm run bench -- --only compact --only start-up
 *   npm run bench -- --save              writes the results of a quick run too
 *   npm run bench -- --scale full --check   fails where a ratio is much worse than in the last committed result
 */
const { values: options } = parseArgs({
  options: {
    scale: { type: "string", default: "quick" },
    only: { type: "string", multiple: true, default: [] },
    save: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
  },
});
if (options.scale !== "quick" && options.scale !== "full") throw new Error("--scale is quick or full");
const scale: Scale = options.scale;
const pace = scale === "quick" ? { rounds: 3, patience: 3 } : { rounds: 5, patience: 40 };

const api = await startBenchApi();
const folder = mkdtempSync(join(tmpdir(), "spile-bench-"));
const contenders = { ...rivals(folder), ...shardRivals(folder) };
const date = new Date().toISOString().slice(0, 10);
const results = new Map<string, ReadonlyMap<string, Result>>();
let report = "";

say(heading(scale, date));
try {
  for (const work of works(scale)) {
    if (!isWanted(work.name)) continue;
    tell(work.name, work.title, await compare(work, contenders[work.name] ?? [], api.base, pace));
  }
  if (isWanted("start-up")) {
    tell("start-up", "CPU before the first request", await compareCommands(commands, { rounds: 5, patience: 60 }));
  }
  say(goalTable(judge(results)));
  const slipped = options.check ? slips(judge(results), scale, new URL("results/", import.meta.url)) : [];
  for (const slip of slipped) console.error(`slipped: ${slip}`);
  if (slipped.length > 0) process.exitCode = 1;
} finally {
  api.close();
  rmSync(folder, { recursive: true, force: true });
}
if (options.save || scale === "full") {
  const target = new URL("results/", import.meta.url);
  mkdirSync(target, { recursive: true });
  writeFileSync(new URL(`${date}-${scale}.md`, target), report);
}

function isWanted(name: string): boolean {
  return options.only.length === 0 || options.only.includes(name);
}

function tell(name: string, title: string, table: readonly Result[]): void {
  results.set(name, new Map(table.map((result) => [result.contender, result])));
  say(workTable(`${name}: ${title}`, table));
}

function say(text: string): void {
  report += text;
  process.stdout.write(text);
}
