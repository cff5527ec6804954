/** `8 s`, `3 min 20 s`, `2 h 5 min`: milliseconds rounded up to seconds, so that 0 is only said when it is over. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The columns that text takes on a terminal; letters of East Asia and emoji take two, marks do not. Rather too many than too few. */
export function columnsOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (/[\u1100-\u1fff\u2070-\u{10ffff}]/u.test(character) ? 2 : 1), 0);
}

/** The beginning of a text, in so many columns. */
export function cutTo(text: string, columns: number): string {
  let cut = "";
  for (const character of text) {
    if (columnsOf(cut + character) > columns) break;
    cut += character;
  }
  return cut;
}

/** A text in lines of at most so many columns, broken between its words. */
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
