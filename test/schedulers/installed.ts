import { spawnSync } from "node:child_process";

/** Of these commands those that are not on the path. */
export function notFound(...names: readonly string[]): readonly string[] {
  return names.filter((name) => spawnSync("sh", ["-c", `command -v "$0"`, name]).status !== 0);
}

/** What is missing and how it could be had, for people; undefined where nothing is. */
export function missingText(names: readonly string[], remedy: string): string | undefined {
  return names.length === 0 ? undefined : `${names.join(", ")} not found; ${remedy}`;
}
