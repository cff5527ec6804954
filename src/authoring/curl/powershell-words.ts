import { SpileError } from "../../core/errors.ts";

/**
 * Returns whether a text is for PowerShell: a line ends in a backtick, or the text calls `curl.exe`, and its first quote is single
 * or a backtick escapes a `"` or `$`.
 */
export function isPowershellCommand(text: string): boolean {
  const first = /\^?["'`]/.exec(text)?.[0];
  return /[^\S\r\n]`\r?\n/.test(text) || (/^curl\.exe\s/i.test(text) && (first === "'" || /`["$]/.test(text)));
}

/** Maximum number of characters of a command. Matching a text of millions of characters would exceed the stack. */
const maxLength = 1_000_000;

/**
 * Splits the text of a command as PowerShell does: `'...'` with `''` for a quote, `"..."` with `""` and backtick escapes, a
 * backtick that continues a line. Before version 7.3 a quote in a word needs a backslash, so a word in which every quote has one
 * loses these backslashes. Throws usage errors for a quote that is not closed and for a variable.
 */
export function powershellWords(text: string): readonly string[] {
  if (text.length > maxLength) {
    throw new SpileError(
      "usage",
      `the command has more than ${maxLength} characters; put its body into a file (-d @FILE)`,
    );
  }
  const piece = /(\s+|`\r?\n)|'((?:[^']|'')*)'|"((?:[^"`]|""|`[\s\S])*)"|`([\s\S])|([^\s'"`]+)|(['"])/gy;
  const words: string[] = [];
  let word: string | undefined;
  for (const [, space, single, double, escaped, bare, open] of text.matchAll(piece)) {
    if (open !== undefined) throw new SpileError("usage", `the command has a quote ${open} that is not closed`);
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      const added = single?.replaceAll("''", "'") ?? (double === undefined ? (escaped ?? bare) : doubleQuoted(double));
      word = `${word ?? ""}${added}`;
    }
  }
  return (word === undefined ? words : [...words, word]).map(withoutBackslashes);
}

const escapes: Readonly<Record<string, string>> = { "0": "\0", n: "\n", r: "\r", t: "\t" };

function doubleQuoted(text: string): string {
  const [, name] = /(?:^|[^`])\$(\w+)/.exec(text) ?? [];
  if (name !== undefined)
    throw new SpileError("usage", `the command uses the variable ${name} of PowerShell: write its value there`);
  return text.replace(/""|`([\s\S])/g, (_, letter: string | undefined) =>
    letter === undefined ? '"' : (escapes[letter] ?? letter),
  );
}

function withoutBackslashes(word: string): string {
  return /\\"/.test(word) && !/(^|[^\\])"/.test(word) ? word.replaceAll('\\"', '"') : word;
}
