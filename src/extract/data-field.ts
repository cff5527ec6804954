import type { Interest } from "./interest.ts";
import type { Content } from "./scanner.ts";
import type { Elements } from "./selection.ts";

/**
 * The reader of a value: the parser, as `text`, or the scanner, which makes records of an array's elements, an object's
 * `members` or one value, or skips it.
 */
export type ReadAs = "text" | Scanned;

type Scanned = Elements | "skipArray" | "skipValue";

/** For each reading: what the scanner reads, and how many bytes of the value were read before it starts. */
export const contentOf: Readonly<Record<Scanned, { readonly content: Content; readonly opened: 0 | 1 }>> = {
  records: { content: "records", opened: 1 },
  members: { content: "members", opened: 1 },
  record: { content: "value", opened: 0 },
  skipArray: { content: "records", opened: 1 },
  skipValue: { content: "value", opened: 0 },
};

export interface ValueContext {
  readonly interest: Interest | undefined;
  /** Number of containers open around the value. */
  readonly depth: number;
  readonly inArray: boolean;
  /** No data field is configured: the array of records is found by its kind. */
  readonly detect: boolean;
  /** An array of records was already detected. */
  readonly detected: boolean;
  /** The records are the values of an object's members. */
  readonly values: boolean;
  /** Objects of no interest are followed, to find the arrays in them. */
  readonly searching: boolean;
}

const openBracket = 0x5b;
const openBrace = 0x7b;
/** Bytes that end a container or separate its members. They begin no value, so the parser reports them. */
const notValues = new Set(Buffer.from("]},:"));

/** Returns who reads a value that begins with `byte` (contract C-7). */
export function readingOf(byte: number, around: ValueContext): ReadAs {
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
  const needsEnvelope = interest?.watch !== undefined || interest?.evidence !== undefined;
  return needsEnvelope && depth > 0 ? "text" : "skipValue";
}

/** Whether the scanner makes records of the value. */
export function isElements(reading: ReadAs | "value" | "end"): reading is Elements {
  return reading === "records" || reading === "members" || reading === "record";
}

/** Whether auto-detection takes an array here for the records: the root, or a property of the root. */
export function isCandidate({ detect, depth, inArray }: ValueContext): boolean {
  return detect && (depth === 0 || (depth === 1 && !inArray));
}

function wantsObject(interest: Interest): boolean {
  return interest.inner !== undefined || interest.zone !== undefined || interest.watch !== undefined;
}
