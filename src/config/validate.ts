import type { ErrorObject } from "ajv";
import type { Fault } from "../core/errors.ts";
import { nearest } from "../core/text/nearest.ts";
import { printable } from "../core/text/printable.ts";
import { pointerTo } from "../core/values/path.ts";
import { isNumber, isObject, type Value } from "../core/values/value.ts";
import { validate } from "../generated/validator.js";
import { foundText } from "./found.ts";
import { allowedText, alternatives, branches, locate, memberSchema, resolveSchema, type Schema } from "./schema.ts";

/** A fault of a value (`value`), or of an object that lacks a field or has an unknown one (`field`). */
export interface SchemaFault extends Fault {
  readonly kind: "value" | "field";
}

export interface Findings {
  readonly faults: readonly SchemaFault[];
  readonly warnings: readonly Fault[];
}

/**
 * Checks a document against the schema. An unknown field is a fault with `strict`, or if its name resembles that of a known field.
 * Otherwise it is a warning (contract C-2.3).
 */
export function validateDocument(document: Value, strict: boolean): Findings {
  const findings = { faults: [] as SchemaFault[], warnings: [] as Fault[] };
  if (validate(plain(document))) return findings;
  const reportedKeys = new Set<string>();
  const meantKeys = new Set<string>();
  // Unknown fields come first, so that a misspelt field is not also reported as missing.
  const errors = [...(validate.errors ?? [])].sort((a, b) => rank(a) - rank(b));
  for (const error of errors) {
    const found = findingOf(error, document);
    if (found === undefined || reportedKeys.has(found.key) || meantKeys.has(found.key)) continue;
    reportedKeys.add(found.key);
    if (found.meant !== undefined) meantKeys.add(found.meant);
    (found.isHarmless === true && !strict ? findings.warnings : findings.faults).push(found.fault);
  }
  return findings;
}

interface Finding {
  readonly fault: SchemaFault;
  /** Key of the fault. If two findings have the same key, only the first is reported. */
  readonly key: string;
  /** Key of another finding that this one explains. The other one is then not reported. */
  readonly meant?: string | undefined;
  /** True if the fault is only a warning without `strict`. */
  readonly isHarmless?: boolean;
}

function findingOf(error: ErrorObject, document: Value): Finding | undefined {
  const steps = stepsOf(error.instancePath);
  switch (error.keyword) {
    case "if":
      return undefined;
    case "additionalProperties":
      return unknownField(error.instancePath, String(error.params.additionalProperty), locate(document, steps));
    case "required":
      return missingField(error.instancePath, String(error.params.missingProperty), locate(document, steps));
    case "discriminator":
      return wrongTag(error.instancePath, steps, String(error.params.tag), locate(document, steps));
    default:
      return wrongValue(error.instancePath, steps, locate(document, steps));
  }
}

interface Located {
  readonly schema: Schema;
  readonly value: Value | undefined;
}

function unknownField(pointer: string, name: string, { schema, value }: Located): Finding | undefined {
  // A field whose name begins with "__" is accepted without a message (contract C-2.3).
  if (name.startsWith("__")) return undefined;
  const absent = Object.keys(schema.properties ?? {}).filter(
    (property) => !isObject(value) || !Object.hasOwn(value, property),
  );
  const guess = nearest(name, absent);
  const advice = guess === undefined ? adviceOnField(schema.title, name) : undefined;
  const hint = guess === undefined ? "" : `, did you mean ${JSON.stringify(guess)}?`;
  return {
    fault: {
      kind: "field",
      pointer,
      message: `unknown field ${JSON.stringify(printable(name))}${hint}${advice === undefined ? "" : `: ${advice}`}`,
      suggestion: guess,
    },
    key: `${pointer} unknown ${name}`,
    meant: guess === undefined ? undefined : `${pointer} missing ${guess}`,
    isHarmless: guess === undefined,
  };
}

function missingField(pointer: string, name: string, { schema, value }: Located): Finding {
  const field = resolveSchema(memberSchema(schema, {}, name), undefined);
  const tags = schema.discriminator?.propertyName === name ? branches(schema).map(({ tag }) => tag) : [];
  const allowed = tags.length > 0 ? alternatives(tags) : allowedText(field);
  return {
    fault: {
      kind: "field",
      pointer,
      message: `${JSON.stringify(name)} is missing${allowed === "" ? "" : `: ${allowed}`}${misspeltText(name, schema, value)}`,
    },
    key: `${pointer} missing ${name}`,
  };
}

/**
 * Returns a hint about a field that is probably the missing one, misspelt. In an object that accepts any field, the misspelt field is
 * not reported as unknown, so only this hint mentions it.
 */
function misspeltText(name: string, schema: Schema, value: Value | undefined): string {
  const others = isObject(value)
    ? Object.keys(value).filter((key) => !Object.hasOwn(schema.properties ?? {}, key))
    : [];
  const guess = nearest(name, others);
  return guess === undefined
    ? ""
    : ` (found ${JSON.stringify(printable(guess))}: did you mean ${JSON.stringify(name)}?)`;
}

function wrongTag(pointer: string, steps: readonly string[], tag: string, { schema, value }: Located): Finding {
  const tagValue = isObject(value) ? value[tag] : undefined;
  if (tagValue === undefined) return missingField(pointer, tag, { schema, value });
  const tags = branches(schema).map((branch) => branch.tag);
  const guess = typeof tagValue === "string" ? nearest(tagValue, tags) : undefined;
  const hint = guess === undefined ? "" : `, did you mean ${JSON.stringify(guess)}?`;
  const message = `must be ${alternatives(tags)}, not ${foundText(tagValue, steps)}${hint}${adviceOnValue(pointerTo(pointer, tag), tagValue)}`;
  return {
    fault: { kind: "value", pointer: pointerTo(pointer, tag), message, suggestion: guess },
    key: `${pointerTo(pointer, tag)} value`,
  };
}

function wrongValue(pointer: string, steps: readonly string[], { schema, value }: Located): Finding {
  const message = `must be ${allowedText(schema)}, not ${foundText(value, steps)}${adviceOnValue(pointer, value)}`;
  return { fault: { kind: "value", pointer, message }, key: `${pointer} value` };
}

function rank({ keyword }: ErrorObject): number {
  return keyword === "additionalProperties" ? 0 : 1;
}

function stepsOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the value in the form that the validator reads, in which numbers are JavaScript numbers. */
function plain(value: Value): unknown {
  if (isNumber(value)) return Number(value.toString());
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** Advice on fields that spile does not have, by the title of the schema of the object that contains them. */
const fieldAdvice: Readonly<Record<string, readonly (readonly [name: RegExp, advice: string])[]>> = {
  Job: [
    [
      /^(record_?)?(filters?|where|select(or)?|condition)$/i,
      'spile writes records as they come; select them afterwards with jq: jq -c "select(.active)" (docs/recipes.md); "recursionFilter" in a child job picks its parents',
    ],
    [
      /^(transform(er|ation)?s?|(add|remove|computed|rename|drop)_?(fields?|columns?)?|columns|fields|flatten)$/i,
      'spile writes records as they come; add, drop and rename fields afterwards with jq (docs/recipes.md); "userData" adds a column',
    ],
    [
      /^(body|json|payload|request_?body(_?(json|data))?)$/i,
      'the "params" of a job are its body if "method" is "POST" (JSON) or "FORM"; a GET has no body',
    ],
    [
      /^(property_?chunking|properties|query_?properties)$/i,
      'name the requested fields in "params"; divide a list that is too long for one request among several jobs',
    ],
    [
      /^(files?|downloads?|attachments?|file_?uploader)$/i,
      "spile does not transfer files: fetch them with curl from the addresses in the records",
    ],
    [/^(python|script|code|class_?name|custom)$/i, "spile runs no foreign code; change records afterwards with jq"],
  ],
  Configuration: [
    [
      /^(dynamic_?streams?|streams?)$/i,
      'list each job in "config.jobs"; endpoint lists, child jobs and "iterations" make several runs of one job',
    ],
  ],
};

const formatAdvice = "ask the API for NDJSON or CSV";
const headerAdvice =
  '"api.http.headers" or the "headers" of a job send a token or a key with every request; an authentication of the type "query" sends it as a parameter';

/** Advice on values that spile does not accept. The first expression matches the value's JSON pointer. */
const valueAdvice: readonly (readonly [pointer: RegExp, value: RegExp, advice: string])[] = [
  [
    /\/(jobs|children)\/[^/]+\/format(\/type)?$/,
    /^xml$/i,
    "spile does not read XML: convert it to JSON, for example with xq",
  ],
  [
    /\/(jobs|children)\/[^/]+\/format(\/type)?$/,
    /^(xlsx?|excel)$/i,
    `spile does not read Excel sheets: ${formatAdvice}`,
  ],
  [
    /\/(jobs|children)\/[^/]+\/format(\/type)?$/,
    /^(parquet|avro|orc)$/i,
    `spile does not read files of this format: ${formatAdvice}`,
  ],
  [/\/authentications?(\/[^/]+)?\/type$/, /^(bearer|(api.?)?(key|token)|headers?)$/i, headerAdvice],
];

/** Returns the advice on an unknown field. `title`: title of the object's schema. */
function adviceOnField(title: string | undefined, name: string): string | undefined {
  const entries = fieldAdvice[title ?? ""] ?? [];
  return entries.find(([pattern]) => pattern.test(name))?.[1];
}

/** Returns the advice on a value that is not accepted, with a semicolon before it; "" if there is none. */
function adviceOnValue(pointer: string, value: Value | undefined): string {
  if (typeof value !== "string") return "";
  const found = valueAdvice.find(([place, pattern]) => place.test(pointer) && pattern.test(value));
  return found === undefined ? "" : `; ${found[2]}`;
}
