/** How what came differs from what the server holds. */
export interface Difference {
  readonly missing: number;
  /** Lines beyond those held: twice, or not held at all. */
  readonly surplus: number;
  /** The first line or record that differs. */
  readonly example: string | undefined;
}

/** Compares every record, names of members in any order, numbers and texts as they are. */
export function compare(held: readonly unknown[], lines: string): Difference {
  const awaited = new Map<string, number>();
  for (const record of held) {
    const text = ordered(record);
    awaited.set(text, (awaited.get(text) ?? 0) + 1);
  }
  let surplus = 0;
  let example: string | undefined;
  for (const line of lines.split("\n").slice(0, -1)) {
    const text = ordered(JSON.parse(line));
    const left = awaited.get(text) ?? 0;
    if (left === 0) {
      surplus += 1;
      example ??= `not held, or twice: ${text}`;
    } else awaited.set(text, left - 1);
  }
  const missing = [...awaited.values()].reduce((sum, count) => sum + count, 0);
  if (missing > 0) example ??= `missing: ${[...awaited].find(([, count]) => count > 0)?.[0]}`;
  return { missing, surplus, example: example?.slice(0, 300) };
}

function ordered(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
