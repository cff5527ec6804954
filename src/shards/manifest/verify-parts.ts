import { createHash, type Hash, hash } from "node:crypto";
import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SpileError } from "../../core/errors.ts";
import { type ReadPlan, type ShardPlan, worksOn } from "../plan/plan-document.ts";
import {
  isLineGroup,
  isPiece,
  type ManifestHead,
  type ManifestLine,
  manifestPath,
  type Piece,
  partName,
} from "./manifest.ts";
import { blockBytes, ManifestLines, readManifestHead } from "./manifest-file.ts";
import { BufferedFile, OpenFiles } from "./open-files.ts";
import { UnitReader } from "./unit-reader.ts";

/** Number of bytes of a part that are read at a time. */
const partBytes = 1024 * 1024;

/**
 * Returns the heads of all shards' manifests, by index, after verifying their parts. Rejects with SpileError `temporary` if shards are
 * missing, `data` if anything is not as it was written, and the signal's reason after an abort.
 */
export async function verifiedParts(
  { plan, digest }: ReadPlan,
  folder: string,
  signal: AbortSignal,
): Promise<readonly ManifestHead[]> {
  const heads: ManifestHead[] = [];
  const missing: number[] = [];
  for (let index = 0; index < plan.count; index += 1) {
    const head = await readManifestHead(folder, index, digest);
    if (head === undefined) missing.push(index);
    else heads.push(head);
  }
  if (missing.length > 0) {
    const how = `no finished part in ${folder}; run each shard again with spile shard run --index`;
    throw new SpileError("temporary", `missing shards: ${missing.join(", ")} (${how})`);
  }
  for (const head of heads) await verifyShard(head, plan, folder, signal);
  return heads;
}

async function verifyShard(head: ManifestHead, plan: ShardPlan, folder: string, signal: AbortSignal): Promise<void> {
  const files = new OpenFiles();
  try {
    const lines = new ManifestLines(new BufferedFile(manifestPath(folder, head.index), files, blockBytes));
    await lines.verify();
    await verifyPart(head, linesOf(lines, head, plan), folder, signal);
  } finally {
    await files.close();
  }
}

/** Yields the lines of a manifest. Checks that its units are those that the plan gives the shard. */
async function* linesOf(lines: ManifestLines, { index }: ManifestHead, plan: ShardPlan): AsyncGenerator<ManifestLine> {
  const wrong = (): SpileError =>
    new SpileError("data", `the manifest of shard ${index} has other units than the plan gives it`);
  for (const [unit, planned] of plan.units.entries()) {
    if (!worksOn(index, planned)) continue;
    const reader = new UnitReader(index, lines);
    if (!(await reader.takeUnit(unit))) throw wrong();
    yield { unit };
    for (let line = await reader.take(); line !== undefined; line = await reader.take()) yield line;
    await reader.results();
  }
  if ((await lines.peek()) !== undefined) throw wrong();
}

/** Names of parts, of unfinished manifests and states, and of states with the names that docs/scale-out.md proposes. */
const leftoverName = /^\.?(\d+)(?:\.state)?(?:\.[0-9a-f]{12}\.(?:tmp|ndjson)|(?<=\.state))$/;

/** Returns the names of files in the folder that earlier attempts of the plan's shards have left. */
export async function leftovers(heads: readonly ManifestHead[], folder: string): Promise<readonly string[]> {
  const parts = new Set(heads.map(partName));
  return (await readdir(folder)).filter((name) => {
    const index = leftoverName.exec(name);
    return index !== null && Number(index[1]) < heads.length && !parts.has(name);
  });
}

/** Removes leftover files. Never rejects: another process may have removed one. */
export async function removeLeftovers(names: readonly string[], folder: string): Promise<void> {
  for (const name of names) await unlink(join(folder, name)).catch(() => undefined);
}

/** The properties of a part that are verified. */
export type WrittenPart = Pick<ManifestHead, "index" | "attempt" | "bytes">;

/**
 * Verifies that every byte of the part belongs to one piece, and that each piece is as it was written. Rejects with SpileError
 * `data` otherwise, and with the reason of a signal after an abort.
 */
export async function verifyPart(
  part: WrittenPart,
  lines: AsyncIterable<ManifestLine> | Iterable<ManifestLine>,
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  const path = join(folder, partName(part));
  const wrong = (what: string): SpileError =>
    new SpileError(
      "data",
      `part ${path} of shard ${part.index} ${what}; remove ${part.index}.json and run the shard again`,
    );
  const size = await stat(path).then(
    ({ size }) => size,
    () => undefined,
  );
  if (size === undefined) throw wrong("is not there");
  if (size !== part.bytes) throw wrong(`has ${size} bytes, but its manifest says ${part.bytes}`);
  const files = new OpenFiles();
  const file = new BufferedFile(path, files, partBytes);
  // The current unit, the end of the pieces so far, and the number of bytes of their groups of lines.
  let [unit, end, declared] = [0, 0, 0];
  try {
    for await (const line of lines) {
      if ("unit" in line) unit = line.unit;
      if (isLineGroup(line)) declared += line[1];
      if (!isPiece(line)) continue;
      if (declared !== end || line.start !== end) throw wrong("has pages that its manifest does not list");
      end += line.bytes;
      const sha256 = await digestOf(line, file, signal).catch((error: unknown) => {
        throw signal?.aborted ? signal.reason : wrong(`cannot be read: ${messageOf(error)}`);
      });
      if (sha256 === undefined) throw wrong("has shrunk");
      if (sha256 !== line.sha256) throw wrong(`is not as it was written, in page ${line.page + 1} of unit ${unit}`);
    }
    if (declared !== end || end !== size) throw wrong("has pages that its manifest does not list");
  } finally {
    await files.close();
  }
}

/**
 * Returns the SHA-256 of a piece; undefined if the file ends before the piece does. A piece that is read at once needs no `Hash`
 * object: only a full garbage collection frees such objects, and a part may have a million small pieces.
 */
async function digestOf(
  { start, bytes }: Piece,
  file: BufferedFile,
  signal?: AbortSignal,
): Promise<string | undefined> {
  let digest: Hash | undefined;
  for (let offset = start; ; ) {
    signal?.throwIfAborted();
    const some = await file.bytes(offset, start + bytes - offset);
    if (some.length === bytes) return hash("sha256", some, "hex");
    if (some.length === 0) return undefined;
    digest ??= createHash("sha256");
    digest.update(some);
    offset += some.length;
    if (offset === start + bytes) return digest.digest("hex");
  }
}
