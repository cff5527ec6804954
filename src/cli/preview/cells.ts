import { printable } from "../../core/text/printable.ts";
import { parsePath, valueAt } from "../../core/values/path.ts";
import { isNumber, isObject, type Value, valueText } from "../../core/values/value.ts";

/** A value as a table shows it, and its kind. */
export interface Cell {
  readonly text: string;
  readonly kind: "text" | "number" | "boolean" | "null" | "nested" | "absent";
}

/** Records as the rows of a table. */
export interface Grid {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** Maximum number of characters of a value that are shown. */
const maxLength = 200;

export interface GridOptions {
  /** Paths of the columns to show. Default: all names in the first level of the records, in the order of their first occurrence. */
  readonly chosen?: readonly string[] | undefined;
  readonly mask?: (text: string) => string;
}

/** Arranges records in a grid. A record that is not an object is in the column `value`. */
export function gridOf(records: readonly Value[], { chosen, mask = (text) => text }: GridOptions): Grid {
  const names = new Set<string>();
  for (const record of records) for (const name of isObject(record) ? Object.keys(record) : ["value"]) names.add(name);
  const columns = chosen ?? [...names];
  // A text is masked before it is shortened to its final length. Otherwise, the beginning of a secret could be shown.
  const maskedText = (text: string): string =>
    printable(
      mask(text.slice(0, 100 * maxLength))
        .slice(0, maxLength)
        .toWellFormed(),
    );
  const rows = records.map((record) =>
    columns.map((column) => {
      if (!isObject(record) && column === "value") return cellOf(record, maskedText);
      return cellOf(chosen === undefined ? memberOf(record, column) : valueAt(record, parsePath(column)), maskedText);
    }),
  );
  return { columns: columns.map(maskedText), rows };
}

function memberOf(record: Value, name: string): Value | undefined {
  return isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined;
}

function cellOf(value: Value | undefined, display: (text: string) => string): Cell {
  if (value === undefined) return { text: "", kind: "absent" };
  if (value === null) return { text: "null", kind: "null" };
  if (typeof value === "boolean") return { text: String(value), kind: "boolean" };
  if (isNumber(value)) return { text: display(value.toString()), kind: "number" };
  if (typeof value === "string") return { text: display(value), kind: "text" };
  return { text: display(valueText(value)), kind: "nested" };
}
