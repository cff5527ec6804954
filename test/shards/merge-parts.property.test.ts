import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SpileError } from "../../src/core/errors.ts";
import type { RunResult } from "../../src/core/runs/run.ts";
import type { Moved, Watermarks } from "../../src/core/runs/watermark.ts";
import { movesTo } from "../../src/resume/moved-watermarks.ts";
import { readState } from "../../src/resume/state-file.ts";
import { leftovers } from "../../src/shards/manifest/verify-parts.ts";
import { movesAfter, watermarksAfter } from "../../src/shards/merge/merged-increment.ts";
import { linesOf, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { createRandom } from "../helpers/random.ts";
import { type Outcome, runHere } from "../helpers/run.ts";
import { firstSeed, forSeeds, times } from "../helpers/seeds.ts";
import { planned, type Sharded } from "./sharded.ts";
import { runAll } from "./workers.ts";
import { makeWorld } from "./world.ts";

const rounds = 6;

async function round(seed: number): Promise<string> {
  const random = createRandom(seed);
  await using world = await makeWorld(random);
  const { configuration } = world;
  const unique = random.oneIn(4) ? "id" : undefined;
  await using folder = await temporaryFolder();
  const state = join(folder.path, "state.json");
  const one = await runHere(configuration, { unique, state });
  assert.equal(one.result.exitCode, 0);
  const { document } = await readState(state);
  const alone = { ...one, watermarks: (document.incremental ?? {}) as Watermarks };
  const count = random.oneIn(6) ? random.between(17, 64) : random.between(1, 16);
  await using sharded = await planned(configuration, count, { unique });
  world.faults = random.below(4);
  const zombies = await runAll(sharded, count, random);
  const early = random.oneIn(2);
  if (!early) await zombies.release();
  const kind = await mergedLike(alone, sharded);
  // Attempts that end after the merge change nothing.
  for (const outcome of await zombies.release()) {
    assert.ok(outcome.kind === "done before" || !outcome.isOurs);
  }
  if (early) assert.equal(await mergedLike(alone, sharded), kind);
  return kind;
}

/** A single run, and the values of its increments. */
interface Alone extends Outcome {
  readonly watermarks: Watermarks;
}

/**
 * Asserts that the merged bytes, verdicts and increments are those of a single run, that the merge has more lines because the
 * single run ended at a repeated page, or that the merge is refused with a reason.
 */
async function mergedLike(one: Alone, sharded: Sharded): Promise<string> {
  try {
    const merged = await sharded.merge();
    if (merged.output !== one.output && endedAlike(one)) {
      assert.ok(holdsInOrder(linesIn(merged.output), linesIn(one.output)));
      return "more";
    }
    assert.equal(merged.output, one.output);
    assert.deepEqual(verdictsOf(merged), verdictsOf(one.result));
    const { units } = sharded.read.plan;
    const moved = Object.entries(watermarksAfter({}, merged.moved));
    const all = [...moved, ...movesAfter({}, units, merged.movedParents)] as readonly Moved[];
    assert.deepEqual(marksOf(all), marksOf(movesTo(one.watermarks)));
    return merged.jobs.some(({ verdict }) => verdict === "suspect") ? "suspect" : "complete";
  } catch (error) {
    // A single run compares pages that are not neighbours, too. A shard does not know all of them, so the merge may be
    // refused.
    if (!(error instanceof SpileError) || error.exitCode !== 65) throw error;
    assert.match(error.message, /^page \d+ is missing, although a single run would have requested it; shard \d+ ended/);
    return "refused";
  }
}

/** Returns the watermark of each increment, for each parent, in an order that does not depend on that of the parents. */
function marksOf(moved: readonly Moved[]): unknown {
  const marks = new Map(moved.map(([key, watermark, context = ""]) => [`${key} ${context}`, watermark]));
  return [...marks].sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns whether a single run ended a job at a page with equal records or keys but different bytes. Shards continue after such a page. */
function endedAlike({ result }: Alone): boolean {
  return result.jobs.some(({ reason }) => /holds the same .* as .*, by ("|the keys)/.test(reason));
}

function holdsInOrder(lines: readonly string[], some: readonly string[]): boolean {
  let found = 0;
  for (const line of lines) if (line === some[found]) found += 1;
  return found === some.length;
}

const linesIn = (output: string): readonly string[] => output.split("\n");

function verdictsOf({ jobs }: Pick<RunResult, "jobs">): unknown {
  return jobs.map(({ dataType, verdict, records, duplicates, windows, reason, expected }) => {
    const comparable = { dataType, verdict, records, duplicates, windows };
    // If there are several runs, each shard reports the first of its own runs.
    if (/^child|^several/.test(dataType)) return comparable;
    // Between shards, only equal bytes count. A single run compares the identities of records, and may know them from an earlier
    // page.
    return { ...comparable, reason: reason.replace(alike, "the same"), expected };
  });
}

const alike =
  /the same (\d+ records? )?as (the page before it|the first page|an earlier page)(, (by "[^"]*"|by the keys of --unique|byte by byte))?/;

test("the merged bytes and verdicts are those of one run, even if processes die or are started twice", async () => {
  const seen = new Map<string, number>();
  const seeds = Array.from({ length: rounds * times }, (_, index) => firstSeed + index);
  const lane = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const kind = await round(seed).catch((error: unknown) => {
        throw new Error(`SPILE_SEED=${seed}`, { cause: error });
      });
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
  };
  await Promise.all([lane(), lane()]);
  assert.ok(seen.has("complete") && seen.has("suspect"), JSON.stringify([...seen]));
  for (const kind of ["refused", "more"]) {
    assert.ok((seen.get(kind) ?? 0) <= (rounds * times) / 8, JSON.stringify([...seen]));
  }
});

test("a merge of data that changed while the shards ran is never complete, unless it equals the data at one moment", async () => {
  let suspect = 0;
  await forSeeds(rounds, async (random, seed) => {
    const values = Array.from({ length: random.between(1, 40) }, (_, id) => ({ id }));
    const limit = random.between(1, 5);
    let untilChange = random.between(1, 30);
    const moments = [linesOf(values)];
    await using api = await startApi(({ params }) => {
      untilChange -= 1;
      if (untilChange === 0) {
        if (random.oneIn(2))
          values.push(...Array.from({ length: random.between(1, 12) }, () => ({ id: values.length })));
        else values.splice(random.below(values.length), random.between(1, 12));
        moments.push(linesOf(values));
      }
      const offset = Number(params.get("offset"));
      return { items: values.slice(offset, offset + limit), total: values.length };
    });
    const count = random.between(2, 8);
    const configuration = {
      api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit } },
      config: { jobs: [{ endpoint: "e", dataField: "items" }] },
    };
    await using sharded = await planned(configuration, count);
    for (let index = 0; index < count; index += 1) await sharded.run(index);
    const { jobs, output } = await sharded.merge();
    const whole = jobs.every(({ verdict }) => verdict === "complete");
    if (whole) assert.ok(moments.includes(output), `seed ${seed}: ${jobs[0]?.reason}`);
    else suspect += 1;
  });
  assert.ok(suspect > (rounds * times) / 10);
});

test("leftovers are the files that no manifest names", async () => {
  await using api = await startApi(() => ({ items: [] }));
  const configuration = { api: { baseUrl: `${api.url}/` }, config: { jobs: [{ endpoint: "e", dataField: "items" }] } };
  await using sharded = await planned(configuration, 1);
  await sharded.run(0);
  for (const name of ["0.0123456789ab.ndjson", ".0.0123456789ab.tmp", "0.notes.ndjson", "7.0123456789ab.ndjson"]) {
    await writeFile(join(sharded.folder, name), "");
  }
  const { heads } = await sharded.merge();
  const names = await leftovers(heads, sharded.folder);
  assert.deepEqual([...names].sort(), [".0.0123456789ab.tmp", "0.0123456789ab.ndjson"]);
});
