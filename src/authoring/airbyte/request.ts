import { isObject, parseValue, type Value, type ValueObject } from "../../core/values/value.ts";
import { concatArguments, joinedValue, objectOf, UnsupportedError } from "../described/values.ts";
import { evaluate, expressionOf, literal, meaningOf, shortLine } from "./evaluate.ts";
import { parseTemplate } from "./jinja.ts";
import { concatenated, configurationValue, type Meaning, pythonText, valueMeaning } from "./meaning.ts";
import { pathMembers } from "./records.ts";
import { eachValue, knownValue, type ManifestScope, MissingInSlice, resolvePlace } from "./scope.ts";

/**
 * A place in a request, as the configuration writes it: the name of a parameter, or an object such as `{ "header": "X-Page" }`.
 */
export type RequestSpot = string | ValueObject;

/** The request of a stream, as parts of a job. */
export interface StreamRequest {
  /** The address is `base` followed by `path`. Placeholders in it are in braces. */
  readonly base: Value;
  readonly path: Value;
  readonly method: "GET" | "POST" | "FORM";
  /** Parameters of the query. */
  readonly query: Readonly<Record<string, Value>>;
  /** Parameters of the body. */
  readonly body: Readonly<Record<string, Value>>;
  readonly headers: Readonly<Record<string, Value>>;
  /** The place of the next page's token, if a template of the request contains it. */
  readonly token: RequestSpot | undefined;
  /** Differences between the request and the manifest's. */
  readonly differences: readonly string[];
  /** Other notes for the user. */
  readonly notes: readonly string[];
}

/** Converts a requester. Throws `UnsupportedError`. */
export function requestOf(requester: ValueObject, scope: ManifestScope): StreamRequest {
  const { url_base, url, path, http_method = "GET" } = requester;
  const differences: string[] = [];
  const base = addressText(url_base ?? url ?? "", scope, "its url_base");
  const requestPath = withSingleSlashes(addressText(path ?? "", scope, "its path"));
  const method = String(http_method).toUpperCase();
  const options = { ...objectOf(requester.request_options_provider), ...requester };
  const query = parametersOf(options.request_parameters, scope, "query");
  const headers = parametersOf(options.request_headers, scope, "header");
  const { body, isForm } = bodyOf(options, scope);
  if (method !== "GET" && method !== "POST") throw new UnsupportedError(`its method is ${method}`);
  if (method === "GET" && Object.keys(body.members).length > 0)
    differences.push("the body of its GET is not sent: spile sends none, and most APIs ignore it");
  const isPost = method === "POST";
  const places = [
    ...(isPost ? body.tokens : []),
    ...query.tokens.map((one): RequestSpot => (isPost && typeof one === "string" ? queryPlace(one) : one)),
    ...headers.tokens.map((header): RequestSpot => ({ header: String(header) })),
  ];
  if (places.length > 1) throw new UnsupportedError("it sends the token of the next page in several places");
  return {
    base,
    path: requestPath,
    method: isPost ? (isForm ? "FORM" : "POST") : "GET",
    query: query.members,
    body: isPost ? body.members : {},
    headers: headers.members,
    token: places[0],
    differences,
    notes: [...query.notes, ...headers.notes, ...(isPost ? body.notes : [])],
  };
}

/** Evaluates a template of an address or of a part of one. */
function addressText(template: Value, scope: ManifestScope, what: string): Value {
  const meaning = meaningOf(template, scope);
  if (meaning.kind === "place" && meaning.root === "next_page_token") return "{page}";
  try {
    return inAddress(configurationValue(concatenated([meaning])) ?? "");
  } catch (error) {
    throw error instanceof UnsupportedError ? new UnsupportedError(`${what}: ${error.message}`) : error;
  }
}

/**
 * Merges adjacent slashes in a path, as Airbyte does. A path of nothing but slashes becomes empty, so that the base gets no
 * slash.
 */
function withSingleSlashes(path: Value): Value {
  if (typeof path === "string" && /^\/+$/.test(path)) return "";
  const pieces = concatArguments(path).map((piece) =>
    typeof piece === "string" ? piece.replace(/(?<!:)\/{2,}/g, "/") : piece,
  );
  return joinedValue(...pieces);
}

/** Writes placeholders in braces, as addresses need them. */
export function inAddress(value: Value): Value {
  if (Array.isArray(value) || !isObject(value)) return value;
  if (typeof value.placeholder === "string") return `{${value.placeholder}}`;
  if (value[eachValue] !== undefined) return "{}";
  if (value.function === "concat" && Array.isArray(value.args))
    return joinedValue(...value.args.map((piece: Value) => inAddress(piece)));
  if (JSON.stringify(value).includes('"placeholder":'))
    throw new UnsupportedError("it computes with a value of its parent's records");
  return value;
}

/** Parameters of a request, and the places of those that carry the next page's token. */
export interface Parameters {
  readonly members: Readonly<Record<string, Value>>;
  readonly tokens: readonly RequestSpot[];
  readonly notes: readonly string[];
}

/** Converts the parameters of a query or form, or the headers. The manifest has a template for each, or one template for all. */
export function parametersOf(
  options: Value | undefined,
  scope: ManifestScope,
  kind: "query" | "header" | "form",
): Parameters {
  const templates = typeof options === "string" ? optionsOfText(options, scope) : objectOf(options);
  const members: Record<string, Value> = {};
  const tokens: RequestSpot[] = [];
  const notes: string[] = [];
  for (const [key, template] of Object.entries(templates)) {
    const name = pythonText(knownValue(meaningOf(key, scope)));
    if (isObject(template) && typeof template.type === "string")
      throw new UnsupportedError(`its parameter ${name} is a component of the type ${template.type}`);
    const found = typeof template === "string" ? undefined : nested(template, scope, [name]);
    tokens.push(...(found?.tokens ?? []));
    notes.push(...(found?.notes ?? []));
    const meaning =
      found === undefined
        ? parameterMeaning(String(template), scope, { name, isText: kind === "header" })
        : valueMeaning(found.value);
    if (isToken(meaning)) tokens.push(name);
    else if (meaning.kind === "absent") notes.push(absenceNote(name, meaning.name));
    else {
      const value = parameterValue(configurationValue(meaning), kind);
      if (value !== undefined && value !== "") members[name] = value;
    }
  }
  return { members, tokens, notes };
}

function absenceNote(parameter: string, setting: string): string {
  return `${JSON.stringify(parameter)} is left out: the optional setting ${setting} has no value`;
}

export function isToken(meaning: Meaning): boolean {
  return meaning.kind === "place" && meaning.root === "next_page_token";
}

/**
 * Evaluates the template of a parameter. A list in a setting remains a list, unless `isText` says that the value must be one
 * text, as in a header.
 */
function parameterMeaning(
  template: string,
  scope: ManifestScope,
  { name, isText }: { readonly name: string; readonly isText: boolean },
): Meaning {
  try {
    const expression = expressionOf(template);
    const meaning = evaluate(expression, scope);
    if (meaning.kind === "place" && meaning.root === "config" && !scope.settings.isPresent(meaning.path)) {
      if (scope.settings.isOptional(meaning.path)) return { kind: "absent", name: meaning.path.join(".") };
    }
    const found = resolvePlace(meaning, scope);
    const isList = meaning.kind === "place" && meaning.root === "config" && scope.settings.isList(meaning.path);
    return isList && !isText && found.kind === "run"
      ? { kind: "run", expression: settingList(found.expression) }
      : found;
  } catch (error) {
    if (error instanceof MissingInSlice) return { kind: "value", value: "" };
    throw error instanceof UnsupportedError ? new UnsupportedError(`its ${name}: ${error.message}`) : error;
  }
}

/** Returns an expression that splits a setting at its commas. */
export function settingList(setting: Value): ValueObject {
  return { function: "split", args: [setting, ","] };
}

/**
 * Converts a value to the form in which Python's library `requests` sends it. Lists remain lists, and texts that are Python lists
 * become lists.
 */
function parameterValue(value: Value | undefined, kind: "query" | "header" | "form"): Value | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "boolean") return pythonText(value);
  if (typeof value === "string" && kind !== "header" && /^\s*\[[\s\S]*\]\s*$/.test(value)) return literal(value);
  if (isObject(value) && isPlainObject(value)) return kind === "query" ? Object.keys(value).join(",") : value;
  return value;
}

/** Returns whether an object is data and not an expression. */
function isPlainObject(value: ValueObject): boolean {
  return !["function", "attr", "window", "incremental", "placeholder", "time", "step", eachValue].some((key) =>
    Object.hasOwn(value, key),
  );
}

/** Converts one template for all parameters: a JSON object, a form, or an expression that gives an object. */
function optionsOfText(text: string, scope: ManifestScope): ValueObject {
  if (text.trim() === "") return {};
  const meaning = /^\s*\{(?!\{|%)/.test(text) ? undefined : meaningOf(text, scope);
  if (meaning?.kind === "value" && isObject(meaning.value)) return meaning.value;
  if (meaning?.kind === "value" && (meaning.value === "" || meaning.value === null)) return {};
  if (meaning?.kind === "absent") return {};
  if (meaning?.kind === "value" && typeof meaning.value === "string" && meaning.value.includes("="))
    return formOptions(meaning.value);
  throw new UnsupportedError(`its parameters are one text that is neither JSON nor a form: ${shortLine(text)}`);
}

function formOptions(text: string): ValueObject {
  return Object.fromEntries([...new URLSearchParams(text.replace(/^\?/, ""))]);
}

interface Body {
  readonly body: Parameters;
  readonly isForm: boolean;
}

/** Converts the body of a request: a JSON document, or a form. */
function bodyOf(options: ValueObject, scope: ManifestScope): Body {
  const typed = objectOf(options.request_body);
  const json =
    options.request_body_json ?? (/Json|GraphQL/.test(String(typed.type)) ? (typed.value ?? null) : undefined);
  const data =
    options.request_body_data ?? (/UrlEncoded|PlainText/.test(String(typed.type)) ? (typed.value ?? null) : undefined);
  if (isFilled(data)) return { body: parametersOf(data, scope, "form"), isForm: true };
  if (!isFilled(json)) return { body: { members: {}, tokens: [], notes: [] }, isForm: false };
  const { value, tokens, notes } = typeof json === "string" ? jsonTemplate(json, scope) : nested(json, scope, []);
  if (!isObject(value)) throw new UnsupportedError("its body is not a JSON object");
  return { body: { members: value, tokens, notes }, isForm: false };
}

function isFilled(value: Value | undefined): value is Value {
  return value !== undefined && value !== null && value !== "" && !(isObject(value) && Object.keys(value).length === 0);
}

interface Nested {
  readonly value: Value;
  readonly tokens: readonly RequestSpot[];
  readonly notes: readonly string[];
}

interface TextReader {
  readonly nameOf: (key: string) => string;
  readonly textOf: (text: string, path: readonly string[]) => Nested;
  /** Returns whether the object around a member keeps it. */
  readonly isKept: (member: Nested) => boolean;
}

/** Replaces each text inside a JSON value by the result of `textOf`. */
function withTexts(value: Value, reader: TextReader, path: readonly string[]): Nested {
  const collected = (made: Value, inner: readonly Nested[]): Nested => ({
    value: made,
    tokens: inner.flatMap(({ tokens }) => tokens),
    notes: inner.flatMap(({ notes }) => notes),
  });
  if (Array.isArray(value)) {
    const items = value.map((item: Value, index) => withTexts(item, reader, [...path, String(index)]));
    return collected(
      items.map((item) => item.value),
      items,
    );
  }
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, member]) => {
      const name = reader.nameOf(key);
      return [name, withTexts(member, reader, [...path, name])] as const;
    });
    const kept = members.filter(([, member]) => reader.isKept(member)).map(([name, member]) => [name, member.value]);
    return collected(
      Object.fromEntries(kept),
      members.map(([, member]) => member),
    );
  }
  return typeof value === "string" ? reader.textOf(value, path) : collected(value, []);
}

/** Evaluates the templates inside a JSON value. Drops members whose templates evaluate to nothing, as Airbyte does. */
function nested(document: Value, scope: ManifestScope, above: readonly string[]): Nested {
  const textOf: TextReader["textOf"] = (text, path) => {
    const name = path.join(".");
    const meaning = parameterMeaning(text, scope, { name, isText: false });
    if (isToken(meaning)) return { value: null, tokens: [placeOf(path)], notes: [] };
    const notes = meaning.kind === "absent" ? [absenceNote(name, meaning.name)] : [];
    const found = configurationValue(meaning) ?? null;
    return { value: found === "" ? null : typeof found === "string" ? literal(found) : found, tokens: [], notes };
  };
  const nameOf = (key: string): string => pythonText(knownValue(meaningOf(key, scope)));
  return withTexts(document, { nameOf, textOf, isKept: ({ value }) => value !== null }, above);
}

/** Writes the place of a query parameter in a POST request. */
export function queryPlace(name: string): RequestSpot {
  return name.includes(".") ? { query: name, delimiter: "\u001f" } : { query: name };
}

/** Writes the place of a member in a body. */
export function placeOf(path: readonly string[]): RequestSpot {
  const [only = ""] = path;
  if (path.length === 1) return only;
  return pathMembers(path);
}

/** Evaluates a template that prints a JSON document. Its expressions are inside texts, or each replaces a whole value. */
function jsonTemplate(text: string, scope: ManifestScope): Nested {
  const parts = parsedParts(text);
  const marks = new Map<string, Meaning>();
  let isInText = false;
  const marked = parts.map((part, index) => {
    if (typeof part === "string") {
      for (const [quote] of part.matchAll(/\\.|"/g)) if (quote === '"') isInText = !isInText;
      return part;
    }
    const mark = `\u0001${index}\u0002`;
    marks.set(mark, resolvePlace(evaluate(part, scope), scope));
    return isInText ? mark : JSON.stringify(mark);
  });
  let document: Value;
  try {
    document = parseValue(marked.join(""));
  } catch {
    throw new UnsupportedError(`its body ${shortLine(text)} is a text that is not JSON`);
  }
  return unmarked(document, marks, []);
}

function parsedParts(text: string): ReturnType<typeof parseTemplate> {
  // Adjacent closing braces of JSON may look like the end of a Jinja tag: `{"a": {"b": {{ c }}}}`.
  try {
    return parseTemplate(text);
  } catch {
    throw new UnsupportedError(`its body ${shortLine(text)} is not understood`);
  }
}

function unmarked(document: Value, marks: ReadonlyMap<string, Meaning>, above: readonly string[]): Nested {
  const textOf: TextReader["textOf"] = (text, path) => {
    const whole = marks.get(text);
    if (whole !== undefined && isToken(whole)) return { value: null, tokens: [placeOf(path)], notes: [] };
    if (whole !== undefined) {
      const found = configurationValue(whole) ?? null;
      return { value: typeof found === "string" ? literal(found) : found, tokens: [], notes: [] };
    }
    const pieces = text.split(/(\u0001\d+\u0002)/).map((piece): Meaning => marks.get(piece) ?? valueMeaning(piece));
    return { value: configurationValue(concatenated(pieces)) ?? "", tokens: [], notes: [] };
  };
  const isKept: TextReader["isKept"] = ({ value, tokens }) => tokens.length === 0 || value !== null;
  return withTexts(document, { nameOf: (key) => key, textOf, isKept }, above);
}
