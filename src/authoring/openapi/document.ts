import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CORE_SCHEMA, load, mergeTag } from "js-yaml";
import { readWholeNow, UnreadPipe } from "../../core/blocking-work.ts";
import { messageOf, SpileError } from "../../core/errors.ts";
import { reasonOf } from "../../core/text/reason.ts";
import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";

/**
 * A description and the files to which it refers. A reference is followed only when its value is needed, so circles do no harm,
 * and a broken reference is an error only if it is used.
 */
export interface References {
  readonly root: ValueObject;
  /**
   * Returns an object of the description unchanged; for a reference, its target with the members beside `$ref`. Returns `{}` for
   * any other value, and for a reference to an http(s) address. The same value always gives the same object. Throws a usage error
   * for a reference without a target.
   */
  follow(value: Value | undefined): ValueObject;
}

/** Reads an OpenAPI 3 description in JSON or YAML, with the files to which it refers. Throws usage errors. */
export function readDescription(path: string): References {
  const references = openDescription(path);
  const { openapi, swagger } = references.root;
  if (/^3\./.test(String(openapi))) return references;
  const found =
    swagger === undefined
      ? "it has no openapi: 3.x"
      : `it is of Swagger ${String(swagger)}; convert it first, for example with npx swagger2openapi`;
  throw new SpileError("usage", `${path} is not an OpenAPI description of version 3.0 or 3.1: ${found}`);
}

/** Longest chain of references. A longer one counts as a circle. */
const longestChain = 100;

/** Reads a description in JSON or YAML. Throws usage errors. */
function openDescription(path: string): References {
  const documents = new Map<string, ValueObject>();
  /** The file in which each reference occurs. */
  const places = new WeakMap<ValueObject, string>();
  const targets = new WeakMap<ValueObject, ValueObject>();
  const read = (file: string): ValueObject => {
    const before = documents.get(file);
    if (before !== undefined) return before;
    const document = readDocument(file, path);
    for (const reference of referencesIn(document)) places.set(reference, file);
    const object = isObject(document) ? document : {};
    documents.set(file, object);
    return object;
  };
  const target = (reference: ValueObject, text: string): ValueObject => {
    const from = places.get(reference) ?? path;
    const [file = "", pointer = ""] = text.split("#", 2);
    if (/^https?:/i.test(file)) return {};
    const document = read(file === "" ? from : resolve(dirname(from), filePath(file)));
    const steps = pointer.split("/").slice(1).map(unescaped);
    const found = steps.reduce<Value | undefined>(
      (value, step) => (isObject(value) || Array.isArray(value) ? memberOf(value, step) : undefined),
      document,
    );
    if (found === undefined) throw readingError(path, `${text} refers to nothing`);
    return isObject(found) ? found : {};
  };
  const follow = (value: Value | undefined, chain = 0): ValueObject => {
    if (!isObject(value)) return {};
    const { $ref, ...members } = value;
    if (typeof $ref !== "string") return value;
    const before = targets.get(value);
    if (before !== undefined) return before;
    if (chain > longestChain) throw readingError(path, `${$ref} refers to itself`);
    const found = follow(target(value, $ref), chain + 1);
    const result = Object.keys(members).length === 0 ? found : { ...found, ...members };
    targets.set(value, result);
    return result;
  };
  return { root: read(resolve(path)), follow: (value) => follow(value) };
}

function memberOf(value: ValueObject | readonly Value[], name: string): Value | undefined {
  return new Map<string, Value>(Object.entries(value)).get(name);
}

function filePath(text: string): string {
  return /^file:/i.test(text) ? fileURLToPath(text) : percentDecoded(text);
}

/** Decodes the percent-encoding and the `~` escapes of a step of a JSON pointer. */
function unescaped(text: string): string {
  return percentDecoded(text).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Decodes percent-encoding. A text with an invalid sequence is returned unchanged. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Maximum size of a description in MiB. The largest public ones have about 40. */
const maxMebibytes = 256;

function readDocument(file: string, path: string): Value {
  let text: string;
  try {
    text = readWholeNow(file, maxMebibytes).toString();
  } catch (error) {
    if (error instanceof UnreadPipe) throw error;
    throw readingError(path, reasonOf(error), error);
  }
  try {
    return JSON.parse(text) as Value;
  } catch {
    // Any other text is read as YAML, whose parser has the better error messages.
  }
  try {
    // An alias becomes the same object as its anchor, so that aliases of aliases take no memory.
    return load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }) as Value;
  } catch (error) {
    throw readingError(path, messageOf(error).split("\n", 1)[0] ?? "", error);
  }
}

function readingError(path: string, why: string, cause?: unknown): SpileError {
  return new SpileError("usage", `cannot read the OpenAPI description ${path}: ${why}`, { cause });
}

/** Lists the objects of a document that are references. An object that occurs several times (aliases in YAML) is examined once. */
function referencesIn(document: Value): readonly ValueObject[] {
  const visitedObjects = new Set<object>();
  const found: ValueObject[] = [];
  const waiting: Value[] = [document];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null || visitedObjects.has(value)) continue;
    visitedObjects.add(value);
    if (isObject(value) && typeof value.$ref === "string") found.push(value);
    for (const inner of Object.values(value)) waiting.push(inner as Value);
  }
  return found;
}
