import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { install } from "../helpers/virtual-environment.ts";
import { type Row, tryTarget } from "./attempts.ts";
import { checker, checkTap } from "./checks.ts";
import { meltano, tryMeltano } from "./meltano.ts";
import { targets } from "./targets.ts";

/*
 * Programs of others that read what `spile --singer` writes, which Python's package index brings: runs of the built command are
 * piped into each, and every record that it keeps is compared with what the API holds.
 *   npm run interop                              all of them; some minutes, python3 and its package index
 *   npm run interop -- --only duckdb             those with this in their name
 *   npm run interop -- --folder /tmp/singers     a folder that stays, so that the next time installs nothing
 * Versions are pinned; each program has an environment of its own. The table is Markdown, as in docs/singer.md. What cannot be
 * installed here stands in it as that. The exit code is 1 where there is a fault.
 */
const { values } = parseArgs({ options: { only: { type: "string", default: "" }, folder: { type: "string" } } });
const { only, folder: kept } = values;
const count = 300;
const root = kept ?? (await mkdtemp(join(tmpdir(), "spile-interop-")));
let faults = 0;

interface Program {
  readonly name: string;
  readonly packages: readonly string[];
  attempt(bin: string): Promise<readonly Row[]>;
}

const programs: readonly Program[] = [
  { ...checker, attempt: (bin) => checkTap(bin, count) },
  ...targets.map((target) => ({ ...target, attempt: (bin: string) => tryTarget(target, bin, count) })),
  { ...meltano, attempt: (bin) => tryMeltano(bin, count, root) },
];

console.log("| program | tried | records | result |\n|---|---|---|---|");
try {
  for (const program of programs.filter(({ name }) => name.includes(only))) await tryProgram(program);
} finally {
  if (kept === undefined) await rm(root, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;

async function tryProgram({ name, packages, attempt }: Program): Promise<void> {
  const say = ({ tried, records, result }: Row): void => {
    if (result.startsWith("FAULT")) faults += 1;
    const cells = [packages[0], tried, records, result].map((cell) => `${cell}`.replaceAll(/\||\n/g, " "));
    console.log(`| ${cells.join(" | ")} |`);
  };
  let bin: string;
  try {
    bin = await install(name.replaceAll(" ", "-"), packages, root);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    say({ tried: "install", records: 0, result: `could not be had here: ${said.split("\n").at(-2) ?? said}` });
    return;
  }
  for (const row of await attempt(bin)) say(row);
}
