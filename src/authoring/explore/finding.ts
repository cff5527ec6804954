/** One line about the search: a success, a failed try or a hint. */
export interface Finding {
  /** `found`: it was proved, and is in the configuration. `tried`: it did not hold. `note`: a hint for the user. */
  readonly kind: "found" | "tried" | "note";
  /** One line with the evidence, which is not masked yet. */
  readonly text: string;
}

/** Returns a text with a capital letter, as the beginning of a comment. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
