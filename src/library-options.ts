import { count, type Kind, type Quantity, size } from "./config/quantities.ts";
import { sharedOptions } from "./config/shared-options.ts";
import { SpileError } from "./core/errors.ts";
import { headerText, isHeaderName } from "./core/text/header-syntax.ts";
import { nearest } from "./core/text/nearest.ts";

/** The kind of an option: a named kind, or a quantity, given as a number or as text. */
type Sort = "flag" | "text" | "texts" | "function" | "object" | "signal" | "headers" | "state" | Quantity<unknown>;

/** Every option of the library. */
const sorts: Readonly<Record<string, Sort>> = {
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
    Object.entries<"flag" | Kind<unknown>>(sharedOptions).map(([name, kind]) => [name, sortOf(kind)]),
  ),
  state: "state",
  // Zero is allowed, since a program may want only the verdicts.
  maxRecords: count(0),
};

function sortOf(kind: "flag" | Kind<unknown> | Quantity<unknown>): Sort {
  if (kind === "flag") return kind;
  return "isFit" in kind ? kind : "text";
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
    throw new SpileError("usage", "the option stateOut needs a state that is a file");
  }
  return parsed as T;
}

function readOption(name: string, value: unknown): unknown {
  const sort = Object.hasOwn(sorts, name) ? sorts[name] : undefined;
  if (sort === undefined) {
    const meant = nearest(name, Object.keys(sorts));
    const hint = meant === undefined ? `there are ${Object.keys(sorts).join(", ")}` : `did you mean ${meant}?`;
    throw new SpileError("usage", `there is no option ${JSON.stringify(name)}: ${hint}`);
  }
  if (typeof sort !== "object") {
    if (fits[sort].isFit(value)) return value;
    throw wrong(name, fits[sort].expected);
  }
  const parsedValue = typeof value === "string" ? sort.read(value) : value;
  if (parsedValue === "auto" || (typeof parsedValue === "number" && sort.isFit(parsedValue))) return parsedValue;
  throw wrong(name, sort.number === sort.expected ? sort.number : `${sort.number}, or ${sort.expected}`);
}

const fits: Readonly<
  Record<Exclude<Sort, Quantity<unknown>>, { readonly expected: string; isFit(value: unknown): boolean }>
> = {
  flag: { expected: "true or false", isFit: (value) => typeof value === "boolean" },
  text: { expected: "a text", isFit: (value) => typeof value === "string" && value !== "" },
  // An empty list would mean all.
  texts: {
    expected: "a list of one text or more, none of them empty",
    isFit: (value) => Array.isArray(value) && value.length > 0 && value.every(fits.text.isFit),
  },
  function: { expected: "a function", isFit: (value) => typeof value === "function" },
  object: { expected: "an object", isFit: isObject },
  signal: { expected: "an AbortSignal", isFit: (value) => isObject(value) && typeof value.aborted === "boolean" },
  headers: {
    expected: "an object whose names and texts are valid headers",
    isFit: (value) =>
      isObject(value) &&
      Object.entries(value).every(([name, text]) => {
        return isHeaderName(name) && typeof text === "string" && headerText(text) !== undefined;
      }),
  },
  state: {
    expected: "the path of a file, or an object with the functions load and save",
    isFit: (value) =>
      fits.text.isFit(value) ||
      (isObject(value) && typeof value.load === "function" && typeof value.save === "function"),
  },
};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Returns the error for a wrong value. The value is not shown: the user may have meant it for `set`, and it may be a secret. */
function wrong(name: string, expected: string): SpileError {
  return new SpileError("usage", `the option ${name} must be ${expected}`);
}
