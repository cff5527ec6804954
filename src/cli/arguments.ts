import { SpileError } from "../core/errors.ts";
import { nearest } from "../expression/nearest.ts";
import { options } from "./option-table.ts";

const aliases = new Map([...options].flatMap(([name, { alias }]) => (alias === undefined ? [] : [[alias, name]])));

/**
 * The command line in the one form that yargs reads without guessing: every option long, its value behind `=`, the
 * rest after `--`. Left to itself, yargs 18 loses `-o -`, takes `--strict=maybe` for false, a missing value for an
 * empty one, `-ofile` for four flags and an unknown option for a good one. Throws usage errors naming the option.
 */
export function normalize(words: readonly string[]): string[] {
  const given: string[] = [];
  const rest: string[] = [];
  const seen = new Set<string>();
  const queue = [...words];

  /** `attached` is the value written in the same word, `shown` the option as the user wrote it. */
  function take(name: string, attached: string | undefined, shown: string): void {
    const row = options.get(name);
    if (row === undefined) throw unknown(shown);
    // A flag twice says nothing new; a value twice leaves open which one is meant.
    if (row.kind !== undefined && !row.repeatable && seen.has(name)) {
      throw new SpileError("usage", `option --${name} is given more than once`);
    }
    seen.add(name);
    if (row.kind === undefined) {
      if (attached !== undefined) throw new SpileError("usage", `option --${name} takes no value`);
      given.push(`--${name}`);
      return;
    }
    const value = attached ?? (isOption(queue[0]) ? undefined : queue.shift());
    if (value === undefined) throw new SpileError("usage", `option --${name} needs ${row.kind.expected}`);
    given.push(`--${name}=${value}`);
  }

  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--") rest.push(...queue.splice(0));
    else if (word.startsWith("--")) {
      const [, name = "", , value] = /^--([^=]*)(=(.*))?$/s.exec(word) ?? [];
      take(name, value, `--${name}`);
    } else if (word.startsWith("-") && word !== "-") takeShort(word.slice(1));
    else rest.push(word);
  }
  return [...given, "--", ...rest];

  /** `-v`, `-vq`, `-ofile`, `-o=file`, `-o file`. */
  function takeShort(letters: string): void {
    for (let index = 0; index < letters.length; index += 1) {
      const letter = letters.charAt(index);
      const name = aliases.get(letter);
      if (name === undefined) throw unknown(`-${letter}`);
      if (options.get(name)?.kind === undefined) {
        take(name, undefined, `-${letter}`);
        continue;
      }
      take(name, letters.slice(index + 1).replace(/^=/, "") || undefined, `-${letter}`);
      return;
    }
  }
}

/** Does the word begin an option? A negative number does not: as a value it gets its own error. */
function isOption(word: string | undefined): boolean {
  return word !== undefined && /^-[^0-9.]/.test(word);
}

function unknown(shown: string): SpileError {
  const meant = nearest(shown.replace(/^-+/, ""), options.keys());
  const suggestion = meant === undefined ? "see spile --help" : `did you mean --${meant}?`;
  return new SpileError("usage", `unknown option ${shown}, ${suggestion}`);
}
