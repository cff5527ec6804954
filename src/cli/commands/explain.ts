import { SpileError } from "../../core/errors.ts";
import { printable } from "../../core/text/printable.ts";
import type { PrintingEnvironment } from "../command.ts";
import { readFields } from "../explain/fields.ts";
import { type FoundField, find, nearestName } from "../explain/find.ts";
import { documentOf, foundSections, overview } from "../explain/text.ts";
import { sectionsText } from "../manual/help.ts";
import { print } from "../output.ts";

/**
 * Runs `spile explain [FIELD]`: prints the schema's description of a field, or lists all fields. With `--json`, prints a line of
 * JSON for each field.
 */
export async function explainCommand(
  word: string | undefined,
  { options, stdout }: PrintingEnvironment,
): Promise<number> {
  const all = readFields();
  const found = word === undefined ? { fields: all.fields, alternatives: [] } : find(word, all);
  if (word !== undefined && found.fields.length + found.alternatives.length === 0) {
    const guess = nearestName(word, all);
    const suggestion = guess === undefined ? "spile explain lists all fields" : `did you mean ${guess}?`;
    throw new SpileError("usage", `no field ${JSON.stringify(printable(word))}: ${suggestion}`);
  }
  const columns = stdout.columns ?? 100;
  if (options.json) await print(jsonLines(found), stdout);
  else await print(sectionsText(word === undefined ? overview(all.fields) : foundSections(found), columns), stdout);
  return 0;
}

function jsonLines({ fields, alternatives }: FoundField): string {
  return [...fields, ...alternatives]
    .map(({ section, ...found }) => `${JSON.stringify({ ...found, see: documentOf(section) })}\n`)
    .join("");
}
