import type { RE2JS } from "re2js";
import { messageOf } from "../core/errors.ts";

/** A regular expression that runs in time linear in the text (contract C-4.6). */
export interface Pattern {
  test(text: string): boolean;
  readonly groups: number;
  /** Returns the text of a group in the first match (group 0: the whole match). Undefined if nothing matches, or not this group. */
  find(text: string, group: number): string | undefined;
}

/** Maximum number of characters of a pattern. */
const maxPatternLength = 1000;

/** Maximum number of instructions of a compiled pattern. Nested repetitions make many instructions from a short pattern. */
const maxProgramSize = 10_000;

/** Finds the names of the fields and functions that take patterns, and JSON escapes of letters, which may spell such a name. */
const patternMention = /"(matches|regex)"|\\u00[67]/;

let engine: typeof RE2JS | undefined;

/** Loads the engine if a configuration's text may contain a pattern. Loading takes 15 ms, which all other runs save. */
export async function loadPatterns(configuration: string): Promise<void> {
  if (engine === undefined && patternMention.test(configuration)) engine = (await import("re2js")).RE2JS;
}

/** Returns whether the engine is loaded, so that patterns can be checked and run. */
export function canRunPatterns(): boolean {
  return engine !== undefined;
}

const compiledPatterns = new Map<string, Pattern>();
const maxCompiled = 100;

/** Returns the compiled pattern of a text. Throws PatternFault. The engine must be loaded. */
export function patternOf(text: string): Pattern {
  const cached = compiledPatterns.get(text);
  if (cached !== undefined) return cached;
  const pattern = compilePattern(text);
  if (compiledPatterns.size >= maxCompiled) compiledPatterns.clear();
  compiledPatterns.set(text, pattern);
  return pattern;
}

/** The fault of a text that is not a valid pattern. Its message has no subject ("has 2000 characters"); the caller adds one. */
export class PatternFault extends Error {
  override readonly name = "PatternFault";
}

function compilePattern(text: string): Pattern {
  if (engine === undefined) throw new Error("a pattern is used before the engine is loaded");
  if (text.length > maxPatternLength) {
    throw new PatternFault(`has ${text.length} characters; at most ${maxPatternLength} are allowed`);
  }
  const program = parse(text, engine);
  const size = program.programSize();
  if (size > maxProgramSize) {
    throw new PatternFault(`repeats too much: it takes ${size} instructions, at most ${maxProgramSize} are allowed`);
  }
  return {
    test: (subject) => program.test(subject),
    groups: program.groupCount(),
    find(subject, group) {
      const matcher = program.matcher(subject);
      return matcher.find() ? (matcher.group(group) ?? undefined) : undefined;
    },
  };
}

function parse(text: string, { compile }: typeof RE2JS): RE2JS {
  try {
    return compile(withCodePoints(text));
  } catch (error) {
    const reason = messageOf(error).replace(/^error parsing regexp: /, "");
    throw new PatternFault(
      `is not a regular expression that runs in linear time: ${reason} (lookaround, backreferences and repeats above 1000 are not possible)`,
    );
  }
}

/** Rewrites JavaScript's escapes `\u00e9` and `\u{1F600}` as RE2's `\x{e9}` and `\x{1F600}`. A pair of surrogates becomes one character. */
function withCodePoints(text: string): string {
  return text.replace(/((?:\\u[0-9a-fA-F]{4})+)|\\u\{|\\./gs, (whole, units: string | undefined) => {
    if (units === undefined) return whole === "\\u{" ? "\\x{" : whole;
    const codes = [...units.matchAll(/[0-9a-fA-F]{4}/g)].map(([digits]) => Number.parseInt(digits, 16));
    const points = [...String.fromCharCode(...codes)].map((character) => character.codePointAt(0) ?? 0);
    return points.map((point) => `\\x{${point.toString(16)}}`).join("");
  });
}

/** Returns the message of the fault of a pattern; undefined if it has none, or if the engine is not loaded. */
export function patternFault(text: string): string | undefined {
  if (!canRunPatterns()) return undefined;
  try {
    patternOf(text);
    return undefined;
  } catch (error) {
    if (error instanceof PatternFault) return error.message;
    throw error;
  }
}
