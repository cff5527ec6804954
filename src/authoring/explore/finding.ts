/** A result of exploring, or a vain try. */
export interface Finding {
  /** `found`: it holds, and is in the configuration. `tried`: it did not hold. `note`: good to know. */
  readonly kind: "found" | "tried" | "note";
  /** One line, with its evidence. Not masked yet. */
  readonly text: string;
}

/** Returns a text with a capital letter, as the beginning of a comment. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
