import { SpileError } from "../core/errors.ts";
import { nearest } from "../core/text/nearest.ts";
import { printable } from "../core/text/printable.ts";
import { type CommandName, commandNamed, commandOf, commands, foreignCommand } from "./command-table.ts";
import { readWords } from "./option-reader.ts";
import { type Option, type Options, options, optionsOf, successors } from "./option-table.ts";

/** A parsed command line. */
export interface Invocation {
  readonly command: CommandName | "version" | "complete";
  /** Words that are not options. For `run`, `check`, `plan` and `preview`: the file of the configuration, or `-` for stdin. */
  readonly operands: readonly string[];
  readonly options: Options;
}

/** Error message if no configuration is given. */
const shortUsage = `usage: spile [options] <config.json>, or - to read it from stdin; try spile demo, or spile --help`;

/** The word with which the completion scripts call spile. The words of the command line follow it, the word to complete last. */
const completionRequest = "--complete";

/**
 * Reads the command line. `exists`: returns whether there is a file at a path. Throws a usage error (64) of one line that
 * names the option or the word.
 */
export function parseArguments(words: readonly string[], exists: (path: string) => boolean): Invocation {
  if (words[0] === completionRequest) return { command: "complete", operands: words.slice(1), options: {} };
  const foreign = foreignWords(words);
  const plain = normalise(words.slice(0, words.length - foreign.length));
  const first = firstOperand(plain);
  const namedCommand = commandNamed(first);
  const command = namedCommand ?? (isAddress(first) ? "get" : "run");
  const rows = rowsOf(plain, command);
  const { rest, options: read } = readWords(plain, rows);
  const values = asTap(read);
  if (values.help)
    return { command: "help", operands: namedCommand === undefined ? [] : [namedCommand], options: values };
  if (values.version) return { command: "version", operands: [], options: values };
  if (values.summary === "-" && values.split === undefined && (values.output ?? "-") === "-") {
    const message = "option --summary: stdout already takes the records; write them elsewhere with -o or --split";
    throw new SpileError("usage", message);
  }
  return {
    command,
    operands: [
      ...readOperands(command, operandsIn(namedCommand === undefined ? rest : rest.slice(1), values), exists),
      ...foreign,
    ],
    options: values,
  };
}

/** Adds `--singer` if `--config` is given, as for any Singer tap. Throws a usage error for `--catalog` without either of them. */
function asTap(values: Options): Options {
  if (values.config !== undefined) return { ...values, singer: true };
  if (values.catalog === undefined || values.singer) return values;
  throw new SpileError("usage", "option --catalog needs --singer, or the configuration as --config FILE");
}

/** Returns the operands. If `--config` names the configuration, there must be no others. */
function operandsIn(rest: readonly string[], { config }: Options): readonly string[] {
  if (config === undefined) return rest;
  if (rest.length === 0) return [config];
  throw new SpileError(
    "usage",
    `unexpected argument ${withoutValue(rest[0] ?? "")}: --config already names the configuration`,
  );
}

/** Returns the words of `spile init [options] curl ...` from `curl` on; none in any other command line. */
function foreignWords(words: readonly string[]): readonly string[] {
  const index = words.indexOf(foreignCommand);
  if (index < 0 || !words.slice(0, index).includes("init")) return [];
  return firstOperand(normalise(words.slice(0, index))) === "init" ? words.slice(index) : [];
}

function isAddress(word: string | undefined): boolean {
  return word !== undefined && /^https?:\/\//i.test(word);
}

/**
 * Rewrites words in the one form that yargs reads without guessing: long options with their values after `=`. Otherwise
 * yargs would lose `-o -`, read `-ofile` as four flags, keep the `=` of `-o=file` in the value, take the next option for a
 * missing value, and take a `true` after a flag for its value. Throws a usage error for an unknown option and for a flag
 * with a value.
 */
function normalise(words: readonly string[]): readonly string[] {
  const result: string[] = [];
  const remainingWords = [...words];
  for (let word = remainingWords.shift(); word !== undefined; word = remainingWords.shift()) {
    if (word === "--") return [...result, word, ...remainingWords];
    if (!word.startsWith("-") || word === "-") {
      result.push(word);
      continue;
    }
    const [optionText, name, inline, flags] = splitOption(word);
    const row = optionNamed(name, optionText);
    if (row.kind === undefined && inline !== undefined) {
      throw new SpileError("usage", `option --${row.name} takes no value`);
    }
    const value =
      row.kind === undefined ? "true" : (inline ?? (isOption(remainingWords[0]) ? undefined : remainingWords.shift()));
    result.push(`--${row.name}${value === undefined ? "" : `=${value}`}`);
    if (flags !== "") remainingWords.unshift(`-${flags}`);
  }
  return result;
}

/** Splits a word into the option as written, its name, a value in the same word, and the short flags that follow it. */
function splitOption(word: string): readonly [text: string, name: string, value: string | undefined, flags: string] {
  const [, dashes = "", name = "", rest = ""] = /^(--)([^=]*)(.*)$/s.exec(word) ?? /^(-)(.)(.*)$/su.exec(word) ?? [];
  const isFlag = dashes === "-" && options.some(({ alias, kind }) => alias === name && kind === undefined);
  const value = rest === "" ? undefined : rest.replace(/^=/, "");
  // `-o=` has no value, `--output=` an empty one.
  const inline = dashes === "-" && value === "" ? undefined : value;
  const hasFlags = isFlag && !rest.startsWith("=");
  return [`${dashes}${name}`, name, hasFlags ? undefined : inline, hasFlags ? rest : ""];
}

/** Returns whether a word begins an option. A negative number counts as a value, which gives a better error message. */
function isOption(word: string | undefined): boolean {
  return word !== undefined && /^-[^0-9.]/.test(word);
}

/**
 * Returns an option of any command by its long or short name. If several commands have an option of this name, any of them serves
 * here: it takes a value in all of them or in none.
 */
function optionNamed(name: string, optionText: string): Option {
  const isShort = !optionText.startsWith("--");
  const row = options.find((option) => (isShort ? option.alias : option.name) === name);
  if (row === undefined) throw unknownOption(optionText);
  return row;
}

function firstOperand(plain: readonly string[]): string | undefined {
  const index = plain.findIndex((word) => word === "-" || !word.startsWith("-"));
  const end = plain.indexOf("--");
  return end >= 0 && (index < 0 || end < index) ? plain[end + 1] : plain[index];
}

/** Returns each option that the normalised words contain. Throws a usage error if the command does not have one of them. */
function rowsOf(plain: readonly string[], command: CommandName): readonly Option[] {
  const end = plain.indexOf("--");
  const optionWords = plain.slice(0, end < 0 ? undefined : end).filter((word) => word.startsWith("--"));
  const names = new Set(optionWords.map((word) => word.slice(2).replace(/=.*/s, "")));
  return [...names].map((name) => rowOf(name, command));
}

function rowOf(name: string, command: CommandName): Option {
  // Every command takes --help and --version.
  const isUniversal = name === "help" || name === "version";
  const row = (isUniversal ? options : optionsOf(command)).find((option) => option.name === name);
  if (row !== undefined) return row;
  const [owner = "run", ...others] = options
    .filter((option) => option.name === name)
    .flatMap((option) => option.commands);
  const message =
    others.length === 0
      ? `belongs to spile ${owner}`
      : `is not an option of spile ${command}, see spile help ${command}`;
  throw new SpileError("usage", `option --${name} ${message}`);
}

function unknownOption(optionText: string): SpileError {
  const word = optionText.replace(/^-+/, "");
  const successor = successors.get(word);
  if (successor !== undefined) return new SpileError("usage", `option ${optionText} is now ${successor}`);
  const meant = nearest(
    word,
    options.map(({ name }) => name),
  );
  const suggestion = meant === undefined ? "see spile --help" : `did you mean --${meant}?`;
  return new SpileError("usage", `unknown option ${printable(optionText)}, ${suggestion}`);
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
    // For a command whose first operand is not a file, the message refers to the examples in its help.
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

/** Throws a usage error if a word that names no file is similar to a command, or is followed by other operands. */
function refuseMistypedCommand(word: string, hasMore: boolean): void {
  const meant = adviceFor(word);
  if (meant === undefined && !hasMore) return;
  throw new SpileError("usage", `unknown command ${withoutValue(word)}, ${meant ?? "see spile --help"}`);
}

/** Returns advice for a word that is not a command. */
function adviceFor(word: string): string | undefined {
  if (word === "run") return "to run a configuration, leave the command out: spile config.json";
  const names = commands.map(({ name }) => name).filter((name) => name !== "run");
  const meant = /^[a-z]+$/i.test(word) ? nearest(word, names) : undefined;
  return meant === undefined ? undefined : `did you mean spile ${meant}?`;
}

/** Returns a word in quotes, without a value after `=` or `:`, because this value may be a secret. */
function withoutValue(word: string): string {
  return JSON.stringify(printable(word.replace(/[=:].*/s, (rest) => `${rest[0]}...`)));
}
