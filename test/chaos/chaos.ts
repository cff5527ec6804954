import { round } from "./round.ts";

/*
 * Random runs of the pipeline against a hostile API, compared with a sequential oracle.
 *   npm run chaos -- --seed 1 --runs 10000      rounds with the seeds 1 to 10000
 *   npm run chaos -- --seed 4711                that one round, its scenario printed; with CHAOS_LOG=1 its events and requests
 */
const option = (name: string): number | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};
const first = option("seed") ?? 1;
const runs = option("runs") ?? 1;
const abreast = option("abreast") ?? (runs === 1 ? 1 : 4);

const startTime = performance.now();
let next = first;
let failures = 0;
await Promise.all(
  Array.from({ length: abreast }, async () => {
    while (next < first + runs) {
      const seed = next;
      next += 1;
      try {
        const started = performance.now();
        const scenario = await round(seed);
        if (runs === 1) console.log(scenario);
        const ms = performance.now() - started;
        if (ms > 5000) console.error(`seed ${seed} took ${Math.round(ms)} ms`);
      } catch (error) {
        failures += 1;
        console.error(`seed ${seed}: ${error instanceof Error ? error.message : error}`);
        if (runs === 1) console.error(error);
      }
      if ((seed - first) % 500 === 499) console.error(`${seed - first + 1} rounds, ${failures} failed`);
    }
  }),
);
console.error(`${runs} rounds from seed ${first}: ${failures} failed, ${Math.round(performance.now() - startTime)} ms`);
process.exit(failures === 0 ? 0 : 1);
