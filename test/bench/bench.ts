import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startBenchApi } from "./api.ts";
import { slips } from "./committed.ts";
import { compare, compareCommands } from "./compare.ts";
import { commands, rivals } from "./contenders.ts";
import { judge, type Result } from "./goals.ts";
import { parentRivals } from "./parents.ts";
import { goalTable, heading, rivalryTable, workTable } from "./report.ts";
import { compareRivals } from "./rivalry.ts";
import { shardRivals } from "./shards.ts";
import { rivalWork, type Scale, works } from "./works.ts";

/*
 * Compares the speed and the memory of spile with those of the tools that people use today, and checks the goals.
 *   npm run bench                        a tenth of each size; takes about a minute
 *   npm run bench -- --scale full        the full sizes; takes a quarter of an hour, and writes test/bench/results/
 *   npm run bench -- --only compact --only start-up
 *   npm run bench -- --save              writes the results of a quick run, too; those of --only into another file
 *   npm run bench -- --rivals            also runs tools in Python, which are installed into a temporary folder
 *   npm run bench -- --rivals --folder /tmp/rivals   installs them into a folder that is kept for the next time
 *   npm run bench -- --scale full --check   fails if a ratio is much worse than in the last committed result
 */
const { values: options } = parseArgs({
  options: {
    scale: { type: "string", default: "quick" },
    only: { type: "string", multiple: true, default: [] },
    save: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    rivals: { type: "boolean", default: false },
    folder: { type: "string" },
  },
});
if (options.scale !== "quick" && options.scale !== "full") throw new Error("--scale is quick or full");
const scale: Scale = options.scale;
const pace = scale === "quick" ? { rounds: 3, maxSeconds: 3 } : { rounds: 5, maxSeconds: 40 };

const api = await startBenchApi();
const folder = mkdtempSync(join(tmpdir(), "spile-bench-"));
const contenders = { ...rivals(folder), ...shardRivals(folder), ...parentRivals(folder) };
const date = new Date().toISOString().slice(0, 10);
const results = new Map<string, ReadonlyMap<string, Result>>();
let report = "";

say(heading(scale, date));
try {
  for (const work of options.rivals ? [] : works(scale)) {
    if (!isWanted(work.name)) continue;
    tell(work.name, work.title, await compare(work, contenders[work.name] ?? [], api.base, pace));
  }
  if (options.rivals) {
    const work = rivalWork(scale);
    const rivalry = await compareRivals(work, api.base, { rounds: pace.rounds, kept: options.folder });
    say(rivalryTable(work.title, rivalry));
  } else if (isWanted("start-up")) {
    tell("start-up", "CPU before the first request", await compareCommands(commands, { rounds: 5, maxSeconds: 60 }));
  }
  if (!options.rivals) say(goalTable(judge(results)));
  const slipped = options.check ? slips(judge(results), scale, new URL("results/", import.meta.url)) : [];
  for (const slip of slipped) console.error(`slipped: ${slip}`);
  if (slipped.length > 0) process.exitCode = 1;
} finally {
  api.close();
  rmSync(folder, { recursive: true, force: true });
}
// Results of only some works must not replace the results of all works.
const isWhole = options.only.length === 0;
if (options.save || (scale === "full" && isWhole)) {
  const target = new URL("results/", import.meta.url);
  mkdirSync(target, { recursive: true });
  const name = [date, ...(options.rivals ? ["rivals"] : []), ...options.only, scale].join("-");
  writeFileSync(new URL(`${name}.md`, target), report);
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
