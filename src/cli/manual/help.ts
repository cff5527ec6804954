import { type CommandName, commandOf, usageOf } from "../command-table.ts";
import { wrap } from "../figures.ts";
import { type ManualPart, rows, type Section } from "./parts.ts";
import { commandSections, generalSections } from "./sections.ts";

const ending: Section = {
  title: "More:",
  parts: [
    rows(
      ["spile help check", "the help of a command"],
      ["spile help paging", "a chapter: paging, exit-codes, expressions, sources"],
      ["spile explain", "the fields of a configuration"],
    ),
  ],
};

/**
 * Returns the text of `--help`, at most `columns` wide, or of the help of one command. No library makes this text: one for
 * command lines would cost 28 ms of a start of 110 ms, and would not show the value of an option.
 */
export function helpText(columns: number, command?: CommandName): string {
  const usage = usageOf(commandOf(command ?? "run"));
  const sections = command === undefined ? [...generalSections(), ending] : commandSections(command);
  return `Usage: ${usage}\n\n${sectionsText(sections, columns)}`;
}

/** Returns sections as text for a terminal. Lines are broken at `columns`, but at 40 at least and at 100 at most. */
export function sectionsText(sections: readonly Section[], columns: number): string {
  const width = Math.max(40, Math.min(columns, 100));
  return sections
    .map(({ title, parts }) => {
      const body = parts.map((part) => partText(part, width)).join("\n");
      return title === "" ? body : `${title}\n${body}`;
    })
    .join("\n");
}

function partText(part: ManualPart, width: number): string {
  if (part.kind === "text")
    return wrap(part.text, width)
      .map((line) => `${line}\n`)
      .join("");
  if (part.kind === "lines") return part.lines.map((line) => (line === "" ? "\n" : `    ${line}\n`)).join("");
  return rowsText(part.rows, width);
}

function rowsText(rows: readonly (readonly [string, string])[], width: number): string {
  // A longer option has its description on the line below it.
  const most = Math.floor(width * 0.45);
  const leftWidth = Math.max(0, ...rows.map(([text]) => text.length).filter((length) => length <= most)) + 4;
  const lines = rows.flatMap(([text, describe]) => {
    const describedLines = wrap(describe, width - leftWidth);
    const all = text.length + 4 <= leftWidth ? describedLines : ["", ...describedLines];
    return all.map((line, index) => `${(index === 0 ? `  ${text}` : "").padEnd(leftWidth)}${line}`.trimEnd());
  });
  return lines.map((line) => `${line}\n`).join("");
}
