import { test } from "node:test";
import { round } from "../chaos/round.ts";

/* `npm run chaos -- --runs 10000` runs more of them, `npm run chaos -- --seed N` one again. */
const rounds = 60;
const abreast = 4;

test("for every behaviour of the API, the lines are the oracle's, each once and in order, or a prefix and the right error", async () => {
  let next = 1;
  const lane = async (): Promise<void> => {
    while (next <= rounds) {
      const seed = next;
      next += 1;
      await round(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}: npm run chaos -- --seed ${seed}`, { cause: error });
      });
    }
  };
  await Promise.all(Array.from({ length: abreast }, lane));
});
