/**
 * Names in messages for something that the user can change: fields of the configuration, or the options of `spile get` for them.
 */
export type Remedies = "fields" | "options";

/** The option of `spile get` for each field that messages name. */
const optionNames = { dataField: "--records", format: "--format", limit: "--limit" } as const;

type Field = keyof typeof optionNames;

/** Returns a field's name for use within a sentence. */
export function fieldName(field: Field, remedies: Remedies = "fields"): string {
  return remedies === "options" ? optionNames[field] : field;
}

/** Returns a field with its value, as a user would write it: `"format": "csv"`, or `--format csv`. */
export function fieldWith(field: Field, value: string | number, remedies: Remedies = "fields"): string {
  return remedies === "options" ? `${optionNames[field]} ${value}` : `"${field}": ${JSON.stringify(value)}`;
}
