import { appendFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SpileError } from "../../src/core/errors.ts";
import type { RunOptions } from "../../src/core/runs/run.ts";
import type { ShardOutcome } from "../../src/shards/run-shard.ts";
import type { Random } from "../helpers/random.ts";
import type { Sharded } from "./sharded.ts";

/** Attempts that are still in progress when all shards are done. */
export interface Zombies {
  /** Lets them continue, and waits until they have ended. */
  release(): Promise<readonly ShardOutcome[]>;
}

/**
 * Runs all shards as an unreliable scheduler would: in any order, several at a time, some twice at the same time; some die first,
 * at their n-th request or a few milliseconds after their start, and leave progress or garbage; some continue only when all is
 * over. Rejects if a shard cannot be completed.
 */
export async function runAll(sharded: Sharded, count: number, random: Random): Promise<Zombies> {
  const zombies = new ZombieAttempts(sharded, random);
  const queue = shuffled(count, random);
  const lane = async (): Promise<void> => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
      await runOne(sharded, index, random, zombies);
    }
  };
  await Promise.all(Array.from({ length: random.between(1, 4) }, lane));
  return zombies;
}

async function runOne(sharded: Sharded, index: number, random: Random, zombies: ZombieAttempts): Promise<void> {
  const state = random.oneIn(2) ? join(sharded.folder, `${index}.state`) : undefined;
  for (let deaths = random.oneIn(3) ? random.between(1, 2) : 0; deaths > 0; deaths -= 1) {
    // If the signal comes before the run begins, the attempt rejects.
    await sharded.run(index, { state, ...dying(random) }).catch((error: unknown) => {
      if (error !== killed) throw error;
    });
    // Lines after the last saved place.
    if (random.oneIn(2)) for (const name of await partsOf(sharded, index)) await appendFile(name, '{"half":');
  }
  if (random.oneIn(8)) await writeFile(join(sharded.folder, `${index}.0123456789ab.ndjson`), '{"half":');
  if (random.oneIn(8)) await zombies.start(index, state);
  const attempts = Array.from({ length: random.oneIn(4) ? 2 : 1 }, () =>
    sharded.run(index, { state, concurrency: random.between(1, 3) }),
  );
  for (const outcome of await Promise.all(attempts)) {
    if (outcome.kind === "ran" && outcome.result.failure !== undefined) throw outcome.result.failure;
  }
}

/** Returns the paths of a shard's parts; empty if the shard is done. */
async function partsOf({ folder }: Sharded, index: number): Promise<readonly string[]> {
  const names = await readdir(folder);
  if (names.includes(`${index}.json`)) return [];
  return names
    .filter((name) => name.startsWith(`${index}.`) && name.endsWith(".ndjson"))
    .map((name) => join(folder, name));
}

const killed = new SpileError("terminated", "killed");

/** Returns options with which the attempt ends at its n-th request, or after a time. */
function dying(random: Random): Pick<RunOptions, "signal" | "transport"> {
  const death = new AbortController();
  const die = (): void => death.abort(killed);
  if (random.oneIn(2)) {
    setTimeout(die, random.below(8)).unref();
    return { signal: death.signal };
  }
  let left = random.between(1, 12);
  return {
    signal: death.signal,
    transport(_request, send) {
      left -= 1;
      if (left === 0) die();
      return send();
    },
  };
}

function shuffled(count: number, random: Random): number[] {
  const order = Array.from({ length: count }, (_, index) => ({ index, key: random.below(1000) }));
  return order.sort((a, b) => a.key - b.key).map(({ index }) => index);
}

/** Attempts that stop at a request until they are released. */
class ZombieAttempts implements Zombies {
  readonly #sharded: Sharded;
  readonly #random: Random;
  readonly #running: Promise<ShardOutcome>[] = [];
  #release: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve;
  });

  constructor(sharded: Sharded, random: Random) {
    this.#sharded = sharded;
    this.#random = random;
  }

  /** Resolves when the attempt has stopped, or ended before that. */
  async start(index: number, state: string | undefined): Promise<void> {
    let left = this.#random.between(1, 6);
    let stopped: () => void = () => undefined;
    const isStopped = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const running = this.#sharded.run(index, {
      state,
      transport: async (_request, send) => {
        left -= 1;
        if (left === 0) {
          stopped();
          await this.#released;
        }
        return send();
      },
    });
    const isLate = await Promise.race([isStopped.then(() => true), running.then(() => false)]);
    if (isLate) this.#running.push(running);
  }

  release(): Promise<readonly ShardOutcome[]> {
    this.#release();
    return Promise.all(this.#running);
  }
}
