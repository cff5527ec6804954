import { parseArgs } from "node:util";
import { SpileError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { printable } from "../core/printable.ts";
import { type CommandName, commandNamed, commandOf, commands, foreignCommand } from "./command-table.ts";
import { type GivenOption, readOptions } from "./option-reader.ts";
import { type Options, options } from "./option-table.ts";

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

/**
 * Reads the command line. `exists` tells whether a file is there. Throws a usage error (64) of one line that names the
 * option or the word.
 */
export function parseArguments(words: readonly string[], exists: (path: string) => boolean): Invocation {
  if (words[0] === completionRequest) return { command: "complete", operands: words.slice(1), options: {} };
  const foreign = foreignWords(words);
  const { given, rest } = split(words.slice(0, words.length - foreign.length));
  const named = commandNamed(rest[0]);
  const command = named ?? (isAddress(rest[0]) ? "get" : "run");
  const values = asTap(readOptions(given, command));
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

/** Options apart from the rest, each with its value where it has one. */
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
    const isFile = missing.completes === "file";
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
