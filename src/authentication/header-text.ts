import { trimmedHeader, unfitCharacter } from "../core/header-syntax.ts";

/** A header's text as it is sent; undefined where no header can carry it. */
export function headerText(text: string | undefined): string | undefined {
  const trimmed = text === undefined ? undefined : trimmedHeader(text);
  return trimmed === undefined || unfitCharacter(trimmed) !== undefined ? undefined : trimmed;
}
