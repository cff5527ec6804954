import { isUtf8 } from "node:buffer";
import type { Path } from "../../src/core/values/path.ts";
import { type DocumentOptions, DocumentReader, type DocumentSummary } from "../../src/extract/document.ts";
import { withoutStacks } from "./without-stacks.ts";

/*
 * A second way to read a document: JSON.parse decides whether it is valid, and a plain recursive reader of its characters keeps
 * the text of each value.
 */
export interface Node {
  readonly kind: "object" | "array" | "scalar";
  /** The text as written, without white space outside strings. */
  readonly text: string;
  /** Members in order. Those of an array have their indexes as names. */
  readonly members: readonly (readonly [name: string, value: Node])[];
}

export function isJson(text: string): boolean {
  try {
    withoutStacks(() => JSON.parse(text));
    return true;
  } catch {
    return false;
  }
}

/** Removes white space outside strings. */
export function compact(text: string): string {
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, "$1");
}

/** Reads a valid document. */
export function readNode(text: string): Node {
  const tokens = compact(text).match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^[\]{}:,"]+/g) ?? [];
  let at = 0;
  function value(): Node {
    const token = tokens[at++] ?? "";
    if (token !== "[" && token !== "{") return { kind: "scalar", text: token, members: [] };
    const close = token === "[" ? "]" : "}";
    const members: [string, Node][] = [];
    let own = token;
    while (tokens[at] !== close) {
      if (tokens[at] === ",") own += tokens[at++];
      let name = String(members.length);
      if (token === "{") {
        const key = tokens[at++] ?? "";
        at += 1;
        own += `${key}:`;
        name = JSON.parse(key);
      }
      const member = value();
      own += member.text;
      members.push([name, member]);
    }
    at += 1;
    return { kind: token === "[" ? "array" : "object", text: own + close, members };
  }
  return value();
}

/** Returns the node at a path. If keys are equal, the last one counts. */
export function nodeAt(node: Node, path: Path): Node | undefined {
  let current: Node | undefined = node;
  for (const step of path) current = current?.members.findLast(([name]) => name === step)?.[1];
  return current;
}

/** Returns the lines that the specification requires for the value at the data field. */
export function expectedLines(node: Node | undefined): string {
  if (node === undefined) return "";
  if (node.kind === "array") return node.members.map(([, { text }]) => `${text}\n`).join("");
  // The digits decide whether a number is zero: 1e-999 is not.
  return /^(null|false|""|-?[0.]+([eE].*)?)$/.test(node.text) ? "" : `${node.text}\n`;
}

export interface Outcome {
  readonly lines: string;
  readonly summary: DocumentSummary;
}

/** Runs a reader over pieces. Checks that the lines are whole and valid UTF-8. Throws the errors of the reader. */
export function readPieces(
  pieces: readonly Buffer[],
  options: Partial<DocumentOptions> & Pick<DocumentOptions, "dataField">,
): Outcome {
  const buffers: Buffer[] = [];
  let counted = 0;
  const reader = new DocumentReader({
    watch: [],
    evidence: false,
    ...options,
    lines(bytes, records) {
      if (bytes.at(-1) !== 10) throw new Error("a line came in parts");
      if (!isUtf8(bytes)) throw new Error("a line is not UTF-8");
      buffers.push(bytes);
      counted += records;
    },
  });
  try {
    for (const piece of pieces) reader.write(piece);
    const summary = reader.end();
    const lines = Buffer.concat(buffers).toString("utf8");
    if (counted !== summary.records || counted !== lines.split("\n").length - 1)
      throw new Error("records are miscounted");
    return { lines, summary };
  } finally {
    reader.close();
  }
}
