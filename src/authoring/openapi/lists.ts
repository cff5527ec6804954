import { datasetName } from "../configuration-draft.ts";
import type { PathFilter } from "../path-filter.ts";
import { type Operation, objectOf, operationOf } from "./document.ts";
import type { References } from "./references.ts";
import { schemasOf } from "./schema-list.ts";

/** An operation whose answer is a list, or an object that holds a list. */
export interface ListOperation extends Operation {
  /** The path to the records. */
  readonly list: readonly string[];
  /** The names of the described scalar fields of the records. */
  readonly fields: readonly string[];
  /** Fields beside the records that may lead to the next page. */
  readonly addresses: readonly (readonly string[])[];
  readonly tokens: readonly (readonly string[])[];
}

/** Returns the operations of the wanted paths whose answers are lists. */
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
