import { isNumber, isObject, parseValue, scalarText, type Value, type ValueObject } from "../core/values/value.ts";
import { rewrite, type Schema, typesOf } from "./schema.ts";

/**
 * Rewrites forms that Generic Extractor accepts into those of the schema, before the document is checked. An empty `authentication`
 * or `pagination` is dropped, and an empty scroller gets the method "none". JSON text in `baseUrl` becomes an expression. A name in
 * place of a column of `mappings` becomes a column.
 */
export function rewriteLegacy(document: Value): Value {
  if (!isObject(document)) return document;
  if (isObject(document.parameters)) return { ...document, parameters: rewriteLegacy(document.parameters) };
  const { api, config, iterations } = document;
  return {
    ...document,
    ...(isObject(api) ? { api: rewriteApi(api) } : {}),
    ...(isObject(config) ? { config: rewriteMappings(config) } : {}),
    ...(Array.isArray(iterations) ? { iterations: iterations.map(rewriteMappings) } : {}),
  };
}

function rewriteMappings(config: Value): Value {
  return isObject(config) && isObject(config.mappings)
    ? { ...config, mappings: mapValues(config.mappings, rewriteMapping) }
    : config;
}

function rewriteMapping(mapping: Value): Value {
  return isObject(mapping) ? mapValues(mapping, rewriteEntry) : mapping;
}

function rewriteEntry(entry: Value): Value {
  if (typeof entry === "string") return { mapping: { destination: entry } };
  return isObject(entry) && entry.tableMapping !== undefined
    ? { ...entry, tableMapping: rewriteMapping(entry.tableMapping) }
    : entry;
}

function mapValues(object: ValueObject, change: (value: Value) => Value): ValueObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function rewriteApi(api: ValueObject): Value {
  const { authentication, pagination, ...rest } = api;
  const result: Record<string, Value> = rest;
  if (!isEmpty(authentication)) result.authentication = authentication as Value;
  if (!isEmpty(pagination))
    result.pagination = isObject(pagination) ? rewritePagination(pagination) : (pagination as Value);
  if (typeof result.baseUrl === "string" && result.baseUrl.startsWith("{"))
    result.baseUrl = expressionIn(result.baseUrl);
  return result;
}

function rewritePagination(pagination: ValueObject): Value {
  const scrollers = pagination.scrollers;
  if (!isObject(scrollers)) return pagination;
  const entries = Object.entries(scrollers).map(([name, scroller]) => [
    name,
    isEmpty(scroller) ? { method: "none" } : scroller,
  ]);
  return { ...pagination, scrollers: Object.fromEntries(entries) };
}

/** Returns whether a value is absent, `{}` or `[]`. */
function isEmpty(value: Value | undefined): boolean {
  return (
    value === undefined ||
    (Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0)
  );
}

function expressionIn(text: string): Value {
  try {
    return parseValue(text);
  } catch {
    return text;
  }
}

/**
 * Returns a checked document in the form that its types promise. Where the schema prefers a number, texts such as "20" and "300/m"
 * become numbers, while a word such as "auto" stays. `[]` in place of an object becomes `{}`. An object in place of a list becomes
 * the list of its values. Methods become upper case.
 */
export function coerce(document: Value): Value {
  return rewrite(document, {
    leave: (value, { schema }) => {
      const [preferred] = typesOf(schema);
      if (isNumber(value) || typeof value === "string") return coerceScalar(value, schema, preferred);
      // A list in place of an object is PHP's empty object, unless the schema describes its elements.
      if (Array.isArray(value)) {
        return preferred === "object" && schema.items === undefined ? Object.fromEntries(Object.entries(value)) : value;
      }
      return isObject(value) && preferred === "array" ? Object.values(value) : value;
    },
  });
}

function coerceScalar(value: Value, schema: Schema, preferred: string | undefined): Value {
  if (typeof value === "string" && schema.case === "upper") return value.toUpperCase();
  if (preferred !== "integer" && preferred !== "number") return value;
  const text = scalarText(value) ?? "";
  if (!/[0-9]/.test(text)) return value;
  return Number.isNaN(Number(text)) ? perSecond(text) : Number(text);
}

/** Converts a rate such as `300/m` to requests per second. */
function perSecond(rate: string): number {
  const [number, unit] = rate.split("/");
  return Number(number) / ({ s: 1, m: 60, h: 3600 }[unit ?? "s"] ?? 1);
}
