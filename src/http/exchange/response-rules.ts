import { type ErrorKind, SpileError } from "../../core/errors.ts";
import { type Watched, watchedOf } from "../../core/runs/page.ts";
import { pickWatched, type SourceInResponse, sourceOf } from "../../core/runs/response-source.ts";
import { printable } from "../../core/text/printable.ts";
import { type Path, pointerTo, valueAt } from "../../core/values/path.ts";
import { parseValue, plainText, type Value } from "../../core/values/value.ts";
import { patternOf } from "../../expression/pattern.ts";
import type { ResponseRule as ConfiguredRule, ResponseCondition } from "../../generated/configuration.ts";
import { retryAfter } from "../pacing/retry.ts";

/** A response in the form that rules examine. */
export interface JudgedResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** Returns the value at a path of the body; undefined if there is none, or the body is not JSON. */
  value(path: Path): Watched | undefined;
}

/** A compiled rule of `responses` (contract C-14). */
export interface ResponseRule {
  readonly then: ConfiguredRule["then"];
  /** Paths of the body that the rule reads. */
  readonly paths: readonly Path[];
  /** Returns whether a response with this status can match. */
  mayMatch(status: number): boolean;
  matches(response: JudgedResponse): boolean;
  /** Describes the rule's decision, for a message that begins with the address: `answered 200, which ... treats as the end`. */
  text(response: JudgedResponse): string;
  /** For `fail`, returns the failure; `where` is the request's method and address. */
  failure(response: JudgedResponse, where: string): SpileError;
  /** Returns the wait (ms) that the response asks for; undefined if it asks for none. `now` is in Unix milliseconds. */
  wait(response: JudgedResponse, now: number): number | undefined;
}

/** Maximum number of characters of a value that a pattern examines. */
const longestMatched = 1000;
/** Maximum number of characters of a value that a message repeats. */
const longestRepeated = 300;

/**
 * Compiles the rules of `responses`. `pointer`: their JSON pointer. `retryHeader`: name of the header that says how long to wait,
 * unless a rule names another place.
 */
export function compileRules(
  rules: readonly ConfiguredRule[],
  pointer: string,
  retryHeader: string,
): readonly ResponseRule[] {
  return rules.map((rule, index) => compileRule(rule, pointerTo(pointer, index), retryHeader));
}

/** Compiles one rule. `pointer` is its JSON pointer, for messages. Throws SpileError `configuration` for a pattern that cannot be run. */
export function compileRule(rule: ConfiguredRule, pointer: string, retryHeader: string): ResponseRule {
  const { when, then } = rule;
  const sources = [rule.message, rule.after].map((source) => (source === undefined ? undefined : sourceOf(source)));
  const [message, after] = sources;
  const subject = subjectOf(when);
  const statuses = when.status === undefined ? undefined : new Set([when.status].flat());
  const mayMatch = (status: number): boolean => statuses?.has(status) ?? true;
  const test = subject === undefined ? undefined : testOf(when);
  const text = ({ status }: JudgedResponse): string =>
    `answered ${status}, which ${pointer} treats as ${meanings[then]}`;
  return {
    then,
    paths: [subject, ...sources].flatMap((source) => (source !== undefined && "path" in source ? [source.path] : [])),
    mayMatch,
    matches: (response) => {
      if (!mayMatch(response.status)) return false;
      return subject === undefined || test?.(read(subject, response)) === true;
    },
    text,
    failure(response, where) {
      const reason = message === undefined ? "" : repeatedText(read(message, response));
      const what = reason === "" ? text(response) : `answered ${response.status}: ${reason}`;
      return new SpileError(kindOf(rule), `${where}: ${what}`, { refusal: { status: response.status } });
    },
    wait: (response, now) => retryAfter(read(after ?? { header: retryHeader }, response)?.text, now),
  };
}

const meanings: Readonly<Record<ConfiguredRule["then"], string>> = {
  fail: "a failure",
  retry: "a reason to repeat the request",
  login: "an expired login",
  empty: "the end of the pages",
  end: "the end",
};

function kindOf({ temporary, authentication }: ConfiguredRule): ErrorKind {
  if (authentication === true) return "authentication";
  return temporary === true ? "temporary" : "refused";
}

function subjectOf(when: ResponseCondition): SourceInResponse | undefined {
  return when.header === undefined && when.path === undefined ? undefined : sourceOf(when);
}

function testOf({ is, matches }: ResponseCondition): (value: Watched | undefined) => boolean {
  const texts =
    is === undefined ? undefined : new Set((Array.isArray(is) ? (is as readonly Value[]) : [is]).map(plainText));
  const pattern = matches === undefined ? undefined : patternOf(matches);
  return (value) => {
    if (value === undefined) return false;
    if (texts === undefined && pattern === undefined) return hasContent(value);
    const isScalar = value.type !== "array" && value.type !== "object";
    if (texts !== undefined && !(isScalar && texts.has(value.text))) return false;
    return pattern === undefined || pattern.test(value.text.slice(0, longestMatched));
  };
}

/** Returns whether a value exists and is not null, false, "", [] or {}. */
function hasContent({ type, text, empty }: Watched): boolean {
  return type !== "null" && !(type === "boolean" && text === "false") && !empty;
}

function read(source: SourceInResponse, response: JudgedResponse): Watched | undefined {
  if ("path" in source) return pickWatched(response.value(source.path), source);
  const text = "header" in source ? (response.header(source.header)?.trim() ?? "") : "";
  return text === "" ? undefined : { type: "string", text, empty: false };
}

function repeatedText(value: Watched | undefined): string {
  if (value === undefined || value.type === "null") return "";
  const characters = [...printable(value.text.slice(0, 4 * longestRepeated))];
  return characters.slice(0, longestRepeated).join("") + (characters.length > longestRepeated ? "..." : "");
}

/** Parses a whole body; undefined if it is not JSON. */
export function documentOf(body: string): Value | undefined {
  try {
    return parseValue(body);
  } catch {
    return undefined;
  }
}

/** Returns a function that reads values of a document. It finds nothing if the document is undefined. */
export function valuesOf(document: Value | undefined): JudgedResponse["value"] {
  return (path) => {
    const value = document === undefined ? undefined : valueAt(document, path);
    return value === undefined ? undefined : watchedOf(value);
  };
}
