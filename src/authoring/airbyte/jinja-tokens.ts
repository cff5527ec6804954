import { beginningOf } from "../../core/text/printable.ts";

/** Thrown for a template that uses a part of Jinja that this parser does not know. */
export class JinjaFault extends Error {}

const token =
  /\s*(?:([0-9][0-9_]*(?:\.[0-9]+)?)|([A-Za-z_]\w*)|("(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')|(==|!=|<=|>=|\/\/|\*\*|[-+*/%~<>|.,:()[\]{}=]))/y;

export interface JinjaToken {
  readonly type: "number" | "word" | "text" | "sign" | "end";
  readonly text: string;
}

/** Maximum number of characters of an expression. To match a text of millions of characters would exceed the stack. */
const maxLength = 1_000_000;

/** Splits an expression into its tokens. Throws `JinjaFault`. */
export function tokens(source: string): readonly JinjaToken[] {
  if (source.length > maxLength) throw new JinjaFault(`it has more than ${maxLength} characters`);
  const found: JinjaToken[] = [];
  const pattern = new RegExp(token.source, "y");
  const text = source.trim();
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex;
    const [, number, word, string, sign] = pattern.exec(text) ?? [];
    if (number !== undefined) found.push({ type: "number", text: number.replaceAll("_", "") });
    else if (word !== undefined) found.push({ type: "word", text: word });
    else if (string !== undefined) found.push({ type: "text", text: unescaped(string.slice(1, -1)) });
    else if (sign !== undefined) found.push({ type: "sign", text: sign });
    else throw new JinjaFault(`"${beginningOf(text.slice(start), 20)}" is not understood`);
  }
  return found;
}

function unescaped(text: string): string {
  return text.replace(
    /\\([\s\S])/g,
    (whole, letter: string) => ({ n: "\n", t: "\t", "\\": "\\", "'": "'", '"': '"' })[letter] ?? whole,
  );
}
