import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { SpileError } from "../../src/core/errors.ts";
import type { RunEvent } from "../../src/core/runs/event.ts";
import { createRandom } from "../helpers/random.ts";
import { type Outcome, runHere } from "../helpers/run.ts";
import { checkEvents, checkLines, checkRequests, type Job } from "./check.ts";
import { configurationOf } from "./configuration.ts";
import { pagesOf, pathOf } from "./oracle.ts";
import { createScenario, type Scenario } from "./scenario.ts";
import { type ChaosApi, startChaosApi } from "./server.ts";

/** Milliseconds after which a round counts as hanging; the longest takes a few seconds. */
const timeout = 120_000;

/** Runs the scenario of a seed and compares the result with the oracle. Throws AssertionError. */
export async function round(seed: number): Promise<Scenario> {
  const scenario = createScenario(seed);
  const { doom } = scenario;
  const jobs = scenario.datasets.map((dataset, index): Job => {
    const pages = [...pagesOf(dataset, scenario)];
    const page = doom?.job === index ? pages[doom.page] : undefined;
    const spared = doom?.kind === "changed" && page !== undefined && scenario.datasetAt(pathOf(page.key))?.repeats;
    return { pages, doomed: page !== undefined && !spared ? doom?.page : undefined };
  });
  const served = await startChaosApi(scenario, doomedKey(scenario, jobs));
  try {
    const { result, output, events } = await extract(scenario, served.api.url);
    if (process.env.CHAOS_LOG !== undefined) log(events, served);
    try {
      checkLines(scenario, jobs, result, output);
    } catch (error) {
      if (error instanceof Error) error.message += ` (exit code ${result.exitCode}, ${result.failure?.message})`;
      throw error;
    }
    checkRequests(scenario, jobs, result, served);
    checkEvents(result, events);
  } finally {
    await served.api.close();
  }
  return scenario;
}

/** Prints the events and requests of a seed, for debugging: CHAOS_LOG=1 npm run chaos -- --seed N */
function log(events: readonly RunEvent[], { api }: ChaosApi): void {
  for (const { event, job, page, message, records } of events) console.error(event, job, page, message, records);
  for (const { at, connection, target } of api.log) console.error(Math.round(at), connection, target);
}

/** Returns the key of the page that fails for good. A page that is never reached may still be requested ahead of its turn. */
function doomedKey({ doom, datasets, size }: Scenario, jobs: readonly Job[]): string | undefined {
  if (doom === undefined) return undefined;
  const { size: own = size } = datasets[doom.job] ?? {};
  const pages = jobs[doom.job]?.pages ?? [];
  const [endpoint, last] = pages.at(-1)?.key.split("@") ?? [];
  return pages[doom.page]?.key ?? `${endpoint}@${Number(last) + own * (doom.page - pages.length + 1)}`;
}

async function extract(scenario: Scenario, url: string): Promise<Outcome> {
  const { concurrency, hold, maxRecords, maxPages, keepGoing, interruptAfter } = scenario;
  const controller = new AbortController();
  const stop = (): void => controller.abort(new SpileError("interrupted", "stopped by SIGINT"));
  const timer = interruptAfter === undefined ? undefined : setTimeout(stop, interruptAfter);
  const { stream, taken } = reader(scenario);
  let watchdog: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    watchdog = setTimeout(() => reject(new assert.AssertionError({ message: "the run hangs" })), timeout);
  });
  const running = runHere(configurationOf(scenario, url), {
    target: { kind: "stream", stream },
    signal: controller.signal,
    concurrency,
    hold,
    maxRecords,
    maxPages,
    keepGoing,
  });
  try {
    return { ...(await Promise.race([running, hangs])), output: taken() };
  } finally {
    clearTimeout(timer);
    clearTimeout(watchdog);
    stop();
  }
}

/** Creates a reader that behaves as the scenario says. */
function reader({ reader: pace, leavesAfter, seed }: Scenario): { stream: Writable; taken: () => string } {
  const random = createRandom(seed);
  const chunks: Buffer[] = [];
  let writes = 0;
  const stream = new Writable({
    highWaterMark: pace === undefined ? 65_536 : 100,
    write(chunk: Buffer, _encoding, callback) {
      writes += 1;
      if (leavesAfter !== undefined && writes > leavesAfter) {
        callback(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
        return;
      }
      // The chunk is copied, so that a buffer that is reused too early would be noticed.
      chunks.push(Buffer.from(chunk));
      if (pace === undefined) callback();
      else setTimeout(callback, random.below(pace + 1));
    },
  });
  stream.on("error", () => undefined);
  return { stream, taken: () => Buffer.concat(chunks).toString("utf8") };
}
