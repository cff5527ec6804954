import { SpileError } from "../../core/errors.ts";
import { nearest } from "../../core/text/nearest.ts";
import { printable } from "../../core/text/printable.ts";
import type { PrintingEnvironment } from "../command.ts";
import { commandNamed, commands } from "../command-table.ts";
import { helpText, sectionsText } from "../manual/help.ts";
import { print } from "../output.ts";

/** Runs `spile --help` and `spile help`: prints the help, the help of a command, or a chapter of the manual. */
export async function helpCommand({ stdout }: PrintingEnvironment, topic: string | undefined): Promise<number> {
  const columns = stdout.columns ?? 100;
  const command = topic === "run" ? topic : commandNamed(topic);
  if (topic === undefined || command !== undefined) await print(helpText(columns, command), stdout);
  else await print(await chapterText(topic, columns), stdout);
  return 0;
}

async function chapterText(topic: string, columns: number): Promise<string> {
  const { chapterNames, chapterSections, isChapter } = await import("../manual/chapters.ts");
  if (isChapter(topic)) return sectionsText(chapterSections(topic), columns);
  const topics = [...chapterNames, ...commands.map(({ name }) => name)];
  const meant = nearest(topic, topics);
  const suggestion = meant === undefined ? `the topics are ${topics.join(", ")}` : `did you mean spile help ${meant}?`;
  throw new SpileError("usage", `no help on ${JSON.stringify(printable(topic))}: ${suggestion}`);
}
