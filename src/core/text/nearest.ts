/**
 * Returns the candidate that was probably meant by `word`: the one with the fewest letters that are wrong, missing, added or
 * swapped. One letter may always differ, in long words up to a third of the letters of `word`. A wrong first letter counts twice,
 * since it is rarely a typing error: `retries` does not mean `metrics`. Words that differ only in case count as equal. Undefined if
 * no candidate is near enough.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let leastChanges = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const isSame = word.toLowerCase() === candidate.toLowerCase();
    const distance = isSame ? 0 : editDistance(word, candidate);
    if (distance < leastChanges) [best, leastChanges] = [candidate, distance];
  }
  return best;
}

/**
 * Returns the number of changes that turn `a` into `b`: each changes, adds or removes a letter, or swaps two neighbours. Changing
 * the first letter counts as two.
 */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const cell = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const replacing = cell(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : i === 1 && j === 1 ? 2 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(i - 2, j - 2) + 1 : replacing;
      row.push(Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, replacing, swapped));
    }
  }
  return cell(a.length, b.length);
}
