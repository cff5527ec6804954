import type { Interest } from "./interest.ts";
import type { Content } from "./scanner.ts";
import type { Elements } from "./selection.ts";

/**
 * Who reads a value of the response: the parser, as `text`; or the scanner, which makes records of an array's elements, an
 * object's `members` or one value, or skips it.
 */
export type ReadAs = "text" | Scanned;

type Scanned = Elements | "skipArray" | "skipValue";

/** What the scanner is to read, and how many bytes of it are read before. */
export const contentOf: Readonly<Record<Scanned, { readonly content: Content; readonly opened: 0 | 1 }>> = {
  records: { content: "records", opened: 1 },
  members: { content: "members", opened: 1 },
  record: { content: "value", opened: 0 },
  skipArray: { content: "records", opened: 1 },
  skipValue: { content: "value", opened: 0 },
};

export interface ValueSurroundings {
  readonly interest: Interest | undefined;
  /** Containers open around the value. */
  readonly depth: number;
  readonly inArray: boolean;
  /** No data field is configured: the array is found by its kind. */
  readonly detect: boolean;
  /** Has an array of records been detected already? */
  readonly detected: boolean;
  /** Are the records the values of an object's members? */
  readonly values: boolean;
  /** Are objects of no interest to be followed, for the arrays in them? */
  readonly searching: boolean;
}

const openBracket = 0x5b;
const openBrace = 0x7b;
/** Bytes that end a container or part its members: not a value, so the parser must judge. */
const notValues = new Set(Buffer.from("]},:"));

/** What becomes of a value that begins with `byte` (contract C-7). */
export function readingOf(byte: number, around: ValueSurroundings): ReadAs {
  const { interest, depth } = around;
  if (notValues.has(byte)) return depth > 0 ? "text" : "skipValue";
  if (interest?.data === true) {
    if (byte === openBracket) return "records";
    return byte === openBrace && around.values ? "members" : "record";
  }
  if (byte === openBracket) {
    if (isCandidate(around)) return around.detected ? "skipArray" : "records";
    return interest?.indexed === true ? "text" : "skipArray";
  }
  if (byte === openBrace) {
    const followed = depth === 0 || around.searching || (interest !== undefined && wantsObject(interest));
    return followed ? "text" : "skipValue";
  }
  const wanted = interest?.watch !== undefined || interest?.evidence !== undefined;
  return wanted && depth > 0 ? "text" : "skipValue";
}

/** Does the scanner make records of it? */
export function isElements(reading: ReadAs | "value" | "end"): reading is Elements {
  return reading === "records" || reading === "members" || reading === "record";
}

/** May an array here be the records, by auto-detection: the root, or a property of the root? */
export function isCandidate({ detect, depth, inArray }: ValueSurroundings): boolean {
  return detect && (depth === 0 || (depth === 1 && !inArray));
}

function wantsObject(interest: Interest): boolean {
  return interest.inner !== undefined || interest.zone !== undefined || interest.watch !== undefined;
}
