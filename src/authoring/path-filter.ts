/** Returns whether a path is chosen. */
export type PathFilter = (path: string) => boolean;

/** Creates a filter for paths that match one of the patterns, in which `*` stands for anything. Without patterns all paths match. */
export function pathFilter(patterns: readonly string[]): PathFilter {
  if (patterns.length === 0) return () => true;
  const expressions = patterns.map((pattern) => new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`));
  return (path) => expressions.some((expression) => expression.test(path));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
