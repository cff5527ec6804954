import { createHash } from "node:crypto";
import { open, readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SpileError } from "../core/errors.ts";
import { bytesOf, type Manifest, type ManifestUnit, type Piece, partName, readManifest } from "./manifest.ts";
import { isOf, type ReadPlan } from "./plan-document.ts";

/**
 * The manifests of all shards, by index; their parts are as they tell. Throws SpileError `temporary` where shards are missing,
 * `data` where anything is not as it was written, the signal's reason once that is given.
 */
export async function verifiedParts(
  { plan, digest }: ReadPlan,
  folder: string,
  signal: AbortSignal,
): Promise<readonly Manifest[]> {
  const found = await Promise.all(
    Array.from({ length: plan.count }, (_, index) => readManifest(folder, index, digest)),
  );
  const missing = found.flatMap((manifest, index) => (manifest === undefined ? [index] : []));
  if (missing.length > 0) throw new SpileError("temporary", `missing: ${missing.join(", ")}`);
  const manifests = found.filter((manifest) => manifest !== undefined);
  for (const manifest of manifests) {
    requireUnits(manifest, plan);
    await verifyPart(manifest, folder, signal);
  }
  return manifests;
}

/** Unfinished manifests and states, parts, and states as docs/scale-out.md names them. */
const left = /^\.?(\d+)(?:\.state)?(?:\.[0-9a-f]{12}\.(?:tmp|ndjson)|(?<=\.state))$/;

/** Files in the folder that dead attempts of the plan's shards have left. */
export async function leftovers(manifests: readonly Manifest[], folder: string): Promise<readonly string[]> {
  const parts = new Set(manifests.map(partName));
  return (await readdir(folder)).filter((name) => {
    const index = left.exec(name);
    return index !== null && Number(index[1]) < manifests.length && !parts.has(name);
  });
}

/** Removes them. Never rejects: another may have removed one. */
export async function removeLeftovers(names: readonly string[], folder: string): Promise<void> {
  for (const name of names) await unlink(join(folder, name)).catch(() => undefined);
}

function requireUnits({ index, units }: Manifest, plan: ReadPlan["plan"]): void {
  const own = plan.units.flatMap((unit, number) => (isOf(unit, index) ? [number] : []));
  if (units.map(({ unit }) => unit).join() === own.join()) return;
  throw new SpileError("data", `the manifest of shard ${index} is not of the units that the plan gives it`);
}

/** What of a part is to be verified. */
export interface WrittenPart extends Pick<Manifest, "index" | "attempt" | "bytes"> {
  readonly units: readonly Pick<ManifestUnit, "unit" | "pieces">[];
}

/**
 * Every byte of the part belongs to one piece, and each piece is as it was written. Rejects with SpileError `data` otherwise,
 * with the reason of a signal once that is given.
 */
export async function verifyPart(manifest: WrittenPart, folder: string, signal?: AbortSignal): Promise<void> {
  const path = join(folder, partName(manifest));
  const wrong = (what: string): SpileError =>
    new SpileError(
      "data",
      `part ${path} of shard ${manifest.index} ${what}; remove ${manifest.index}.json and run the shard again`,
    );
  const size = await stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
  if (size === undefined) throw wrong("is not there");
  if (size !== manifest.bytes) throw wrong(`has ${size} bytes, and its manifest tells of ${manifest.bytes}`);
  const pieces = manifest.units.flatMap((unit) => unit.pieces.map((piece) => ({ unit: unit.unit, piece })));
  let [at, digest, reached] = [0, createHash("sha256"), 0];
  const close = (): void => {
    for (let next = pieces[at]; next !== undefined && reached === endOf(next.piece); next = pieces[at]) {
      if (digest.digest("hex") !== next.piece.sha256) {
        throw wrong(`is not as it was written, in page ${next.piece.page + 1} of unit ${next.unit}`);
      }
      [at, digest] = [at + 1, createHash("sha256")];
    }
  };
  let expected = 0;
  for (const { piece } of pieces) {
    const lines = [piece.datasets, ...(piece.parents ?? []).map(({ datasets }) => datasets)];
    const told = lines.reduce((sum, datasets) => sum + bytesOf(datasets), 0);
    if (piece.start !== expected || piece.bytes !== told) throw wrong("has pages that its manifest does not tell of");
    expected = endOf(piece);
  }
  if (expected !== size) throw wrong("has pages that its manifest does not tell of");
  close();
  try {
    for await (const chunk of chunksOf(path)) {
      signal?.throwIfAborted();
      for (let from = 0; from < chunk.length; ) {
        const next = pieces[at];
        if (next === undefined) throw wrong("has grown");
        const to = Math.min(chunk.length, from + endOf(next.piece) - reached);
        digest.update(chunk.subarray(from, to));
        reached += to - from;
        from = to;
        close();
      }
    }
  } catch (error) {
    throw error instanceof SpileError ? error : wrong(`cannot be read: ${messageOf(error)}`);
  }
  if (at < pieces.length) throw wrong("has shrunk");
}

/** A file's bytes, all in the same buffer: what was given is gone with the next. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(1024 * 1024);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function endOf({ start, bytes }: Piece): number {
  return start + bytes;
}
