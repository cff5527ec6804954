import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { objectOf, UnsupportedError } from "../described/values.ts";
import { meaningOf } from "./evaluate.ts";
import { pythonText } from "./meaning.ts";
import { knownValue, type ManifestScope } from "./scope.ts";

/** The place of the records in the responses of a stream. */
export interface StreamRecords {
  /** The job's `dataField`. */
  readonly dataField: Value;
  /** The path of the list of records; undefined if it has wildcards. */
  readonly path: readonly string[] | undefined;
}

/** Converts a record extractor. Throws `UnsupportedError`. */
export function recordsOf(extractor: ValueObject, scope: ManifestScope): StreamRecords {
  const { type = "DpathExtractor", class_name, field_path } = extractor;
  if (type !== "DpathExtractor")
    throw new UnsupportedError(`it needs the record extractor ${String(class_name ?? type)}`);
  if (extractor.record_expander !== undefined) throw new UnsupportedError("it needs a RecordExpander for its records");
  const templates = Array.isArray(field_path) ? field_path : field_path === undefined ? [] : [field_path];
  const steps = templates.map((step) => pythonText(knownValue(meaningOf(step, scope)))).filter((step) => step !== "");
  const star = steps.indexOf("*");
  if (steps.some((step) => step !== "*" && /[*?]/.test(step)))
    throw new UnsupportedError(`the path of its records has a wildcard inside a name: ${steps.join("/")}`);
  if (star < 0) return { dataField: steps.length === 0 ? "." : pathValue(steps), path: steps };
  const [before, after] = [steps.slice(0, star), steps.slice(star + 1)];
  const path = before.length === 0 ? { path: "." } : pathMembers(before);
  const each = after.length === 0 ? {} : { each: after.includes("*") ? after : stepsWithoutDots(after).join(".") };
  return { dataField: { ...path, values: true, ...each }, path: undefined };
}

function stepsWithoutDots(steps: readonly string[]): readonly string[] {
  if (steps.some((step) => step.includes(".")))
    throw new UnsupportedError(`a name in the path of its records contains a dot: ${steps.join("/")}`);
  return steps;
}

/** Writes a path for the configuration, with another delimiter if a name contains a dot. */
export function pathValue(steps: readonly string[]): Value {
  if (steps.every((step) => !step.includes("."))) return steps.join(".");
  const delimiter = ["/", "|", "~", "\u001f"].find((sign) => steps.every((step) => !step.includes(sign))) ?? "\u001f";
  return { path: steps.join(delimiter), delimiter };
}

/** Writes a path as members of an object of the configuration: `path`, and `delimiter` if a name contains a dot. */
export function pathMembers(steps: readonly string[]): ValueObject {
  const value = pathValue(steps);
  return isObject(value) ? value : { path: value };
}

/** Converts a decoder to the job's `format`; undefined for JSON. Throws `UnsupportedError`. */
export function formatOf(decoder: ValueObject): Value | undefined {
  const type = String(decoder.type ?? "JsonDecoder");
  const reader = decoders[type];
  if (reader === undefined) throw new UnsupportedError(`it needs the decoder ${String(decoder.class_name ?? type)}`);
  return reader(decoder);
}

function innerFormat({ decoder, parser, inner_parser }: ValueObject): Value | undefined {
  return formatOf(objectOf(decoder ?? parser ?? inner_parser));
}

function csv({ delimiter, encoding, skip_rows }: ValueObject): Value {
  if (encoding !== undefined && !/^utf[-_]?8/i.test(String(encoding)))
    throw new UnsupportedError(`its CSV is written in ${String(encoding)}`);
  const sign = delimiter === undefined ? "," : String(delimiter).replace("\\t", "\t");
  const options = {
    ...(sign === "," ? {} : { delimiter: sign }),
    ...(Number(skip_rows ?? 0) > 0 ? { skipLines: Number(skip_rows) } : {}),
  };
  return Object.keys(options).length === 0 ? "csv" : { type: "csv", ...options };
}

const decoders: Readonly<Record<string, (decoder: ValueObject) => Value | undefined>> = {
  JsonDecoder: () => undefined,
  JsonParser: () => undefined,
  JsonlDecoder: () => "ndjson",
  JsonLineParser: () => "ndjson",
  CsvDecoder: csv,
  CsvParser: csv,
  GzipDecoder: innerFormat,
  GzipParser: innerFormat,
  ZipfileDecoder: innerFormat,
  CompositeRawDecoder: innerFormat,
};
