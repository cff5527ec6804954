/** Returns milliseconds as `8 s`, `3 min 20 s` or `2 h 5 min`. Rounds up to seconds, so that 0 is shown only at the very end. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/**
 * Returns the number of columns of a text on a terminal. East Asian letters and emoji take two, and so does each character whose
 * width is uncertain.
 */
export function columnsOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (/[\u1100-\u1fff\u2070-\u{10ffff}]/u.test(character) ? 2 : 1), 0);
}

/** Returns the beginning of a text that fits into a number of columns. */
export function cutTo(text: string, columns: number): string {
  let cut = "";
  for (const character of text) {
    if (columnsOf(cut + character) > columns) break;
    cut += character;
  }
  return cut;
}

/** Breaks a text between its words into lines of at most `columns`. A longer word has a line of its own. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && columnsOf(line) + 1 + columnsOf(word) > columns) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
