import yargs, { type Options as YargsOptions } from "yargs";
import { SpileError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import type { Option } from "./option-table.ts";

/**
 * Reads options in the one form that yargs reads without guessing: long, their values behind `=`. Answers each one's value by
 * its name, read as its row says. Throws the usage error of a value that is none, and of options that exclude each other.
 */
export function readOptionWords(words: readonly string[], rows: readonly Option[]): Readonly<Record<string, unknown>> {
  const {
    _: _rest,
    $0: _script,
    ...values
  } = yargs([...words])
    .scriptName("spile")
    .help(false)
    .version(false)
    .detectLocale(false)
    .exitProcess(false)
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "greedy-arrays": false,
      "parse-numbers": false,
      "strip-aliased": true,
    })
    .updateStrings({ "Arguments %s and %s are mutually exclusive": "options --%s and --%s exclude each other" })
    .options(Object.fromEntries(rows.map((row) => [row.name, declared(row, rows)])))
    .fail((message: string, error: Error | undefined) => {
      throw error instanceof SpileError ? error : new SpileError("usage", error?.message ?? message);
    })
    .parseSync();
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== false));
}

function declared(row: Option, rows: readonly Option[]): YargsOptions {
  const { kind, excludes = [], describe, group } = row;
  const known = excludes.filter((name) => rows.some((other) => other.name === name));
  return {
    describe,
    group,
    conflicts: known,
    ...(kind === undefined ? { type: "boolean" } : { type: "string", coerce: reader(row) }),
  };
}

/**
 * Reads a value; of a repeatable option a list of all. yargs knows lists too, but would drop an empty value from them, and an
 * empty value is a variable that is not set: not what no option at all means.
 */
function reader({ name, kind, secret, repeatable }: Option): (given: string | string[]) => unknown {
  const read = (text: string): unknown => {
    const result = kind?.read(text);
    if (result !== undefined) return result;
    const shown = secret === true ? "what is given" : JSON.stringify(printable(text));
    throw new SpileError("usage", `option --${name}: ${shown} is not ${kind?.expected}`);
  };
  return (given) => (repeatable ? [given].flat().map(read) : read(given as string));
}
