import { isNumber, isObject, type Value, valueText } from "../../../core/values/value.ts";

/** Relation of the records of a second page to those of the first. */
export type Comparison =
  | { readonly kind: "different"; readonly by: string }
  | { readonly kind: "same"; readonly by: string }
  | { readonly kind: "overlap"; readonly by: string; readonly count: number }
  | { readonly kind: "empty" };

/** A column of scalars, one a record; undefined if a record lacks it. */
interface Column {
  readonly name: string;
  readonly first: readonly (string | undefined)[];
  readonly second: readonly (string | undefined)[];
}

/** Names of what identifies a record, the surest first. */
const identifying = [
  /^_?(id|uuid|guid|oid)$/i,
  /^(.*[._])?(id|uuid|guid|key|sku|slug|sys_id|gid|iri|urn|arn|ean|isin|isbn|code|number|no|symbol)$/i,
  /[a-z](Id|ID|Uuid|Key|Code|Number)$/,
  /^(self|href|url|uri|link|email|login|username|name|title|label|@id)$/i,
];

/**
 * Compares the records of two pages by a column that identifies them, if there is one, and checks the result by the other columns:
 * a clock in each record, or ids made anew with each answer, make no other records.
 */
export function compareRecords(first: readonly Value[], second: readonly Value[]): Comparison {
  if (second.length === 0) return { kind: "empty" };
  const [groups, others] = [grouped(first), grouped(second)];
  if (groups !== undefined && others !== undefined) return compareRecords(groups, others);
  const columns = columnsOf(first, second);
  const repeated = columns.find(isRepeated);
  const id = idColumn(columns);
  if (id !== undefined) {
    const count = common(id);
    if (count === 0 && repeated !== undefined) return { kind: "same", by: repeated.name };
    if (count === 0) return { kind: "different", by: id.name };
    return count >= second.length ? { kind: "same", by: id.name } : { kind: "overlap", by: id.name, count };
  }
  // Without a name to go by, records that are numbered alike may be the same ones, looked at later.
  const doubtful = repeated ?? columns.find((column) => isUnique(column.first) && restarts(column));
  if (doubtful !== undefined) return { kind: "same", by: doubtful.name };
  const whole: Column = { name: "the whole record", first: first.map(valueText), second: second.map(valueText) };
  const count = common(whole);
  if (count === 0) return { kind: "different", by: whole.name };
  return count >= second.length ? { kind: "same", by: whole.name } : { kind: "overlap", by: whole.name, count };
}

/**
 * The records that elements without an id of their own hold in one list each, as groups: what is a group on one page may be
 * another one on the next. undefined: the elements are no such groups.
 */
export function grouped(elements: readonly Value[]): readonly Value[] | undefined {
  const lists = elements.map((element) => {
    if (Array.isArray(element)) return element.every(isObject) ? element : undefined;
    const values = isObject(element) ? Object.values(element) : [];
    const list = values.find((value) => Array.isArray(value) && value.length > 0 && value.every(isObject));
    const isGroup = values.every((value) => value === list || isObject(value)) || values.length === 1;
    return isGroup && Array.isArray(list) ? list : undefined;
  });
  return lists.length > 0 && lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

/** The name of the column that identifies records of a page; undefined if none does. */
export function idName(records: readonly Value[]): string | undefined {
  return idColumn(columnsOf(records, records))?.name;
}

/** The value of a column in a record, as it is compared. */
export function columnValue(record: Value, name: string): string | undefined {
  return scalars(record, "", 0).get(name);
}

function idColumn(columns: readonly Column[]): Column | undefined {
  const whole = columns.filter(({ first, second }) => isUnique(first) && isUnique(second));
  for (const [rank, pattern] of identifying.entries()) {
    // `number`, 1, 2, 3 on both pages: a record's place in its page. An `id` that starts over is the same record.
    const found = whole.find((column) => pattern.test(column.name) && (rank === 0 || !restarts(column)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether a column counts from the same number on both pages. */
function restarts({ first, second }: Column): boolean {
  return isCounting(first) && isCounting(second);
}

function isUnique(values: readonly (string | undefined)[]): boolean {
  return values.every((value) => value !== undefined && value !== "null") && new Set(values).size === values.length;
}

/** Returns whether most records have a distinct value in a column, and both pages have the same ones in the same order. */
function isRepeated({ first, second }: Column): boolean {
  const length = Math.min(first.length, second.length);
  const distinct = new Set(first.slice(0, length)).size;
  if (length < 3 || distinct < Math.max(3, length / 2) || first[0] === undefined) return false;
  if (isCounting(first.slice(0, length))) return false;
  return first.slice(0, length).every((value, index) => value === second[index]);
}

/** 0, 1, 2, ... or 1, 2, 3, ...: perhaps a record's place in its page. */
function isCounting(values: readonly (string | undefined)[]): boolean {
  return [0, 1].some((from) => values.every((value, index) => value === String(index + from)));
}

function common({ first, second }: Column): number {
  const known = new Set(first);
  return second.filter((value) => known.has(value)).length;
}

function columnsOf(first: readonly Value[], second: readonly Value[]): Column[] {
  const [a, b] = [first, second].map((records) => records.map((record) => scalars(record, "", 0)));
  const names = new Set((a ?? []).flatMap((row) => [...row.keys()]));
  return [...names].map((name) => ({
    name,
    first: (a ?? []).map((row) => row.get(name)),
    second: (b ?? []).map((row) => row.get(name)),
  }));
}

/** The scalars of a record by their dotted names, of inner objects too. A record that is a scalar is its own. */
function scalars(value: Value, name: string, depth: number): Map<string, string> {
  if (isObject(value)) {
    if (depth > 2) return new Map();
    return new Map(
      Object.entries(value).flatMap(([key, inner]) => [
        ...scalars(inner, name === "" ? key : `${name}.${key}`, depth + 1),
      ]),
    );
  }
  if (Array.isArray(value))
    return depth > 0 ? new Map() : new Map(value.slice(0, 20).map((inner, index) => [String(index), valueText(inner)]));
  return new Map([[name === "" ? "value" : name, isNumber(value) ? value.toString() : valueText(value)]]);
}
