import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testFiles } from "./test/groups.ts";
import { runTests } from "./test/run.ts";
import { checks, StepFailed, step } from "./test/step.ts";

/*
 * `npm run watch -- test/http cursor` runs the test files whose path contains one of these words, then lint and types, now and
 * after every change of a source. Without words it runs all of them. Ctrl-C ends it.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const options = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const words = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const generatedFolder = join("src", "generated");

const changes = new EventTarget();
let stale = true;
for (const folder of ["src", "test", "schemas", "scripts"]) {
  watch(join(root, folder), { recursive: true }, (_event, name) => {
    // The build writes to src/generated/, so changes there do not count.
    if (name === null || join(folder, name).startsWith(generatedFolder)) return;
    stale = true;
    changes.dispatchEvent(new Event("change"));
  });
}

for (;;) {
  if (!stale) await once(changes, "change");
  stale = false;
  await round();
  if (!stale) console.error("  waiting for a change");
}

/** Reports all faults of the sources: a step that fails does not stop the next one. */
async function round(): Promise<void> {
  const steps = [
    () => step("build", checks.build),
    async () => runTests(await testFiles(words), options),
    () => step("lint", checks.lint),
    () => step("types", checks.types),
  ];
  for (const one of steps) {
    // A change during a round starts another round.
    if (stale) return;
    try {
      await one();
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      console.error(error.message);
    }
  }
}
