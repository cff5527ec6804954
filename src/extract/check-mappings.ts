import type { Fault } from "../core/errors.ts";
import { nearest } from "../core/text/nearest.ts";
import { pointerTo } from "../core/values/path.ts";
import type { Mapping, MappingEntry, Mappings } from "../generated/configuration.ts";

/**
 * Returns faults of mapping entries (a missing member, a wrong `parentKey`), and warnings about mappings of datasets that no job
 * has. `datasets`: the datasets of the jobs.
 */
export function checkMappings(
  mappings: Mappings | undefined,
  pointer: string,
  datasets: ReadonlySet<string>,
): { readonly faults: readonly Fault[]; readonly warnings: readonly Fault[] } {
  const all = Object.entries(mappings ?? {}).map(([dataset, mapping]) => ({
    dataset,
    mapping,
    here: pointerTo(pointer, dataset),
  }));
  return {
    faults: all
      .filter(({ dataset }) => datasets.has(dataset))
      .flatMap(({ dataset, mapping, here }) => checkMapping(mapping, dataset, here)),
    warnings: all
      .filter(({ dataset }) => !datasets.has(dataset))
      .map(({ dataset, here }) => {
        const meant = nearest(dataset, datasets);
        const hint = meant === undefined ? "" : `, did you mean ${JSON.stringify(meant)}?`;
        return {
          pointer: here,
          message: `no job has this dataset, so the mapping has no effect${hint}`,
          suggestion: meant,
        };
      }),
  };
}

function checkMapping(mapping: Mapping, dataset: string, pointer: string): Fault[] {
  return Object.entries(mapping).flatMap(([path, entry]) => checkEntry(entry, dataset, pointerTo(pointer, path)));
}

function checkEntry(entry: MappingEntry, dataset: string, pointer: string): Fault[] {
  if (entry.type !== "table") {
    return entry.mapping === undefined
      ? [{ pointer, message: '"mapping" is missing: it must be an object with "destination", the name of the column' }]
      : [];
  }
  const { destination, tableMapping, parentKey } = entry;
  if (destination === undefined) {
    return [{ pointer, message: '"destination" is missing: it must be the name of the dataset' }];
  }
  if (destination === dataset) {
    const message = 'records that go to the dataset of their parent need "parentKey": {"disable": true}';
    return parentKey?.disable === true ? [] : [{ pointer, message }];
  }
  if (tableMapping === undefined || Object.keys(tableMapping).length === 0) {
    return [{ pointer, message: '"tableMapping" is missing or empty: it must map the columns of the dataset' }];
  }
  return checkMapping(tableMapping, destination, pointerTo(pointer, "tableMapping"));
}
