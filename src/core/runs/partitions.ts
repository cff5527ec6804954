import { createHash } from "node:crypto";
import { isObject, JsonText, parseValue, type Value, type ValueObject, valueText } from "../values/value.ts";

/**
 * Progress of a child job's increment for each parent: the JSON text of the value by the text of the parent's context.
 * As objects, 100,000 values would take 25 MB more.
 */
export class Partitions extends JsonText {
  readonly #before: Partitions | undefined;
  readonly #values: ReadonlyMap<string, string>;

  /** `values` are in place of those in `before`, or behind them. */
  constructor(before: Partitions | undefined, values: ReadonlyMap<string, string>) {
    super();
    this.#before = before;
    this.#values = values;
  }

  /** Returns the text of a value by that of its context. */
  get(context: string): string | undefined {
    return this.#values.get(context) ?? this.#before?.get(context);
  }

  /** Yields the texts of contexts and values. A parent that is known keeps its place. */
  *[Symbol.iterator](): Generator<readonly [context: string, value: string]> {
    for (const [context, value] of this.#before ?? []) yield [context, this.#values.get(context) ?? value];
    for (const entry of this.#values) if (this.#before?.get(entry[0]) === undefined) yield entry;
  }

  override toString(): string {
    const marks = Array.from(this, ([context, value]) => `{"context":${context},"value":${value}}`);
    return `[${marks.join(",")}]`;
  }
}

/** Returns the marks of parents in a watermark. Undefined: it has none. */
export function partitionsOf({ partitions }: { readonly partitions?: Value }): Partitions | undefined {
  return partitions instanceof Partitions ? partitions : undefined;
}

/** Returns watermarks as a state file has them, with `Partitions` in place of lists of marks; a list that is none stays. */
export function withPartitions(watermarks: ValueObject): ValueObject {
  const entries = Object.entries(watermarks).map(([key, watermark]) => {
    const list = isObject(watermark) ? watermark.partitions : undefined;
    if (!isObject(watermark) || !Array.isArray(list) || !list.every(isMark)) return [key, watermark] as const;
    const marks = new Map<string, string>();
    for (const { context, value } of list as readonly Mark[]) marks.set(contextText(context), valueText(value));
    return [key, { ...watermark, partitions: new Partitions(undefined, marks) }] as const;
  });
  return Object.fromEntries(entries);
}

/** A mark in a state file. */
interface Mark {
  readonly context: ValueObject;
  readonly value: Value;
}

function isMark(value: Value): boolean {
  return isObject(value) && isObject(value.context) && value.value !== undefined && value.value !== null;
}

/** Returns the one text of a context, whatever the order of its names. */
export function contextText(context: ValueObject): string {
  const names = Object.keys(context);
  return valueText(
    names.length < 2 ? context : Object.fromEntries(names.sort().map((name) => [name, context[name] ?? null])),
  );
}

/** Returns a context that tells a parent from others and holds none of its values. */
export function digestedContext(text: string): ValueObject {
  return { [digestName]: createHash("sha256").update(text).digest("hex") };
}

const digestName = "sha256";

/** Progress of a child job's increment for each parent, before a run and during it. */
export class PartitionTable {
  readonly #before: Partitions | undefined;
  readonly #after = new Map<string, string>();
  /** Whether some of the contexts were made by `digestedContext`. */
  readonly #hasDigests: boolean;

  constructor(before?: Partitions) {
    this.#before = before;
    const [first] = before ?? [];
    this.#hasDigests = first?.[0].startsWith(`{"${digestName}":`) === true;
  }

  /** Returns the value that earlier runs have reached, whatever this run has read since. */
  before(context: string): Value | undefined {
    const text = this.#textBefore(context);
    return text === undefined ? undefined : parseValue(text);
  }

  /** Sets a parent's mark, unless `stays` accepts the one that it has. Returns whether it was set. */
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
