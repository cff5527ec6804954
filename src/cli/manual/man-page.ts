import { commands, usageOf } from "../command-table.ts";
import { optionsOf } from "../option-table.ts";
import { chapterSections } from "./chapters.ts";
import { type ManualPart, rows, type Section, text } from "./parts.ts";
import { optionSections } from "./sections.ts";

/** Returns the manual page `spile.1` as roff (man macros), made from the same tables as the help. */
export function manPage(version: string, description: string): string {
  const runOptions = new Set(optionsOf("run").map(({ key }) => key));
  const optionsByCommand = commands.map((command) => ({
    ...command,
    options: optionsOf(command.name).filter(({ key }) => command.name !== "run" && !runOptions.has(key)),
  }));
  const head = [
    `.TH SPILE 1 "" "spile ${version}" "User Commands"`,
    section("NAME", [`spile \\- ${escaped(description)}`]),
    section(
      "SYNOPSIS",
      commands.flatMap((command) => [".nf", escaped(usageOf(command)), ".fi"]),
    ),
  ];
  const commandLines = optionsByCommand.flatMap(({ name, describe, about, options }) => [
    `.SS ${name === "run" ? "spile" : `spile ${name}`}`,
    ...partRoff(text(`${describe}.`, ...about)),
    ...(options.length === 0 ? [] : partRoff([rows(...options.map(optionRow))])),
  ]);
  const examples = commands.flatMap((command) =>
    command.examples.map(([line, what]) => [`spile ${line}`, what] as const),
  );
  return `${[
    ...head,
    section("COMMANDS", commandLines),
    section("OPTIONS", optionSections("run").flatMap(subsection)),
    section("EXIT STATUS", partRoff(chapterSections("exit-codes").flatMap(({ parts }) => parts))),
    section(
      "ENVIRONMENT",
      partRoff([
        rows(
          ["HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY", "Proxies. The names may also be in lower case."],
          ["NO_COLOR", "No colours if it is not empty."],
          ["NODE_EXTRA_CA_CERTS", "A file of further certificate authorities."],
        ),
      ]),
    ),
    section("EXAMPLES", partRoff([rows(...examples)])),
  ].join("\n")}\n`;
}

function optionRow({ name, alias, kind, describe }: ReturnType<typeof optionsOf>[number]): readonly [string, string] {
  const short = alias === undefined ? "" : `-${alias}, `;
  return [`${short}--${name}${kind === undefined ? "" : ` ${kind.placeholder}`}`, describe];
}

function section(title: string, body: readonly string[]): string {
  return [`.SH ${title}`, ...body].join("\n");
}

function subsection({ title, parts }: Section): readonly string[] {
  return [`.SS "${escaped(title.replace(/:$/, ""))}"`, ...partRoff(parts)];
}

function partRoff(parts: readonly ManualPart[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.kind === "text") return [".PP", escaped(part.text)];
    if (part.kind === "lines") return [".PP", ".nf", ...part.lines.map(escaped), ".fi"];
    return part.rows.flatMap(([left, right]) => [".TP", `\\fB${escaped(left.trim())}\\fR`, escaped(right)]);
  });
}

/** Escapes a text for roff: backslashes, requests at the beginning of a line, and hyphens, so that they can be copied. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");
}
