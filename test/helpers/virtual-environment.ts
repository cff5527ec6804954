import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Milliseconds that Python's package installer may take for one product. */
const installTimeout = 600_000;

/** Installs packages into an environment, unless it is complete, and returns the folder of its commands. Throws the message of pip. */
export async function install(name: string, packages: readonly string[], root: string): Promise<string> {
  const folder = join(root, name);
  const bin = join(folder, "bin");
  // A kept folder contains the packages that an earlier run installed.
  if (existsSync(join(folder, "complete"))) return bin;
  await run("python3", ["-m", "venv", folder]);
  await run(join(bin, "pip"), ["install", "--quiet", "--no-input", "--disable-pip-version-check", ...packages], {
    timeout: installTimeout,
  });
  await run("touch", [join(folder, "complete")]);
  return bin;
}
