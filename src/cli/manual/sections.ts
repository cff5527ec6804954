import { type Command, type CommandName, commandOf, commands, usageOf } from "../command-table.ts";
import { type Option, optionsOf } from "../option-table.ts";
import { type ManualPart, rows, type Section, text } from "./parts.ts";

/** Number of a command's examples that the help of `spile` itself shows; none of other commands. */
const exampleCounts = { demo: 2, init: 1, run: 3, check: 1, preview: 1, plan: 1 } satisfies {
  [name in CommandName]?: number;
};

/** Returns the help of `spile` itself: its purpose, the commands and the options of a run. */
export function generalSections(): readonly Section[] {
  const first = Object.entries(exampleCounts).flatMap(([name, count]) => {
    return commandOf(name as keyof typeof exampleCounts).examples.slice(0, count);
  });
  return [
    { title: "", parts: text(...commandOf("run").about) },
    { title: "Examples:", parts: [examples(first)] },
    {
      title: "Commands:",
      parts: [rows(...commands.filter(({ name }) => name !== "run").map(commandLine))],
    },
    ...optionSections("run"),
  ];
}

/** Returns the help of one command. */
export function commandSections(name: CommandName): readonly Section[] {
  const command = commandOf(name);
  return [
    { title: "", parts: text(...command.about) },
    { title: "Examples:", parts: [examples(command.examples)] },
    ...optionSections(name),
  ];
}

export function optionSections(name: CommandName): readonly Section[] {
  return [...grouped(optionsOf(name))].map(([title, options]) => ({
    title,
    parts: [rows(...options.map((option) => [optionText(option), option.describe] as const))],
  }));
}

function grouped(options: readonly Option[]): Map<string, Option[]> {
  const groups = new Map<string, Option[]>();
  for (const option of options) groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
  return groups;
}

function commandLine(command: Command): readonly [string, string] {
  return [usageOf(command).replace(" [options]", ""), command.describe];
}

function examples(list: Command["examples"]): ManualPart {
  return rows(...list.map(([line, what]) => [`spile ${line}`, what] as const));
}

/** Returns an option as the help shows it: `-o, --output FILE`. */
function optionText({ name, alias, kind }: Option): string {
  const short = alias === undefined ? "    " : `-${alias}, `;
  return `${short}--${name}${kind === undefined ? "" : ` ${kind.placeholder}`}`;
}
