import { datasetName } from "../configuration-draft.ts";
import type { PathFilter } from "../path-filter.ts";
import { type Operation, objectOf, operationOf } from "./document.ts";
import type { References } from "./references.ts";
import { schemasOf } from "./schema-list.ts";

/** An operation that answers with a list, or with an object that holds one. */
export interface ListOperation extends Operation {
  /** The path to the records. */
  readonly list: readonly string[];
  /** The names of the records' scalar fields, as far as they are described. */
  readonly fields: readonly string[];
  /** Fields beside the records that may lead to the next page. */
  readonly addresses: readonly (readonly string[])[];
  readonly tokens: readonly (readonly string[])[];
}

/** Returns the operations that answer with lists, among those of the wanted paths. */
export function listOperations(references: References, wanted: PathFilter): ListOperation[] {
  const schemas = schemasOf(references);
  return Object.keys(objectOf(references.root.paths)).flatMap((path): ListOperation[] => {
    const operation = wanted(path) ? operationOf(path, references) : undefined;
    const { schema } = operation ?? {};
    if (operation === undefined || schema === undefined) return [];
    const list = schemas.listIn(schema, datasetName(`http://x${path}`));
    if (list === undefined) return [];
    return [{ ...operation, list, fields: schemas.itemFields(schema, list), ...schemas.leadingFields(schema) }];
  });
}
