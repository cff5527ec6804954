/** The kind of value on the command line, for completion. */
export type CompletionKind = "file" | "folder" | "job" | "setting" | "source" | "place";

/** A kind of option value. `read` converts the option's text, and returns undefined for text that is not `expected`. */
export interface Kind<T> {
  /** Name of the value in the help. */
  readonly placeholder: string;
  readonly expected: string;
  readonly completes?: CompletionKind;
  read(text: string): T | undefined;
}

/** A kind of value that a program gives as a number. */
export interface Quantity<T> extends Kind<T> {
  /** Description of the number, with its unit. */
  readonly number: string;
  isValid(number: number): boolean;
}

/** Reads `90` (seconds), `90s`, `15m`, `2h`, `1d` or `500ms` as milliseconds. */
export const duration: Quantity<number> = {
  placeholder: "TIME",
  expected: "a duration such as 90, 90s, 15m, 2h or 500ms",
  number: "a number of milliseconds",
  read: (text) => measure(text, durationUnits),
  isValid: (number) => Number.isFinite(number) && number >= 0,
};

/** Reads `4096`, `64K`, `64M`, `8MiB` or `1G` as bytes. Units are powers of 1,024, in capitals or not. */
export const size: Quantity<number> = {
  placeholder: "SIZE",
  expected: "a size such as 65536, 64M, 8MiB or 1G",
  number: "a number of bytes",
  read: (text) => measure(text.toUpperCase(), sizeUnits),
  isValid: (number) => isWhole(number, 0),
};

/** Reads `10`, `10/s`, `100/m` or `5000/h` as requests per second. */
export const rate: Quantity<number> = {
  placeholder: "RATE",
  expected: "a rate such as 10/s, 100/m or 5000/h",
  number: "a number of requests a second",
  read(text) {
    const [, amount, unit = "s"] = /^([0-9]+(?:\.[0-9]+)?)(?:\/([smh]))?$/.exec(text) ?? [];
    const perSecond = (Number(amount) * 1000) / (durationUnits.get(unit) ?? Number.NaN);
    return Number.isFinite(perSecond) && perSecond > 0 ? perSecond : undefined;
  },
  isValid: (number) => Number.isFinite(number) && number > 0,
};

/** Reads a whole number from `minimum` to `maximum`. */
export function count(minimum: number, maximum = Number.MAX_SAFE_INTEGER): Quantity<number> {
  const rangeText = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  const expected = `a whole number ${rangeText}`;
  const isValid = (number: number): boolean => isWhole(number, minimum, maximum);
  return {
    placeholder: "N",
    expected,
    number: expected,
    read(text) {
      const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
      return isValid(number) ? number : undefined;
    },
    isValid,
  };
}

function isWhole(number: number, minimum: number, maximum = Number.MAX_SAFE_INTEGER): boolean {
  return Number.isInteger(number) && number >= minimum && number <= maximum;
}

/** Maximum number of levels of nesting in a response: the scanner has room for no more. */
export const deepestNesting = 65_536;

/** Reads everything that `kind` reads, and also this word. */
export function orWord<T, const W extends string>(word: W, kind: Quantity<T>): Quantity<T | W> {
  const expected = `${kind.expected}, or ${word}`;
  return {
    placeholder: `${kind.placeholder}|${word}`,
    expected,
    number: expected,
    read: (text) => (text === word ? word : kind.read(text)),
    isValid: kind.isValid,
  };
}

export function choice<const T extends string>(...choices: readonly T[]): Kind<T> & { readonly choices: readonly T[] } {
  return {
    choices,
    placeholder: choices.join("|"),
    expected: `one of ${choices.join(", ")}`,
    read: (text) => choices.find((one) => one === text),
  };
}

/** Reads a method of requests, in any case. */
export const methodChoice: Kind<"GET" | "POST" | "FORM"> & { readonly choices: readonly string[] } = {
  ...choice("GET", "POST", "FORM"),
  read: (text) => choice("GET", "POST", "FORM").read(text.toUpperCase()),
};

export function text(placeholder: string, completes?: CompletionKind): Kind<string> {
  const read = (text: string): string | undefined => (text === "" ? undefined : text);
  return { placeholder, expected: "a value", read, ...(completes === undefined ? {} : { completes }) };
}

/** Reads a file or folder. `-` is not accepted here: an option for which it means stdout has its own kind. */
export function path(completes: "file" | "folder"): Kind<string> {
  return {
    placeholder: completes === "file" ? "FILE" : "DIR",
    expected: `a ${completes}`,
    completes,
    read: (text) => (text === "" || text === "-" ? undefined : text),
  };
}

/** Reads a file, or `-` for stdin. */
export const input: Kind<string> = { ...path("file"), read: (text) => (text === "" ? undefined : text) };

/** Reads names that commas separate. */
export function list(placeholder: string): Kind<readonly string[]> {
  return {
    placeholder,
    expected: "names separated by commas",
    read(text) {
      const names = text.split(",").map((name) => name.trim());
      return names.includes("") ? undefined : names;
    },
  };
}

/** Reads `name=value`; the value may be empty and may contain further `=`. */
export const setting: Kind<readonly [name: string, value: string]> = {
  placeholder: "NAME=VALUE",
  expected: "a setting of the form name=value",
  completes: "setting",
  read(text) {
    const equals = text.indexOf("=");
    return equals > 0 ? [text.slice(0, equals), text.slice(equals + 1)] : undefined;
  },
};

const durationUnits: ReadonlyMap<string, number> = new Map([
  ["", 1000],
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

const sizeUnits: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["B", 1],
  ...["K", "M", "G", "T"].flatMap((letter, power) =>
    [letter, `${letter}IB`].map((unit) => [unit, 1024 ** (power + 1)] as const),
  ),
]);

/** Converts a number with a unit to base units; undefined unless the result is whole (as a size, `1.5K` is 1536, `1.5` undefined). */
function measure(text: string, units: ReadonlyMap<string, number>): number | undefined {
  const [, amount, unit = ""] = /^([0-9]+(?:\.[0-9]+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const result = Number(amount) * (units.get(unit) ?? Number.NaN);
  return Number.isSafeInteger(result) ? result : undefined;
}
