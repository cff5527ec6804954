import { isLosslessNumber, type LosslessNumber } from "lossless-json";
import { numericValue } from "../../core/values/decimal.ts";
import { isEmpty as isEmptyValue } from "../../core/values/emptiness.ts";
import { scalarText, type Value } from "../../core/values/value.ts";

/**
 * An argument or result of a function: a JSON value, or raw bytes. PHP's strings are bytes, so a binary hash can go
 * through `base64_encode` although no JSON string could hold it.
 */
export type PhpOperand =
  | null
  | boolean
  | number
  | string
  | LosslessNumber
  | Buffer
  | readonly PhpOperand[]
  | { readonly [key: string]: PhpOperand };

/**
 * The fault of an argument with which a function cannot work. `subject` is the argument's text. It is separate from the message
 * because it may be secret.
 */
export class FunctionFault extends Error {
  readonly subject: string | undefined;

  constructor(reason: string, subject?: string) {
    super(reason);
    this.name = "FunctionFault";
    this.subject = subject;
  }
}

/**
 * The fault of a value without the part that a function looks for. It is a fault of the data, even if the value comes from the
 * configuration.
 */
export class MissingPart extends FunctionFault {}

/**
 * Returns the text of a scalar as PHP joins it (contract C-4.5). Numbers keep their digits. Throws FunctionFault for
 * lists, objects and raw bytes.
 */
export function textOf(operand: PhpOperand): string {
  if (Buffer.isBuffer(operand)) return decode(operand);
  if (isScalar(operand)) return scalarText(operand) ?? "";
  throw new FunctionFault(`takes texts and numbers, not ${Array.isArray(operand) ? "a list" : "an object"}`);
}

/** Returns the bytes of a scalar: its text in UTF-8. */
export function bytesOf(operand: PhpOperand): Buffer {
  return Buffer.isBuffer(operand) ? operand : Buffer.from(textOf(operand), "utf8");
}

/** Decodes bytes. Throws FunctionFault if they are not UTF-8, since nothing outside the functions could hold them. */
export function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FunctionFault("gives raw bytes that are not UTF-8 text; put base64_encode around it");
  }
}

/** Returns a text if the bytes are valid UTF-8, else the bytes: the result of a function on PHP's byte strings. */
export function textOrBytes(bytes: Buffer): PhpOperand {
  const text = bytes.toString("utf8");
  return bytes.equals(Buffer.from(text, "utf8")) ? text : bytes;
}

function isScalar(operand: PhpOperand): operand is null | boolean | number | string | LosslessNumber {
  return operand === null || typeof operand !== "object" || isLosslessNumber(operand);
}

/** Returns whether an operand is `empty` in PHP. Bytes are empty only if there are none. */
export function isEmpty(operand: PhpOperand): boolean {
  return Buffer.isBuffer(operand) ? operand.length === 0 : isEmptyValue(operand as Value);
}

/** Returns the truth of a flag such as the `binary` of hashes. */
export function isTrue(operand: PhpOperand | undefined): boolean {
  return operand !== undefined && !isEmpty(operand);
}

/** Returns the whole seconds of a time argument: a number or a numeric text, truncated to an integer; `now` if it is null or absent. */
export function secondsOf(operand: PhpOperand | undefined, now: number): number {
  if (operand === undefined || operand === null) return now;
  if (typeof operand === "boolean") return operand ? 1 : 0;
  const text = textOf(operand).trim();
  const seconds = numericValue(text) === undefined ? Number.NaN : Math.trunc(Number(text));
  if (Math.abs(seconds) <= 8.64e12) return seconds + 0;
  throw new FunctionFault("is not a Unix time (a number of seconds)", text);
}

/** Returns a whole number, of at most nine digits. */
export function integerOf(operand: PhpOperand): number {
  const text = textOf(operand).trim();
  if (/^[+-]?\d{1,9}$/.test(text)) return Number(text);
  throw new FunctionFault("is not a whole number", text);
}

/** Returns the digits after the point of a time argument that is a plain decimal number above 0, without trailing zeros. */
export function fractionOf(operand: PhpOperand | undefined): string {
  const text = operand === undefined || !isScalar(operand) ? "" : textOf(operand).trim();
  return /^\+?\d*\.(\d*[1-9])?0*$/.exec(text)?.[1] ?? "";
}
