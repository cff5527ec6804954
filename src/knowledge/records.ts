import { isNumber, isObject, type Value, type ValueObject } from "../core/values/value.ts";
import { plainName } from "./words.ts";

/** Records that are the members of an object. */
export interface RecordMap {
  /** Name of the column for the members' keys; undefined if the records contain their keys. */
  readonly key: string | undefined;
}

export interface FoundMap extends RecordMap {
  readonly path: readonly string[];
  readonly members: ValueObject;
}

const deepestMap = 4;

/** Finds the first object in a response whose members are records. Undefined if there is none. */
function findMap(document: Value, path: readonly string[] = []): FoundMap | undefined {
  if (!isObject(document) || path.length > deepestMap) return undefined;
  const key = keyOfMap(document);
  if (key !== undefined) return { path, members: document, key: key === "" ? undefined : key };
  for (const [name, inner] of Object.entries(document)) {
    const found = findMap(inner, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the records of a map, each with its key if there is a column for it. */
export function membersOf(members: ValueObject, { key }: RecordMap): readonly Value[] {
  return Object.entries(members).map(([name, value]) =>
    key === undefined || !isObject(value) ? value : { ...value, [key]: name },
  );
}

/**
 * Returns the column for a map's keys, or "" if its records contain their keys. Undefined if the object is not a map of records:
 * all its members must be objects with the same fields, and if the records do not contain their keys, the keys must look like
 * ids, or there must be at least 10.
 */
function keyOfMap(object: ValueObject): string | undefined {
  const entries = Object.entries(object);
  const records = entries.map(([, value]) => value).filter(isObject);
  if (entries.length < 2 || records.length < entries.length) return undefined;
  const shapes = records.map((record) => Object.keys(record).sort().join("\0"));
  if (shapes.some((shape) => shape !== shapes[0] || shape === "")) return undefined;
  const holds = entries.every(
    ([name, value]) => isObject(value) && Object.values(value).some((inner) => textOf(inner) === name),
  );
  const areIds = entries.every(([name]) => /^[\w-]+$/.test(name) && /[0-9]/.test(name));
  if (holds) return "";
  return areIds || entries.length >= 10 ? "key" : undefined;
}

function textOf(value: Value): string | undefined {
  return typeof value === "string" ? value : isNumber(value) ? value.toString() : undefined;
}

/** Place of the records in a response. */
export interface RecordsPlace {
  /** Keys from the root; empty if the response itself holds the records. */
  readonly path: readonly string[];
  /** `node` if each element contains the record in this member (Relay); else undefined. */
  readonly inner: string | undefined;
  /** True if the elements contain only `inner`, or `inner` and a cursor. The inner object is then the record. */
  readonly each: boolean;
  /** The steps from an element to the records, if each element contains nothing but a list of them: `["items", "*"]`. */
  readonly group?: readonly string[] | undefined;
  /** Present if the records are the members of an object. */
  readonly map: RecordMap | undefined;
  readonly records: readonly Value[];
  /** True if there are several records, in a list or a map. Otherwise the response is one record. */
  readonly list: boolean;
  /** Dotted paths of other lists that contain objects, or as many elements as there are records. */
  readonly others: readonly string[];
}

/** Usual names of lists of records. */
const usual = [
  "data",
  "items",
  "results",
  "records",
  "value",
  "values",
  "entries",
  "list",
  "rows",
  "hits",
  "objects",
  "content",
  "edges",
  "nodes",
  "elements",
  "documents",
  "docs",
  "resources",
  "members",
  "entry",
  "features",
  "result",
  "response",
];

/** Usual names of lists beside the records. */
const listsBeside = new Set([
  "errors",
  "error",
  "warnings",
  "link",
  "links",
  "facets",
  "included",
  "aggregations",
  "fields",
  "columns",
  "sort",
  "filters",
  "messages",
  "schema",
  "notes",
]);

const maxDepth = 5;

interface List {
  readonly path: readonly string[];
  readonly elements: readonly Value[];
}

/** Finds the records in a response. `hint`: the name of the endpoint, which the list may have, too. */
export function findRecords(document: Value, hint: string | undefined): RecordsPlace {
  if (Array.isArray(document) && !isEnvelope(document)) return placeOf({ path: [], elements: document }, []);
  const lists = listsIn(document, [], hint);
  const ranked = [...lists].sort((a, b) => score(b, hint) - score(a, hint));
  const [best] = ranked;
  const found = best?.elements.some(isObject) ? undefined : findMap(document);
  if (found !== undefined) {
    const { path, members } = found;
    return {
      path,
      inner: undefined,
      each: false,
      map: found,
      records: membersOf(members, found),
      list: true,
      others: [],
    };
  }
  if (best !== undefined) {
    // A list of scalars counts if it may be a column: it is as long as the chosen list.
    const { length } = best.elements;
    const others = ranked
      .slice(1)
      .filter(({ elements }) => elements.some(isObject) || (length > 1 && elements.length === length));
    return placeOf(
      best,
      others.map(({ path }) => path.join(".")),
    );
  }
  const name = emptyListOf(document, hint);
  if (name !== undefined) return placeOf({ path: [name], elements: [] }, []);
  return { path: [], inner: undefined, each: false, map: undefined, records: [document], list: false, others: [] };
}

/** Members that records have, but answers around a list of records do not. */
const recordNames = ["id", "_id", "uuid", "guid", "key", "name"];

/**
 * Finds a list of records that is empty, for which some APIs write null. Returns its name; undefined if the response is a record. A
 * record may contain null under a singular name such as `value` or `content`, so only `data`, plurals and `hint` count.
 */
function emptyListOf(document: Value, hint: string | undefined): string | undefined {
  if (!isObject(document) || recordNames.some((name) => (document[name] ?? null) !== null)) return undefined;
  const names = Object.keys(document).filter((name) => document[name] === null);
  return (
    names.find((name) => hint !== undefined && plainName(name) === plainName(hint)) ??
    names.find((name) => usual.includes(plainName(name)) && /^data$|s$/.test(plainName(name)))
  );
}

/** Returns whether a list is the envelope of the records: `[{"total": 61}, [...]]` (World Bank). */
function isEnvelope(document: readonly Value[]): boolean {
  const lists = document.filter((one) => Array.isArray(one) && one.every(isObject));
  return document.length > 1 && document.length <= 5 && lists.length > 0 && document.some(isObject);
}

/**
 * Returns the path of the list that most likely contains the records. The lists come from an API description, so their elements
 * are not known.
 */
export function chooseList(
  lists: readonly { readonly path: readonly string[]; readonly objects: boolean }[],
  hint: string | undefined,
): readonly string[] | undefined {
  const candidates = lists
    .filter(({ path }) => path.length > 1 || !listsBeside.has(plainName(path[0] ?? "")))
    .map(({ path, objects }) => ({ path, elements: objects ? [{}] : [""] }));
  return candidates.sort((a, b) => score(b, hint) - score(a, hint))[0]?.path;
}

function placeOf({ path, elements }: List, others: readonly string[]): RecordsPlace {
  const wrapped = elements.length > 0 && elements.every((one) => isObject(one) && isObject(one.node ?? null));
  const each = wrapped && elements.every((one) => Object.keys(one ?? {}).every((name) => /^(node|cursor)$/.test(name)));
  const group = groupOf(elements);
  return {
    path,
    inner: wrapped ? "node" : undefined,
    each,
    group,
    map: undefined,
    records: elements,
    list: true,
    others,
  };
}

/** Returns the steps from an element to the objects in its list; undefined if elements contain anything but one list of objects. */
function groupOf(elements: readonly Value[]): readonly string[] | undefined {
  const [first] = elements;
  const [name] = isObject(first) ? Object.keys(first) : [];
  const steps = Array.isArray(first) ? ["*"] : name === undefined ? undefined : [name, "*"];
  const isGroup = (element: Value): boolean => {
    if (Array.isArray(element)) return steps?.length === 1 && element.every(isObject);
    const entries = isObject(element) ? Object.entries(element) : [];
    const [[key, list] = []] = entries;
    return entries.length === 1 && key === name && Array.isArray(list) && list.every(isObject);
  };
  const isFilled = elements.some((one) => (Array.isArray(one) ? one : Object.values(one ?? {}).flat()).length > 0);
  return isFilled && elements.every(isGroup) ? steps : undefined;
}

/** Returns the records of a later page, at the place where those of the first page are; empty if there are none. */
export function recordsAt(document: Value, { path, map }: RecordsPlace): readonly Value[] {
  let value: Value | undefined = document;
  for (const step of path) {
    value = isObject(value) ? value[step] : Array.isArray(value) ? value[Number(step)] : undefined;
  }
  if (map !== undefined && isObject(value)) return membersOf(value, map);
  return Array.isArray(value) ? value : [];
}

/**
 * Returns whether the name of a list says that the list is beside the records. A list that the address names, or whose elements
 * have ids (`messages`), may contain the records all the same.
 */
function isBeside(key: string, elements: readonly Value[], hint: string | undefined): boolean {
  const plain = plainName(key);
  if (!listsBeside.has(plain) || (hint !== undefined && plainName(hint) === plain)) return false;
  const haveIds = elements.length > 1 && elements.every((one) => isObject(one) && (one.id ?? one._id ?? null) !== null);
  return /^(errors?|warnings)$/.test(plain) || !haveIds;
}

/** Returns the lists in a response that may contain the records, without those inside other lists. */
function listsIn(value: Value, path: readonly string[], hint: string | undefined): List[] {
  const container = isObject(value) || (Array.isArray(value) && path.length === 0) ? value : {};
  if (path.length >= maxDepth) return [];
  return Object.entries(container).flatMap(([key, inner]) => {
    const memberPath = [...path, key];
    if (!Array.isArray(inner)) return listsIn(inner, memberPath, hint);
    return path.length === 0 && isBeside(key, inner, hint) ? [] : [{ path: memberPath, elements: inner }];
  });
}

/** Returns a score that prefers lists of objects, well-known names, long lists, and lists near the root. */
function score({ path, elements }: List, hint: string | undefined): number {
  const name = path.at(-1) ?? "";
  const plain = plainName(name);
  const objects = elements.length > 0 && elements.every((one) => isObject(one) || Array.isArray(one));
  const rank = usual.indexOf(plain);
  return (
    (objects ? 1000 : elements.length === 0 ? 400 : 0) +
    (hint !== undefined && plainName(hint) === plain ? 300 : 0) +
    (rank < 0 ? 0 : 200 - rank) +
    (listsBeside.has(plain) && plainName(hint ?? "") !== plain ? -600 : 0) -
    path.length * 20 +
    Math.log2(1 + Math.min(elements.length, 200)) * 40
  );
}
