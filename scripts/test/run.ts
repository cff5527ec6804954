import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { times } from "../../test/helpers/seeds.ts";
import { compileTests } from "./compile.ts";
import { groupsOf } from "./groups.ts";
import { step } from "./step.ts";

/** Compiles test files and runs them. `options` are for node's test runner. Throws `StepFailed`. */
export async function runTests(files: readonly string[], options: readonly string[]): Promise<void> {
  const compiled = await compileTests(groupsOf(files));
  // The reporter is named because Node changes it if there is no terminal.
  const runner = ["--test", "--test-reporter=spec", `--test-timeout=${1_200_000 * times}`];
  // One more than there are cores, since a test often waits for a process or a socket.
  const concurrency = `--test-concurrency=${availableParallelism() + 1}`;
  try {
    await step("tests", ["--enable-source-maps", ...runner, concurrency, ...options, ...compiled.files]);
  } finally {
    await rm(compiled.folder, { recursive: true, force: true });
  }
}
