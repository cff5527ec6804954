/** Characters that move a terminal's cursor, end a line, or change the direction in which text is shown. */
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * Makes text from an API safe for a terminal and for one line (contract C-10.2). Unprintable characters become `\xNN`, or `\xNNNN`
 * above U+00FF.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** Returns the beginning of a text, of at most `most` code units. A character that consists of two code units is not cut in two. */
export function beginningOf(text: string, most: number): string {
  const isPair = (text.codePointAt(most - 1) ?? 0) > 0xffff;
  return text.slice(0, isPair ? most - 1 : most);
}

/** Returns a text for a message. After `most` characters, "..." replaces the rest. */
export function shortText(text: string, most = 60): string {
  return text.length > most ? `${beginningOf(text, most)}...` : text;
}

/** Maximum number of characters of an address in a message. */
const longestAddress = 1000;

/** Shortens a very long address for a message. */
export function briefAddress(address: string): string {
  return address.length > longestAddress
    ? `${beginningOf(address, longestAddress)}... (${address.length} characters)`
    : address;
}

/**
 * Makes the text of a JSON document safe for a terminal. Unprintable characters become `\uNNNN`, which means the same in
 * JSON. Line feeds between tokens stay.
 */
export function printableJson(text: string): string {
  return text.replace(unprintable, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
