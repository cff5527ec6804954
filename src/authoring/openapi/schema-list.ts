import type { ValueObject } from "../../core/value.ts";
import { plainName } from "../../knowledge/words.ts";
import { nextNames, nextTokenNames } from "../explore/first-answer/names.ts";
import { chooseList } from "../explore/first-answer/records-place.ts";
import { listOf, objectOf } from "./document.ts";

/** Where a schema says that records stand: keys from the root, none for a list at the root; undefined where there is no list. */
export function listInSchema(schema: ValueObject, hint: string | undefined): readonly string[] | undefined {
  if (isList(schema)) return [];
  return chooseList(listsIn(schema, [], new Set()), hint);
}

/** The names of the scalar fields that the elements of a list have. `root`: the description, for references that are circles. */
export function itemFields(
  schema: ValueObject,
  [step, ...rest]: readonly string[],
  root: ValueObject,
): readonly string[] {
  if (step !== undefined) return itemFields(propertiesOf(schema)[step] ?? {}, rest, root);
  const fields = Object.entries(propertiesOf(referred(objectOf(schema.items), root)));
  const isScalar = (inner: ValueObject): boolean =>
    !isList(inner) && Object.keys(propertiesOf(referred(inner, root))).length === 0;
  return fields.filter(([, inner]) => isScalar(inner)).map(([name]) => name);
}

/** What a reference within the description refers to: only those are left that are circles. */
function referred(schema: ValueObject, root: ValueObject): ValueObject {
  if (typeof schema.$ref !== "string" || !schema.$ref.startsWith("#/")) return schema;
  const steps = schema.$ref
    .slice(2)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.reduce<ValueObject>((object, step) => objectOf(object[step]), root);
}

/** Paths of fields that may lead to the next page, beside the records. */
export function leadingFields(schema: ValueObject): {
  readonly addresses: readonly (readonly string[])[];
  readonly tokens: readonly (readonly string[])[];
} {
  const fields = scalarsIn(schema, [], new Set());
  const last = (path: readonly string[]): string => plainName(path.at(-1) ?? "");
  const isAddress = ({ path, format }: (typeof fields)[number]): boolean =>
    nextNames.has(last(path)) && /ur[il]/.test(format + last(path));
  return {
    addresses: fields.filter(isAddress).map(({ path }) => path),
    tokens: fields.filter((field) => !isAddress(field) && nextTokenNames.has(last(field.path))).map(({ path }) => path),
  };
}

const deepest = 4;

function listsIn(
  schema: ValueObject,
  path: readonly string[],
  above: ReadonlySet<ValueObject>,
): { path: readonly string[]; objects: boolean }[] {
  if (path.length > deepest || above.has(schema)) return [];
  return Object.entries(propertiesOf(schema)).flatMap(([name, inner]) => {
    const at = [...path, name];
    if (!isList(inner)) return listsIn(inner, at, new Set([...above, schema]));
    const items = objectOf(inner.items);
    return [{ path: at, objects: items.type === "object" || Object.keys(propertiesOf(items)).length > 0 }];
  });
}

function scalarsIn(
  schema: ValueObject,
  path: readonly string[],
  above: ReadonlySet<ValueObject>,
): { path: readonly string[]; format: string }[] {
  if (path.length > deepest || above.has(schema)) return [];
  return Object.entries(propertiesOf(schema)).flatMap(([name, inner]) => {
    const at = [...path, name];
    if (isList(inner)) return [];
    const deeper = scalarsIn(inner, at, new Set([...above, schema]));
    return deeper.length > 0 ? deeper : [{ path: at, format: String(inner.format ?? "") }];
  });
}

/** 3.1 writes `["array", "null"]`. */
function isList(schema: ValueObject): boolean {
  return (
    schema.type === "array" ||
    (Array.isArray(schema.type) && schema.type.includes("array")) ||
    (schema.type === undefined && schema.items !== undefined)
  );
}

/** The properties of a schema and of those it is made of. */
function propertiesOf(schema: ValueObject): Readonly<Record<string, ValueObject>> {
  const parts = [...listOf(schema.allOf), ...listOf(schema.oneOf).slice(0, 1), ...listOf(schema.anyOf).slice(0, 1)];
  const own = Object.entries(objectOf(schema.properties)).map(([name, inner]) => [name, objectOf(inner)] as const);
  return Object.assign({}, ...parts.map(propertiesOf), Object.fromEntries(own));
}
