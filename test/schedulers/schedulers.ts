import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { demoConfiguration } from "../../src/demo/configuration.ts";
import { startDemoApi } from "../../src/demo/server.ts";
import { airflow } from "./airflow.ts";
import { parallel } from "./parallel.ts";
import type { Scheduler } from "./scheduler.ts";
import { openSite } from "./site.ts";
import { slurm } from "./slurm.ts";
import { spark } from "./spark.ts";

/*
 * Runs the scripts of docs/schedulers with real schedulers on this host. Workers are killed during the run, and the merged bytes
 * are compared with those of one run. It installs nothing: the table names missing commands and how to get them.
 *   npm run schedulers                       all schedulers; takes some minutes
 *   npm run schedulers -- --only slurm       schedulers with this text in their name
 *   npm run schedulers -- --records 20000    20000 records of the demo API in place of 200000
 *   npm run schedulers -- --keep             keeps the folders
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    records: { type: "string", default: "200000" },
    keep: { type: "boolean", default: false },
  },
});
const only = values.only.toLowerCase();
const records = Number(values.records);
const shards = 8;
const root = await mkdtemp(join(tmpdir(), "spile-schedulers-"));
const api = await startDemoApi({ port: 0, tokenSeconds: 20, records });
const { config, ...others } = demoConfiguration(api.url) as { config: { jobs: { endpoint: string }[] } };
const jobs = config.jobs.filter(({ endpoint }) => endpoint === "harvests");
const configuration = JSON.stringify({ ...others, config: { ...config, jobs } });
let faults = 0;

console.log("| scheduler | tried | seconds | result |\n|---|---|---|---|");
try {
  const one = await oneRun();
  for (const scheduler of [parallel, slurm, spark, airflow]) {
    if (scheduler.name.toLowerCase().includes(only)) await tryScheduler(scheduler, one);
  }
} finally {
  await api.close();
  if (values.keep) console.log(root);
  else await rm(root, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;

async function oneRun(): Promise<string> {
  const site = await openSite(join(root, "one"), configuration, 1);
  await site.command(["spile", "config.json", "-o", "all.ndjson"]);
  return digestOf(site.folder);
}

async function tryScheduler(scheduler: Scheduler, one: string): Promise<void> {
  const say = (tried: string, seconds: string, result: string): void => {
    if (result.startsWith("FAULT")) faults += 1;
    console.log(
      `| ${[scheduler.name, tried, seconds, result].map((cell) => cell.replaceAll(/\||\n/g, " ")).join(" | ")} |`,
    );
  };
  const missing = scheduler.missing();
  if (missing !== undefined) return say("", "", `not tried: ${missing}`);
  const folder = join(root, scheduler.name.replaceAll(/\W+/g, "-"));
  const site = await openSite(folder, configuration, shards);
  const startTime = performance.now();
  try {
    const tried = await scheduler.run(site);
    const seconds = ((performance.now() - startTime) / 1000).toFixed(0);
    const same = (await digestOf(folder)) === one;
    say(tried, seconds, same ? `the bytes of one run, ${records} records` : "FAULT: other bytes than one run's");
  } catch (error) {
    say("", "", `FAULT: ${error instanceof Error ? error.message : error}`);
  } finally {
    await site.close();
  }
}

async function digestOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(join(folder, "all.ndjson"))) hash.update(chunk);
  return hash.digest("hex");
}
