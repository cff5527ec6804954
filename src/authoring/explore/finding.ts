/** A line that `init` reports: a success, a failed try or a hint. */
export interface Finding {
  /**
   * `found`: a fact that was proved and is in the configuration. `tried`: a hypothesis that did not hold. `note`: a hint for the
   * user.
   */
  readonly kind: "found" | "tried" | "note";
  /** One line with the evidence. Its secrets are not masked yet. */
  readonly text: string;
}

/** Returns a text with a capital first letter, for the beginning of a comment. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
