import { createRandom, type Random } from "./random.ts";
import { wholeNumber } from "./whole-number.ts";

/** Factor by which SPILE_ROUNDS multiplies the rounds of `npm test`. */
export const times = wholeNumber("SPILE_ROUNDS", 1);
/** The first seed, from SPILE_SEED. */
export const firstSeed = wholeNumber("SPILE_SEED", 1);

/**
 * Runs the rounds of a random test, each with the generator of its seed. SPILE_ROUNDS=100 makes a hundred times as many rounds,
 * SPILE_SEED=7 begins with seed 7. Throws the error of a round, with its seed.
 */
export async function forSeeds(count: number, round: (random: Random, seed: number) => unknown): Promise<void> {
  for (let seed = firstSeed; seed < firstSeed + count * times; seed += 1) {
    try {
      await round(createRandom(seed), seed);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`SPILE_SEED=${seed}: ${message}`, { cause: error });
    }
  }
}
