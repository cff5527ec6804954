import { type CommandName, commandOf, usageOf } from "../command-table.ts";
import { wrap } from "../figures.ts";
import { type ManualPart, rows, type Section } from "./parts.ts";
import { commandSections, generalSections } from "./sections.ts";

const moreSection: Section = {
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
 * Returns the text of `--help`, or the help of one command, for a terminal of `columns`. A library for command lines is not used:
 * it would take 28 ms of a start of 110 ms, and would not name the value of an option, as `--output FILE` does.
 */
export function helpText(columns: number, command?: CommandName): string {
  const usage = usageOf(commandOf(command ?? "run"));
  const sections = command === undefined ? [...generalSections(), moreSection] : commandSections(command);
  return `Usage: ${usage}\n\n${sectionsText(sections, columns)}`;
}

/** Returns sections as text for a terminal, whose width counts as at least 40 and at most 100 columns. */
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
  // If a left text is longer than this, its description begins on the next line.
  const maxLeft = Math.floor(width * 0.45);
  const leftWidth = Math.max(0, ...rows.map(([text]) => text.length).filter((length) => length <= maxLeft)) + 4;
  const lines = rows.flatMap(([text, describe]) => {
    const rightLines = wrap(describe, width - leftWidth);
    const all = text.length + 4 <= leftWidth ? rightLines : ["", ...rightLines];
    return all.map((line, index) => `${(index === 0 ? `  ${text}` : "").padEnd(leftWidth)}${line}`.trimEnd());
  });
  return lines.map((line) => `${line}\n`).join("");
}
