/** The names that messages use for something that a user may change: the field of the configuration, or the option of `get` for it. */
export type Remedies = "fields" | "options";

/** Fields that messages name, and the options of `get` for them. */
const options = { dataField: "--records", format: "--format", limit: "--limit" } as const;

type Field = keyof typeof options;

/** Returns a field's name for use within a sentence. */
export function fieldName(field: Field, remedies: Remedies = "fields"): string {
  return remedies === "options" ? options[field] : field;
}

/** Returns a field with its value, as a user would write it: `"format": "csv"`, or `--format csv`. */
export function fieldWith(field: Field, value: string | number, remedies: Remedies = "fields"): string {
  return remedies === "options" ? `${options[field]} ${value}` : `"${field}": ${JSON.stringify(value)}`;
}
