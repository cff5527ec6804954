import type { Fault } from "../../core/errors.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { FormatOptions, Job } from "../../generated/configuration.ts";
import { formatOf, isDelimited } from "./format.ts";

/** Options that only CSV and TSV have. */
const rowOptions: readonly (keyof FormatOptions)[] = ["delimiter", "quote", "escape", "header", "skipLines", "comment"];

/**
 * Returns the faults of a job's format that the schema cannot find (contract C-19): options that contradict each other or the
 * type. `pointer`: the job's JSON pointer.
 */
export function formatFaults({ format, dataField }: Pick<Job, "format" | "dataField">, pointer: string): Fault[] {
  if (format === undefined) return [];
  const options = formatOf(format, undefined);
  const { type, header, compression, member, quote = '"' } = options;
  const formatPointer = pointerTo(pointer, "format");
  const faults: Fault[] = [];
  if (isDelimited(type) && dataField !== undefined && dataField !== null) {
    faults.push({
      pointer: pointerTo(pointer, "dataField"),
      message: `the records of a ${type} are its rows: leave "dataField" out`,
    });
  }
  if (!isDelimited(type)) {
    const stray = rowOptions.filter((name) => options[name] !== undefined);
    faults.push(
      ...stray.map((name) => ({
        pointer: pointerTo(formatPointer, name),
        message: `is an option of csv and tsv, not of ${type}`,
      })),
    );
  }
  if ((header as unknown) === false) {
    faults.push({
      pointer: pointerTo(formatPointer, "header"),
      message: "must be true or a list of names, since each record needs its keys",
    });
  }
  const names = Array.isArray(header) ? header : [];
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) === index) continue;
    const message = `there is another column ${JSON.stringify(name)} before it`;
    faults.push({ pointer: pointerTo(formatPointer, "header", index), message });
  }
  if (options.escape !== undefined && options.escape === quote) {
    faults.push({
      pointer: pointerTo(formatPointer, "escape"),
      message: 'is the same text as "quote": leave "escape" out, since a doubled quote needs no escape',
    });
  }
  if (member !== undefined && (compression === "gzip" || compression === "none")) {
    faults.push({
      pointer: pointerTo(formatPointer, "member"),
      message: `only a zip has members, and "compression" is "${compression}"`,
    });
  }
  return faults;
}
