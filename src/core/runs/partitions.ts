import { createHash, randomUUID } from "node:crypto";
import { isObject, JsonText, parseValue, type Value, type ValueObject, valueText } from "../values/value.ts";
import { WatermarkTexts } from "./watermark-texts.ts";

/**
 * The watermarks of a child job's increment for all parents: a map from the JSON text of a parent's context to the JSON text of the
 * value.
 */
export class Partitions extends JsonText {
  readonly #before: Partitions | undefined;
  readonly #values: WatermarkTexts;

  /** `values` replace the values of the same contexts in `before`, or are added after them. */
  constructor(before: Partitions | undefined, values: WatermarkTexts) {
    super();
    this.#before = before;
    this.#values = values;
  }

  get(context: string): string | undefined {
    return this.#values.get(context) ?? this.#before?.get(context);
  }

  /** Yields the texts of contexts and values. Contexts in `before` keep their places. */
  *[Symbol.iterator](): Generator<readonly [context: string, value: string]> {
    for (const [context, value] of this.#before ?? []) yield [context, this.#values.get(context) ?? value];
    for (const entry of this.#values) if (this.#before?.get(entry[0]) === undefined) yield entry;
  }

  override toString(): string {
    const texts: string[] = [];
    const batch: string[] = [];
    for (const [context, value] of this) {
      batch.push(`{"context":${context},"value":${value}}`);
      // The text is joined in batches: 100,000 small strings at once would take several times its memory.
      if (batch.length === 1000) texts.push(batch.splice(0).join(","));
    }
    return `[${[...texts, ...(batch.length > 0 ? [batch.join(",")] : [])].join(",")}]`;
  }
}

/** Returns the `partitions` of a watermark; undefined if they are absent or are still a list. */
export function partitionsOf({ partitions }: { readonly partitions?: Value }): Partitions | undefined {
  return partitions instanceof Partitions ? partitions : undefined;
}

/**
 * Returns the watermarks of a state file, with `Partitions` instead of lists of parents' watermarks. Any other list stays as it is.
 */
export function withPartitions(watermarks: ValueObject): ValueObject {
  const entries = Object.entries(watermarks).map(([key, watermark]) => {
    const list = isObject(watermark) ? watermark.partitions : undefined;
    if (!isObject(watermark) || !Array.isArray(list) || !list.every(isParentWatermark))
      return [key, watermark] as const;
    const texts = new WatermarkTexts();
    for (const { context, value } of list as readonly ParentWatermark[])
      texts.set(contextText(context), valueText(value));
    return [key, { ...watermark, partitions: new Partitions(undefined, texts) }] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Parses JSON text as `parseValue` does. A compact list of parents' watermarks, as spile writes it, becomes `Partitions` one
 * element at a time, so that 100,000 elements are never objects at the same time.
 */
export function parseWithPartitions(text: string): Value {
  const lists: Partitions[] = [];
  const name = `partitions of ${randomUUID()} `;
  let rest = "";
  let end = 0;
  // Inside a string, a backslash precedes each quotation mark. So every match is a member of an object.
  for (const { index } of text.matchAll(/(?<=[{,]"partitions":)\[\{"context":/g)) {
    const found = index < end ? undefined : watermarksAt(text, index);
    if (found === undefined) continue;
    rest += `${text.slice(end, index)}"${name}${lists.length}"`;
    lists.push(new Partitions(undefined, found.watermarks));
    end = found.end;
  }
  const value = parseValue(rest + text.slice(end));
  return lists.length === 0 ? value : withLists(value, (one) => lists[Number(one.slice(name.length))], name);
}

/** Replaces each text that stands for a list by the list. */
function withLists(value: Value, listOf: (text: string) => Partitions | undefined, name: string): Value {
  if (typeof value === "string") return value.startsWith(name) ? (listOf(value) ?? value) : value;
  if (Array.isArray(value)) return (value as readonly Value[]).map((one) => withLists(one, listOf, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withLists(one, listOf, name)]));
}

/**
 * Returns the watermarks of the list that begins at `start`, and the index after the list. Undefined if the list contains anything
 * else.
 */
function watermarksAt(
  text: string,
  start: number,
): { readonly watermarks: WatermarkTexts; readonly end: number } | undefined {
  const watermarks = new WatermarkTexts();
  for (let place = start; ; ) {
    const end = objectEnd(text, place + 1);
    const watermark = end === undefined ? undefined : parsedWatermark(text.slice(place + 1, end));
    if (end === undefined || watermark === undefined) return undefined;
    watermarks.set(contextText(watermark.context), valueText(watermark.value));
    if (text[end] === "]") return { watermarks, end: end + 1 };
    if (text[end] !== ",") return undefined;
    place = end;
  }
}

/** Returns the index after the object that begins at `start`. Undefined if no complete object begins there. */
function objectEnd(text: string, start: number): number | undefined {
  let depth = 0;
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/gy;
  const next = /[^"{}]*/y;
  for (let place = start; place < text.length; place = tokens.lastIndex) {
    next.lastIndex = place;
    next.test(text);
    tokens.lastIndex = next.lastIndex;
    const found = tokens.exec(text)?.[0];
    if (found === undefined) return undefined;
    if (found === "{") depth += 1;
    if (found === "}") depth -= 1;
    if (depth === 0) return found === "}" ? tokens.lastIndex : undefined;
  }
  return undefined;
}

function parsedWatermark(text: string): ParentWatermark | undefined {
  try {
    const value = parseValue(text);
    return isParentWatermark(value) && Object.keys(value as ValueObject).length === 2
      ? (value as unknown as ParentWatermark)
      : undefined;
  } catch {
    return undefined;
  }
}

/** An element of `partitions` in a state file: the context of a parent, and the value of its watermark. */
interface ParentWatermark {
  readonly context: ValueObject;
  readonly value: Value;
}

function isParentWatermark(value: Value): boolean {
  return isObject(value) && isObject(value.context) && value.value !== undefined && value.value !== null;
}

/** Returns the text of a context. It does not depend on the order of the names. */
export function contextText(context: ValueObject): string {
  const names = Object.keys(context);
  return valueText(
    names.length < 2 ? context : Object.fromEntries(names.sort().map((name) => [name, context[name] ?? null])),
  );
}

/** Returns a context with a digest instead of the parent's values. */
export function digestedContext(text: string): ValueObject {
  return { [digestName]: createHash("sha256").update(text).digest("hex") };
}

const digestName = "sha256";

/** The watermarks of a child job's increment for all parents, before a run and during it. */
export class PartitionTable {
  readonly #before: Partitions | undefined;
  readonly #after = new WatermarkTexts();
  /** True if the contexts of earlier runs are digests: all of them come from a shard plan. */
  readonly #hasDigests: boolean;

  constructor(before?: Partitions) {
    this.#before = before;
    const [first] = before ?? [];
    this.#hasDigests = first?.[0].startsWith(`{"${digestName}":`) === true;
  }

  /** Returns the parent's watermark at the beginning of this run. */
  before(context: string): Value | undefined {
    const text = this.#textBefore(context);
    return text === undefined ? undefined : parseValue(text);
  }

  /** Sets a parent's watermark, unless `stays` returns true for the current one. Returns whether it was set. */
  move(context: string, value: Value, stays: (now: Value) => boolean): boolean {
    const now = this.#after.get(context) ?? this.#textBefore(context);
    if (now !== undefined && stays(parseValue(now))) return false;
    this.#after.set(context, valueText(value));
    return true;
  }

  #textBefore(context: string): string | undefined {
    const text = this.#before?.get(context);
    if (text !== undefined || !this.#hasDigests) return text;
    return this.#before?.get(contextText(digestedContext(context)));
  }
}
