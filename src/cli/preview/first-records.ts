import { Writable } from "node:stream";
import { parseValue, type Value } from "../../core/values/value.ts";

/** Matches the beginning of a line of `--tag`, with the dataset's name as JSON. */
const tagged = /^\{"dataType":("(?:[^"\\]|\\.)*"),"record":/;

/** Creates a stream that reads tagged lines and keeps the first records of each dataset. `found`: these records by dataset. */
export function firstRecords(maxRecords: number): {
  readonly stream: Writable;
  readonly found: ReadonlyMap<string, readonly Value[]>;
} {
  const found = new Map<string, Value[]>();
  const stream = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      try {
        // Chunks consist of whole lines. After the first `maxRecords` records of a dataset, only the beginning of a line is read.
        for (let start = 0; start < chunk.length; ) {
          const end = chunk.indexOf(0x0a, start);
          keep(chunk.subarray(start, end < 0 ? chunk.length : end));
          start = end < 0 ? chunk.length : end + 1;
        }
        callback();
      } catch (error) {
        callback(error as Error);
      }
    },
  });
  return { stream, found };

  function keep(line: Buffer): void {
    const [, name] = tagged.exec(line.toString("utf8", 0, 4096)) ?? [];
    if (name === undefined) return;
    const dataset = String(JSON.parse(name));
    const records = found.get(dataset) ?? [];
    found.set(dataset, records);
    if (records.length >= maxRecords) return;
    const { record = null } = parseValue(line.toString("utf8")) as { readonly record?: Value };
    records.push(record);
  }
}
