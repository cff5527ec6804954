/** Characters that move a terminal's cursor, end a line, or change the direction in which text is shown. */
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Makes text from an API safe for a terminal and for one line: control characters become `\xNN` (contract C-10.2). */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/**
 * Makes the text of a JSON document safe for a terminal. JSON allows such characters raw, and `\uNNNN` means the same.
 * Line feeds between tokens stay.
 */
export function printableJson(text: string): string {
  return text.replace(unprintable, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
