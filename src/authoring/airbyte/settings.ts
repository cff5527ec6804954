import { isObject, parseValue, scalarText, type Value, type ValueObject } from "../../core/values/value.ts";
import { draftSettings, type WrittenSettings } from "../described/settings.ts";
import { listOf, objectOf, UnsupportedError } from "../described/values.ts";
import { pythonText } from "./meaning.ts";

/** A setting of the connector, as its specification describes it. */
interface Property {
  readonly schema: ValueObject;
  readonly isRequired: boolean;
}

/** The settings of a manifest. They keep track of those that the configuration needs. */
export interface ManifestSettings extends WrittenSettings {
  /** Returns an expression that reads a setting; if the setting is a constant, its value. */
  read(path: readonly string[]): Value;
  /**
   * Returns the value of a setting that decides the shape of the configuration, and adds it to `decisions` unless it is a constant
   * of the specification's top level. Throws `UnsupportedError` for a required setting without a default.
   */
  decide(path: readonly string[]): Value;
  /**
   * Returns whether a setting counts as true. A setting whose value is not known yet counts as true if it is required and not a
   * boolean.
   */
  isPresent(path: readonly string[]): boolean;
  /** Returns whether a setting may have no value in a run: it is optional, has no default, and is not in `needed`. */
  isOptional(path: readonly string[]): boolean;
  /** Returns whether a setting is a list. In a run, a list is one text with commas between its elements. */
  isList(path: readonly string[]): boolean;
  /** Returns whether a setting is an object of further settings. */
  hasMembers(path: readonly string[]): boolean;
  /** Returns texts about the values that `decide` returned: `is_sandbox is False`. */
  decisions(): readonly string[];
  /** Returns the dotted paths of the settings for which `read` returned an expression. */
  readPaths(): ReadonlySet<string>;
}

export interface SettingsOptions {
  /** Prefix for the names of environment variables. */
  readonly prefix: string;
  /** Values that override the defaults of the specification, by the dotted paths of their settings. */
  readonly settingValues: ReadonlyMap<string, string>;
  /** Dotted paths of settings that have a value in each run, because another part of the configuration needs them. */
  readonly needed?: ReadonlySet<string>;
}

/** Creates the settings that a specification describes. */
export function createSettings(
  specification: ValueObject,
  { prefix, settingValues, needed = new Set() }: SettingsOptions,
): ManifestSettings {
  const draft = draftSettings(prefix);
  const readPaths = new Set<string>();
  const decidedValues = new Map<string, Value>();
  const find = (path: readonly string[]): Property | undefined => propertyAt(specification, path, alternative);
  const alternative = (schemas: readonly ValueObject[], path: readonly string[]): ValueObject =>
    chosenAlternative(schemas, path, settingValues);
  const givenValue = (path: readonly string[], schema: ValueObject): Value | undefined => {
    const text = settingValues.get(path.join("."));
    if (text === undefined) return undefined;
    if (schema.type === "boolean") return /^(?:true|1|yes)$/i.test(text);
    const isNumeric = schema.type === "integer" || schema.type === "number";
    return isNumeric && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? parseValue(text) : text;
  };
  const fixedValue = (path: readonly string[], schema: ValueObject): Value | undefined => {
    const { const: constant, default: defaultValue } = schema;
    return givenValue(path, schema) ?? constant ?? (isSecretSchema(schema) ? undefined : defaultValue) ?? undefined;
  };
  const settings: ManifestSettings = {
    read: (path) => {
      const schema = find(path)?.schema ?? {};
      const value = fixedValue(path, schema);
      if (schema.const !== undefined) return value ?? null;
      if (isObject(schema.properties)) throw new UnsupportedError(`the setting ${path.join(".")} is used as a whole`);
      readPaths.add(path.join("."));
      return draft.read(path, {
        value: value === undefined ? undefined : flatValue(value),
        isSecret: isSecretSchema(schema),
        title: typeof schema.title === "string" ? schema.title : undefined,
        example: exampleOf(schema),
      });
    },
    isPresent: (path) => {
      const property = find(path);
      if (property === undefined) return false;
      const value = fixedValue(path, property.schema);
      if (value !== undefined) return value !== false && value !== "" && !(Array.isArray(value) && value.length === 0);
      return property.isRequired && property.schema.type !== "boolean";
    },
    isOptional: (path) => {
      const property = find(path);
      if (property === undefined || property.isRequired || needed.has(path.join("."))) return false;
      return fixedValue(path, property.schema) === undefined;
    },
    isList: (path) => find(path)?.schema.type === "array",
    hasMembers: (path) => ["properties", "oneOf", "anyOf"].some((name) => find(path)?.schema[name] !== undefined),
    decide: (path) => {
      const property = find(path);
      const schema = property?.schema ?? {};
      const choices = Array.isArray(schema.enum) ? schema.enum : [];
      const value = fixedValue(path, schema) ?? choices[0] ?? (schema.type === "boolean" ? false : null);
      const name = path.join(".");
      if (property?.isRequired === true && value === null)
        throw new UnsupportedError(
          `it depends on the setting ${name}, which has no default: give it with --set ${name}=VALUE`,
        );
      if (schema.const === undefined || path.length > 1) decidedValues.set(name, value);
      return value;
    },
    readPaths: () => readPaths,
    members: draft.members,
    variables: draft.variables,
    decisions: () =>
      [...decidedValues].map(([name, value]) => `${name} is ${value === null ? "not set" : pythonText(value)}`),
  };
  return settings;
}

/** Returns an example of a setting, to append to its title: `, such as 2024-01-31`; "" if the specification has none. */
function exampleOf({ examples }: ValueObject): string {
  const [first] = Array.isArray(examples) ? examples : [examples];
  const text = first === undefined ? undefined : scalarText(first);
  return text === undefined || text === "" ? "" : `, such as ${text}`;
}

function isSecretSchema(schema: ValueObject): boolean {
  return schema.airbyte_secret === true;
}

/** Converts a setting to the text that requests send: a list gets commas between its elements, and a boolean is True or False. */
function flatValue(value: Value): Value {
  if (typeof value === "boolean") return pythonText(value);
  return Array.isArray(value) ? value.map(pythonText).join(",") : value;
}

/** Finds a setting in the specification. `alternative` chooses one schema among those of `oneOf` and `anyOf`. */
function propertyAt(
  schema: ValueObject,
  [step, ...rest]: readonly string[],
  alternative: (schemas: readonly ValueObject[], path: readonly string[]) => ValueObject,
  above: readonly string[] = [],
): Property | undefined {
  if (step === undefined) return undefined;
  const { oneOf, anyOf } = schema;
  const choices = [...listOf(oneOf), ...listOf(anyOf)];
  const chosen = choices.length === 0 ? schema : withAlternative(schema, alternative(choices, above));
  const found = objectOf(chosen.properties)[step];
  if (!isObject(found)) return undefined;
  const isRequired = Array.isArray(chosen.required) && chosen.required.includes(step);
  if (rest.length > 0) return propertyAt(found, rest, alternative, [...above, step]);
  return { schema: found, isRequired };
}

function withAlternative(schema: ValueObject, chosen: ValueObject): ValueObject {
  const required = [schema.required, chosen.required].flatMap((list) => (Array.isArray(list) ? list : []));
  return { ...schema, properties: { ...objectOf(schema.properties), ...objectOf(chosen.properties) }, required };
}

/** Chooses the alternative that the given values select, else the first one that needs no sign-in with a browser. */
function chosenAlternative(
  schemas: readonly ValueObject[],
  path: readonly string[],
  settingValues: ReadonlyMap<string, string>,
): ValueObject {
  const constants = (schema: ValueObject): readonly (readonly [string, Value])[] =>
    Object.entries(objectOf(schema.properties)).flatMap(([name, property]) => {
      const constant = objectOf(property).const ?? onlyChoice(objectOf(property));
      return constant === undefined ? [] : [[name, constant] as const];
    });
  const isAskedFor = (schema: ValueObject): boolean =>
    constants(schema).some(([name, constant]) => settingValues.get([...path, name].join(".")) === pythonText(constant));
  const isPlain = (schema: ValueObject): boolean => !Object.keys(objectOf(schema.properties)).includes("refresh_token");
  return schemas.find(isAskedFor) ?? schemas.find(isPlain) ?? schemas[0] ?? {};
}

function onlyChoice({ enum: choices }: ValueObject): Value | undefined {
  return Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
}
