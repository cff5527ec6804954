import { SpileError } from "../errors.ts";
import { type ValueObject, valueText } from "../values/value.ts";

/** The properties of a dataset, without its lines. */
export interface Dataset {
  readonly name: string;
  /** JSON Schema of its records, as the job gives it. */
  readonly schema?: ValueObject | undefined;
  /** Names of the members that identify its records. */
  readonly key?: readonly string[] | undefined;
}

/** Datasets by the names that `Lines.dataset` has. */
export type Datasets = ReadonlyMap<string, Dataset>;

/**
 * Adds the properties that a job gives a dataset. Throws SpileError `configuration` if an earlier job gives a different schema or
 * key: both are the same for all records of a dataset.
 */
export function addDataset(datasets: Map<string, Dataset>, added: Dataset): void {
  const existing = datasets.get(added.name);
  const { schema = existing?.schema, key = existing?.key } = added;
  const differs = (field: string): SpileError =>
    new SpileError(
      "configuration",
      `another job of the dataset ${JSON.stringify(added.name)} has a different "${field}"`,
    );
  if (existing?.schema !== undefined && schema !== undefined && valueText(existing.schema) !== valueText(schema)) {
    throw differs("schema");
  }
  if (existing?.key !== undefined && key !== undefined && valueText(existing.key) !== valueText(key))
    throw differs("key");
  datasets.set(added.name, { name: added.name, schema, key });
}
