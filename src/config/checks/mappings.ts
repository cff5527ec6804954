import type { Fault } from "../../core/errors.ts";
import { pointer } from "../../core/path.ts";
import type { Mapping, MappingEntry, Mappings } from "../../generated/configuration.ts";

/** What an entry of each kind needs (spec 11). */
export function checkMappings(mappings: Mappings | undefined, at: string): Fault[] {
  return Object.entries(mappings ?? {}).flatMap(([dataType, mapping]) => checkMapping(mapping, pointer(at, dataType)));
}

function checkMapping(mapping: Mapping, at: string): Fault[] {
  return Object.entries(mapping).flatMap(([path, entry]) => checkEntry(entry, pointer(at, path)));
}

function checkEntry(entry: MappingEntry, at: string): Fault[] {
  if (entry.type !== "table") {
    return entry.mapping === undefined
      ? [{ pointer: at, message: '"mapping" is missing: an object with "destination", the name of the column' }]
      : [];
  }
  const faults: Fault[] = [];
  if (entry.destination === undefined)
    faults.push({ pointer: at, message: '"destination" is missing: the name of the dataset' });
  if (entry.tableMapping === undefined && entry.parentKey?.disable !== true) {
    faults.push({ pointer: at, message: '"tableMapping" is missing: the mapping of the dataset' });
  }
  return [...faults, ...checkMapping(entry.tableMapping ?? {}, pointer(at, "tableMapping"))];
}
