import { isNumber, isObject, type Value, valueText } from "../../../core/values/value.ts";

/** Relation of the records of a second page to those of the first. `by`: the name of the column that shows it. */
export type Comparison =
  | { readonly kind: "different"; readonly by: string }
  | { readonly kind: "same"; readonly by: string }
  | { readonly kind: "overlap"; readonly by: string; readonly count: number }
  | { readonly kind: "empty" };

/** The values of one field in the records of both pages, as texts. A record without the field has undefined. */
interface Column {
  readonly name: string;
  readonly first: readonly (string | undefined)[];
  readonly second: readonly (string | undefined)[];
}

/** Names of fields that identify a record, the surest first. */
const idNames = [
  /^_?(id|uuid|guid|oid)$/i,
  /^(.*[._])?(id|uuid|guid|key|sku|slug|sys_id|gid|iri|urn|arn|ean|isin|isbn|code|number|no|symbol)$/i,
  /[a-z](Id|ID|Uuid|Key|Code|Number)$/,
  /^(self|href|url|uri|link|email|login|username|name|title|label|@id)$/i,
];

/**
 * Compares the records of two pages by a column that identifies them, if there is one, and checks the result with the other
 * columns. Records that get a new time or a new random id in each answer still count as the same.
 */
export function compareRecords(first: readonly Value[], second: readonly Value[]): Comparison {
  if (second.length === 0) return { kind: "empty" };
  const [firstInner, secondInner] = [innerRecords(first), innerRecords(second)];
  if (firstInner !== undefined && secondInner !== undefined) return compareRecords(firstInner, secondInner);
  const columns = columnsOf(first, second);
  const repeated = columns.filter(isRepeated);
  const id = idColumn(columns);
  if (id !== undefined) {
    const count = countCommon(id);
    // One column may repeat by chance every few pages. If only the ids are new in each answer, most other columns repeat.
    const isSame = count === 0 && repeated.length >= columns.filter(isRenewed).length;
    if (isSame && repeated[0] !== undefined) return { kind: "same", by: repeated[0].name };
    if (count === 0) return { kind: "different", by: id.name };
    return count >= second.length ? { kind: "same", by: id.name } : { kind: "overlap", by: id.name, count };
  }
  // If no column identifies records, a column that counts from 0 or 1 on both pages suggests that they hold the same records.
  const doubtful = repeated[0] ?? columns.find((column) => isUnique(column.first) && restarts(column));
  if (doubtful !== undefined) return { kind: "same", by: doubtful.name };
  const whole: Column = { name: "the whole record", first: first.map(valueText), second: second.map(valueText) };
  const count = countCommon(whole);
  if (count === 0) return { kind: "different", by: whole.name };
  return count >= second.length ? { kind: "same", by: whole.name } : { kind: "overlap", by: whole.name, count };
}

/**
 * Returns the inner records if the elements only group them: each element is a list of objects, or it has one and beside it no
 * texts or numbers. Undefined if the elements are records themselves.
 */
export function innerRecords(elements: readonly Value[]): readonly Value[] | undefined {
  const lists = elements.map((element) => {
    if (Array.isArray(element)) return element.every(isObject) ? element : undefined;
    const values = isObject(element) ? Object.values(element) : [];
    const list = values.find((value) => Array.isArray(value) && value.length > 0 && value.every(isObject));
    const isGroup = values.every((value) => value === list || isObject(value)) || values.length === 1;
    return isGroup && Array.isArray(list) ? list : undefined;
  });
  return lists.length > 0 && lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

/** Returns the name of the column that identifies the records of a page; undefined if none does. */
export function idName(records: readonly Value[]): string | undefined {
  return idColumn(columnsOf(records, records))?.name;
}

/** Returns the value of a column in a record, as a text for comparisons. */
export function columnValue(record: Value, name: string): string | undefined {
  return scalars(record).get(name);
}

function idColumn(columns: readonly Column[]): Column | undefined {
  const uniqueColumns = columns.filter(({ first, second }) => isUnique(first) && isUnique(second));
  for (const [rank, pattern] of idNames.entries()) {
    // A `number` that is 1, 2, 3 on both pages is only the position in the page. An `id` that starts over, however, shows that
    // the records are the same.
    const found = uniqueColumns.find((column) => pattern.test(column.name) && (rank === 0 || !restarts(column)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether a column counts from 0 or 1 on both pages. */
function restarts({ first, second }: Column): boolean {
  return isCounting(first) && isCounting(second);
}

function isUnique(values: readonly (string | undefined)[]): boolean {
  return values.every((value) => value !== undefined && value !== "null") && new Set(values).size === values.length;
}

/** Returns whether a column has a distinct value in most records, and both pages have the same values in the same order. */
function isRepeated({ first, second }: Column): boolean {
  const length = Math.min(first.length, second.length);
  const distinct = new Set(first.slice(0, length)).size;
  if (length < 3 || distinct < Math.max(3, length / 2) || first[0] === undefined) return false;
  if (isCounting(first.slice(0, length))) return false;
  return first.slice(0, length).every((value, index) => value === second[index]);
}

/** Returns whether a column has a distinct value in each record, and no value is on both pages. */
function isRenewed(column: Column): boolean {
  return isUnique(column.first) && isUnique(column.second) && countCommon(column) === 0;
}

/** Returns whether values are 0, 1, 2, ... or 1, 2, 3, ..., which may be the positions of records in their page. */
function isCounting(values: readonly (string | undefined)[]): boolean {
  return [0, 1].some((from) => values.every((value, index) => value === String(index + from)));
}

/** Returns how many values of the second page are on the first page, too. */
function countCommon({ first, second }: Column): number {
  const firstValues = new Set(first);
  return second.filter((value) => firstValues.has(value)).length;
}

function columnsOf(first: readonly Value[], second: readonly Value[]): Column[] {
  const a = first.map(scalars);
  const b = second === first ? a : second.map(scalars);
  const names = new Set(a.flatMap((row) => [...row.keys()]));
  return [...names].map((name) => ({
    name,
    first: a.map((row) => row.get(name)),
    second: b.map((row) => row.get(name)),
  }));
}

/**
 * Returns the scalars of a record and of its inner objects, by their dotted names. If the record is a scalar, its name is `value`;
 * if it is a list, the names are the first 20 indexes.
 */
function scalars(record: Value): Map<string, string> {
  const found = new Map<string, string>();
  const add = (value: Value, name: string, depth: number): void => {
    if (isObject(value)) {
      if (depth > 2) return;
      for (const [key, inner] of Object.entries(value)) add(inner, name === "" ? key : `${name}.${key}`, depth + 1);
    } else if (!Array.isArray(value)) {
      found.set(name === "" ? "value" : name, isNumber(value) ? value.toString() : valueText(value));
    } else if (depth === 0) {
      for (const [index, inner] of value.slice(0, 20).entries()) found.set(String(index), valueText(inner));
    }
  };
  add(record, "", 0);
  return found;
}
