import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Product } from "./product.ts";

const scripts = fileURLToPath(new URL("servers", import.meta.url));
/** Milliseconds npm may take for one product. */
const patience = 300_000;

/** Installs a product into a folder of its own and answers it. Scripts of packages do not run. Throws what npm said. */
export async function install({ script, packages, npmOptions = [] }: Product, root: string): Promise<string> {
  const folder = join(root, script.replace(".mjs", ""));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  await cp(scripts, folder, { recursive: true });
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", "--loglevel", "error", ...npmOptions];
  await promisify(execFile)("npm", ["install", ...options, ...packages], { cwd: folder, timeout: patience });
  return folder;
}
