import { isUtf8 } from "node:buffer";
import { SpileError } from "../../core/errors.ts";

/** The words of one command, as a shell would pass them to the program. */
export interface ShellCommand {
  readonly words: readonly string[];
  /** Names of the variables that the command uses, by their values. */
  readonly variables: ReadonlyMap<string, string>;
  /** Text after the command: a pipe, a redirection, another command; "" for none. */
  readonly rest: string;
}

/** Signs that end a command outside quotes. */
const operator = /^(?:\|\|?|&&?|;|[0-9]?>>?&?|<<?<?|\))/;

/**
 * Splits the text of a command as bash does: single and double quotes, `$'...'`, backslashes, continued lines, comments,
 * variables. Stops at a pipe, a redirection or the next command. Throws usage errors for what only a shell can do (`$(...)`,
 * backquotes), for a quote that is not closed, and for a variable that is not set.
 */
export function shellWords(text: string, environment: Readonly<Record<string, string | undefined>>): ShellCommand {
  return new ShellReader(text, environment).command();
}

class ShellReader {
  readonly #text: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #words: string[] = [];
  readonly #variables = new Map<string, string>();
  #word: string | undefined;
  #index = 0;

  constructor(text: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#text = text;
    this.#environment = environment;
  }

  command(): ShellCommand {
    let isOpen = true;
    while (isOpen && this.#index < this.#text.length) isOpen = this.#step(this.#text.charAt(this.#index));
    this.#close();
    return { words: this.#words, variables: this.#variables, rest: this.#rest().trim() };
  }

  /** Reads the next part of the text outside quotes. Returns false at the end of the command. */
  #step(character: string): boolean {
    if (/\s/.test(character)) {
      this.#close();
      if (character === "\n" && this.#words.length > 0) return false;
      this.#index += 1;
    } else if (character === "#" && this.#word === undefined) {
      this.#index += (/^[^\n]*/.exec(this.#rest()) ?? [""])[0].length;
    } else if (character === "\\") this.#backslash();
    else if (character === "'") this.#singleQuoted();
    else if (character === '"') this.#doubleQuoted(1);
    else if (character === "$") this.#dollar(true);
    else if (character === "`") throw onlyShell(character);
    else if (operator.test(this.#rest()) && !(this.#word !== undefined && /^[0-9]/.test(character))) return false;
    else this.#add(character, 1);
    return true;
  }

  #rest(): string {
    return this.#text.slice(this.#index);
  }

  /** Adds `piece` to the word, and moves past the `length` characters of the text that were read for it. */
  #add(piece: string, length: number): void {
    this.#word = (this.#word ?? "") + piece;
    this.#index += length;
  }

  #close(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
  }

  #backslash(): void {
    const [continued] = /^\\\r?\n/.exec(this.#rest()) ?? [];
    if (continued === undefined) this.#add(this.#text.charAt(this.#index + 1), 2);
    else this.#index += continued.length;
  }

  #singleQuoted(): void {
    const end = this.#text.indexOf("'", this.#index + 1);
    if (end < 0) throw notClosed("'");
    this.#add(this.#text.slice(this.#index + 1, end), end + 1 - this.#index);
  }

  /** `opening`: the number of characters that open the quotes. */
  #doubleQuoted(opening: number): void {
    this.#add("", opening);
    for (;;) {
      const [plain = ""] = /^[^"\\$`]*/.exec(this.#rest()) ?? [];
      this.#add(plain, plain.length);
      const next = this.#text[this.#index];
      if (next === undefined) throw notClosed('"');
      if (next === "`") throw onlyShell(next);
      if (next === '"') break;
      if (next === "$") this.#dollar(false);
      else {
        const escaped = this.#text[this.#index + 1] ?? "";
        // Inside double quotes, a backslash is literal unless one of these characters follows it.
        this.#add(escaped === "\n" ? "" : /["\\$`]/.test(escaped) ? escaped : `\\${escaped}`, 2);
      }
    }
    this.#index += 1;
  }

  /** Reads a variable; outside quotes also `$'...'` and `$"..."`. */
  #dollar(isBare: boolean): void {
    const quote = isBare ? this.#text[this.#index + 1] : undefined;
    if (quote === "'") {
      const { value, length } = ansiC(this.#text.slice(this.#index + 2));
      this.#add(value, 2 + length);
    } else if (quote === '"') this.#doubleQuoted(2);
    else this.#variable();
  }

  #variable(): void {
    const [whole, braced, plain] = /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/.exec(this.#rest()) ?? [];
    const name = braced ?? plain;
    if (whole === undefined || name === undefined) {
      if (/^\$[({]/.test(this.#rest())) throw onlyShell(this.#rest().slice(0, 2));
      this.#add("$", 1);
      return;
    }
    const value = this.#environment[name];
    if (value === undefined)
      throw new SpileError("usage", `the command uses the variable ${name}, which is not set: export it first`);
    if (value !== "") this.#variables.set(value, name);
    this.#add(value, whole.length);
  }
}

const escapes: Readonly<Record<string, string>> = {
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

/**
 * Reads `text`, which begins after `$'`. Returns the value, and the number of characters up to and including the closing quote.
 * Adjacent `\xNN` are decoded as bytes of UTF-8, as bash does. If they are not valid UTF-8, each is a character up to U+00FF, as
 * browsers write it.
 */
function ansiC(text: string): { readonly value: string; readonly length: number } {
  let value = "";
  let bytes: number[] = [];
  const add = (piece: string): void => {
    value += bytesText(bytes) + piece;
    bytes = [];
  };
  const sequence = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/suy;
  const plain = /[^'\\]+/y;
  for (let index = 0; index < text.length; ) {
    if (text[index] === "'") {
      add("");
      if (!/\p{Surrogate}/u.test(value)) return { value, length: index + 1 };
      throw new SpileError("usage", "the command holds half a character (\\uD800 to \\uDFFF without its other half)");
    }
    sequence.lastIndex = index;
    const found = sequence.exec(text);
    if (found === null) {
      plain.lastIndex = index;
      const [run = text.charAt(index)] = plain.exec(text) ?? [];
      add(run);
      index += run.length;
      continue;
    }
    const [whole, hex, short, long, octal, control, letter] = found;
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (control !== undefined) add(String.fromCharCode(control.charCodeAt(0) & 0x1f));
    else if (letter !== undefined) add(escapes[letter] ?? (/["'\\?]/.test(letter) ? letter : `\\${letter}`));
    else {
      const code = Number.parseInt(short ?? long ?? "0", 16);
      if (code > 0x10ffff) throw new SpileError("usage", "the command holds a character beyond \\U0010ffff");
      add(String.fromCodePoint(code));
    }
    index += whole.length;
  }
  throw notClosed("'");
}

function bytesText(bytes: readonly number[]): string {
  const buffer = Buffer.from(bytes);
  return isUtf8(buffer) ? buffer.toString("utf8") : buffer.toString("latin1");
}

function notClosed(quote: string): SpileError {
  return new SpileError("usage", `the command has a quote ${quote} that is not closed`);
}

function onlyShell(text: string): SpileError {
  return new SpileError(
    "usage",
    `the command holds ${text}, which only a shell can run: put spile init before the command in a shell, or replace that part by its result`,
  );
}
