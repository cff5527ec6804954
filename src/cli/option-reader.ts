import { SpileError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { printable } from "../core/printable.ts";
import type { CommandName } from "./command-table.ts";
import { type Option, type Options, options, optionsOf, successors } from "./option-table.ts";

/** An option as it stands on the command line. */
export interface GivenOption {
  readonly name: string;
  /** As the user wrote it. */
  readonly shown: string;
  readonly value: string | undefined;
}

/**
 * Reads the options of a command: each value as the option's row says, all values of one that may be repeated. Throws a
 * usage error of one line that names the option.
 */
export function readOptions(given: readonly GivenOption[], command: CommandName): Options {
  const values = new Map<Option, unknown[]>();
  for (const { name, shown, value } of given) {
    const row = rowOf(name, shown, command);
    // A flag twice says nothing new; a value twice leaves open which one is meant.
    if (row.kind !== undefined && row.repeatable !== true && values.has(row)) {
      throw new SpileError("usage", `option --${name} is given more than once`);
    }
    values.set(row, [...(values.get(row) ?? []), readValue(row, value)]);
  }
  refuseExclusive([...values.keys()]);
  const read = [...values].map(([{ key, repeatable }, all]) => [key, repeatable === true ? all : all[0]]);
  return Object.fromEntries(read) as Options;
}

function rowOf(name: string, shown: string, command: CommandName): Option {
  // Asking for help or the version is never out of place.
  const always = name === "help" || name === "version";
  const row = (always ? options : optionsOf(command)).find((option) => option.name === name);
  if (row !== undefined) return row;
  const owners = options.filter((option) => option.name === name).flatMap((option) => option.commands);
  if (owners.length === 0) throw unknown(shown);
  const [owner = "run", ...others] = owners;
  const message =
    others.length === 0 ? `belongs to spile ${owner}` : `is none of spile ${command}'s, see spile help ${command}`;
  throw new SpileError("usage", `option --${name} ${message}`);
}

function unknown(shown: string): SpileError {
  const word = shown.replace(/^-+/, "");
  const successor = successors.get(word);
  if (successor !== undefined) return new SpileError("usage", `option ${shown} is now ${successor}`);
  const meant = nearest(
    word,
    options.map(({ name }) => name),
  );
  const suggestion = meant === undefined ? "see spile --help" : `did you mean --${meant}?`;
  return new SpileError("usage", `unknown option ${printable(shown)}, ${suggestion}`);
}

/** True for a flag. An empty value is a variable that is not set: not what no option at all means. */
function readValue({ name, kind, secret }: Option, text: string | undefined): unknown {
  if (kind === undefined) {
    if (text === undefined) return true;
    throw new SpileError("usage", `option --${name} takes no value`);
  }
  if (text === undefined) throw new SpileError("usage", `option --${name} needs ${kind.expected}`);
  const value = kind.read(text);
  if (value !== undefined) return value;
  const shown = secret === true ? "what is given" : JSON.stringify(printable(text));
  throw new SpileError("usage", `option --${name}: ${shown} is not ${kind.expected}`);
}

function refuseExclusive(rows: readonly Option[]): void {
  for (const { name, excludes = [] } of rows) {
    const other = rows.find((row) => excludes.includes(row.name));
    if (other !== undefined) {
      throw new SpileError("usage", `options --${name} and --${other.name} exclude each other`);
    }
  }
}
