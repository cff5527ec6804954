/**
 * Returns the index after the JSON string that begins at `start`; undefined if the string has no end. A regular expression would
 * exceed the stack for a string with millions of escapes.
 */
export function stringEnd(text: string, start: number): number | undefined {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === "\\") before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return undefined;
}

/**
 * Replaces each string of a JSON text, with its quotes, and the text between two strings. A string without an end extends to the
 * end of the text.
 */
export function replaceStrings(
  text: string,
  replaceString: (string: string) => string,
  replaceBetween: (between: string) => string = (between) => between,
): string {
  const pieces: string[] = [];
  let place = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', place)) {
    pieces.push(replaceBetween(text.slice(place, start)));
    place = stringEnd(text, start) ?? text.length;
    pieces.push(replaceString(text.slice(start, place)));
  }
  pieces.push(replaceBetween(text.slice(place)));
  return pieces.join("");
}
