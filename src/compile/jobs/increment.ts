import { durationOf } from "../../config/duration.ts";
import { jobLabel } from "../../config/jobs.ts";
import { ConfigurationError } from "../../core/errors.ts";
import { PartitionTable, partitionsOf } from "../../core/runs/partitions.ts";
import { type SourceInResponse, sourceName, sourceOf } from "../../core/runs/response-source.ts";
import type { Watermark } from "../../core/runs/watermark.ts";
import { shortText } from "../../core/text/printable.ts";
import { type IncrementType, incrementTypes } from "../../core/values/increment-types.ts";
import { type Path, parsePath, pointerTo } from "../../core/values/path.ts";
import { isObject, parseValue, plainText, scalarText, type Value, valueText } from "../../core/values/value.ts";
import type { Job } from "../../generated/configuration.ts";
import type { JobEnvironment } from "../environment.ts";

/** The compiled `incremental` of a job: the source of its value, the comparison, and the value at which this run begins. */
export interface Increment {
  /** Its key in the state. */
  readonly key: string;
  readonly source: { readonly path: Path } | { readonly response: SourceInResponse };
  /** Place of the value, for people: `"updated_at"`. */
  readonly sourceName: string;
  /** Properties that the state keeps besides the value. */
  readonly described: Pick<Watermark, "path" | "response">;
  readonly type: IncrementType;
  /** For a child job, the progress for each parent. */
  readonly partitions: PartitionTable | undefined;
  /** For a child job with a known parent, the text that identifies the parent in the state. */
  readonly context: string | undefined;
  /** Returns the value of `{"incremental": "from"}` if earlier runs have reached `before`. */
  fromOf(before: Value | undefined): Value;
  /** The value that earlier runs have reached; undefined on the first run. */
  readonly before: Value | undefined;
  /** The value in the state. In a resumed run, the interrupted run may have moved it beyond `before`. */
  readonly reached: Value | undefined;
  /** True if it moves with each complete window, but never beyond the end of the last one (contract C-17.10). */
  readonly isByWindow: boolean;
  /** The value of `{"incremental": "from"}`; null if there is none. */
  readonly from: Value;
  /** True if records below `from` are left out. */
  readonly filters: boolean;
  /** True if a page with only records below `from` ends the job. Values are then expected to fall from page to page. */
  readonly descends: boolean;
  /** Description for people. */
  readonly words: string;
}

/**
 * Returns the increment of a job; undefined if it has none. `pointer` is the job's pointer. The increment of a child job begins at
 * `initial` until its parent is known. Throws ConfigurationError if `initial` is not of its type, or if the state keeps another
 * increment under its key.
 */
export function incrementOf(
  job: Job,
  { pointer, isChild }: { readonly pointer: string; readonly isChild: boolean },
  environment: JobEnvironment,
): Increment | undefined {
  const { incremental } = job;
  if (incremental === undefined) return undefined;
  const { path = "", delimiter, response, type: typeName = "time", lookback, initial, filter, order } = incremental;
  const incrementPointer = pointerTo(pointer, "incremental");
  const { evaluate, watermarks = {}, iterationKey } = environment;
  const label = jobLabel(job);
  const key = iterationKey === "" ? label : `${label} ${iterationKey}`;
  const type = incrementTypes[typeName];
  const source = response === undefined ? { path: parsePath(path, delimiter) } : { response: sourceOf(response) };
  const described = response === undefined ? { path } : { response: response as Value };
  const name = "path" in source ? JSON.stringify(path) : sourceName(source.response);
  const watermark = Object.hasOwn(watermarks, key) ? watermarks[key] : undefined;
  const place = { key, type, pointer: incrementPointer, isChild };
  const { partitions: tables } = environment;
  const before = watermark === undefined || tables.has(key) ? undefined : savedValue(watermark, described, place);
  const reached = isChild ? undefined : watermark?.value;
  const partitions = isChild
    ? (tables.get(key) ?? new PartitionTable(watermark && partitionsOf(watermark)))
    : undefined;
  if (partitions !== undefined) tables.set(key, partitions);
  const first = initial === undefined ? null : evaluate(initial);
  if (response === undefined && first !== null && type.read(first) === undefined) {
    const message = `evaluates to ${shortText(plainText(first))}, which is not a ${type.words}`;
    throw new ConfigurationError([{ pointer: pointerTo(incrementPointer, "initial"), message }]);
  }
  const span = lookback === undefined ? undefined : typeName === "time" ? (durationOf(lookback) ?? 0) : lookback;
  const fromOf = (value: Value | undefined): Value =>
    value === undefined ? first : span === undefined ? value : type.before(value, span);
  const from = fromOf(before);
  const back =
    lookback === undefined
      ? ""
      : `, looking back ${scalarText(lookback)}${typeof lookback === "number" && typeName === "time" ? " s" : ""}`;
  const descends = order === "descending";
  const filters = filter === true || descends;
  const isByWindow = response === undefined && typeName !== "text" && beginsWindows(job);
  const start = from === null ? "" : ` from ${shortText(plainText(from))}`;
  const newest = descends ? ", newest first" : "";
  return {
    key,
    source,
    sourceName: name,
    described,
    type,
    partitions,
    context: undefined,
    fromOf,
    before,
    reached,
    isByWindow,
    from,
    filters,
    descends,
    words: `increments by ${name}${isChild ? ", for each parent" : ""}${isByWindow ? ", window by window" : ""}${start}${back}${newest}${filters ? ", older records left out" : ""}`,
  };
}

/** Returns the increment of a child job for one parent, which its context identifies. */
export function incrementOfParent(increment: Increment, context: string): Increment {
  const before = increment.partitions?.before(context);
  return { ...increment, context, before, reached: before, from: increment.fromOf(before) };
}

/** Returns whether the windows of a job begin where its increment does. */
function beginsWindows({ windows }: Job): boolean {
  const from = windows?.from ?? null;
  return isObject(from) && from.incremental === "from" && Object.keys(from).length === 1;
}

interface KeptPlace extends Pick<Increment, "key" | "type"> {
  readonly pointer: string;
  readonly isChild: boolean;
}

/**
 * Returns the value in the state at which a top-level job begins; undefined for a child job, which has one for each parent. Throws
 * ConfigurationError if the entry belongs to another increment, or has a value that is not of its type.
 */
function savedValue(savedWatermark: Watermark, described: Increment["described"], place: KeptPlace): Value | undefined {
  const { value, partitions, began, ...other } = savedWatermark;
  const { key, type, pointer, isChild } = place;
  const wrong = (message: string): ConfigurationError => {
    const remedy = `use another state, or remove /incremental/${key} from it`;
    return new ConfigurationError([{ pointer, message: `${message}: ${remedy}` }]);
  };
  if (valueText(other) !== valueText(described)) {
    throw wrong(
      `the state keeps an increment of ${JSON.stringify(key)} by ${nameOf(other)}, but this one is by ${nameOf(described)}`,
    );
  }
  if (isChild !== (partitions !== undefined)) {
    const [there, here] = isChild
      ? ["one value", "a child job has one for each parent"]
      : ["a value for each parent", "this job has no parent"];
    throw wrong(`the state keeps ${there} of ${JSON.stringify(key)}, but ${here}`);
  }
  const unreadable = described.path === undefined ? undefined : unreadableIn(savedWatermark, type);
  if (unreadable === undefined) return began === undefined ? value : (began ?? undefined);
  throw wrong(
    `the state keeps ${shortText(plainText(unreadable))} of ${JSON.stringify(key)}, which is not a ${type.words}`,
  );
}

/** Returns the first value of a watermark that is not of the increment's type. */
function unreadableIn(savedWatermark: Watermark, type: IncrementType): Value | undefined {
  const { value = null } = savedWatermark;
  const partitions = partitionsOf(savedWatermark);
  if (partitions === undefined) return type.read(value) === undefined ? value : undefined;
  for (const [, text] of partitions) {
    const one = parseValue(text);
    if (type.read(one) === undefined) return one;
  }
  return undefined;
}

function nameOf({ path, response }: Increment["described"]): string {
  return path === undefined ? `the response's ${shortText(plainText(response ?? null))}` : JSON.stringify(path);
}
