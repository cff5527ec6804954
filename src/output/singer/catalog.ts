import { SpileError } from "../../core/errors.ts";
import type { Dataset, Datasets } from "../../core/runs/dataset.ts";
import { isObject, parseValue, type Value, type ValueObject } from "../../core/values/value.ts";
import { schemaOf } from "./messages.ts";

/** Returns a Singer catalog of datasets, each selected by default. */
export function catalogOf(datasets: Datasets): Value {
  return { streams: [...datasets.values()].map(streamOf) };
}

function streamOf(dataset: Dataset): ValueObject {
  const { name, key = [] } = dataset;
  const schema = schemaOf(dataset);
  const ownMetadata = { inclusion: "available", "selected-by-default": true, "table-key-properties": key };
  const properties = Object.keys(isObject(schema.properties) ? schema.properties : {});
  const metadata = properties.map((property) => ({
    breadcrumb: ["properties", property],
    metadata: { inclusion: key.includes(property) ? "automatic" : "available", "selected-by-default": true },
  }));
  return {
    tap_stream_id: name,
    stream: name,
    schema,
    key_properties: key,
    metadata: [{ breadcrumb: [], metadata: ownMetadata }, ...metadata],
  };
}

/**
 * Returns the names of the streams that a catalog selects: by `selected` in the stream's metadata, else in the stream itself,
 * else in its schema, else by `selected-by-default`. Selections of properties are ignored, since records are written whole.
 * `file`: the catalog's name for messages. Throws SpileError `configuration` if the text is not a catalog.
 */
export function selectedStreams(text: string, file: string): ReadonlySet<string> {
  const wrong = (what: string): SpileError => new SpileError("configuration", `the catalog ${file} ${what}`);
  let catalog: Value;
  try {
    catalog = parseValue(text);
  } catch (error) {
    throw wrong(`is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const streams = isObject(catalog) ? catalog.streams : undefined;
  if (!Array.isArray(streams)) throw wrong('must be an object with a list "streams", as --discover prints it');
  const names = streams.map((stream: Value, index): readonly string[] => {
    const name = isObject(stream) ? (stream.tap_stream_id ?? stream.stream) : undefined;
    if (!isObject(stream) || typeof name !== "string") throw wrong(`has no "tap_stream_id" at /streams/${index}`);
    return isSelected(stream) ? [name] : [];
  });
  return new Set(names.flat());
}

function isSelected({ metadata, selected, schema }: ValueObject): boolean {
  const entries: readonly Value[] = Array.isArray(metadata) ? metadata : [];
  const entry = entries.filter(isObject).find(({ breadcrumb }) => Array.isArray(breadcrumb) && breadcrumb.length === 0);
  const ownMetadata = isObject(entry?.metadata) ? entry.metadata : {};
  const selections = [
    ownMetadata.selected,
    selected,
    isObject(schema) ? schema.selected : undefined,
    ownMetadata["selected-by-default"],
  ];
  return selections.find((one) => typeof one === "boolean") === true;
}
