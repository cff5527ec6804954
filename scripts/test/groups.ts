import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StepFailed } from "./step.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Test files that run in the same process, one after another. */
export interface Group {
  /** Name such as `rooms/http` or `apart/product/memory`; node begins with the first in the alphabet. */
  readonly name: string;
  /** Paths such as `test/http/pacing/retry.test.ts`. */
  readonly files: readonly string[];
}

/** Files that take seconds, mostly in commands that they start. Each gets a process, so that they run concurrently, and first. */
const apart: ReadonlySet<string> = new Set([
  "docs/adding",
  "docs/scripts",
  "product/executable",
  "product/hostile",
  "product/memory",
  "product/package",
  "product/shapes",
  "resume/progress.kill",
  "shards/merge-parts.property",
]);

/**
 * Returns the groups: one for each file of `apart`, and one for the other files of each room, since most of the time of a small
 * test file goes into starting a process, reading the product's code and compiling it. Each file is in one group.
 */
export function groupsOf(files: readonly string[]): Group[] {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const path = file.replace(/^test\/|\.test\.ts$/g, "");
    const room = path.includes("/") ? path.split("/", 1)[0] : "none";
    const name = apart.has(path) ? `apart/${path}` : `rooms/${room}`;
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return [...groups].map(([name, members]) => ({ name, files: members }));
}

/**
 * Returns the test files whose path contains one of these words, or all files without words, as paths such as
 * `test/http/pacing/retry.test.ts`. Throws `StepFailed` if no path matches.
 */
export async function testFiles(words: readonly string[]): Promise<string[]> {
  const names = await readdir(join(root, "test"), { recursive: true });
  const files = names
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort();
  if (files.length > 0) return files;
  throw new StepFailed(`no test file has ${words.join(" or ")} in its path`, 1);
}
