/** Something that exploring has shown, or tried in vain. */
export interface Finding {
  /** `found`: it holds, and is in the configuration. `tried`: it did not hold. `note`: good to know. */
  readonly kind: "found" | "tried" | "note";
  /** One line, with its evidence. Not masked yet. */
  readonly text: string;
}
