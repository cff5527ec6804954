import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type Running, start, type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { firstSeed, times } from "../helpers/seeds.ts";
import { type Expected, type Shop, startShop } from "./shop.ts";

/*
 * Number of runs that get kill -9, or signals that they may handle, at random moments: for each kind of output four, or 60
 * with SPILE_ROUNDS=15.
 */
const kills = 4 * times;

for (const kind of ["file", "folder", "pipe"] as const) {
  test(`after kill -9 and other signals at random moments, no line is missing: the output is a ${kind}`, {
    timeout: 1_000_000,
  }, async () => {
    let killed = 0;
    for (let seed = firstSeed; killed < kills; seed += 1) {
      try {
        killed += await (kind === "pipe" ? throughPipe(seed) : intoFiles(seed, kind));
      } catch (error) {
        throw new Error(`SPILE_SEED=${seed}`, { cause: error });
      }
    }
  });
}

/** Asserts that there is neither a gap nor a duplicate. */
async function intoFiles(seed: number, kind: "file" | "folder"): Promise<number> {
  const random = createRandom(seed);
  const shop = await startShop(random);
  await using _api = shop.api;
  await using folder = await temporaryFolder();
  const output = kind === "file" ? ["-o", "out"] : ["--split", "dir"];
  const { lives, isKilled } = await live(random, shop, folder, output);
  const { expected } = shop;
  if (kind === "file") {
    assert.equal(await folder.read("out"), textOf(expected));
  } else {
    const datasets = [...new Set(expected.map(({ dataset }) => dataset))].sort();
    const names = await readdir(`${folder.path}/dir`);
    assert.deepEqual(
      names.sort(),
      datasets.map((name) => `${name}.ndjson`),
    );
    for (const name of datasets) {
      const own = expected.filter(({ dataset }) => dataset === name);
      assert.equal(await folder.read(`dir/${name}.ndjson`), textOf(own));
    }
  }
  await assertClean(folder, isKilled, kind === "file" ? "out" : "dir");
  return lives.length - 1;
}

/** Asserts that there is no gap, and that only pages which the state could not know yet come again, from their start. */
async function throughPipe(seed: number): Promise<number> {
  const random = createRandom(seed);
  const shop = await startShop(random);
  await using _api = shop.api;
  await using folder = await temporaryFolder();
  const { lives, isKilled } = await live(random, shop, folder, []);
  const { expected } = shop;
  const places = new Map(expected.map(({ line }, index) => [line, index]));
  let end = 0;
  for (const stdout of lives) {
    const whole = stdout.slice(0, stdout.lastIndexOf("\n") + 1);
    const lines = whole.match(/[^\n]*\n/g) ?? [];
    const first = lines[0];
    if (first === undefined) continue;
    const begin = places.get(first) ?? -1;
    assert.equal(lines.join(""), textOf(expected.slice(begin, begin + lines.length)), "lines are missing or altered");
    assert.ok(begin <= end, `a gap: the output continues at line ${begin}, where ${end} were written`);
    const pageUnderWay = expected.slice(0, end).findLastIndex(({ beginsPage }) => beginsPage);
    assert.ok(begin >= pageUnderWay, `lines before the page in progress came twice: from ${begin}, of ${end}`);
    assert.ok(begin === end || expected[begin]?.beginsPage, "the output continues within a page");
    end = begin + lines.length;
  }
  assert.equal(end, expected.length);
  await assertClean(folder, isKilled, undefined);
  return lives.length - 1;
}

/**
 * Runs the command, kills it up to five times, and lets it end. Returns the output of each life on its pipe, and whether the last
 * one was killed after it had written the state of its end.
 */
async function live(
  random: Random,
  shop: Shop,
  folder: TemporaryFolder,
  output: readonly string[],
): Promise<{ lives: string[]; isKilled: boolean }> {
  await folder.write("config.json", shop.configuration);
  const concurrency = ["--concurrency", random.pick(["1", "3"])];
  const run = (): Running =>
    start(["config.json", "--state", "state.json", "--resume", "-q", ...concurrency, ...output], { cwd: folder.path });
  const texts: string[] = [];
  const deaths = random.between(1, 5);
  for (let death = 0; death < deaths; death += 1) {
    const running = run();
    const asked = shop.api.log.length;
    const ended = running.finished.then(({ code }) => code);
    // The kill comes a moment after this number of requests. If it comes late, the run has ended.
    await Promise.race([shop.api.received(asked + random.between(1, 25)), ended]);
    await Promise.race([wait(random.between(0, 25)), ended]);
    running.kill(random.pick(["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"]));
    const { code, stdout, stderr } = await running.finished;
    texts.push(stdout);
    assert.ok([null, 0, 130, 143].includes(code), stderr);
    // A run may have been killed after its last write, before it could end; then another run follows.
    if (await isComplete(folder)) return { lives: texts, isKilled: code !== 0 };
  }
  const { code, stdout, stderr } = await run().finished;
  assert.deepEqual([code, stderr], [0, ""]);
  return { lives: [...texts, stdout], isKilled: false };
}

async function isComplete(folder: TemporaryFolder): Promise<boolean> {
  const text = await folder.read("state.json").catch(() => '{"progress":null}');
  return !text.includes('"progress"');
}

function textOf(expected: readonly Expected[]): string {
  return expected.map(({ line }) => line).join("");
}

/** Files that a process may leave when it is killed between a few system calls; they do not accumulate and do no harm. */
const crumbs = /^(\.state\.json\.next\.partial|state\.json\.lock(\.\d+)?)$/;
/** The log, which a run removes right after it has written the state of its end. The next run ignores it. */
const log = "state.json.log";

/** Asserts that the state reports a complete run and that no unfinished file is left. */
async function assertClean(folder: TemporaryFolder, isKilled: boolean, output: string | undefined): Promise<void> {
  const { time, ...others } = JSON.parse(await folder.read("state.json")) as { time: { previousStart: number } };
  assert.deepEqual(others, {});
  assert.ok(time.previousStart > 1_700_000_000);
  const names = (await readdir(folder.path)).filter(
    (name) => name !== output && !crumbs.test(name) && !(isKilled && name === log),
  );
  assert.deepEqual(names.sort(), ["config.json", "state.json"]);
}
