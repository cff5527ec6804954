import { spawnSync } from "node:child_process";

/** Returns the commands of a list that are not installed. */
export function notFound(...names: readonly string[]): readonly string[] {
  return names.filter((name) => spawnSync("sh", ["-c", `command -v "$0"`, name]).status !== 0);
}

/** Describes what is missing and how to install it; undefined if nothing is missing. */
export function missingText(names: readonly string[], remedy: string): string | undefined {
  return names.length === 0 ? undefined : `${names.join(", ")} not found; ${remedy}`;
}
