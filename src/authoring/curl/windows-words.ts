import { SpileError } from "../../core/errors.ts";

/**
 * Returns whether a text is a command for cmd.exe, as browsers copy it ("Copy as cURL (cmd)"). A body may contain anything, so the
 * first quote or the first caret at the end of a line decides. A single quote means bash, and a caret means cmd.exe. After a plain
 * double quote, the command is for cmd.exe if no word begins with a single quote, and if a line ends in a caret, a quote is
 * doubled, or a caret escapes a character.
 */
export function isWindowsCommand(text: string): boolean {
  const first = /\^?["']|\^\r?\n/.exec(text)?.[0];
  if (first === undefined || first === "'") return false;
  if (first !== '"') return true;
  return !/\s\$?'/.test(text) && /\^\r?\n|[^\s"\\]""[^\s"]|\^[&%^<>|]/.test(text);
}

/**
 * Splits the text of a command as cmd.exe and then curl do. Outside quotes, `^` escapes the next character and continues a line.
 * Double quotes keep spaces in a word, and `\"` is a quote. Throws a usage error for a quote that is not closed.
 */
export function windowsWords(text: string): readonly string[] {
  // Browsers write a line break inside an argument as `^` and two line breaks.
  const plain = withoutCarets(text.replace(/\^\r?\n\r?\n/g, "\n").replace(/(?<!\s)\s+\^\r?\n\s*|\^\r?\n\s*/g, " "));
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (let index = 0; index < plain.length; ) {
    const [slashes = ""] = /^\\*/.exec(plain.slice(index)) ?? [];
    const next = plain[index + slashes.length];
    if (slashes !== "") {
      // Before a quote, two backslashes mean one, and a remaining one escapes the quote. Elsewhere, backslashes are literal.
      const isQuote = next === '"';
      word = (word ?? "") + "\\".repeat(isQuote ? Math.floor(slashes.length / 2) : slashes.length);
      index += slashes.length;
      if (isQuote && slashes.length % 2 === 1) {
        word += '"';
        index += 1;
      }
      continue;
    }
    const character = plain.charAt(index);
    index += 1;
    if (character === '"') {
      if (isQuoted && plain[index] === '"') {
        word = `${word ?? ""}"`;
        index += 1;
      } else {
        isQuoted = !isQuoted;
        word ??= "";
      }
    } else if (!isQuoted && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (isQuoted) throw new SpileError("usage", 'the command has a quote " that is not closed');
  return word === undefined ? words : [...words, word];
}

/** Removes the carets that escape characters. Inside plain quotes, cmd.exe keeps a caret; `^"` does not open quotes. */
function withoutCarets(text: string): string {
  const mark = /[\^"]/g;
  const pieces: string[] = [];
  let index = 0;
  let failure = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    const start = found.index;
    pieces.push(text.slice(index, start));
    if (found[0] === "^") {
      pieces.push(text.charAt(start + 1));
      index = start + 2;
    } else {
      // An attempt from a quote before the place where an earlier attempt failed would fail at that place, too.
      const { end, isWhole } = start < failure ? { end: start, isWhole: false } : browserWord(text, start);
      const close = text.indexOf('"', start + 1);
      index = isWhole ? end : close < 0 ? text.length : close + 1;
      const quoted = text.slice(start, index);
      pieces.push(isWhole ? quoted.replace(/\^%\^(?=\w)/g, "%").replace(/\^(.)/gs, "$1") : quoted);
      if (!isWhole) failure = Math.max(failure, end);
    }
    mark.lastIndex = index;
  }
  return pieces.join("") + text.slice(index);
}

/**
 * Reads a word in plain quotes as browsers wrote it for cmd.exe until 2024: with a caret before every character that is not in
 * their list, although cmd.exe keeps these carets. `isWhole`: true if the text is such a word, which then ends before `end`.
 */
function browserWord(text: string, start: number): { readonly end: number; readonly isWhole: boolean } {
  const piece = /[\w\s\-:=+~'/.,?;()*`&]+|\^%\^(?=\w)|\^\\\^"|\^[^\w\s\-:=+~'/.,?;()*`"]/y;
  piece.lastIndex = start + 1;
  let end = start + 1;
  while (piece.test(text)) end = piece.lastIndex;
  const isWhole = text[end] === '"';
  return { end: isWhole ? end + 1 : end, isWhole };
}
