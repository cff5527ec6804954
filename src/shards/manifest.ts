import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SpileError } from "../core/errors.ts";
import { evidenceHeaders } from "../core/evidence.ts";
import type { Evidence, PageSummary } from "../core/page.ts";
import type { JobResult } from "../core/run.ts";
import { shorten } from "../pagination/seen.ts";

/** What is kept of a page's summary: all that the end of its job is judged by. Plain JSON, secrets masked. */
export type KeptSummary = Pick<
  PageSummary,
  | "records"
  | "dropped"
  | "bytes"
  | "ended"
  | "status"
  | "single"
  | "digest"
  | "found"
  | "elsewhere"
  | "beginning"
  | "notice"
> & {
  readonly evidence: readonly Evidence[];
  /** Those that may tell of more records. */
  readonly headers: readonly (readonly [name: string, value: string])[];
};

/** Lines of one dataset, one after the other. */
export type LineRun = readonly [dataset: string, bytes: number, records: number];

/** What the children of one parent wrote. */
export interface ParentPiece {
  /** Of its values, and of the place of the child job among those of its parent. */
  readonly key: string;
  readonly datasets: readonly LineRun[];
}

/** Of a job with windows: which of them a run has, and which of the job's endpoints there, both from 0. */
export interface RunWindow {
  readonly index: number;
  readonly endpoint: number;
  readonly name: string;
}

/** A page with what its children wrote: a range of the part. */
export interface Piece {
  /** The page's number in its job, from 0. */
  readonly page: number;
  /** Of a job whose runs are divided: the number of the page's run. */
  readonly run?: number | undefined;
  /** The run's window, where it has one. */
  readonly window?: RunWindow | undefined;
  /** The first byte in the part. */
  readonly start: number;
  readonly bytes: number;
  readonly sha256: string;
  /** The lines by their dataset, in order; in a listing that all shards read, those of the page itself. */
  readonly datasets: readonly LineRun[];
  /** In such a listing: what this shard's parents wrote behind them, in order. */
  readonly parents?: readonly ParentPiece[] | undefined;
  /** In such a listing, of the shard that writes its records: the keys of all parents, in order. */
  readonly listed?: readonly string[] | undefined;
  readonly summary: KeptSummary;
  /** Why the shard asked for no further page. */
  readonly ended?: string | undefined;
}

/** What a shard wrote of a unit. */
export interface ManifestUnit {
  /** Its number in the plan. */
  readonly unit: number;
  readonly pieces: readonly Piece[];
  /** The job's own first, then its children's. */
  readonly results: readonly JobResult[];
}

/** What one of the shards wrote of a unit. */
export interface UnitPart {
  readonly shard: number;
  readonly part: ManifestUnit;
}

/** What the first whole attempt of a shard leaves beside its part. */
export interface Manifest {
  readonly version: 1;
  /** Digest of the plan. */
  readonly plan: string;
  readonly index: number;
  readonly attempt: string;
  readonly host: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** Bytes of the part. */
  readonly bytes: number;
  readonly units: readonly ManifestUnit[];
}

/** Of lines one after the other. */
export function bytesOf(datasets: readonly LineRun[]): number {
  return datasets.reduce((sum, [, bytes]) => sum + bytes, 0);
}

export function manifestPath(folder: string, index: number): string {
  return join(folder, `${index}.json`);
}

/** The name of a part's file in its folder. */
export function partName({ index, attempt }: Pick<Manifest, "index" | "attempt">): string {
  return `${index}.${attempt}.ndjson`;
}

/** Reads a shard's manifest; undefined where there is none. Throws SpileError `data` for one of another plan. */
export async function readManifest(folder: string, index: number, plan: string): Promise<Manifest | undefined> {
  const path = manifestPath(folder, index);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(await readFile(path, "utf8")) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new SpileError("data", `cannot read the manifest ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (manifest?.version !== 1 || !Array.isArray(manifest.units) || manifest.index !== index) {
    throw new SpileError("data", `${path} is no manifest of shard ${index}`);
  }
  if (manifest.plan === plan) return manifest;
  throw new SpileError("data", `${path} is of another plan: give each plan a folder of its own`);
}

export function keptSummary(summary: PageSummary): KeptSummary {
  const { records, dropped, bytes, ended, status, single, digest, found, elsewhere, notice, evidence, header } =
    summary;
  const headers = evidenceHeaders.flatMap(([name]) => {
    const value = header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  // It is shown only of a page that tells of a failure, and holds records else.
  const beginning = evidence.some(({ meaning }) => meaning === "failure") ? summary.beginning : undefined;
  // The run's own digests are shown to nobody.
  const shown = digest === "" ? "" : shorten(digest);
  const told = { records, dropped, bytes, ended, status, single, found, elsewhere, notice, beginning };
  return { ...told, digest: shown, evidence, headers };
}

/** The summary as paging wants it. */
export function summaryOf({ headers, ...kept }: KeptSummary): PageSummary {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...kept,
    url: "",
    watched: new Map(),
    last: new Map(),
    extremes: undefined,
    header: (name) => values.get(name.toLowerCase()),
  };
}
