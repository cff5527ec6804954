import { type JSONVisitor, printParseErrorCode, visit } from "jsonc-parser";
import { SpileError } from "../core/errors.ts";
import { printable } from "../core/text/printable.ts";
import { exactNumber, type Value } from "../core/values/value.ts";

/** Maximum number of levels of nesting. No real configuration has more, and recursive functions have enough stack for it. */
const maxDepth = 200;

/**
 * Reads the JSON of a configuration file as a value with exact numbers (contract C-2.1). A byte order mark, CRLF and comments are
 * accepted. Throws SpileError("configuration") for broken JSON, a trailing comma, a duplicate key, or too many levels of nesting.
 */
export function loadDocument(text: string, name: string): Value {
  const source = text.replace(/^\uFEFF/, "");
  const document = new DocumentBuilder(source);
  try {
    visit(source, document, { allowTrailingComma: false });
  } catch (error) {
    if (error instanceof RangeError)
      throw new SpileError("configuration", `${printable(name)}: nested too deeply to be read`);
    throw error;
  }
  const { fault, value } = document;
  if (fault === undefined && value !== undefined) return value;
  const { offset, message } = fault ?? { offset: 0, message: "the file is empty" };
  const { line, column } = position(source, offset);
  const yaml = isLikeYaml(source) ? "; this looks like YAML, and a configuration is JSON" : "";
  throw new SpileError("configuration", `${printable(name)}:${line}:${column}: ${message}${yaml}`);
}

/** Returns whether the first line with content looks like YAML: it begins with a key without quotes, or with `- `. */
function isLikeYaml(source: string): boolean {
  const first = source.split(/\r?\n/).find((line) => !/^\s*(#|---|%|$)/.test(line));
  return first !== undefined && /^\s*(- |[A-Za-z_][\w.-]*:(\s|$))/.test(first);
}

interface SyntaxFault {
  readonly offset: number;
  readonly message: string;
}

/** A list or an object whose closing bracket was not read yet. */
interface OpenValue {
  readonly items: Value[];
  /** The keys of an object, in the order of its items, with their offsets; undefined for a list. */
  readonly keys: Map<string, number> | undefined;
}

/** Builds the value while the text is read. A syntax tree would take twenty times as much memory. */
class DocumentBuilder implements JSONVisitor {
  /** Undefined until the first value has ended. */
  value: Value | undefined;
  readonly #source: string;
  readonly #open: OpenValue[] = [];
  #syntaxFault: SyntaxFault | undefined;
  #contentFault: SyntaxFault | undefined;

  constructor(source: string) {
    this.#source = source;
  }

  /** The fault to report. A fault of syntax takes precedence over a duplicate key and over too many levels. */
  get fault(): SyntaxFault | undefined {
    return this.#syntaxFault ?? this.#contentFault;
  }

  readonly onObjectBegin = (offset: number): void => this.#begin(offset, new Map());
  readonly onArrayBegin = (offset: number): void => this.#begin(offset, undefined);
  readonly onObjectEnd = (): void => this.#end();
  readonly onArrayEnd = (): void => this.#end();

  readonly onObjectProperty = (key: string, offset: number): void => {
    const { keys } = this.#open.at(-1) as OpenValue;
    const earlierOffset = keys?.get(key);
    if (earlierOffset !== undefined) {
      const { line } = position(this.#source, earlierOffset);
      this.#contentFault ??= { offset, message: `the key ${quote(key)} is given twice (first at line ${line})` };
    }
    keys?.set(key, offset);
  };

  readonly onLiteralValue = (value: unknown, offset: number, length: number): void => {
    this.#checkDepth(offset);
    // After a fault of syntax, the text of a number may be incomplete.
    const isNumber = typeof value === "number" && this.#syntaxFault === undefined;
    this.#add(isNumber ? exactNumber(this.#source.slice(offset, offset + length)) : (value as Value));
  };

  readonly onError = (error: number, offset: number): void => {
    this.#syntaxFault ??= explain(error, offset, this.#source);
  };

  #begin(offset: number, keys: OpenValue["keys"]): void {
    this.#checkDepth(offset);
    this.#open.push({ items: [], keys });
  }

  #end(): void {
    const { items, keys } = this.#open.pop() as OpenValue;
    // fromEntries makes `__proto__` a property like any other.
    this.#add(
      keys === undefined
        ? items
        : Object.fromEntries([...keys.keys()].map((key, index) => [key, items[index] ?? null])),
    );
  }

  #add(value: Value): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.value = value;
    else open.items.push(value);
  }

  #checkDepth(offset: number): void {
    if (this.#open.length <= maxDepth) return;
    this.#contentFault ??= { offset, message: `nested more than ${maxDepth} levels deep` };
  }
}

const messages: { readonly [code: string]: string } = {
  ColonExpected: "expected a colon after the key",
  CommaExpected: "expected a comma",
  CloseBraceExpected: 'expected a closing "}"',
  CloseBracketExpected: 'expected a closing "]"',
  EndOfFileExpected: "expected the end of the file after the closing bracket",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: 'a string is not closed with "',
  UnexpectedEndOfNumber: "a number is not complete",
  InvalidUnicode: "a \\u escape needs four hexadecimal digits",
  InvalidEscapeCharacter: "a backslash in a string begins an unknown escape (write \\\\ for a backslash)",
  InvalidCharacter: "a string holds a control character (write \\t, \\n or \\u00XX)",
  InvalidSymbol: "expected a value: a string or key in double quotes, a number, true, false, null, { or [",
  InvalidNumberFormat: "a number is not written as JSON writes numbers",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
};

/** Returns the offset to show for a fault of syntax, and a message. */
function explain(code: number, offset: number, source: string): SyntaxFault {
  const before = source.slice(0, offset).trimEnd();
  if (before === "" && offset >= source.trimEnd().length) return { offset: 0, message: "the file is empty" };
  if (/[}\]]/.test(source[offset] ?? "") && before.endsWith(","))
    return { offset: before.length - 1, message: "a trailing comma is not allowed" };
  return { offset, message: messages[printParseErrorCode(code)] ?? "not valid JSON" };
}

function position(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function quote(key: string): string {
  return JSON.stringify(printable(key));
}
