import { SpileError } from "../core/errors.ts";
import { fieldName, fieldWith, type Remedies } from "../core/field-name.ts";
import { printable, shortText } from "../core/text/printable.ts";
import { quote } from "./json-bytes.ts";

/**
 * Fault of a response's data (contract C-7; exit 65): it is not JSON, is ambiguous, or exceeds a limit. The message names
 * the problem and its place in the document; callers add the address, status and content type.
 */
export class DataFault extends SpileError {
  /** Index in the decoded body, from 0, of the byte where the fault shows. */
  readonly offset: number | undefined;
  /** Present if the body has another format than the expected one. */
  readonly misread: Misread | undefined;

  constructor(message: string, offset?: number, misread?: Misread) {
    super("data", message);
    this.name = "DataFault";
    this.offset = offset;
    this.misread = misread;
  }
}

/** The format that was expected, and the first bytes of a body that has another format. */
export interface Misread {
  readonly format: "json" | "table" | "gzip" | "zip";
  readonly head: Buffer;
}

/** The body ends inside the JSON document: a transport fault if the HTTP message was cut, else broken data. */
export class IncompleteDocument extends DataFault {
  constructor(message: string, offset: number) {
    super(message, offset);
    this.name = "IncompleteDocument";
  }
}

/**
 * The body breaks off inside a record, or its compression breaks off or is damaged: a transport fault, even if the HTTP message is
 * whole.
 */
export class CutBody extends DataFault {
  constructor(message: string) {
    super(message);
    this.name = "CutBody";
  }
}

/** Returns a clause that shows the beginning of a body. `head`: its first bytes. `isCut`: true if more bytes follow. */
export function beginning(head: Buffer, isCut: boolean): string {
  const text = head.toString("utf8");
  // The last character is left out if `head` contains only a part of it.
  return `the body begins with "${printable(isCut ? `${text.replace(/(?<!\uFFFD)\uFFFD+$/, "")}...` : text)}"`;
}

/** Describes a byte for a message: `"x" at byte 17`. */
export function byteAt(byte: number | undefined, offset: number): string {
  const shownText =
    byte === undefined || byte < 0x20 || byte > 0x7e
      ? `byte 0x${(byte ?? 0).toString(16).padStart(2, "0")}`
      : JSON.stringify(String.fromCharCode(byte));
  return `${shownText} at byte ${offset}`;
}

/**
 * Maximum number of arrays of an ambiguous response, or of members of a zip, that a message names. For an ambiguous response,
 * callers collect one more name, which shows that there are others.
 */
export const maxNamed = 10;

/** Returns the fault for a response in which auto-detection found several arrays. */
export function ambiguous(names: readonly string[], remedies?: Remedies): DataFault {
  const list = names.slice(0, maxNamed).map(nameText).join(", ");
  const [number, others] = names.length > maxNamed ? ["many", " and others"] : [names.length, ""];
  const field = remedies === "options" ? fieldName("dataField", remedies) : '"dataField"';
  return new DataFault(
    `the response has ${number} arrays at its root, ${list}${others}: ${field} must say which of them holds the records`,
  );
}

/** Returns a key of a response for a message, cut if it is long. */
export function nameText(name: string): string {
  return JSON.stringify(shortText(name, 100));
}

/** Returns the fault for a response that is a scalar other than null. `first`: its first byte. */
export function onlyScalar(first: number, remedies?: Remedies): DataFault {
  return new DataFault(
    `the response is a single ${scalarKind(first)}, not an object or an array; with ${fieldWith("dataField", ".", remedies)} it is read as one record`,
  );
}

/** Returns the kind of a scalar other than null by its first byte. */
export function scalarKind(first: number | undefined): "string" | "boolean" | "number" {
  if (first === quote) return "string";
  return first === 0x74 || first === 0x66 ? "boolean" : "number";
}

export function tooDeep(levels: number): string {
  return `the response nests deeper than ${levels} levels; --max-depth allows more`;
}

export function tooLong(bytes: number): string {
  return `a record is longer than ${bytes} bytes; --max-record-bytes allows more`;
}
