import { isNumber, isObject, type Value, type ValueObject } from "../../../core/value.ts";

/** Records that are the members of an object. */
export interface RecordMap {
  /** The column that takes the members' keys; undefined where the records hold them anyway. */
  readonly key: string | undefined;
}

export interface FoundMap extends RecordMap {
  readonly path: readonly string[];
  readonly members: ValueObject;
}

const deepest = 4;

/** The object in a response whose members are plainly records: alike, and under keys that are ids. undefined: there is none. */
export function findMap(document: Value, path: readonly string[] = []): FoundMap | undefined {
  if (!isObject(document) || path.length > deepest) return undefined;
  const key = keyOfMap(document);
  if (key !== undefined) return { path, members: document, key: key === "" ? undefined : key };
  for (const [name, inner] of Object.entries(document)) {
    const found = findMap(inner, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A map's records, with their keys where the configuration gives them a column. */
export function membersOf(members: ValueObject, { key }: RecordMap): readonly Value[] {
  return Object.entries(members).map(([name, value]) =>
    key === undefined || !isObject(value) ? value : { ...value, [key]: name },
  );
}

/** The column for a map's keys, "" where its records hold them; undefined where it is no map of records. */
function keyOfMap(object: ValueObject): string | undefined {
  const entries = Object.entries(object);
  const records = entries.map(([, value]) => value).filter(isObject);
  if (entries.length < 2 || records.length < entries.length) return undefined;
  const shapes = records.map((record) => Object.keys(record).sort().join("\0"));
  if (shapes.some((shape) => shape !== shapes[0] || shape === "")) return undefined;
  const holds = entries.every(
    ([name, value]) => isObject(value) && Object.values(value).some((inner) => textOf(inner) === name),
  );
  const areIds = entries.every(([name]) => /^[0-9]+$|^-?[\w-]*[0-9][\w-]*$/.test(name));
  if (holds) return "";
  return areIds || entries.length >= 10 ? "key" : undefined;
}

function textOf(value: Value): string | undefined {
  return typeof value === "string" ? value : isNumber(value) ? value.toString() : undefined;
}
