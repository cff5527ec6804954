import { type CommandName, commandNamed, commandOf, commands, type Operand } from "../command-table.ts";
import { type Option, options, optionsOf } from "../option-table.ts";

/** A word that fits at the cursor, and its description. */
export type Candidate = readonly [value: string, describe: string];

/** The candidates at the cursor. Some may not begin with the word at the cursor; shells drop these. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The kind of path that also fits. The shell itself lists the paths. */
  readonly files: "none" | "file" | "folder";
  /** True if candidates are beginnings of words, so that the shell must not add a space. */
  readonly open?: boolean;
}

/** Sources of names in files or in the schema; called only when they are needed. */
export interface Names {
  /** Returns the names of a configuration's jobs; empty if it cannot be read. */
  jobs(file: string): Promise<readonly string[]>;
  settings(file: string): Promise<readonly string[]>;
  topics(): Promise<readonly Candidate[]>;
  /**
   * Returns the places of all fields with as many parts as `current`. If it has only one, adds the names of fields and the values of
   * `method` and `type`.
   */
  fields(current: string): Promise<readonly Candidate[]>;
}

const noCompletion: Completion = { candidates: [], files: "none" };

/** Completes the last of `words`, the words after `spile`. Mistakes in the words before it are ignored. */
export function complete(words: readonly string[], names: Names): Completion | Promise<Completion> {
  const current = words.at(-1) ?? "";
  const { command, operands, givenOptions, pending, takesOnlyOperands } = readBefore(words.slice(0, -1));
  const file = operands[0];
  if (pending !== undefined) return valuesOf(pending, file, names);
  const [, attachedTo = "", name = ""] = takesOnlyOperands ? [] : (/^(--([^=]+)=)/.exec(current) ?? []);
  const option = options.find((one) => one.name === name);
  if (option !== undefined) return withPrefix(attachedTo, valuesOf(option, file, names));
  if (!takesOnlyOperands && current.startsWith("-")) return optionNames(command ?? "run", givenOptions);
  if (command === undefined && file === undefined) {
    const words = commands.filter((one) => one.name !== "run").map((one) => [one.name, one.describe] as const);
    return { candidates: words, files: "file" };
  }
  return completeOperand(commandOf(command ?? "run").operands[operands.length], current, names);
}

/** The words before the word to complete. */
interface WordsBefore {
  readonly command: CommandName | undefined;
  readonly operands: readonly string[];
  readonly givenOptions: ReadonlySet<string>;
  /** The option whose value is to be completed. */
  readonly pending: Option | undefined;
  /** True if `--` is among the words. */
  readonly takesOnlyOperands: boolean;
}

function readBefore(words: readonly string[]): WordsBefore {
  let pending: Option | undefined;
  let takesOnlyOperands = false;
  const givenOptions = new Set<string>();
  const rest: string[] = [];
  for (const word of words) {
    if (pending !== undefined) pending = undefined;
    else if (takesOnlyOperands || !/^-./.test(word)) rest.push(word);
    else if (word === "--") takesOnlyOperands = true;
    else {
      const [, name] = /^--([^=]*)/.exec(word) ?? [];
      const option = options.find((one) => (name === undefined ? one.alias === word.at(-1) : one.name === name));
      if (option !== undefined) givenOptions.add(option.name);
      if (option?.kind !== undefined && !word.includes("=")) pending = option;
    }
  }
  const command = commandNamed(rest[0]);
  return { command, operands: command === undefined ? rest : rest.slice(1), givenOptions, pending, takesOnlyOperands };
}

function optionNames(command: CommandName, givenOptions: ReadonlySet<string>): Completion {
  const remainingOptions = optionsOf(command).filter(({ name, repeatable }) => repeatable || !givenOptions.has(name));
  return { candidates: remainingOptions.map(({ name, describe }) => [`--${name}`, describe] as const), files: "none" };
}

/** Beginnings of the words that name a source in a response or a place in a request. */
const beginnings = {
  source: [
    ["links[rel=next].href", "a value of the first list element whose rel is next"],
    ["header:", "a header of the response"],
    ["last:", "a path in the last record"],
  ],
  place: [
    ["path:", "a path in the body"],
    ["query:", "a path in the query, whatever the method"],
    ["header:", "a header of the request"],
    ["endpoint:", "{NAME} in the address"],
  ],
} as const satisfies Readonly<Record<string, readonly Candidate[]>>;

async function valuesOf({ kind }: Option, file: string | undefined, names: Names): Promise<Completion> {
  if (kind?.choices !== undefined) return { candidates: kind.choices.map((one) => [one, ""] as const), files: "none" };
  if (kind?.completes === "file" || kind?.completes === "folder") return { candidates: [], files: kind.completes };
  if (kind?.completes === "source" || kind?.completes === "place") {
    return { candidates: beginnings[kind.completes], files: "none", open: true };
  }
  if (file === undefined) return noCompletion;
  if (kind?.completes === "job") return { candidates: (await names.jobs(file)).map((one) => [one, ""]), files: "none" };
  if (kind?.completes === "setting") {
    return { candidates: (await names.settings(file)).map((one) => [`${one}=`, ""]), files: "none", open: true };
  }
  return noCompletion;
}

/** Adds `--option=` to candidates, for a word that begins with it. */
async function withPrefix(to: string, completion: Promise<Completion>): Promise<Completion> {
  const { candidates, ...rest } = await completion;
  return { candidates: candidates.map(([value, describe]) => [to + value, describe]), ...rest };
}

const shells: readonly Candidate[] = [
  ["bash", ""],
  ["zsh", ""],
  ["fish", ""],
];

async function completeOperand(row: Operand | undefined, current: string, names: Names): Promise<Completion> {
  if (row?.completes === "file") return { candidates: [], files: "file" };
  if (row?.completes === "shell") return { candidates: shells, files: "none" };
  if (row?.completes === "field") return { candidates: await names.fields(current), files: "none", open: true };
  if (row?.completes === "topic") return { candidates: await names.topics(), files: "none" };
  return noCompletion;
}
