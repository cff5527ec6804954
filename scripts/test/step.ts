import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = { biome: "node_modules/@biomejs/biome/bin/biome", tsc: "node_modules/typescript/bin/tsc" } as const;

/** The steps besides the tests, each as the command line of a Node process. */
export const checks = {
  build: ["--import", "tsx", "scripts/build.ts"],
  "generated files": ["--import", "tsx", "scripts/generate.ts", "--check"],
  lint: [tools.biome, "check", "--error-on-warnings"],
  types: [tools.tsc],
} as const;

/** Runs node with these arguments and prints how long it took. Throws `StepFailed`. */
export async function step(name: string, commandLine: readonly string[]): Promise<void> {
  const started = performance.now();
  console.error(`> ${name}`);
  const child = spawn(process.execPath, commandLine, { cwd: root, stdio: "inherit" });
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new StepFailed(`  ${name} failed (${signal ?? `exit code ${code}`})`, code ?? 1);
  console.error(`  ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** A step has failed, or no test file matches. The message is complete: scripts print it without a stack. */
export class StepFailed extends Error {
  constructor(
    message: string,
    /** Exit code, which is never 0. */
    readonly exitCode: number,
  ) {
    super(message);
  }
}
