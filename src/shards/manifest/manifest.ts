import { join } from "node:path";
import type { Evidence, PageSummary } from "../../core/runs/page.ts";
import type { JobResult } from "../../core/runs/run.ts";
import { isFailureField } from "../../knowledge/fields.ts";
import { headerRoles } from "../../knowledge/headers.ts";
import { sentValues } from "../../knowledge/parameters.ts";
import { shortDigest } from "../../pagination/digest-list.ts";

/** The part of a page's summary by which the end of its job is judged. Plain JSON with masked secrets. */
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
  | "url"
  | "ruled"
  | "doubt"
  | "failure"
> & {
  readonly evidence: readonly Evidence[];
  /** Headers that may be evidence of more records. */
  readonly headers: readonly (readonly [name: string, value: string])[];
};

/** Consecutive lines of one dataset. */
export type LineGroup = readonly [dataset: string, bytes: number, records: number];

/** The window of a run: its number, and the number of the run's endpoint among those of the job, both from 0. */
export interface RunWindow {
  readonly index: number;
  readonly endpoint: number;
  readonly name: string;
}

/** A page with the lines of its children: a range of the part. */
export interface Piece {
  /** Number of the page in its job, from 0. */
  readonly page: number;
  /** Number of the page's run among those of its job, from 0, if the runs are divided. */
  readonly run?: number | undefined;
  /** The run's window, if it has one. */
  readonly window?: RunWindow | undefined;
  /** Position in the part at which the piece begins, in bytes. */
  readonly start: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly summary: KeptSummary;
  /** The reason why the shard asked for no further page. */
  readonly ended?: string | undefined;
  /** Greatest value of the job's increment in the page, as JSON text. Absent if there is none. */
  readonly increment?: string | undefined;
  /** Increments of child jobs that have moved for a parent of the page; absent if there are none. */
  readonly moved?: readonly MovedParent[] | undefined;
}

/** The first line of a manifest. The first complete attempt of a shard leaves a manifest beside its part. */
export interface ManifestHead {
  readonly version: 1;
  /** Digest of the plan. */
  readonly plan: string;
  readonly index: number;
  readonly attempt: string;
  readonly host: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** Number of bytes of the part. */
  readonly bytes: number;
}

/**
 * A parent in a listing that all shards read. The key is the number of the child job among its siblings, a colon, and a digest of
 * the values that the listing's child jobs need.
 */
export type ParentLine = readonly [key: string];

/**
 * A line about a page of a unit. Each page has a piece and then its groups of lines. If all shards read the job, the parents on the
 * page follow in the order of the output, each with its groups of lines. The shard that writes the records of the listing also
 * lists the parents of other shards.
 */
export type PieceLine = Piece | LineGroup | ParentLine;

/** The number of a unit in the plan. The lines of the shard's work on the unit follow. */
export interface UnitLine {
  readonly unit: number;
}

/** The end of a unit: the results of its job, then those of the job's children. */
export interface ResultsLine {
  readonly results: readonly JobResult[];
}

/** The key of an increment, the text of the parent's context, and the JSON text of the value. */
export type MovedParent = readonly [key: string, context: string, value: string];

/** A line of a manifest between its head and its digest. */
export type ManifestLine = UnitLine | PieceLine | ResultsLine;

export function isLineGroup(line: ManifestLine): line is LineGroup {
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

/** Returns the name of a part's file in its folder. */
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
    url,
    ruled,
    doubt,
    failure,
    request,
  } = summary;
  const headers = headerRoles(headerNames).flatMap(({ name }) => {
    const value = header(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  // The beginning of the body is kept only if the page reports a failure, since on other pages it contains records.
  const beginning = evidence.some(({ path }) => isFailureField(path)) ? summary.beginning : undefined;
  // The run's full digests are secret, so the manifest has a shorter form.
  const keptDigest = digest === "" ? "" : shortDigest(digest);
  const kept = { records, dropped, bytes, ended, status, single, found, elsewhere, notice, beginning, dataPath };
  const judged = { url, ruled, doubt, failure, evidence: evidence.filter((one) => !isSent(one, request)), headers };
  return { ...kept, ...judged, digest: keptDigest };
}

/** Returns whether a field is a token that the request sent: it is no evidence, and a merge, without the request, cannot see this. */
function isSent({ value: { type, text } }: Evidence, request: PageSummary["request"]): boolean {
  return type === "string" && /[^0-9]/.test(text) && sentValues(request).has(text);
}

/** Returns the summary in the form that paging needs. */
export function summaryOf({ headers, ...kept }: KeptSummary): PageSummary {
  const values = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...kept,
    watched: new Map(),
    last: new Map(),
    extremes: undefined,
    headerNames: headers.map(([name]) => name),
    header: (name) => values.get(name.toLowerCase()),
  };
}
