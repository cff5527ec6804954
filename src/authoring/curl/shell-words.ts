import { SpileError } from "../../core/errors.ts";

/** The words of one command, as a shell would hand them over. */
export interface ShellCommand {
  readonly words: readonly string[];
  /** Values that came from variables, and the variables' names. */
  readonly variables: ReadonlyMap<string, string>;
  /** What stands behind the command: a pipe, a redirection, another command. "" where nothing does. */
  readonly rest: string;
}

/** What ends a command outside quotes. */
const operator = /^(?:\|\|?|&&?|;|[0-9]?>>?&?|<<?<?|\))/;

/**
 * Splits the text of a command as bash does: single and double quotes, `$'...'`, backslashes, continued lines, comments,
 * variables. It ends at a pipe, a redirection or the next command. Throws usage errors for what only a shell can do (`$(...)`,
 * backquotes), for a quote that is not closed, and for a variable that is not set.
 */
export function shellWords(text: string, environment: Readonly<Record<string, string | undefined>>): ShellCommand {
  const words: string[] = [];
  const variables = new Map<string, string>();
  let word: string | undefined;
  let at = 0;
  const add = (piece: string): void => {
    word = (word ?? "") + piece;
  };
  const close = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const rest = (): string => text.slice(at);

  const singleQuoted = (): void => {
    const end = text.indexOf("'", at);
    if (end < 0) throw notClosed("'");
    add(text.slice(at, end));
    at = end + 1;
  };
  const dollar = (): void => {
    const [whole, braced, plain] = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/.exec(rest()) ?? [];
    const name = braced ?? plain;
    if (whole === undefined || name === undefined) {
      if (/^\$[({]/.test(rest())) throw onlyShell(text.slice(at, at + 2));
      add("$");
      at += 1;
      return;
    }
    const value = environment[name];
    if (value === undefined)
      throw new SpileError("usage", `the command uses the variable ${name}, which is not set: export it first`);
    if (value !== "") variables.set(value, name);
    add(value);
    at += whole.length;
  };
  const doubleQuoted = (): void => {
    add("");
    for (;;) {
      const [plain = ""] = /^[^"\\$`]*/.exec(rest()) ?? [];
      add(plain);
      at += plain.length;
      const next = text[at];
      if (next === undefined) throw notClosed('"');
      if (next === "`") throw onlyShell(next);
      if (next === "$") dollar();
      else if (next === '"') break;
      else {
        const escaped = text[at + 1] ?? "";
        // Inside double quotes a backslash stands for itself, but before these.
        add(escaped === "\n" ? "" : /["\\$`]/.test(escaped) ? escaped : `\\${escaped}`);
        at += 2;
      }
    }
    at += 1;
  };

  while (at < text.length) {
    const character = text.charAt(at);
    if (/\s/.test(character)) {
      close();
      if (character === "\n" && words.length > 0) break;
      at += 1;
    } else if (character === "#" && word === undefined) {
      at += (/^[^\n]*/.exec(rest()) ?? [""])[0].length;
    } else if (character === "\\") {
      const [continued] = /^\\\r?\n/.exec(rest()) ?? [];
      if (continued === undefined) add(text.charAt(at + 1));
      at += continued?.length ?? 2;
    } else if (character === "'") {
      at += 1;
      singleQuoted();
    } else if (character === '"') {
      at += 1;
      doubleQuoted();
    } else if (text.startsWith("$'", at)) {
      at += 2;
      const { value, length } = ansiC(rest());
      add(value);
      at += length;
    } else if (text.startsWith('$"', at)) {
      at += 2;
      doubleQuoted();
    } else if (character === "$") dollar();
    else if (character === "`") throw onlyShell(character);
    else if (operator.test(rest()) && !(word !== undefined && /^[0-9]/.test(character))) break;
    else {
      add(character);
      at += 1;
    }
  }
  close();
  return { words, variables, rest: rest().trim() };
}

const letters: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  E: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The text of `$'...'`, and the length of what was read of it with its closing quote. */
function ansiC(text: string): { readonly value: string; readonly length: number } {
  const bytes: Buffer[] = [];
  const sequence = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/suy;
  for (let at = 0; at < text.length; ) {
    if (text[at] === "'") return { value: Buffer.concat(bytes).toString("utf8"), length: at + 1 };
    sequence.lastIndex = at;
    const found = sequence.exec(text);
    if (found === null) {
      const [plain = ""] = /^[^'\\]+/.exec(text.slice(at)) ?? [];
      bytes.push(Buffer.from(plain === "" ? text.charAt(at) : plain));
      at += plain.length || 1;
      continue;
    }
    const [whole, hex, short, long, octal, control, letter] = found;
    if (hex !== undefined) bytes.push(Buffer.from([Number.parseInt(hex, 16)]));
    else if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]));
    else if (control !== undefined) bytes.push(Buffer.from([control.charCodeAt(0) & 0x1f]));
    else if (letter !== undefined)
      bytes.push(Buffer.from(letters[letter] ?? (/["'\\?]/.test(letter) ? letter : `\\${letter}`)));
    else bytes.push(Buffer.from(String.fromCodePoint(Math.min(Number.parseInt(short ?? long ?? "0", 16), 0x10ffff))));
    at += whole.length;
  }
  throw notClosed("'");
}

function notClosed(quote: string): SpileError {
  return new SpileError("usage", `the command has a quote ${quote} that is not closed`);
}

function onlyShell(text: string): SpileError {
  return new SpileError(
    "usage",
    `the command holds ${text}, which only a shell can run: put spile init before the command instead, or write its result there`,
  );
}
