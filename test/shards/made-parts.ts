import { createHash } from "node:crypto";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JobResult } from "../../src/core/runs/run.ts";
import { createScroll } from "../../src/pagination/index.ts";
import {
  type KeptSummary,
  type ManifestHead,
  type ManifestLine,
  manifestPath,
  type Piece,
  type PieceLine,
  partName,
} from "../../src/shards/manifest/manifest.ts";
import { writeManifest } from "../../src/shards/manifest/manifest-file.ts";
import { readPlan, type ShardPlan, type Unit } from "../../src/shards/plan/plan-document.ts";
import { shardOf } from "../../src/shards/run/shared-listing.ts";
import { version } from "../../src/version.ts";

/** Sizes of a long run. */
export interface Amounts {
  readonly iterations: number;
  /** Number of pages of a job that is divided by its pages. */
  readonly pages: number;
  readonly windows: number;
  /** Number of parents in a listing that all shards read, a thousand a page. Each has a child of one record. */
  readonly parents: number;
}

const count = 4;
const parentsOfPage = 1000;

/**
 * Writes a plan and the parts of its shards into a folder, like those of runs that take hours. Returns the number of lines that
 * the merge should write, and their SHA-256.
 */
export async function makeParts(folder: string, amounts: Amounts): Promise<{ lines: number; sha256: string }> {
  const { iterations, pages, windows, parents } = amounts;
  const whole = Array.from({ length: iterations }, (_, iteration): Unit => {
    return { kind: "whole", iteration, job: 0, name: "whole", shard: iteration % count };
  });
  const place = { iteration: 0, job: 1, name: "many" };
  const units: Unit[] = [
    ...whole,
    { kind: "runs", ...place, evidence: true },
    { kind: "shared", ...place, shard: 1 },
    ...(pages === 0 ? [] : [stridedUnit(place)]),
  ];
  const plan: ShardPlan = {
    version: 1,
    spile: version,
    configuration: "",
    time: { currentStart: 0, previousStart: 0 },
    count,
    fingerprintKey: "0".repeat(32),
    units,
  };
  const planText = JSON.stringify(plan);
  await writeFile(join(folder, "plan.json"), planText);
  const shards = Array.from({ length: count }, () => new MadePart());
  const output = createHash("sha256");
  let lines = 0;
  const record = (shard: number, dataset: string): void => {
    const line = `{"line":${lines}}\n`;
    lines += 1;
    output.update(line);
    shards[shard]?.add(dataset, line);
  };
  for (const [number, unit] of units.entries()) {
    const own = unit.kind === "whole" ? shards.filter((_, shard) => shard === unit.shard) : shards;
    for (const part of own) part.begin(number);
    if (unit.kind === "whole") {
      shards[unit.shard]?.page(0);
      record(unit.shard, "whole");
    } else if (unit.kind === "runs") {
      for (let run = 0; run < windows; run += 1) {
        shards[run % count]?.page(0, { run, window: { index: run, endpoint: 0, name: `window ${run}` } });
        record(run % count, "many");
      }
    } else if (unit.kind === "shared") {
      for (let parent = 0; parent < parents; parent += 1) {
        if (parent % parentsOfPage === 0) {
          for (const part of shards) part.page(parent / parentsOfPage);
          record(unit.shard, "many");
        }
        const key = `0:${createHash("sha256").update(`${parent}`).digest("hex").slice(0, 16)}`;
        const shard = shardOf(key, count);
        for (const of of new Set([unit.shard, shard])) shards[of]?.line([key]);
        record(shard, "child");
      }
    } else {
      for (let page = 0; page < pages + count; page += 1) {
        const isFull = page < pages;
        shards[page % count]?.page(page, { records: isFull ? 1 : 0, ended: isFull ? undefined : "ended" });
        if (isFull) record(page % count, "many");
      }
    }
    for (const part of own) part.end(unit.kind === "shared" ? ["many", "child"] : [unit.name]);
  }
  const { digest } = readPlan(planText, "plan");
  for (const [index, part] of shards.entries()) await part.write(folder, index, digest);
  return { lines, sha256: output.digest("hex") };
}

function stridedUnit(place: Pick<Unit, "iteration" | "job" | "name">): Unit {
  const scroller = { method: "offset", limit: 1 } as const;
  const start = createScroll(scroller, {}).start([], 0);
  const known = { evidence: undefined, dataField: undefined, pageRecords: 1, total: undefined };
  return { kind: "strides", ...place, scroller, start, ...known };
}

type PageFacts = Partial<Pick<Piece, "run" | "window" | "ended"> & Pick<KeptSummary, "records">>;

/** The output of a shard. */
class MadePart {
  readonly #lines: ManifestLine[] = [];
  readonly #texts: string[] = [];
  #bytes = 0;
  #page: { readonly piece: Omit<Piece, "bytes" | "sha256">; readonly lines: PieceLine[]; text: string } | undefined;

  begin(unit: number): void {
    this.#lines.push({ unit });
  }

  page(page: number, { records = 1, ...facts }: PageFacts = {}): void {
    this.#close();
    const digest = createHash("sha256").update(`${page} ${facts.run}`).digest("hex").slice(0, 16);
    const summary = { records, dropped: 0, bytes: 20, ended: true, status: 200, single: false, digest, found: true };
    const kept = { ...summary, evidence: [], headers: [] } as unknown as KeptSummary;
    this.#page = { piece: { page, ...facts, start: this.#bytes, summary: kept }, lines: [], text: "" };
  }

  line(line: PieceLine): void {
    this.#page?.lines.push(line);
  }

  add(dataset: string, text: string): void {
    if (this.#page !== undefined) this.#page.text += text;
    this.line([dataset, text.length, 1]);
  }

  end(datasets: readonly string[]): void {
    this.#close();
    const none = { pages: 0, records: 0, bytes: 0, requests: 0, retries: 0, logins: 0 };
    this.#lines.push({
      results: datasets.map((dataType): JobResult => {
        return { job: dataType, dataType, verdict: "complete", reason: "ended", ...none };
      }),
    });
  }

  async write(folder: string, index: number, plan: string): Promise<void> {
    const attempt = `00000000000${index}`;
    const times = { startedAt: "", endedAt: "" };
    const head: ManifestHead = { version: 1, plan, index, attempt, host: "", ...times, bytes: this.#bytes };
    await writeFile(join(folder, partName(head)), this.#texts);
    await using file = await open(manifestPath(folder, index), "w");
    await writeManifest(file, head, this.#lines);
  }

  #close(): void {
    if (this.#page === undefined) return;
    const { piece, lines, text } = this.#page;
    this.#page = undefined;
    this.#texts.push(text);
    this.#bytes += text.length;
    const sha256 = createHash("sha256").update(text).digest("hex");
    this.#lines.push({ ...piece, bytes: text.length, sha256 }, ...lines);
  }
}
