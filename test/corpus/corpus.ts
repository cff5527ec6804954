import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { measureUnwritten } from "./unwritten.ts";

/*
 * Measures the built command on a corpus of paging shapes: `npm run corpus -- FOLDER [options of its measure]`, or with the
 * folder in SPILE_CORPUS. The folder is not part of this repository: it has a `measure.mjs` that takes `--cmd`, `--least` and
 * `--fails`, and exits with 1 if a measure is below its goal.
 */

/**
 * Percentage of the shapes that must pass, by measure. For `d`, shapes without a configuration in the corpus do not count;
 * unwritten.ts has configurations for them.
 */
const goals: Readonly<Record<string, number>> = {
  "a.sign": 98,
  "a.full": 98,
  b: 100,
  c: 92,
  n: 88,
  p: 98,
  d: 96,
  e: 100,
  w: 100,
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const [first, ...rest] = process.argv.slice(2);
const isNamed = first !== undefined && !first.startsWith("--");
const folder = isNamed ? first : process.env.SPILE_CORPUS;
const options = isNamed || first === undefined ? rest : [first, ...rest];
const measure = folder === undefined ? undefined : resolve(folder, "measure.mjs");

if (measure === undefined || !existsSync(measure)) {
  const where = measure === undefined ? "no folder is named" : `there is no ${measure}`;
  process.stdout.write(`skipped: ${where}; npm run corpus -- FOLDER, or SPILE_CORPUS=FOLDER\n`);
} else {
  const least = Object.entries(goals).map(([name, percent]) => `${name}=${percent}`);
  const command = `${process.execPath} ${join(root, "dist", "bin.js")}`;
  const words = [measure, "--cmd", command, "--least", least.join(","), "--fails", ...options];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: "inherit" });
  const isExact = await measureUnwritten(dirname(measure));
  process.exitCode = (status ?? 1) || (isExact ? 0 : 1);
}
