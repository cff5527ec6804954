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
 * Splits the text of a command as cmd.exe and then curl do. `^` escapes the next character and continues a line, double quotes
 * keep spaces in a word, and `\"` is a quote. Throws a usage error for a quote that is not closed.
 */
export function windowsWords(text: string): readonly string[] {
  // Browsers write a line break inside an argument as `^` and two line breaks.
  const plain = text
    .replace(/\^\r?\n\r?\n/g, "\n")
    .replace(/(?<!\s)\s+\^\r?\n\s*|\^\r?\n\s*/g, " ")
    .replace(/\^(.)/gs, "$1");
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
