import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { JobResult, RunOptions } from "../../src/core/runs/run.ts";
import type { Moved } from "../../src/core/runs/watermark.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import type { Sink } from "../../src/output/sink.ts";
import { beginningOf, type Checkpoint } from "../../src/resume/progress.ts";
import { ProgressWriter } from "../../src/resume/progress-writer.ts";
import { noState, type State } from "../../src/resume/state-file.ts";
import { openStatePlace, type StatePlace } from "../../src/resume/state-place.ts";
import { json, linesOf, records, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";

const beginning = {
  version: "1",
  configuration: "",
  options: "",
  output: "stdout",
  fingerprintKey: "",
  startedAt: 1,
};
const from = { clock: 0, checkpoint: beginningOf(0, 0), failed: [], lengths: {} };

test("the results at a mark do not include a job that ends after that mark", async () => {
  await using folder = await temporaryFolder();
  const place = await openStatePlace({
    state: join(folder.path, "state.json"),
    target: { kind: "file", path: "out" },
  } as RunOptions);
  assert.ok(place !== undefined);
  const sink = { records: () => 0, sync: async () => undefined } as Sink;
  const writer = new ProgressWriter({
    ...{ place, before: place.before, beginning, from, sink, anew: {}, files: false, eager: true, unique: false },
    ...{ secrets: new Secrets(), now: () => 0, warn: assert.fail },
  });
  const results = [{ job: "first" }] as JobResult[];
  const mark = writer.mark({ checkpoint: beginningOf(0, 1), failed: [] }, { results, moved: [] });
  results.push({ job: "second" } as JobResult);
  await mark?.reached({});
  place.close();
  const { progress } = JSON.parse(await folder.read("state.json")) as { progress: { results: { job: string }[] } };
  assert.deepEqual(progress.results, [{ job: "first" }]);
});

test("each result is masked once and searched once, however many jobs have ended", async () => {
  class Counted extends Secrets {
    characters = 0;

    override mask(text: string): string {
      this.characters += text.length;
      return super.mask(text);
    }

    override holds(text: string): boolean {
      this.characters += text.length;
      return super.holds(text);
    }
  }
  const charactersFor = async (jobs: number): Promise<number> => {
    const secrets = new Counted();
    const { writer, seen } = writing({ secrets });
    const results: JobResult[] = [];
    for (let job = 0; job < jobs; job += 1) {
      results.push({ job: `job ${job}`, reason: "x".repeat(1000) } as JobResult);
      await writer.mark({ checkpoint: beginningOf(0, job), failed: [] }, { results, moved: [] })?.reached({});
    }
    await writer.keep();
    assert.deepEqual((seen.state.progress as { results: unknown }).results, results);
    return secrets.characters;
  };
  const [ten, forty] = [await charactersFor(10), await charactersFor(40)];
  assert.ok(forty < 5 * ten, `${ten} characters for 10 jobs, ${forty} for 40`);
});

test("a result that has changed is masked again", async () => {
  const secrets = new Secrets();
  secrets.add("s3cret");
  const { writer, seen } = writing({ secrets });
  const reach = (results: JobResult[]) =>
    writer.mark({ checkpoint: beginningOf(0, 1), failed: [] }, { results, moved: [] })?.reached({});
  await reach([{ job: "one" }, { job: "two" }] as JobResult[]);
  await reach([{ job: "one" }, { job: "s3cret" }, { job: "three" }] as JobResult[]);
  assert.deepEqual((seen.state.progress as { results: unknown }).results, [
    { job: "one" },
    { job: "***" },
    { job: "three" },
  ]);
});

/**
 * Returns a writer that lists its steps in order. The first sync or report takes so long that the writer does not use the disk
 * again for a second.
 */
function writing({ isReported = false, files = false, secrets = new Secrets() } = {}) {
  const log: string[] = [];
  const seen = { log, records: 0, state: noState };
  const place = {
    ...{ name: "state", before: noState, tag: "", isReported },
    append: async (_entry: string, { durable }: { readonly durable: boolean }) => {
      if (isReported || seen.state === noState) return false;
      log.push(durable ? "added for good" : "added");
      return true;
    },
    write: async (state: State, { durable = true } = {}) => {
      log.push(durable ? "written for good" : "written");
      seen.state = state;
      if (isReported) await wait(60);
      return true;
    },
  } as unknown as StatePlace;
  const sync = async (): Promise<void> => {
    log.push("synced");
    await wait(60);
  };
  const sink = { records: () => seen.records, sync } as Sink;
  const writer = new ProgressWriter({
    ...{ place, before: noState, beginning, from, sink, anew: {}, files, eager: !isReported && !files, unique: false },
    ...{ secrets, now: () => 0, warn: assert.fail },
  });
  const results: JobResult[] = [];
  const reach = (more: Partial<Checkpoint> = {}, moved: readonly Moved[] = []) =>
    writer.mark({ checkpoint: { ...beginningOf(0, 1), ...more }, failed: [] }, { results, moved })?.reached({});
  // `done` returns the steps since its last call.
  return Object.assign(seen, { seen, writer, reach, done: () => log.splice(0) });
}

test("lines are on the disk before a state that relies on them", async () => {
  const { reach, done } = writing();
  await reach();
  assert.deepEqual(done(), ["synced", "written for good"]);
  await reach();
  assert.deepEqual(done(), ["added"]);
  const moved: Moved[] = [["orders", { path: "id", value: 3 }]];
  await reach({}, moved);
  assert.deepEqual(done(), ["synced", "added for good"]);
  await reach({}, moved);
  assert.deepEqual(done(), ["added"]);
  const answers = [{ step: "export", at: 1, goodUntil: 2, values: {} }];
  await reach({ steps: { answers, part: 0, tally: null } }, moved);
  assert.deepEqual(done(), ["synced", "added for good"]);
  await reach({ steps: { answers, part: 1, tally: null } }, moved);
  assert.deepEqual(done(), ["added"]);
});

test("increments do not move while their lines are in unfinished files", async () => {
  const mark = { path: "id", value: 3 };
  for (const files of [true, false]) {
    const seen = writing({ files });
    await seen.reach({}, [["orders", mark]]);
    assert.deepEqual(seen.state.document.incremental, files ? undefined : { orders: mark });
  }
});

test("a state is reported once, and never after lines that it does not count, unless the run fails", async () => {
  const seen = writing({ isReported: true });
  await seen.reach();
  await seen.writer.keep();
  assert.equal(seen.done().length, 1);
  // The next one has to wait, and a line comes before its report.
  await seen.reach();
  seen.records += 1;
  await wait(1200);
  assert.deepEqual(seen.done(), []);
  // A failing run reports the last state again, since a target may forget it after that line.
  await seen.writer.keep();
  assert.deepEqual(seen.done(), ["written for good"]);
});

test("a run that fails reports its state again if lines followed it", async () => {
  const seen = writing({ isReported: true });
  await seen.reach();
  assert.deepEqual(seen.done(), ["written for good"]);
  seen.records += 1;
  await seen.writer.keep();
  assert.deepEqual(seen.done(), ["written for good"]);
});

test("the state records the renaming of files before it happens, even right after another write", async () => {
  const { reach, done, writer } = writing({ files: true });
  await reach();
  assert.deepEqual(done(), ["synced", "written for good"]);
  await reach();
  assert.deepEqual(done(), []);
  await writer.finish(1, { results: [], moved: [] }).reached({ "out.ndjson": 3 });
  assert.deepEqual(done(), ["synced", "written for good"]);
});

/* Tests of the state file of a run with datasets whose names contain a secret (contract P4). */

const secret = "s3cret-name";
const rows = records(9);

/** Starts an API whose third page fails until the trouble is over, and returns it with a configuration whose dataset is "of <secret>". */
async function setUp() {
  const trouble = { isOver: false };
  const api = await startApi(({ params }) => {
    const offset = Number(params.get("offset"));
    return !trouble.isOver && offset === 6 ? json({}, { status: 403 }) : rows.slice(offset, offset + 3);
  });
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 3 } },
    config: { "#name": secret, jobs: [{ endpoint: "items", dataType: `of ${secret}` }] },
  };
  return { api, trouble, configuration };
}

test("a secret in the figures of a job is masked, and the run can continue at its place", async () => {
  const { api, trouble, configuration } = await setUp();
  await using _api = api;
  await using folder = await temporaryFolder();
  const state = join(folder.path, "state.json");
  const first = await runHere(configuration, { state, resume: false });
  assert.equal(first.output, linesOf(rows.slice(0, 6)));
  assert.ok(!JSON.stringify(first.events).includes("the state does not store"));
  const kept = await readFile(state, "utf8");
  assert.match(kept, /"tally":\[\{.*"of \*\*\*"/);
  assert.ok(!kept.includes(secret));
  trouble.isOver = true;
  const asked = api.log.length;
  const { result, output } = await runHere(configuration, { state, resume: true });
  assert.deepEqual([result.exitCode, output], [0, linesOf(rows.slice(6))]);
  assert.equal(api.log[asked]?.params.get("offset"), "6");
});

test("a secret in the name of a file is not stored, and a message says so, since the run then starts over", async () => {
  const { api, trouble, configuration } = await setUp();
  await using _api = api;
  await using folder = await temporaryFolder();
  const state = join(folder.path, "state.json");
  const target = { kind: "folder", path: join(folder.path, "out") } as const;
  const { events } = await runHere(configuration, { state, resume: false, target });
  assert.match(JSON.stringify(events), /the progress of the run holds a secret, which the state does not store/);
  const kept = await readFile(state, "utf8").catch(() => "");
  assert.ok(!kept.includes(secret), kept);
  trouble.isOver = true;
  const { result } = await runHere(configuration, { state, resume: true, target });
  assert.equal(result.exitCode, 0);
  assert.equal(await folder.read(`out/of ${secret}.ndjson`), linesOf(rows));
});
