import { type Path, parsePath, pathText, valueAt } from "../values/path.ts";
import { isObject, parseValue, plainText, type Value } from "../values/value.ts";
import { type PageSummary, type Watched, watchedOf, watchKey } from "./page.ts";

/** The source of a value in a response, as configured: a path in the body, a header, or a path in the last record of the page. */
export type ConfiguredSource =
  | string
  | {
      readonly path?: string;
      readonly delimiter?: string;
      readonly where?: Readonly<Record<string, string>>;
      readonly value?: string;
      readonly header?: string;
      readonly lastRecord?: string;
    };

/**
 * Chooses a value from a list: the first element whose members match `where`, and in this element the value at the path `value`.
 */
export interface ListPick {
  readonly where: Readonly<Record<string, string>>;
  readonly value: Path;
}

export type SourceInResponse =
  | { readonly path: Path; readonly pick?: ListPick }
  | { readonly header: string }
  | { readonly lastRecord: Path };

export function sourceOf(source: ConfiguredSource, delimiter?: string): SourceInResponse {
  if (typeof source === "string") return { path: parsePath(source, delimiter) };
  if (source.header !== undefined) return { header: source.header };
  if (source.lastRecord !== undefined) return { lastRecord: parsePath(source.lastRecord, source.delimiter) };
  const path = parsePath(source.path ?? "", source.delimiter ?? delimiter);
  const pick = pickOf(source, source.delimiter ?? delimiter);
  return pick === undefined ? { path } : { path, pick };
}

function pickOf(
  {
    where,
    value = "",
  }: { readonly where?: Readonly<Record<string, string>> | undefined; readonly value?: string | undefined },
  delimiter?: string,
): ListPick | undefined {
  if (where === undefined) return undefined;
  return { where, value: parsePath(value, delimiter) };
}

/** Returns the value of a source in a document. Undefined if the document has no such value, or if the source is not a path. */
export function valueInDocument(document: Value, source: SourceInResponse): Value | undefined {
  if (!("path" in source)) return undefined;
  const value = valueAt(document, source.path);
  return source.pick === undefined ? value : picked(value, source.pick);
}

/** Step of a path that means every element of a list. */
const everyElement = "*";

/** Returns whether a source reads a value of each element of a list, as `files.*.url` does. */
export function readsElements(source: SourceInResponse): boolean {
  return "path" in source && source.path.includes(everyElement);
}

/**
 * Returns the value of a source in a document, as `valueInDocument` does, but a `*` means every element of a list. The result is
 * then a list of the elements' values, with null for each missing value.
 */
export function valuesInDocument(document: Value, source: SourceInResponse): Value | undefined {
  if (!("path" in source) || source.pick !== undefined) return valueInDocument(document, source);
  return valuesAt(document, source.path);
}

function valuesAt(value: Value, path: Path): Value | undefined {
  const index = path.indexOf(everyElement);
  const list = index < 0 ? undefined : valueAt(value, path.slice(0, index));
  if (!Array.isArray(list)) return valueAt(value, path);
  const rest = path.slice(index + 1);
  const hasInnerList = rest.includes(everyElement);
  return (list as readonly Value[]).flatMap((element) => {
    const found = valuesAt(element, rest) ?? null;
    return hasInnerList && Array.isArray(found) ? (found as Value[]) : [found];
  });
}

/**
 * Returns the value that a source picks from the list at its path; undefined if no element matches. Without `pick`, returns
 * `value`.
 */
export function pickWatched(value: Watched | undefined, { pick }: { readonly pick?: ListPick }): Watched | undefined {
  if (pick === undefined || value === undefined) return value;
  // The text is empty if the list exceeds the limit for watched values.
  const found = value.type === "array" && value.text !== "" ? picked(parseValue(value.text), pick) : undefined;
  return found === undefined ? undefined : watchedOf(found);
}

function picked(list: Value | undefined, { where, value }: ListPick): Value | undefined {
  if (!Array.isArray(list)) return undefined;
  const conditions = Object.entries(where);
  const element = (list as readonly Value[]).find(
    (one) =>
      isObject(one) &&
      conditions.every(([name, text]) => hasWord(Object.hasOwn(one, name) ? one[name] : undefined, text)),
  );
  return element === undefined ? undefined : valueAt(element, value);
}

/**
 * Returns whether the value, one of its words or one of its elements equals `word`, ignoring case. A link relation may consist of
 * several words: `"self next"`.
 */
function hasWord(value: Value | undefined, word: string): boolean {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value)) return (value as readonly Value[]).some((one) => hasWord(one, word));
  const text = plainText(value).toLowerCase();
  return text === word.toLowerCase() || text.split(/\s+/).includes(word.toLowerCase());
}

/** Returns a text that identifies the source. */
export function sourceKey(source: SourceInResponse): string {
  if ("header" in source) return `header ${source.header.toLowerCase()}`;
  if ("lastRecord" in source) return `last ${watchKey(source.lastRecord)}`;
  const { path, pick } = source;
  return pick === undefined ? watchKey(path) : `${watchKey(path)} ${JSON.stringify([pick.where, pick.value])}`;
}

/** Describes the place of a source, to follow a noun: `at "meta.next"`, `in the header X-Next`, `at "id" of the last record`. */
export function sourceText(source: SourceInResponse): string {
  if ("header" in source) return `in the header ${source.header}`;
  if ("lastRecord" in source) return `at "${pathText(source.lastRecord)}" of the last record`;
  return `at "${pathText(source.path)}${source.pick === undefined ? "" : pickText(source.pick)}"`;
}

/** Returns a choice in the form that options use: `[rel=next].href`. */
export function pickText({ where, value }: ListPick): string {
  const conditions = Object.entries(where).map(([name, text]) => `${name}=${text}`);
  return `[${conditions.join(",")}]${value.length === 0 ? "" : `.${pathText(value)}`}`;
}

/** Returns the name of a source: `"meta.next"`, `the header X-Next`, `"id" of the last record`. */
export function sourceName(source: SourceInResponse): string {
  return sourceText(source).replace(/^(at|in) /, "");
}

/** Words that APIs send for a missing value: Salesforce in the header of the next page, CouchDB as a bookmark. */
const noValue = /^(nil|null|none|undefined)$/i;

export function meansMissing(text: string): boolean {
  return noValue.test(text);
}

/** Returns the value of a source in a page. Undefined for a header that is absent, empty or a word for a missing value. */
export function readSource(
  source: SourceInResponse,
  { watched, last, header }: Pick<PageSummary, "watched" | "last" | "header">,
): Watched | undefined {
  if ("path" in source) return pickWatched(watched.get(watchKey(source.path)), source);
  if ("lastRecord" in source) return last.get(watchKey(source.lastRecord));
  const text = header(source.header)?.trim() ?? "";
  return text === "" || meansMissing(text) ? undefined : { type: "string", text, empty: false };
}

/** Returns the paths of those sources that are of one kind. */
export function pathsOf(sources: readonly SourceInResponse[], kind: "path" | "lastRecord"): readonly Path[] {
  return sources.flatMap((source) => {
    if (kind === "path") return "path" in source ? [source.path] : [];
    return "lastRecord" in source ? [source.lastRecord] : [];
  });
}
