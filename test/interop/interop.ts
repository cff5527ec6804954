import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { install } from "../helpers/virtual-environment.ts";
import { compareManifests } from "./airbyte/airbyte.ts";
import { type Row, tryTarget } from "./attempts.ts";
import { checker, checkTap } from "./checks.ts";
import { meltano, tryMeltano } from "./meltano.ts";
import { mergers, tryMerger } from "./merges.ts";
import { targets } from "./targets.ts";

const help = `Other programs that read what spile writes, or whose configurations spile converts.
  npm run interop                              programs that read Singer messages, and databases that merge increments; some minutes
  npm run interop -- --only duckdb             those with this in their name
  npm run interop -- airbyte FOLDER            Airbyte's CDK beside spile, on each manifest below FOLDER; --only names connectors,
                                               --seconds 600 allows each of them more time than 120 seconds
  npm run interop -- --folder /tmp/programs    keeps the environments there, so that the next run installs nothing
Needs python3 and its package index; databases need sqlite3 and PostgreSQL. Versions are pinned; each program has an environment of
its own. The tables are Markdown. A row names each program that is not available here. The exit code is 1 if there is a fault.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    folder: { type: "string" },
    seconds: { type: "string", default: "120" },
    help: { type: "boolean", default: false },
  },
});
const { only, folder: kept } = values;
const [topic, manifests] = positionals;
const count = 300;
const root = kept ?? (await mkdtemp(join(tmpdir(), "spile-interop-")));
let faults = 0;

interface Program {
  readonly name: string;
  /** Installs it. Returns its name and version, and the folder of its commands if it has one. */
  find(): Promise<readonly [product: string, bin: string]>;
  attempt(bin: string): Promise<readonly Row[]>;
}

/** Describes a program from Python's package index. */
function indexed({ name, packages }: Packaged, attempt: Program["attempt"]): Program {
  const find = async () => [packages[0] ?? name, await install(name.replaceAll(" ", "-"), packages, root)] as const;
  return { name, find, attempt };
}

interface Packaged {
  readonly name: string;
  readonly packages: readonly string[];
}

const programs: readonly Program[] = [
  indexed(checker, (bin) => checkTap(bin, count)),
  ...targets.map((target) => indexed(target, (bin) => tryTarget(target, bin, count))),
  indexed(meltano, (bin) => tryMeltano(bin, count, root)),
  ...mergers.map((merger) => ({
    name: merger.name,
    find: async () => [await merger.find(root), ""] as const,
    attempt: () => tryMerger(merger, root),
  })),
];

try {
  if (values.help) console.log(help);
  else if (topic === "airbyte")
    faults += await compareManifests(manifests, { root, only, seconds: Number(values.seconds) });
  else await tryPrograms();
} finally {
  if (kept === undefined) await rm(root, { recursive: true, force: true });
}
process.exitCode = faults === 0 ? 0 : 1;

async function tryPrograms(): Promise<void> {
  console.log("| program | tried | records | result |\n|---|---|---|---|");
  for (const program of programs.filter(({ name }) => name.includes(only))) await tryProgram(program);
}

async function tryProgram({ name, find, attempt }: Program): Promise<void> {
  const say = (product: string, { tried, records, result }: Row): void => {
    if (result.startsWith("FAULT")) faults += 1;
    const cells = [product, tried, records, result].map((cell) => `${cell}`.replaceAll(/\||\n/g, " "));
    console.log(`| ${cells.join(" | ")} |`);
  };
  const found = await find().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (typeof found === "string") {
    say(name, { tried: "install", records: 0, result: `not available here: ${found.split("\n").at(-2) ?? found}` });
    return;
  }
  const [product, bin] = found;
  const tried = await attempt(bin).catch((error: unknown): Row[] => [
    { tried: "", records: 0, result: `FAULT: ${error}` },
  ]);
  for (const row of tried) say(product, row);
}
