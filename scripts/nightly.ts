import { randomInt } from "node:crypto";
import { testFiles } from "./test/groups.ts";
import { checks, StepFailed, step } from "./test/step.ts";

/*
 * - `npm run nightly` runs the random tests with many rounds, from a new seed, which it prints first.
 * - `npm run nightly -- --seed 4711 --rounds 10` uses that seed, and ten times as many rounds as `npm test`.
 */
const option = (name: string, otherwise: number): number => {
  const index = process.argv.indexOf(`--${name}`);
  const value = index < 0 ? otherwise : Number(process.argv[index + 1]);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0`);
  return value;
};
if (process.argv.includes("--help")) {
  console.log(
    "npm run nightly [-- --seed SEED] [--rounds TIMES]: the random tests, with TIMES (default 25) times as many rounds as npm test",
  );
  process.exit(0);
}
const rounds = option("rounds", 25);
const seed = option("seed", randomInt(1, 2 ** 31));

/** Parts of the paths of tests that use random numbers, or kill and stop at random moments. */
const random = [".property.", ".fuzz.", ".kill.", "faults/stops"];

console.error(`seed ${seed}, ${rounds} times the rounds of npm test`);
process.env.SPILE_ROUNDS = String(rounds);
process.env.SPILE_SEED = String(seed);
const steps: readonly (readonly [name: string, commandLine: readonly string[]])[] = [
  ["build", checks.build],
  ["chaos", ["--import", "tsx", "test/chaos/chaos.ts", "--seed", String(seed), "--runs", String(80 * rounds)]],
  ...(await testFiles(random)).map(
    (file) => [file, ["--import", "tsx", "--test", "--test-reporter=dot", file]] as const,
  ),
];
// The other steps run even if one fails.
for (const [name, commandLine] of steps) {
  try {
    await step(name, commandLine);
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.error(`${error.message}; repeat it with: npm run nightly -- --seed ${seed} --rounds ${rounds}`);
    process.exitCode = error.exitCode;
  }
}
