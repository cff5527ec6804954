import { test } from "node:test";
import { round } from "../chaos/round.ts";

/* `npm run chaos -- --runs 10000` runs more of them, and `npm run chaos -- --seed N` repeats one. */
const abreast = 4;

/** The seeds 1 to 60, and those that once showed a fault, of spile or of the oracle. */
const seeds: readonly number[] = [...Array.from({ length: 60 }, (_, index) => index + 1), 904, 921001];

test("for every behaviour of the API, the lines are those of the oracle, or a prefix of them with the right error", async () => {
  const left = seeds.values();
  const lane = async (): Promise<void> => {
    for (const seed of left) {
      await round(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}: npm run chaos -- --seed ${seed}`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: abreast }, lane));
});
