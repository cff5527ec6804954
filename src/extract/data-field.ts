import type { Interest } from "./interest.ts";
import { openBrace, openBracket } from "./json-bytes.ts";
import type { Content } from "./scanner.ts";
import type { ElementSource } from "./selection.ts";

/**
 * The reader of a value: the parser (`text`), or the scanner. The scanner makes records of the elements of an array, of the
 * `members` of an object or of one value, or skips the value.
 */
export type ReadAs = "text" | Scanned;

type Scanned = ElementSource | "skipArray" | "skipValue";

/**
 * For each way of reading: the content to declare to the scanner, and the number of bytes of the value that were already read.
 */
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
  /** True if no data field is configured, so that the array of records is detected. */
  readonly detect: boolean;
  /** True if an array of records was detected already. */
  readonly detected: boolean;
  /** True if the records are the values of an object's members. */
  readonly values: boolean;
  /** True if other objects are read, too, to find the arrays in them. */
  readonly searching: boolean;
}

/** Bytes that end a container or separate its members. No value begins with them, so the parser decides about them. */
const notValues = new Set(Buffer.from("]},:"));

/** Returns the reader of a value that begins with `byte` (contract C-7). */
export function readingOf(byte: number, context: ValueContext): ReadAs {
  const { interest, depth } = context;
  if (notValues.has(byte)) return depth > 0 ? "text" : "skipValue";
  if (interest?.data === true) {
    if (byte === openBracket) return "records";
    return byte === openBrace && context.values ? "members" : "record";
  }
  if (byte === openBracket) {
    if (isCandidate(context)) return context.detected ? "skipArray" : "records";
    return interest?.indexed === true ? "text" : "skipArray";
  }
  if (byte === openBrace) {
    const isFollowed = depth === 0 || context.searching || (interest !== undefined && wantsObject(interest));
    return isFollowed ? "text" : "skipValue";
  }
  const needsEnvelope = interest?.watch !== undefined || interest?.evidence !== undefined;
  return needsEnvelope && depth > 0 ? "text" : "skipValue";
}

/** Returns whether the scanner makes records of the value. */
export function isElements(reading: ReadAs | "value" | "end"): reading is ElementSource {
  return reading === "records" || reading === "members" || reading === "record";
}

/** Returns whether an array in this place may be detected as the records: the root, or a property of the root. */
export function isCandidate({ detect, depth, inArray }: ValueContext): boolean {
  return detect && (depth === 0 || (depth === 1 && !inArray));
}

function wantsObject(interest: Interest): boolean {
  return interest.inner !== undefined || interest.zone !== undefined || interest.watch !== undefined;
}
