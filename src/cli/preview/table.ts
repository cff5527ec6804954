import Table from "cli-table3";
import { columnsOf, cutTo } from "../figures.ts";
import type { Cell, Grid } from "./cells.ts";

/** Least width of a column. */
const narrowest = 6;
/** Greatest width of a column while other columns need room. */
const wide = 40;

/** Blanks between two columns. */
const gap = 2;

const colors: Readonly<Record<Cell["kind"], string | undefined>> = {
  text: undefined,
  number: "36",
  boolean: "33",
  null: "2",
  nested: "35",
  absent: undefined,
};

const noBorders = Object.fromEntries(
  ["top", "bottom"].flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`]).map((name) => [name, ""]),
);

/**
 * Returns a table that fits into `width` columns of a terminal. Long values are cut, but numbers never, since a part of a number
 * is another number. A last line names the columns for which there is no room.
 */
export function tableText({ columns, rows }: Grid, { width, color }: { width: number; color: boolean }): string {
  const widths = fitted(columns, rows, width);
  const visibleColumns = columns.slice(0, widths.length);
  const table = new Table({
    chars: {
      ...noBorders,
      left: "",
      right: "",
      mid: "",
      "mid-mid": "",
      "left-mid": "",
      "right-mid": "",
      middle: " ".repeat(gap),
    },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colWidths: [...widths],
  });
  const fit = (text: string, index: number, code: string | undefined): string =>
    painted(shortened(text, widths[index] ?? 0), color ? code : undefined);
  table.push(visibleColumns.map((name, index) => fit(name, index, "1")));
  for (const row of rows) {
    const cells = visibleColumns.map((_, index) => row[index] ?? absent);
    table.push(cells.map(({ text, kind }, index) => fit(text, index, colors[kind])));
  }
  const hiddenColumns = columns.slice(widths.length);
  const more =
    hiddenColumns.length === 0 ? "" : `(no room for ${hiddenColumns.join(", ")}: choose columns with --columns)\n`;
  const lines = table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd());
  return `${lines.join("\n")}\n${more}`;
}

const absent: Cell = { text: "", kind: "absent" };

function shortened(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : `${cutTo(text, columns - 1)}…`;
}

function painted(text: string, code: string | undefined): string {
  return code === undefined || text === "" ? text : `\u001b[${code}m${text}\u001b[0m`;
}

/** Returns the widths of the first columns, as many as fit. The widest column is shortened first, a column of numbers never. */
function fitted(columns: readonly string[], rows: Grid["rows"], width: number): readonly number[] {
  // Each column takes at least one character and the gap behind it.
  const columnWidths = columns.slice(0, Math.max(1, Math.ceil(width / gap))).map((name, index) => {
    const cells = rows.map((row) => row[index]);
    const natural = Math.max(columnsOf(name), ...cells.map((cell) => columnsOf(cell?.text ?? "")), 1);
    const fixed = Math.max(...cells.map((cell) => (cell?.kind === "number" ? columnsOf(cell.text) : 0)));
    return { natural, least: Math.max(Math.min(natural, narrowest), fixed) };
  });
  let count = columnWidths.length;
  const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0);
  const room = (): number => width - gap * (count - 1);
  while (count > 1 && sum(columnWidths.slice(0, count).map(({ least }) => least)) > room()) count -= 1;
  const widths = columnWidths.slice(0, count).map(({ natural, least }) => Math.max(Math.min(natural, wide), least));
  // Unused space goes to columns that were shortened. If there is too little space, the widest column gives some.
  for (let spare = room() - sum(widths); spare !== 0; ) {
    const index =
      spare < 0
        ? widest(widths, columnWidths)
        : widths.findIndex((one, column) => one < (columnWidths[column]?.natural ?? 0));
    if (index < 0) break;
    const step = spare < 0 ? -1 : 1;
    widths[index] = (widths[index] ?? 0) + step;
    spare -= step;
  }
  return widths;
}

function widest(widths: readonly number[], columnWidths: readonly { readonly least: number }[]): number {
  let found = -1;
  for (const [index, width] of widths.entries()) {
    if (width > (columnWidths[index]?.least ?? 0) && width > (widths[found] ?? 0)) found = index;
  }
  return found;
}
