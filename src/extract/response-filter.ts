import { DataFault } from "./fault.ts";
import { openBrace, openBracket } from "./json-bytes.ts";
import { type ByteRange, elements, findPath, isEmptyAt, spanText } from "./raw.ts";

/** Replaces chosen values of a record by strings of their JSON text. */
export type ResponseFilter = (record: Buffer) => Buffer;

interface Step {
  readonly name: string;
  /** True if the member is an array and the step means each of its elements. */
  readonly each: boolean;
}

/**
 * Compiles `responseFilter` (contract C-11.6). The value at each path is replaced by a string that holds its JSON text as it
 * came. A step that ends in `[]` means every element of an array; the filter throws DataFault if there is no array.
 * A missing or empty value (null, false, 0, "", "0", []) stays as it is, as in Generic Extractor.
 */
export function compileResponseFilter(paths: readonly string[], delimiter = "."): ResponseFilter {
  const filters = paths.map((path) => path.split(delimiter === "" ? "." : delimiter).map(stepOf));
  return (record) => filters.reduce(replaceTexts, record);
}

function stepOf(text: string): Step {
  return text.endsWith("[]") ? { name: text.slice(0, -2), each: true } : { name: text, each: false };
}

function replaceTexts(record: Buffer, steps: readonly Step[]): Buffer {
  const parts: Buffer[] = [];
  let done = 0;
  for (const span of chosen(record, 0, steps)) {
    parts.push(record.subarray(done, span.start), Buffer.from(JSON.stringify(spanText(record, span))));
    done = span.end;
  }
  return parts.length === 0 ? record : Buffer.concat([...parts, record.subarray(done)]);
}

function* chosen(record: Buffer, start: number, [step, ...rest]: readonly Step[]): Generator<ByteRange> {
  if (step === undefined || record[start] !== openBrace) return;
  const found = findPath(record, [step.name], start);
  if (found === undefined || isEmptyAt(record, found)) return;
  if (step.each && record[found.start] !== openBracket) {
    throw new DataFault(`"responseFilter" expects an array at "${step.name}[]", but a record has none there`);
  }
  for (const span of step.each ? elements(record, found.start) : [found]) {
    if (rest.length === 0) yield span;
    else yield* chosen(record, span.start, rest);
  }
}
