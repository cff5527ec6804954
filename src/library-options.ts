import { count, type Kind, type Quantity, size } from "./config/quantities.ts";
import { sharedOptions } from "./config/shared-options.ts";
import { SpileError } from "./core/errors.ts";
import { headerText, isHeaderName } from "./core/text/header-syntax.ts";
import { nearest } from "./core/text/nearest.ts";

/** The kind of an option: a named kind, or a quantity, given as a number or as text. */
type OptionKind =
  | "flag"
  | "text"
  | "texts"
  | "function"
  | "object"
  | "signal"
  | "headers"
  | "state"
  | Quantity<unknown>;

/** Every option of the library. */
const optionKinds: Readonly<Record<string, OptionKind>> = {
  set: "object",
  environment: "object",
  signal: "signal",
  onEvent: "function",
  parse: "function",
  jobs: "texts",
  headers: "headers",
  agent: "function",
  record: "flag",
  replay: "object",
  report: "text",
  metrics: "text",
  metricsName: "text",
  maxStringBytes: size,
  ...Object.fromEntries(
    Object.entries<"flag" | Kind<unknown>>(sharedOptions).map(([name, kind]) => [name, optionKindOf(kind)]),
  ),
  state: "state",
  // Zero is allowed, because a program may want only the verdicts.
  maxRecords: count(0),
};

function optionKindOf(kind: "flag" | Kind<unknown> | Quantity<unknown>): OptionKind {
  if (kind === "flag") return kind;
  return "isValid" in kind ? kind : "text";
}

/**
 * Returns the options with their quantities as numbers. Texts are read as the command reads them (`"2h"`, `"64M"`, `"10/s"`).
 * Throws SpileError `usage` for an unknown option or a wrong value.
 */
export function readOptions<T extends object>(options: T): T {
  const entries = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, readOption(name, value)]);
  const parsed = Object.fromEntries(entries);
  if (parsed.record === true && parsed.replay !== undefined) {
    throw new SpileError("usage", "the options record and replay exclude each other");
  }
  if (parsed.resume === true && parsed.state === undefined) {
    throw new SpileError("usage", "the option resume needs the option state, where the progress of a run is kept");
  }
  if (parsed.stateOut !== undefined && typeof parsed.state === "object") {
    throw new SpileError("usage", "the option stateOut needs the option state to be the path of a file");
  }
  return parsed as T;
}

function readOption(name: string, value: unknown): unknown {
  const kind = Object.hasOwn(optionKinds, name) ? optionKinds[name] : undefined;
  if (kind === undefined) {
    const meant = nearest(name, Object.keys(optionKinds));
    const hint =
      meant === undefined ? `the options are ${Object.keys(optionKinds).join(", ")}` : `did you mean ${meant}?`;
    throw new SpileError("usage", `there is no option ${JSON.stringify(name)}: ${hint}`);
  }
  if (typeof kind !== "object") {
    if (namedKinds[kind].isValid(value)) return value;
    throw valueError(name, namedKinds[kind].expected);
  }
  const parsedValue = typeof value === "string" ? kind.read(value) : value;
  if (parsedValue === "auto" || (typeof parsedValue === "number" && kind.isValid(parsedValue))) return parsedValue;
  throw valueError(name, kind.number === kind.expected ? kind.number : `${kind.number}, or ${kind.expected}`);
}

const namedKinds: Readonly<
  Record<Exclude<OptionKind, Quantity<unknown>>, { readonly expected: string; isValid(value: unknown): boolean }>
> = {
  flag: { expected: "true or false", isValid: (value) => typeof value === "boolean" },
  text: { expected: "a text", isValid: (value) => typeof value === "string" && value !== "" },
  texts: {
    expected: "a list of one text or more, none of them empty",
    // An empty list is refused, because a run could take it for all jobs.
    isValid: (value) => Array.isArray(value) && value.length > 0 && value.every(namedKinds.text.isValid),
  },
  function: { expected: "a function", isValid: (value) => typeof value === "function" },
  object: { expected: "an object", isValid: isObject },
  signal: { expected: "an AbortSignal", isValid: (value) => isObject(value) && typeof value.aborted === "boolean" },
  headers: {
    expected: "an object of valid names and values of headers",
    isValid: (value) =>
      isObject(value) &&
      Object.entries(value).every(([name, text]) => {
        return isHeaderName(name) && typeof text === "string" && headerText(text) !== undefined;
      }),
  },
  state: {
    expected: "the path of a file, or an object with the functions load and save",
    isValid: (value) =>
      namedKinds.text.isValid(value) ||
      (isObject(value) && typeof value.load === "function" && typeof value.save === "function"),
  },
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Returns the error for a wrong value. Does not show the value: it may be a secret that was meant for `set`. */
function valueError(name: string, expected: string): SpileError {
  return new SpileError("usage", `the option ${name} must be ${expected}`);
}
