import { join } from "node:path";
import type { Evidence, PageSummary } from "../core/page.ts";
import type { JobResult } from "../core/run.ts";
import { isFailureField } from "../knowledge/fields.ts";
import { headerRoles } from "../knowledge/headers.ts";
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
  | "dataPath"
> & {
  readonly evidence: readonly Evidence[];
  /** Those that may tell of more records. */
  readonly headers: readonly (readonly [name: string, value: string])[];
};

/** Lines of one dataset, one after the other. */
export type LineRun = readonly [dataset: string, bytes: number, records: number];

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
  readonly summary: KeptSummary;
  /** Why the shard asked for no further page. */
  readonly ended?: string | undefined;
  /** How far the job's increment has come in the page: the JSON text of the value; absent where it tells of none. */
  readonly increment?: string | undefined;
}

/** What the first whole attempt of a shard leaves beside its part: the first line of its manifest. */
export interface ManifestHead {
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
}

/**
 * In a listing that all shards read: the key of one of its parents, a digest of its values behind the place of the child job
 * among those of its job.
 */
export type ParentLine = readonly [key: string];

/**
 * What stands in a unit, in the order of the part: of each page its range and the lines of it; then its parents, where all
 * shards read the job, in the order of the listing: those of the shard, each with its lines, and of the shard that writes the
 * listing's records all others too.
 */
export type PieceLine = Piece | LineRun | ParentLine;

/** The number of a unit in the plan: what follows is what the shard did of it. */
export interface UnitLine {
  readonly unit: number;
}

/** The end of a unit: how its jobs ended, its own first, then its children's. */
export interface ResultsLine {
  readonly results: readonly JobResult[];
}

/** A line of a manifest between its first and its last one. */
export type ManifestLine = UnitLine | PieceLine | ResultsLine;

export function isLineRun(line: ManifestLine): line is LineRun {
  return Array.isArray(line) && line.length === 3;
}

export function isParentLine(line: ManifestLine): line is ParentLine {
  return Array.isArray(line) && line.length === 1;
}

export function isPiece(line: ManifestLine): line is Piece {
  return "page" in line;
}

export function manifestPath(folder: string, index: number): string {
  return join(folder, `${index}.json`);
}

/** The name of a part's file in its folder. */
export function partName({ index, attempt }: Pick<ManifestHead, "index" | "attempt">): string {
  return `${index}.${attempt}.ndjson`;
}

export function keptSummary(summary: PageSummary): KeptSummary {
  const {
    records,
    dropped,
    bytes,
    ended,
    status,
    single,
    digest,
    found,
    elsewhere,
    notice,
    evidence,
    header,
    headerNames,
    dataPath,
  } = summary;
  const headers = headerRoles(headerNames).flatMap(({ name }) => {
    const value = header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  // It is shown only of a page that tells of a failure, and holds records else.
  const beginning = evidence.some(({ path }) => isFailureField(path)) ? summary.beginning : undefined;
  // The run's own digests are shown to nobody.
  const shown = digest === "" ? "" : shorten(digest);
  const told = { records, dropped, bytes, ended, status, single, found, elsewhere, notice, beginning, dataPath };
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
    headerNames: headers.map(([name]) => name),
    header: (name) => values.get(name.toLowerCase()),
  };
}
