import { commands, options } from "./option-table.ts";

const examples = `Usage: spile [options] <config.json>      (- reads the configuration from stdin)

Examples:
  spile demo | jq .                          records of a built-in API, to see how it works
  spile config.json > records.ndjson         run every job of a configuration
  spile config.json --job users | jq -r .id  one job only
  spile config.json --set '#token=abc' -o out.ndjson --summary summary.json
  spile check config.json                    find mistakes without sending anything
  spile plan config.json | jq .              the first request of every job, without sending it
`;

const ending = "The fields of a configuration: spile schema. Exit codes: the README.\n";

/**
 * The text of `--help`, at most `columns` wide. Made here and not by yargs, whose layout costs 28 ms of a start of 110
 * and cannot show an option's value.
 */
export function helpText(columns: number): string {
  const width = Math.max(60, Math.min(columns, 100));
  const groups = new Map<string, (readonly [left: string, right: string])[]>([
    ["Commands:", commands.map(({ usage, describe }) => [`  spile ${usage}`, describe])],
  ]);
  for (const [name, { alias, group, kind, describe }] of options) {
    const short = alias === undefined ? "    " : `-${alias}, `;
    const left = `  ${short}--${name}${kind === undefined ? "" : ` ${kind.placeholder}`}`;
    groups.set(group, [...(groups.get(group) ?? []), [left, describe]]);
  }
  const left = Math.max(...[...groups.values()].flat().map(([text]) => text.length)) + 2;
  const texts = [...groups].map(([title, rows]) => {
    const lines = rows.flatMap(([text, describe]) =>
      wrap(describe, width - left).map((line, index) => `${(index === 0 ? text : "").padEnd(left)}${line}\n`),
    );
    return `${title}\n${lines.join("")}`;
  });
  return [examples, ...texts, ending].join("\n");
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}
