import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { SpileError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { exactNumber, type Value } from "../core/value.ts";

/** No configuration needs more, and every walk over one stays far from the end of the stack. */
const deepest = 200;

/**
 * The JSON of a configuration file as a value with exact numbers (contract C-2.1). A byte order mark, CRLF and comments are
 * accepted. Throws SpileError("configuration") with `name:line:column` for broken JSON, trailing commas and duplicate keys.
 */
export function loadDocument(text: string, name: string): Value {
  const source = text.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  try {
    const tree = parseTree(source, errors, { allowTrailingComma: false });
    const [first] = errors;
    if (first !== undefined) throw fault(...explain(first, source));
    if (tree === undefined) throw fault(0, "the file is empty");
    return toValue(tree);
  } catch (error) {
    if (error instanceof RangeError) throw new SpileError("configuration", `${name}: nested too deeply to be read`);
    throw error;
  }

  function toValue(node: Node, depth = 0): Value {
    if (depth > deepest) throw fault(node.offset, `nested more than ${deepest} levels deep`);
    if (node.type === "object") return toObject(node, depth + 1);
    if (node.type === "array") return (node.children ?? []).map((item) => toValue(item, depth + 1));
    if (node.type === "number") return exactNumber(source.slice(node.offset, node.offset + node.length));
    return node.value as string | boolean | null;
  }

  function toObject(node: Node, depth: number): Value {
    const seen = new Map<string, number>();
    const entries = (node.children ?? []).map((property): [string, Value] => {
      const [key, value] = property.children ?? [];
      const label = String(key?.value);
      const earlier = seen.get(label);
      if (earlier !== undefined) {
        throw fault(
          property.offset,
          `the key ${quote(label)} is given twice (first at line ${position(source, earlier).line})`,
        );
      }
      seen.set(label, property.offset);
      return [label, value === undefined ? null : toValue(value, depth)];
    });
    // fromEntries makes `__proto__` a property like any other.
    return Object.fromEntries(entries);
  }

  function fault(offset: number, message: string): SpileError {
    const { line, column } = position(source, offset);
    return new SpileError("configuration", `${printable(name)}:${line}:${column}: ${message}`);
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

/** The offset to show and what is wrong there. */
function explain({ error, offset }: ParseError, source: string): [offset: number, message: string] {
  const before = source.slice(0, offset).trimEnd();
  if (before === "" && offset >= source.trimEnd().length) return [0, "the file is empty"];
  if (/[}\]]/.test(source[offset] ?? "") && before.endsWith(","))
    return [before.length - 1, "a trailing comma is not allowed"];
  return [offset, messages[printParseErrorCode(error)] ?? "not valid JSON"];
}

function position(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function quote(key: string): string {
  return JSON.stringify(printable(key));
}
