/** A part of the manual, from which the help on the terminal and the man page are made. */
export type ManualPart =
  | { readonly kind: "text"; readonly text: string }
  /** Lines that are printed unchanged: a configuration, a command. */
  | { readonly kind: "lines"; readonly lines: readonly string[] }
  | { readonly kind: "rows"; readonly rows: readonly (readonly [left: string, right: string])[] };

export interface Section {
  readonly title: string;
  readonly parts: readonly ManualPart[];
}

export function text(...paragraphs: readonly string[]): readonly ManualPart[] {
  return paragraphs.map((paragraph) => ({ kind: "text", text: paragraph }));
}

export function lines(...verbatim: readonly string[]): ManualPart {
  return { kind: "lines", lines: verbatim };
}

export function rows(...pairs: readonly (readonly [left: string, right: string])[]): ManualPart {
  return { kind: "rows", rows: pairs };
}
