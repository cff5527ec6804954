import { parseArgs } from "node:util";
import { SpileError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { printable } from "../core/printable.ts";
import { type CommandName, commandNamed, commandOf, commands, foreignCommand } from "./command-table.ts";
import { type Option, type Options, options, optionsOf, successors } from "./option-table.ts";

/** What the command line asks for. */
export interface Invocation {
  readonly command: CommandName | "version" | "complete";
  /** What stands beside the options: for `run`, `check` and `plan` the configuration's file, `-` for stdin. */
  readonly operands: readonly string[];
  readonly options: Options;
}

/** Shown where no configuration is given. */
const shortUsage = `usage: spile [options] <config.json>, or - to read it from stdin; try spile demo, or spile --help`;

/** The word with which the completion scripts ask; behind it the words so far, the last one to be completed. */
const completionRequest = "--complete";

/** An option as it stands on the command line. */
interface GivenOption {
  readonly name: string;
  /** As the user wrote it. */
  readonly shown: string;
  readonly value: string | undefined;
}

/**
 * Reads the command line. `exists` tells whether a file is there. Rejects with a usage error (64) of one line that names
 * the option or the word.
 */
export async function parseArguments(words: readonly string[], exists: (path: string) => boolean): Promise<Invocation> {
  if (words[0] === completionRequest) return { command: "complete", operands: words.slice(1), options: {} };
  const foreign = foreignWords(words);
  const { given, rest } = split(words.slice(0, words.length - foreign.length));
  const named = commandNamed(rest[0]);
  const command = named ?? (isAddress(rest[0]) ? "get" : "run");
  const values = asTap(await readOptions(given, command));
  if (values.help) return { command: "help", operands: named === undefined ? [] : [named], options: values };
  if (values.version) return { command: "version", operands: [], options: values };
  if (values.summary === "-" && values.split === undefined && (values.output ?? "-") === "-") {
    const message = "option --summary: stdout is where the records go; give them another place by -o or --split";
    throw new SpileError("usage", message);
  }
  return {
    command,
    operands: [
      ...readOperands(command, operandsIn(named === undefined ? rest : rest.slice(1), values), exists),
      ...foreign,
    ],
    options: values,
  };
}

/** Called as a tap is, spile writes what a tap writes. */
function asTap(values: Options): Options {
  if (values.config !== undefined) return { ...values, singer: true };
  if (values.catalog === undefined || values.singer) return values;
  throw new SpileError("usage", "option --catalog needs --singer, or --config FILE in the place of FILE");
}

/** The configuration may stand behind `--config`, as a tap is given it. */
function operandsIn(rest: readonly string[], { config }: Options): readonly string[] {
  if (config === undefined) return rest;
  if (rest.length === 0) return [config];
  throw new SpileError("usage", `unexpected argument ${withoutValue(rest[0] ?? "")}: --config names the configuration`);
}

/** The words of `spile init [options] curl ...` from `curl` on; none in any other command line. */
function foreignWords(words: readonly string[]): readonly string[] {
  const at = words.indexOf(foreignCommand);
  if (at < 0 || !words.slice(0, at).includes("init")) return [];
  return split(words.slice(0, at)).rest[0] === "init" ? words.slice(at) : [];
}

function isAddress(word: string | undefined): boolean {
  return word !== undefined && /^https?:\/\//i.test(word);
}

/**
 * Options apart from the rest, each with its value: yargs by itself loses `-o -`, takes `-ofile` for four flags, a missing
 * value for an empty one and an unknown option for a good one, so the words are cut here and read there.
 */
function split(words: readonly string[]): { readonly given: readonly GivenOption[]; readonly rest: readonly string[] } {
  const known = Object.fromEntries(
    options.map(({ name, kind, alias }) => [
      name,
      {
        type: kind === undefined ? ("boolean" as const) : ("string" as const),
        ...(alias === undefined ? {} : { short: alias }),
      },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...words],
    options: known,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: GivenOption[] = [];
  const rest: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") rest.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName: shown, inlineValue } = token;
    // `-o=file` is a habit.
    const value = inlineValue && !shown.startsWith("--") ? token.value?.replace(/^=/, "") || undefined : token.value;
    given.push({ name, shown, value: !inlineValue && isOption(value) ? undefined : value });
  }
  return { given, rest };
}

/** Does the word begin an option? A negative number does not: as a value it gets its own error. */
function isOption(word: string | undefined): boolean {
  return word !== undefined && /^-[^0-9.]/.test(word);
}

async function readOptions(given: readonly GivenOption[], command: CommandName): Promise<Options> {
  const words: string[] = [];
  const rows = new Map<string, Option>();
  for (const { name, shown, value } of given) {
    const row = rowOf(name, shown, command);
    // A flag twice says nothing new; a value twice leaves open which one is meant.
    if (row.kind !== undefined && row.repeatable !== true && rows.has(name)) {
      throw new SpileError("usage", `option --${name} is given more than once`);
    }
    rows.set(name, row);
    words.push(wordOf(row, value));
  }
  // Flags alone leave nothing to read, and what reads the others takes a sixth of a start.
  const isPlain = ({ kind, excludes = [] }: Option): boolean =>
    kind === undefined && !excludes.some((name) => rows.has(name));
  if ([...rows.values()].every(isPlain)) {
    return Object.fromEntries([...rows.values()].map(({ key }) => [key, true])) as Options;
  }
  const { readOptionWords } = await import("./option-reader.ts");
  const values = Object.entries(readOptionWords(words, [...rows.values()]));
  return Object.fromEntries(values.map(([name, value]) => [rows.get(name)?.key ?? name, value])) as Options;
}

/** An option in the one form that leaves nothing to guess. */
function wordOf({ name, kind }: Option, value: string | undefined): string {
  if (kind === undefined) {
    if (value !== undefined) throw new SpileError("usage", `option --${name} takes no value`);
    return `--${name}`;
  }
  if (value === undefined) throw new SpileError("usage", `option --${name} needs ${kind.expected}`);
  return `--${name}=${value}`;
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

function readOperands(
  command: CommandName,
  rest: readonly string[],
  exists: (path: string) => boolean,
): readonly string[] {
  const [first] = rest;
  if (command === "run") {
    if (first === undefined) throw new SpileError("usage", shortUsage);
    if (first !== "-" && !exists(first)) refuseMistypedCommand(first, rest.length > 1);
  }
  const { operands } = commandOf(command);
  const missing = operands.find(({ required }, index) => required && (rest[index] ?? "") === "");
  if (missing !== undefined) {
    // A command that wants another word first has an example in its help.
    const isFile = missing.completes === "file" && missing === operands[0];
    const example = isFile ? `spile ${command === "run" ? "" : `${command} `}config.json` : `see spile help ${command}`;
    throw new SpileError(
      "usage",
      `${isFile ? "no configuration is given" : `${missing.placeholder} is missing`}: ${example}`,
    );
  }
  const surplus = rest[operands.length];
  if (surplus !== undefined) {
    throw new SpileError("usage", `unexpected argument ${withoutValue(surplus)}`);
  }
  return rest;
}

function refuseMistypedCommand(word: string, hasMore: boolean): void {
  const meant = meantBy(word);
  if (meant === undefined && !hasMore) return;
  throw new SpileError("usage", `unknown command ${withoutValue(word)}, ${meant ?? "see spile --help"}`);
}

/** What may be meant by a word that is no command. */
function meantBy(word: string): string | undefined {
  if (word === "run") return "a configuration is run without one: spile config.json";
  const names = commands.map(({ name }) => name).filter((name) => name !== "run");
  const meant = /^[a-z]+$/i.test(word) ? nearest(word, names) : undefined;
  return meant === undefined ? undefined : `did you mean spile ${meant}?`;
}

/** A word for a message: what was meant as a setting may be a secret. */
function withoutValue(word: string): string {
  return JSON.stringify(printable(word.replace(/[=:].*/s, (rest) => `${rest[0]}...`)));
}
