import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * npm test: build, generated files fresh, lint, types, then every test.
 * npm test -- test/http cursor: build, then the test files whose path holds one of these words.
 * Arguments that begin with a dash go to node's test runner: npm test -- --test-name-pattern=renew
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const options = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const words = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));

step("build", "--import", "tsx", "scripts/build.ts");
if (words.length === 0) {
  step("generated files", "--import", "tsx", "scripts/generate.ts", "--check");
  step("lint", "node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings");
  step("types", "node_modules/typescript/bin/tsc");
}
step("tests", "--import", "tsx", ...runner(), ...options, ...testFiles());

/** Node 20 takes no globs. The reporter is named because node changes it where there is no terminal. */
function runner(): string[] {
  return ["--test", "--test-reporter=spec", "--test-timeout=300000", `--test-concurrency=${availableParallelism()}`];
}

function testFiles(): string[] {
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort();
  if (files.length > 0) return files;
  console.error(`no test file has ${words.join(" or ")} in its path`);
  process.exit(1);
}

/** Runs node with these arguments; the first step that fails ends the run with its exit code. */
function step(name: string, ...commandLine: string[]): void {
  const started = performance.now();
  console.error(`> ${name}`);
  const { status, signal } = spawnSync(process.execPath, commandLine, { cwd: root, stdio: "inherit" });
  if (status === 0) {
    console.error(`  ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    return;
  }
  console.error(`  ${name} failed (${signal ?? `exit code ${status}`})`);
  process.exit(status ?? 1);
}
