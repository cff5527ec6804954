import yargs, { type Argv } from "yargs";
import { SpileError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { nearest } from "../expression/nearest.ts";
import { normalize } from "./arguments.ts";
import { type CommandName, commands, type Options, options } from "./option-table.ts";

/** What the command line asks for. */
export interface Invocation {
  readonly command: "run" | CommandName | "help" | "version" | "complete";
  /** The configuration's file, `-` for stdin; for `run`, `check` and `plan` always there. */
  readonly config: string | undefined;
  readonly options: Options;
  /** The words to complete, for `complete`. */
  readonly words: readonly string[];
}

/** Shown where no configuration is given. */
const shortUsage = `usage: spile [options] <config.json>, or - to read it from stdin; try spile demo, or spile --help`;

/** The word with which the completion script asks, as yargs writes it. */
const completionRequest = "--get-yargs-completions";

/**
 * Reads the command line. `exists` tells whether a file is there. Throws a usage error (64) of one line that names the
 * option or the word.
 */
export function parseArguments(words: readonly string[], exists: (path: string) => boolean): Invocation {
  if (words[0] === completionRequest) {
    return { command: "complete", config: undefined, options: {}, words: words.slice(1) };
  }
  const { _: rest = [], ...given } = parser().parseSync(normalize(words));
  const values = readValues(given);
  const invocation = { options: values, words: [] };
  if (values.help) return { ...invocation, command: "help", config: undefined };
  if (values.version) return { ...invocation, command: "version", config: undefined };
  const { command, config } = readRest(rest.map(String), exists);
  for (const name of Object.keys(values)) {
    const owner = options.get(name)?.command;
    if (owner !== undefined && owner !== command) {
      throw new SpileError("usage", `option --${name} belongs to spile ${owner}`);
    }
  }
  exclude(values, "quiet", "verbose");
  exclude(values, "output", "split");
  return { ...invocation, command, config };
}

export async function completions(words: readonly string[]): Promise<readonly string[]> {
  return described().getCompletion(words);
}

/** Prints the completion script of the user's shell on stdout. */
export function printCompletionScript(): void {
  described().showCompletionScript();
}

function base(): Argv {
  return yargs()
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
      "parse-positional-numbers": false,
    });
}

function parser(): Argv {
  const names = [...options];
  return base()
    .boolean(names.filter(([, row]) => row.kind === undefined).map(([name]) => name))
    .string(names.filter(([, row]) => row.kind !== undefined).map(([name]) => name))
    .array(names.filter(([, row]) => row.repeatable).map(([name]) => name));
}

function described(): Argv {
  const instance = parser();
  for (const { usage, describe } of commands) instance.command(usage, describe);
  for (const [name, { alias, describe, kind }] of options) {
    instance.option(name, {
      describe,
      ...(alias === undefined ? {} : { alias }),
      ...(kind?.choices === undefined ? {} : { choices: kind.choices }),
    });
  }
  return instance;
}

function readValues(given: Readonly<Record<string, unknown>>): Options {
  const values: Record<string, unknown> = {};
  for (const [name, row] of options) {
    const value = given[name];
    if (value === undefined) continue;
    values[name] = Array.isArray(value) ? value.map((one) => readValue(name, String(one))) : readValue(name, value);
    if (row.kind === undefined && value !== true) delete values[name];
  }
  return values as Options;
}

function readValue(name: string, value: unknown): unknown {
  const kind = options.get(name)?.kind;
  if (kind === undefined) return value;
  const text = String(value);
  const result = kind.read(text);
  if (result !== undefined) return result;
  // What was meant for --set may be a secret.
  const shown = name === "set" ? "what is given" : JSON.stringify(printable(text));
  throw new SpileError("usage", `option --${name}: ${shown} is not ${kind.expected}`);
}

function readRest(
  rest: readonly string[],
  exists: (path: string) => boolean,
): { command: "run" | CommandName; config: string | undefined } {
  const [first, ...others] = rest;
  if (first === undefined) throw new SpileError("usage", shortUsage);
  const names = commands.map(({ name }) => name);
  const command = names.find((name) => name === first) ?? "run";
  const [config, surplus] = command === "run" ? [first, ...others] : others;
  if (command === "run" && first !== "-" && !exists(first)) {
    const meant = /^[a-z]+$/i.test(first) ? nearest(first, names) : undefined;
    const suggestion = meant === undefined ? "" : `, did you mean spile ${meant}?`;
    if (suggestion !== "" || others.length > 0) {
      throw new SpileError(
        "usage",
        `unknown command ${JSON.stringify(printable(first))}${suggestion || ", see spile --help"}`,
      );
    }
  }
  const wantsConfig = command === "run" || command === "check" || command === "plan";
  const unexpected = wantsConfig ? surplus : config;
  if (unexpected !== undefined) {
    throw new SpileError("usage", `unexpected argument ${JSON.stringify(printable(unexpected))}`);
  }
  if (wantsConfig && (config === undefined || config === "")) {
    throw new SpileError(
      "usage",
      `no configuration is given: spile ${command === "run" ? "" : `${command} `}config.json`,
    );
  }
  return { command, config };
}

function exclude(values: Options, one: keyof Options, other: keyof Options): void {
  if (values[one] !== undefined && values[other] !== undefined) {
    throw new SpileError("usage", `options --${one} and --${other} exclude each other`);
  }
}
