import type { Fault } from "../../core/errors.ts";
import { type Path, parsePath, pathText, pointerTo } from "../../core/values/path.ts";
import { type Selection, stepsText } from "../../extract/selection.ts";
import type { Job } from "../../generated/configuration.ts";

/** The place of a job's records in a response. */
export interface RecordsAt {
  /** Path of the records; undefined to detect them. */
  readonly dataField: Path | undefined;
  /** Rule that selects the records at the data field; undefined for the usual rule (contract C-7.2). */
  readonly selection: Selection | undefined;
  /** Description for people; empty if the place is usual. */
  readonly words: readonly string[];
}

/** Reads the data field of a job. If it is "" or absent, the records are detected; "." is the whole response (contract C-7.1). */
export function recordsAt({ dataField: field }: Pick<Job, "dataField">): RecordsAt {
  if (field === undefined || field === null || field === "") return plain(undefined);
  if (typeof field === "string") return plain(parsePath(field));
  const { path, delimiter, values = false, key, each } = field;
  const dataField = parsePath(path, delimiter);
  if (!values && each === undefined) return plain(dataField);
  const selection = { values, key, each: eachOf(each, delimiter) };
  return { dataField, selection, words: [wordsOf(dataField, selection)] };
}

/**
 * Returns the paths of `each`. A text is one path. A list of steps is split at every `*`, which means each element of a list
 * (contract C-26.1).
 */
function eachOf(
  each: string | readonly string[] | undefined,
  delimiter: string | undefined,
): readonly Path[] | undefined {
  if (each === undefined) return undefined;
  if (typeof each === "string") return [parsePath(each, delimiter)];
  const paths: string[][] = [[]];
  for (const step of each) {
    if (step === everyElement) paths.push([]);
    else paths.at(-1)?.push(step);
  }
  return paths;
}

const everyElement = "*";

/** Returns the fault of a `key` without a map: only members of a map have keys. */
export function dataFieldFaults({ dataField: field }: Pick<Job, "dataField">, pointer: string): Fault[] {
  if (typeof field !== "object" || field?.key === undefined || field.values === true) return [];
  const message = 'needs "values": true, because only the members of a map have keys';
  return [{ pointer: pointerTo(pointer, "dataField", "key"), message }];
}

/** Returns the warning about a `*` in a path: there, it does not mean every element, but the name of a member (contract C-26.1). */
export function dataFieldWarnings({ dataField: field }: Pick<Job, "dataField">, pointer: string): Fault[] {
  if (field === undefined || field === null) return [];
  const { path, delimiter, each = "" } = typeof field === "string" ? { path: field, delimiter: undefined } : field;
  // The path may be missing while all faults of a configuration are collected.
  if (typeof each !== "string" || typeof path !== "string") return [];
  const [outer, inner] = [parsePath(path, delimiter), each === "" ? [] : parsePath(each, delimiter)];
  const first = outer.indexOf(everyElement);
  if (first < 0 && !inner.includes(everyElement)) return [];
  const [list, steps] = first < 0 ? [outer, inner] : [outer.slice(0, first), [...outer.slice(first + 1), ...inner]];
  const remedy =
    steps.length === 0
      ? `without it, the elements of the list at ${JSON.stringify(pathText(list) || ".")} are the records`
      : `{"path": ${JSON.stringify(pathText(list) || ".")}, "each": ${stepsText(steps)}} takes every element of a list`;
  return [{ pointer: pointerTo(pointer, "dataField"), message: `"*" is read as the name of a member; ${remedy}` }];
}

function plain(dataField: Path | undefined): RecordsAt {
  return { dataField, selection: undefined, words: [] };
}

function wordsOf(dataField: Path, { values, key, each }: Selection): string {
  const element = `each ${values ? "value" : "element"} of "${pathText(dataField) || "."}"`;
  const record = (each ?? []).reduce((whole, path, index, { length }) => {
    const part = path.length === 0 ? whole : `"${pathText(path)}" of ${whole}`;
    return index + 1 < length ? `each element of ${part}` : part;
  }, element);
  return `a record is ${record}${key === undefined ? "" : `, with its key in "${key}"`}`;
}
