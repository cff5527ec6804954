import { testFiles } from "./test/groups.ts";
import { runTests } from "./test/run.ts";
import { checks, StepFailed, step } from "./test/step.ts";

/*
 * - `npm test` builds, checks generated files, lint and types, and then runs every test.
 * - `npm test -- test/http cursor` builds, and runs the test files whose path contains one of these words.
 * - Arguments that begin with a dash go to node's test runner: `npm test -- --test-name-pattern=renew`.
 */
const options = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const words = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));

// Ctrl-C ends the current step, and then this script.
process.on("SIGINT", () => undefined);

try {
  const files = await testFiles(words);
  await step("build", checks.build);
  if (words.length === 0) {
    for (const name of ["generated files", "lint", "types"] as const) await step(name, checks[name]);
  }
  await runTests(files, options);
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}
