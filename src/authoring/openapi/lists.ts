import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { chooseList } from "../../knowledge/records.ts";
import { plainName } from "../../knowledge/words.ts";
import { datasetName } from "../configuration-draft.ts";
import type { PathFilter } from "../described/choice.ts";
import { listOf, objectOf } from "../described/values.ts";
import { isNextName, isNextTokenName } from "../explore/first-answer/names.ts";
import type { References } from "./document.ts";

/** The GET operation of a path. */
export interface Operation {
  readonly path: string;
  /** The operation as the description contains it. */
  readonly operation: ValueObject;
  /** The parameters of the operation and of its path, with their schemas. Those of the operation override the others. */
  readonly parameters: readonly ValueObject[];
  /** The schema of the successful JSON answer; undefined if the description has none. */
  readonly schema: ValueObject | undefined;
  /** The names of the answer's headers. */
  readonly headers: readonly string[];
  /** The servers of the operation, else those of its path, else those of the description. */
  readonly servers: readonly ValueObject[];
}

/** An operation whose answer is a list, or an object that contains a list. */
export interface ListOperation extends Operation {
  /** The path to the records. */
  readonly list: readonly string[];
  /** The names of the described scalar fields of the records. */
  readonly fields: readonly string[];
  /** Paths of the fields that may contain the address of the next page, and of those that may contain its token. */
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
    return [{ ...operation, list, fields: schemas.itemFields(schema, list), ...schemas.nextPageFields(schema) }];
  });
}

/** Returns the GET operation of a path; undefined if it has none. */
function operationOf(path: string, { root, follow }: References): Operation | undefined {
  const item = follow(objectOf(root.paths)[path]);
  const get = follow(item.get);
  if (!isObject(item.get)) return undefined;
  const responses = objectOf(get.responses);
  const success = follow(
    responses["200"] ??
      responses["2XX"] ??
      responses.default ??
      Object.entries(responses).find(([status]) => /^2/.test(status))?.[1],
  );
  const contents = Object.entries(objectOf(success.content));
  const content = contents.find(([type]) => /[/+]json\b/.test(type)) ?? contents.find(([type]) => type === "*/*");
  const parameters = [item.parameters, get.parameters]
    .flatMap((list) => listOf(list))
    .map((one) => follow(one))
    .map((one): ValueObject => ({ ...one, schema: follow(one.schema) }));
  return {
    path,
    operation: get,
    parameters: [...new Map(parameters.map((one) => [`${String(one.in)} ${String(one.name)}`, one])).values()],
    schema: content === undefined ? undefined : follow(objectOf(content[1]).schema),
    headers: Object.keys(objectOf(success.headers)),
    servers: [get.servers, item.servers, root.servers].map(listOf).find(({ length }) => length > 0) ?? [],
  };
}

/** A scalar that a schema describes. */
interface Field {
  readonly path: readonly string[];
  readonly format: string;
}

/** Searches schemas of a description. A schema that occurs in several places is searched once, where its path is shortest. */
interface Schemas {
  /** Returns the path to the records, empty for a list at the root; undefined without a list. `hint`: name of the dataset. */
  listIn(schema: ValueObject, hint: string | undefined): readonly string[] | undefined;
  /** Returns the names of the scalar fields that the elements of a list have. */
  itemFields(schema: ValueObject, list: readonly string[]): readonly string[];
  /** Returns the paths of the fields outside of lists that may contain the next page's address, or its token. */
  nextPageFields(schema: ValueObject): {
    readonly addresses: readonly (readonly string[])[];
    readonly tokens: readonly (readonly string[])[];
  };
}

type Properties = ReadonlyMap<string, ValueObject>;

/** Greatest number of objects around the records or a field of paging, besides the root. */
const maxDepth = 4;

/** Greatest depth of `allOf`, `oneOf` and `anyOf` in each other. A deeper schema contains itself, or describes no real answer. */
const maxPartDepth = 32;

function schemasOf({ follow }: Pick<References, "follow">): Schemas {
  const mergedProperties = new WeakMap<ValueObject, Properties>();
  /** Returns the properties of a schema and of its parts: all of `allOf`, and the first of `oneOf` and of `anyOf`. */
  const propertiesOf = (schema: ValueObject, depth = 0): Properties => {
    const before = mergedProperties.get(schema);
    if (before !== undefined || depth > maxPartDepth) return before ?? new Map();
    // A schema that contains itself as a part gains nothing from that part.
    mergedProperties.set(schema, new Map());
    const parts = [...listOf(schema.allOf), ...listOf(schema.oneOf).slice(0, 1), ...listOf(schema.anyOf).slice(0, 1)];
    const properties = new Map<string, ValueObject>();
    for (const part of parts)
      for (const [name, inner] of propertiesOf(follow(part), depth + 1)) properties.set(name, inner);
    for (const [name, inner] of Object.entries(objectOf(schema.properties))) properties.set(name, follow(inner));
    mergedProperties.set(schema, properties);
    return properties;
  };
  /** Calls `visit` for each property of a schema and of the objects in it, the shallowest first. */
  const walk = (schema: ValueObject, visit: (path: readonly string[], inner: ValueObject) => void): void => {
    const visitedSchemas = new Set([schema]);
    let level: readonly (readonly [path: readonly string[], schema: ValueObject])[] = [[[], schema]];
    for (let depth = 0; depth <= maxDepth; depth += 1) {
      const next: [readonly string[], ValueObject][] = [];
      for (const [path, one] of level) {
        for (const [name, inner] of propertiesOf(one)) {
          const place = [...path, name];
          visit(place, inner);
          if (isList(inner) || visitedSchemas.has(inner)) continue;
          visitedSchemas.add(inner);
          next.push([place, inner]);
        }
      }
      level = next;
    }
  };
  const isScalar = (schema: ValueObject): boolean => !isList(schema) && propertiesOf(schema).size === 0;
  return {
    listIn(schema, hint) {
      if (isList(schema)) return [];
      const lists: { path: readonly string[]; objects: boolean }[] = [];
      walk(schema, (path, inner) => {
        const items = follow(inner.items);
        const objects = items.type === "object" || propertiesOf(items).size > 0;
        // If the elements have the same schema as the answer (a user's friends), the answer is a single record.
        if (isList(inner) && items !== schema) lists.push({ path, objects });
      });
      return chooseList(lists, hint);
    },
    itemFields(schema, list) {
      const holder = list.reduce<ValueObject>((one, step) => propertiesOf(one).get(step) ?? {}, schema);
      return [...propertiesOf(follow(holder.items))].filter(([, inner]) => isScalar(inner)).map(([name]) => name);
    },
    nextPageFields(schema) {
      const fields: Field[] = [];
      walk(schema, (path, inner) => {
        if (isScalar(inner)) fields.push({ path, format: String(inner.format ?? "") });
      });
      const isAddress = ({ path, format }: Field): boolean =>
        isNextName(path.at(-1) ?? "") && /ur[il]|link|href/.test(format + plainName(path.at(-1) ?? ""));
      return {
        addresses: fields.filter(isAddress).map(({ path }) => path),
        tokens: fields
          .filter((one) => !isAddress(one) && isNextTokenName(one.path.at(-1) ?? ""))
          .map(({ path }) => path),
      };
    },
  };
}

/** Returns whether a schema describes a list. OpenAPI 3.1 also allows `["array", "null"]`. */
function isList({ type, items }: ValueObject): boolean {
  const types: readonly Value[] = Array.isArray(type) ? type : [type ?? ""];
  return types.includes("array") || (type === undefined && items !== undefined);
}
