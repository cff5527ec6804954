import { durationOf } from "../config/duration.ts";
import { jobLabel } from "../config/jobs.ts";
import { ConfigurationError } from "../core/errors.ts";
import { type IncrementType, incrementTypes } from "../core/increment-types.ts";
import { type Path, parsePath, pointer } from "../core/path.ts";
import { type SourceInResponse, sourceName, sourceOf } from "../core/response-source.ts";
import { plainText, scalarText, type Value, valueText } from "../core/value.ts";
import type { Watermark } from "../core/watermark.ts";
import type { Job } from "../generated/configuration.ts";
import type { JobEnvironment } from "./environment.ts";

/** How a job goes on from where runs before it ended. */
export interface Increment {
  /** In the state. */
  readonly key: string;
  readonly source: { readonly path: Path } | { readonly response: SourceInResponse };
  /** Where the value stands, for people: `"updated_at"`. */
  readonly sourceName: string;
  /** What the state keeps beside the value. */
  readonly described: Omit<Watermark, "value">;
  readonly type: IncrementType;
  /** What earlier runs have come to; undefined on the first. */
  readonly before: Value | undefined;
  /** What `{"incremental": "from"}` is; null: nothing. */
  readonly from: Value;
  /** Are records below `from` left out? */
  readonly filters: boolean;
  /** Does a page that holds only records below `from` end the job? Values are then expected to fall from page to page. */
  readonly descends: boolean;
  readonly words: string;
}

/**
 * The increment of a job; undefined where it has none. `at` is the job's pointer. Throws ConfigurationError where `initial` is
 * none of its type, or the state keeps another increment under its key.
 */
export function incrementOf(job: Job, at: string, environment: JobEnvironment): Increment | undefined {
  const { incremental } = job;
  if (incremental === undefined) return undefined;
  const { path = "", delimiter, response, type: typeName = "time", lookback, initial, filter, order } = incremental;
  const here = pointer(at, "incremental");
  const { evaluate, watermarks = {}, iterationKey } = environment;
  const label = jobLabel(job);
  const key = iterationKey === "" ? label : `${label} ${iterationKey}`;
  const type = incrementTypes[typeName];
  const source = response === undefined ? { path: parsePath(path, delimiter) } : { response: sourceOf(response) };
  const described = response === undefined ? { path } : { response: response as Value };
  const name = "path" in source ? JSON.stringify(path) : sourceName(source.response);
  const before = Object.hasOwn(watermarks, key)
    ? keptValue(watermarks[key], described, { key, type, at: here })
    : undefined;
  const first = initial === undefined ? null : evaluate(initial);
  if (response === undefined && first !== null && type.read(first) === undefined) {
    const message = `comes out as ${shown(first)}, which is no ${type.words}`;
    throw new ConfigurationError([{ pointer: pointer(here, "initial"), message }]);
  }
  const span = lookback === undefined ? undefined : typeName === "time" ? (durationOf(lookback) ?? 0) : lookback;
  const from = before === undefined ? first : span === undefined ? before : type.before(before, span);
  const back =
    lookback === undefined
      ? ""
      : `, looking back ${scalarText(lookback)}${typeof lookback === "number" && typeName === "time" ? " s" : ""}`;
  const descends = order === "descending";
  const filters = filter === true || descends;
  const start = from === null ? "" : ` from ${shown(from)}`;
  const newest = descends ? ", newest first" : "";
  return {
    key,
    source,
    sourceName: name,
    described,
    type,
    before,
    from,
    filters,
    descends,
    words: `increments by ${name}${start}${back}${newest}${filters ? ", older records left out" : ""}`,
  };
}

function keptValue(
  kept: Watermark | undefined,
  described: Increment["described"],
  { key, type, at }: { readonly key: string; readonly type: IncrementType; readonly at: string },
): Value | undefined {
  if (kept === undefined) return undefined;
  const { value, ...other } = kept;
  const remedy = `use another state, or remove /incremental/${key} from it`;
  if (valueText(other) !== valueText(described)) {
    const message = `the state keeps an increment of ${JSON.stringify(key)} by ${nameOf(other)}, and this one is by ${nameOf(described)}: ${remedy}`;
    throw new ConfigurationError([{ pointer: at, message }]);
  }
  if (described.path === undefined || type.read(value) !== undefined) return value;
  const message = `the state keeps ${shown(value)} of ${JSON.stringify(key)}, which is no ${type.words}: ${remedy}`;
  throw new ConfigurationError([{ pointer: at, message }]);
}

function nameOf({ path, response }: Increment["described"]): string {
  return path === undefined ? `the response's ${shown(response ?? null)}` : JSON.stringify(path);
}

function shown(value: Value): string {
  const text = plainText(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
