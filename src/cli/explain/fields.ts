import {
  allowedText,
  branches,
  referencedSchema,
  resolveSchema,
  rootSchema,
  type Schema,
  typesOf,
} from "../../config/schema.ts";

/** A field of the configuration. The same field may have several places: below a child job, in a scroller. */
export interface ExplainedField {
  readonly name: string;
  /** Paths with dots. Elements of a list have no number, and `<name>` replaces a name that the user chooses. `""` is the whole configuration. */
  readonly places: readonly string[];
  /** The alternative to which the field belongs, such as `"method": "offset"`; undefined if its object has no alternatives. */
  readonly alternative: string | undefined;
  readonly required: boolean;
  readonly description: string;
  /** The allowed values, in words. */
  readonly type: string;
  readonly default: unknown;
  readonly examples: readonly unknown[];
  /** Names of the fields or alternatives inside this field. */
  readonly inner: readonly string[];
  /** Title of the object that contains the field, as in docs/reference.md. */
  readonly section: string;
}

/** One alternative of an object, which the value of its `method` or `type` selects. */
export interface Alternative {
  readonly tag: string;
  readonly places: readonly string[];
  readonly description: string;
  readonly examples: readonly unknown[];
  readonly fields: readonly string[];
  readonly section: string;
}

/** A schema with the keywords that only descriptions use. */
type DescribedSchema = Schema & {
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly required?: readonly string[];
};

type Gathered<T> = Omit<T, "places"> & { readonly places: string[] };

/** Returns every field of the schema, in its order, and the alternatives of its objects. */
export function readFields(): {
  readonly fields: readonly ExplainedField[];
  readonly alternatives: readonly Alternative[];
} {
  const fields = new Map<string, Gathered<ExplainedField>>();
  const alternatives = new Map<string, Gathered<Alternative>>();
  visit(resolveSchema(rootSchema(), {}) as DescribedSchema, "", "Configuration", []);
  return { fields: [...fields.values()], alternatives: [...alternatives.values()] };

  /**
   * Adds the fields of an object and of the objects in it. `above`: titles of the sections around the object. A section is not
   * entered again inside itself, since child jobs contain child jobs.
   */
  function visit(schema: DescribedSchema, place: string, title: string, above: readonly string[]): void {
    if (above.includes(title)) return;
    const within = [...above, title];
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const fieldPath = place === "" ? name : `${place}.${name}`;
      gather(fields, `${title} ${name}`, fieldPath, () => fieldOf(schema, name, property, title));
      descend(property, fieldPath, name, within);
    }
    if (typeof schema.additionalProperties === "object") {
      descend(schema.additionalProperties, place === "" ? "<name>" : `${place}.<name>`, "<name>", within);
    }
  }

  function descend(property: Schema, place: string, name: string, above: readonly string[]): void {
    const schema = mergedSchema(property);
    const found = branches(schema);
    for (const { tag, schema: alternative } of found) {
      const section = `${(alternative as DescribedSchema).title ?? name}: ${tag}`;
      gather(alternatives, section, place, () => alternativeOf(alternative, tag, section));
      visit(alternative, place, section, above);
    }
    if (found.length > 0) return;
    if (schema.items !== undefined) descend(schema.items, place, name, above);
    else visit(schema, place, (resolveSchema(property, undefined) as DescribedSchema).title ?? name, above);
  }
}

/** Adds a field or an alternative. If it was added before, adds only the place. */
function gather<T>(
  fieldsByKey: Map<string, Gathered<T>>,
  key: string,
  place: string,
  create: () => Omit<T, "places">,
): void {
  const one = fieldsByKey.get(key);
  if (one === undefined) fieldsByKey.set(key, { ...create(), places: [place] });
  else if (!one.places.includes(place)) one.places.push(place);
}

function fieldOf(
  object: DescribedSchema,
  name: string,
  property: Schema,
  section: string,
): Omit<ExplainedField, "places"> {
  const schema = mergedSchema(property);
  const tag = Object.entries(object.properties ?? {}).find(([, one]) => one.const !== undefined);
  return {
    name,
    alternative: tag === undefined ? undefined : `${JSON.stringify(tag[0])}: ${JSON.stringify(tag[1].const)}`,
    required: object.required?.includes(name) ?? false,
    description: schema.description ?? schema.title ?? "",
    type: typeText(schema),
    default: schema.default,
    examples: schema.examples ?? [],
    inner: innerNames(schema),
    section,
  };
}

function alternativeOf(schema: DescribedSchema, tag: string, section: string): Omit<Alternative, "places"> {
  const { description = "", examples = [], properties = {} } = schema;
  return { tag, description, examples, fields: Object.keys(properties), section };
}

/** Returns a schema merged with the schemas to which it refers. Its own keywords override theirs. */
function mergedSchema(schema: Schema): DescribedSchema {
  if (schema.$ref !== undefined)
    return { ...mergedSchema(referencedSchema(schema.$ref)), ...schema } as DescribedSchema;
  return { ...resolveSchema(schema, undefined), ...schema } as DescribedSchema;
}

function typeText(schema: DescribedSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (branches(schema).length > 0) return "an object";
  return allowedText(schema) || "any value";
}

function innerNames(schema: DescribedSchema): readonly string[] {
  const found = branches(schema).map(({ tag }) => tag);
  if (found.length > 0) return found;
  const object = schema.items === undefined ? schema : mergedSchema(schema.items);
  return typesOf(object).includes("string") && object.properties === undefined
    ? []
    : Object.keys(object.properties ?? {});
}
