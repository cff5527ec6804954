import { execFile } from "node:child_process";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { install as installPython } from "../helpers/virtual-environment.ts";
import type { Product } from "./product.ts";

const scripts = fileURLToPath(new URL("servers", import.meta.url));
/** Milliseconds that npm may take for one product. */
const installTimeout = 300_000;

/** Installs a product into its own folder and returns that. Scripts of npm's packages do not run. Throws the message of npm or pip. */
export async function install({ script, packages, npmOptions = [] }: Product, root: string): Promise<string> {
  const folder = join(root, script.replace(/\.\w+$/, ""));
  if (script.endsWith(".py")) {
    await installPython(basename(folder), packages, root);
    await cp(scripts, folder, { recursive: true });
    return folder;
  }
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  await cp(scripts, folder, { recursive: true });
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", "--loglevel", "error", ...npmOptions];
  await promisify(execFile)("npm", ["install", ...options, ...packages], { cwd: folder, timeout: installTimeout });
  return folder;
}
