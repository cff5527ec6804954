import { Parser } from "yargs/helpers";
import { SpileError } from "../core/errors.ts";
import { printable } from "../core/text/printable.ts";
import type { Option, Options } from "./option-table.ts";

/**
 * Reads the options and the other words (`rest`) of a normalised command line. `rows`: the options among the words. Throws a usage
 * error if the value of an option is missing or invalid, if an option that takes one value is given twice, or if one excludes
 * another.
 *
 * Only the parser of yargs is used. Commands, help and completion come from our own tables, because loading all of yargs takes a
 * fifth of the time of a start.
 */
export function readWords(
  words: readonly string[],
  rows: readonly Option[],
): { readonly rest: readonly string[]; readonly options: Options } {
  const end = words.indexOf("--");
  const optionWords = words.slice(0, end < 0 ? undefined : end);
  const optionWithoutValue = rows.find(({ name, kind }) => kind !== undefined && optionWords.includes(`--${name}`));
  if (optionWithoutValue !== undefined)
    throw new SpileError("usage", `option --${optionWithoutValue.name} needs ${optionWithoutValue.kind?.expected}`);
  const names = (isFlag: boolean): string[] =>
    rows.filter(({ kind }) => (kind === undefined) === isFlag).map(({ name }) => name);
  const { argv, error } = Parser.detailed([...words], {
    boolean: names(true),
    string: names(false),
    coerce: Object.fromEntries(
      rows.flatMap((row) => (row.kind === undefined ? [] : [[row.name, valueReader(row, row.kind)]])),
    ),
    configuration: {
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "greedy-arrays": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    },
  });
  if (error !== null) throw error;
  for (const { name, excludes = [] } of rows) {
    const other = rows.find((row) => excludes.includes(row.name));
    if (other !== undefined) throw new SpileError("usage", `options --${name} and --${other.name} exclude each other`);
  }
  const values = rows.map(({ key, name }) => [key, argv[name]] as const);
  return { rest: argv._.map(String), options: Object.fromEntries(values) as Options };
}

/**
 * Returns the function that reads the value of an option, or the list of values of a repeatable option. The lists of yargs are
 * not used, because they drop an empty value. Such a value comes from a shell variable that is not set, and must not count as an
 * absent option.
 */
function valueReader(
  { name, secret, repeatable }: Option,
  { expected, read }: NonNullable<Option["kind"]>,
): (input: string | readonly string[]) => unknown {
  const readOne = (text: string): unknown => {
    const result = read(text);
    if (result !== undefined) return result;
    const valueText = secret === true ? "the given text" : JSON.stringify(printable(text));
    throw new SpileError("usage", `option --${name}: ${valueText} is not ${expected}`);
  };
  return (input) => {
    const texts = [input].flat();
    if (repeatable === true) return texts.map(readOne);
    // A repeated flag changes nothing. With a repeated value, it is unclear which one is meant.
    if (texts.length > 1) throw new SpileError("usage", `option --${name} is given more than once`);
    return readOne(texts[0] ?? "");
  };
}
