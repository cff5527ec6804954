/** How messages call what a user may change: by fields of the configuration, or by options of `get`, where there is one. */
export type Remedies = "fields" | "options";

/** Fields of which messages speak, and the options of `get` that are these. */
const options = { dataField: "--records", format: "--format", limit: "--limit" } as const;

type Field = keyof typeof options;

/** A field's name within a sentence. */
export function fieldName(field: Field, remedies: Remedies = "fields"): string {
  return remedies === "options" ? options[field] : field;
}

/** A field with its value, as it would be written: `"format": "csv"`, or `--format csv`. */
export function fieldWith(field: Field, value: string | number, remedies: Remedies = "fields"): string {
  return remedies === "options" ? `${options[field]} ${value}` : `"${field}": ${JSON.stringify(value)}`;
}
