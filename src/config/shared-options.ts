import type { RunOptions } from "../core/runs/run.ts";
import { count, deepestNesting, duration, type Kind, orWord, path, rate, size, text } from "./quantities.ts";

/**
 * The options of a run that both the command and the library take, by their names in `RunOptions`, with the readers of their
 * values. The command writes maxPages as --max-pages. The types and checks of both come from this table.
 */
export const sharedOptions = {
  strict: "flag",
  keepGoing: "flag",
  maxTime: duration,
  state: path("file"),
  stateOut: path("file"),
  credentials: path("file"),
  resume: "flag",
  tag: "flag",
  unique: text("KEYPATH"),
  uniqueLimit: count(1),
  maxRecords: count(1),
  maxPages: count(1),
  probeEnd: "flag",
  concurrency: orWord("auto", count(1, 1000)),
  rate,
  maxWait: duration,
  hold: size,
  maxResponseBytes: size,
  maxRecordBytes: size,
  maxDepth: count(1, deepestNesting),
  debug: "flag",
} as const satisfies { readonly [Name in keyof RunOptions]?: "flag" | Kind<NonNullable<RunOptions[Name]>> };

export type SharedOption = keyof typeof sharedOptions;

export const sharedNames = Object.keys(sharedOptions) as readonly SharedOption[];

/** The shared options as the library takes them: a quantity is a number, or a text as on the command line (`"2h"`, `"64M"`, `"10/s"`). */
export type SharedOptions = {
  readonly [Name in keyof Pick<RunOptions, SharedOption>]?:
    | RunOptions[Name]
    | ((typeof sharedOptions)[Name] extends "flag" ? never : string);
};

/** The name of an option on the command line: `maxPages` becomes `max-pages`. */
export type Hyphenated<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Hyphenated<Rest>}`
  : "";

export function hyphenated<const Name extends string>(name: Name): Hyphenated<Name> {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) as Hyphenated<Name>;
}
