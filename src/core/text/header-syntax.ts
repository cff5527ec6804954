/** Returns whether a header may have this name (RFC 9110, 5.6.2). */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** Returns the value of a header as it is sent, without white space around it. */
export function trimmedHeader(text: string): string {
  return text.replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, "");
}

/**
 * Returns the first character of a text that the value of a header cannot contain. A value is Latin-1 without control
 * characters except tabs (RFC 9110, 5.5).
 */
export function unfitCharacter(trimmed: string): string | undefined {
  return /[^\t\x20-\x7e\x80-\xff]/u.exec(trimmed)?.[0];
}

/** Returns a text in the form in which a header sends it; undefined if no header can. */
export function headerText(text: string | undefined): string | undefined {
  const trimmed = text === undefined ? undefined : trimmedHeader(text);
  return trimmed === undefined || unfitCharacter(trimmed) !== undefined ? undefined : trimmed;
}
