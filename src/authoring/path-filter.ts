/** Chooses among paths. */
export type PathFilter = (path: string) => boolean;

/** Returns a filter of paths that match one of the patterns, in which `*` stands for anything; without patterns all match. */
export function pathFilter(patterns: readonly string[]): PathFilter {
  if (patterns.length === 0) return () => true;
  const expressions = patterns.map((pattern) => new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`));
  return (path) => expressions.some((expression) => expression.test(path));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
