import { counted } from "../../../core/counted.ts";
import { isObject, type Value } from "../../../core/value.ts";
import type { JobDraft } from "../../configuration-draft.ts";
import type { ReadAnswer } from "./answer.ts";
import { pathValue } from "./first-page.ts";
import type { RecordsPlace } from "./records-place.ts";

/** What a job says of how its records are read. */
export function readingOf(answer: ReadAnswer, place: RecordsPlace): JobDraft {
  if (answer.kind === "table") return { format: answer.format };
  if (answer.kind === "lines") return answer.unasked ? {} : { format: "ndjson" };
  return { dataField: dataFieldOf(place) };
}

function dataFieldOf({ path, map, each }: RecordsPlace): Value {
  const at = path.length === 0 ? { path: "." } : pathValue(path);
  if (map !== undefined) return { ...at, values: true, ...(map.key === undefined ? {} : { key: map.key }) };
  if (each) return { ...at, each: "node" };
  return at.delimiter === undefined ? at.path : at;
}

/** How many records there are, and where, for people. */
export function recordsText({ path, inner, each, map, records, list }: RecordsPlace, answer: ReadAnswer): string {
  const count = counted(records.length, "record");
  if (answer.kind === "table") return `${count}: the answer is ${tableName(answer.format)}, each row a record`;
  if (answer.kind === "lines") return `${count}, one a line`;
  if (!list) return "one record: the whole answer";
  const at = path.length === 0 ? "the answer" : `"${path.join(".")}"`;
  if (map !== undefined)
    return `${count}: the members of ${at}${map.key === undefined ? "" : `, their keys in the column "${map.key}"`}`;
  const where = path.length === 0 ? "the answer is a list" : `the list at ${at}`;
  if (each) return `${count}: the "node" of each element of ${at}`;
  return `${count}: ${where}${inner === undefined ? "" : `; what each is about is in its "${inner}"`}`;
}

function tableName(format: Value): string {
  if (!isObject(format)) return String(format).toUpperCase();
  return `${String(format.type).toUpperCase()} with ${JSON.stringify(format.delimiter)} between its fields`;
}
