import type { Interest } from "./interest.ts";
import { openBrace, openBracket } from "./json-bytes.ts";
import type { Content } from "./scanner.ts";
import type { ElementSource } from "./selection.ts";

/**
 * The way in which a value is read: by the parser (`text`), or by the scanner. The scanner makes records of the elements of an
 * array, of the `members` of an object or of one value, or it skips the value.
 */
export type ValueReading = "text" | ScannerReading;

type ScannerReading = ElementSource | "skipArray" | "skipValue";

/**
 * For each way in which the scanner reads: the content to declare to it, and the number of bytes that it does not get (the opening
 * bracket).
 */
export const contentOf: Readonly<Record<ScannerReading, { readonly content: Content; readonly opened: 0 | 1 }>> = {
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
  readonly isInArray: boolean;
  /** True if no data field is configured, so that the array of records is detected. */
  readonly isDetecting: boolean;
  /** True if an array here cannot be the records: another one was detected already, or this is a list of errors. */
  readonly isExcluded: boolean;
  /** True if the records are the values of an object's members. */
  readonly hasValues: boolean;
  /** True if objects outside of the data field are read, too, to find an array that a message can name. */
  readonly isSearching: boolean;
}

/** Bytes that end a container or separate its members. No value begins with them: they end an empty list, or are a fault. */
const notValues = new Set(Buffer.from("]},:"));

/** Returns the way in which a value that begins with `byte` is read (contract C-7). */
export function readingOf(byte: number, context: ValueContext): ValueReading {
  const { interest, depth } = context;
  if (notValues.has(byte)) return depth > 0 ? "text" : "skipValue";
  if (interest?.data === true) {
    if (byte === openBracket) return "records";
    return byte === openBrace && context.hasValues ? "members" : "record";
  }
  if (byte === openBracket) {
    if (isCandidate(context)) return context.isExcluded ? "skipArray" : "records";
    return interest?.indexed === true ? "text" : "skipArray";
  }
  if (byte === openBrace) {
    const isFollowed = depth === 0 || context.isSearching || (interest !== undefined && wantsObject(interest));
    return isFollowed ? "text" : "skipValue";
  }
  const needsEnvelope = interest?.watch !== undefined || interest?.evidence !== undefined;
  return needsEnvelope && depth > 0 ? "text" : "skipValue";
}

/** Returns whether the scanner makes records of a value that is read in this way. */
export function makesRecords(reading: ValueReading | "value" | "end"): reading is ElementSource {
  return reading === "records" || reading === "members" || reading === "record";
}

/** Returns whether an array in this place may be detected as the records: at the root, or in a property of the root. */
export function isCandidate({ isDetecting, depth, isInArray }: ValueContext): boolean {
  return isDetecting && (depth === 0 || (depth === 1 && !isInArray));
}

function wantsObject(interest: Interest): boolean {
  return interest.inner !== undefined || interest.zone !== undefined || interest.watch !== undefined;
}
