import { datasetName } from "../configuration-draft.ts";
import type { PathFilter } from "../path-filter.ts";
import type { Description, Operation } from "./document.ts";
import { itemFields, listInSchema } from "./schema-list.ts";

/** An operation that answers with a list, or with an object that holds one. */
export interface ListOperation extends Operation {
  /** Where the records stand. */
  readonly list: readonly string[];
  /** The names of the records' scalar fields, as far as they are described. */
  readonly fields: readonly string[];
}

/** The operations that answer with lists, among those of the wanted paths. */
export function listOperations({ root, operations }: Description, wanted: PathFilter): ListOperation[] {
  return operations.flatMap((operation): ListOperation[] => {
    const { path, schema } = operation;
    if (!wanted(path) || schema === undefined) return [];
    const list = listInSchema(schema, datasetName(`http://x${path}`));
    return list === undefined ? [] : [{ ...operation, list, fields: itemFields(schema, list, root) }];
  });
}
