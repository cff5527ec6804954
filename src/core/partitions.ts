import { createHash } from "node:crypto";
import { isObject, type Value, type ValueObject, valueText } from "./value.ts";

/** How far the increment of a child job has come for one parent, which its context tells from others. Plain JSON. */
export type PartitionMark = { readonly context: ValueObject; readonly value: Value };

export function isPartitionMark(value: Value): boolean {
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

interface Mark {
  readonly before: Value | undefined;
  after?: Value;
}

/** How far the increment of a child job has come for each parent, by the text of its context. */
export class PartitionTable {
  readonly #marks = new Map<string, Mark>();
  /** Are contexts among them that `digestedContext` has made? */
  #hasDigests = false;

  constructor(partitions: readonly PartitionMark[] = []) {
    for (const { context, value } of partitions) {
      this.#marks.set(contextText(context), { before: value });
      this.#hasDigests ||= Object.keys(context).join() === digestName;
    }
  }

  /** Returns the value that runs before this one have come to, whatever this one has read since. */
  before(context: string): Value | undefined {
    return this.#find(context)?.before;
  }

  /** Moves a parent's mark, unless it stays where it is now. Returns whether it moves. */
  move(context: string, value: Value, stays: (now: Value) => boolean): boolean {
    const mark: Mark = this.#find(context) ?? { before: undefined };
    const now = mark.after ?? mark.before;
    if (now !== undefined && stays(now)) return false;
    mark.after = value;
    this.#marks.set(context, mark);
    return true;
  }

  #find(context: string): Mark | undefined {
    const mark = this.#marks.get(context);
    if (mark !== undefined || !this.#hasDigests) return mark;
    return this.#marks.get(contextText(digestedContext(context)));
  }
}
