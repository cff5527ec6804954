import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../src/core/errors.ts";
import { install } from "../helpers/virtual-environment.ts";
import { type Measured, measure, median } from "./measure.ts";
import { type PythonRival, pythonRivals } from "./python-rivals.ts";
import type { Work } from "./works.ts";

/** A rival's performance, and its spelling of the values. */
export interface Rivalry {
  readonly name: string;
  /** Its packages, with their versions. */
  readonly packages: string;
  readonly measured: Measured | undefined;
  readonly runs: number;
  /** For each of `examples`: "as written", or the text that it wrote instead. */
  readonly values: readonly string[];
  /** Reason why there are no figures, or fewer. */
  remark: string | undefined;
}

/** Values as the API writes them, with the patterns that find them in a line. */
export const examples = [
  { title: "64-bit integers", found: /"big":\s*([^,}]+)/, value: "13911860366432393" },
  { title: "1.10", found: /"balance":\s*([^,}]+)/, value: "1.10" },
  { title: "\\u00e9 and é", found: /"name":\s*"([^"]*)"/, value: "\\u00e9 é" },
  { title: "lists", found: /"tags":\s*(\[[^\]]*\]|"(?:[^"\\]|\\.)*")/, value: '["a"]' },
] as const;

const [big, balance, name, tags] = examples.map(({ value }) => value);
const record = `{"big":${big},"balance":${balance},"name":"${name}","tags":${tags}}`;
const page = (items: string): string => `{"status":"ok","data":{"items":[${items}]},"meta":{"total":1}}`;

interface Entry {
  readonly rival: PythonRival;
  readonly runs: Measured[];
  bins: readonly string[];
  values: readonly string[];
  remark: string | undefined;
}

/** Runs, in turn, the rivals that can be installed. `kept`: a folder for their packages, which the next comparison uses again. */
export async function compareRivals(
  work: Work,
  base: string,
  { rounds, kept }: { readonly rounds: number; readonly kept: string | undefined },
): Promise<Rivalry[]> {
  const root = kept ?? mkdtempSync(join(tmpdir(), "spile-rivals-"));
  const server = createServer(({ url = "/" }, response) => {
    const offset = Number(new URL(url, "http://localhost").searchParams.get("offset"));
    response.setHeader("Content-Type", "application/json").end(page(offset === 0 ? record : ""));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const entries = pythonRivals.map((rival): Entry => ({ rival, runs: [], bins: [], values: [], remark: undefined }));
  const attempt = async (entry: Entry, what: string, step: () => Promise<void>): Promise<void> => {
    if (entry.remark !== undefined) return;
    await step().catch((error: unknown) => {
      entry.remark = `${what}: ${messageOf(error).trim().split("\n").at(-1)}`;
    });
  };
  try {
    for (const entry of entries) {
      const { rival } = entry;
      await attempt(entry, "could not be installed", async () => {
        for (const requirement of rival.packages) {
          entry.bins = [...entry.bins, await install(requirement.split("=")[0] ?? "", [requirement], root)];
        }
      });
      await attempt(entry, "failed", async () => {
        const one = { ...work, pages: 1, limit: 2, path: "/pages?count=1" };
        const { lines } = await runRival(entry, one, `http://127.0.0.1:${port}`);
        entry.values = examples.map(({ found, value }) => excerptOf(lines, found, value));
      });
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const entry of entries) {
        await attempt(entry, "failed", async () => {
          const { measured, lines } = await runRival(entry, work, base);
          if (lines.length !== work.records) throw new Error(`${lines.length} records, not ${work.records}`);
          entry.runs.push(measured);
        });
      }
    }
  } finally {
    server.close();
    if (kept === undefined) rmSync(root, { recursive: true, force: true });
  }
  return entries.map(({ rival, runs, values, remark }) => ({
    name: rival.name,
    packages: rival.packages.join(", "),
    measured: runs.length === 0 ? undefined : medians(runs),
    runs: runs.length,
    values,
    remark,
  }));
}

/** Runs a rival once. Returns its figures, and the records that it wrote. */
async function runRival(
  { rival, bins }: Entry,
  work: Work,
  base: string,
): Promise<{ readonly measured: Measured; readonly lines: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "spile-rival-"));
  try {
    const measured = await measure(rival.commandLine(work, base, folder, bins));
    const place = join(folder, rival.output);
    const files = readdirSync(place).filter((file) => file.endsWith(".jsonl"));
    const texts = files.map((file) => readFileSync(join(place, file), "utf8"));
    return { measured, lines: texts.flatMap((text) => text.split("\n").flatMap((line) => rival.record(line) ?? [])) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function excerptOf(lines: readonly string[], found: RegExp, value: string): string {
  const there = lines.map((line) => found.exec(line)?.[1]).find((text) => text !== undefined);
  return there === undefined ? "not there" : there === value ? "as written" : there;
}

function medians(runs: readonly Measured[]): Measured {
  const memory = runs.flatMap((run) => run.memory ?? []);
  return {
    seconds: median(runs.map(({ seconds }) => seconds)),
    cpu: median(runs.map(({ cpu }) => cpu)),
    memory: memory.length === 0 ? undefined : median(memory),
  };
}
