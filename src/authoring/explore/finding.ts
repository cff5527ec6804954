/** Something that exploring has shown, or tried in vain. */
export interface Finding {
  /** `found`: it holds, and is in the configuration. `tried`: it did not hold. `note`: good to know. */
  readonly kind: "found" | "tried" | "note";
  /** One line, with its evidence. Not masked yet. */
  readonly text: string;
}

/** A text as a comment begins with it. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
