import { compare as compareNumbers, decimal } from "../../core/values/decimal.ts";
import { doubleOf, isNumber, isObject, plainText, type Value } from "../../core/values/value.ts";
import { UnsupportedError } from "../described/values.ts";
import { durationSeconds, relativeTime, secondsOfText } from "./dates.ts";
import { concatenated, type Meaning, pythonText, valueMeaning } from "./meaning.ts";
import { comparable, knownValue, type ManifestScope, member, resolvePlace, truth, valueOrNull } from "./scope.ts";

/** The operands of a call. */
export interface Operands {
  /** Evaluates the operand at an index; undefined if the call has no such operand. */
  meaningAt(index: number): Meaning | undefined;
  named(name: string): Meaning | undefined;
  readonly count: number;
  readonly scope: ManifestScope;
}

type Operator = (operands: Operands) => Meaning;

function first(operands: Operands): Meaning {
  return operands.meaningAt(0) ?? { kind: "absent", name: "" };
}

/** Evaluates an operand, and replaces a place in the settings or in the slice by its value. */
function operand({ meaningAt, scope }: Operands, index: number): Meaning {
  const meaning = meaningAt(index);
  return meaning === undefined ? { kind: "absent", name: "" } : resolvePlace(meaning, scope);
}

function comparison(compare: (left: Value, right: Value) => boolean): Operator {
  return ({ meaningAt, scope }) =>
    valueMeaning(compare(comparable(meaningAt(0), scope), comparable(meaningAt(1), scope)));
}

/**
 * Compares two texts or two numbers as Python does. A text beside a number is read as a number, because `int` and `float`, which a
 * manifest applies to such a text, leave it unchanged (see `unchanged`).
 */
function isLess(left: Value, right: Value): boolean {
  if (typeof left === "string" && typeof right === "string") return left < right;
  const [less, more] = [numberOf(left), numberOf(right)];
  if (Number.isNaN(less) || Number.isNaN(more))
    throw new UnsupportedError(`it compares ${pythonText(left)} with ${pythonText(right)}`);
  return less < more;
}

function numberOf(value: Value): number {
  const isText = typeof value === "string" && value.trim() !== "";
  return isNumber(value) || isText ? Number(String(value)) : Number.NaN;
}

/** Returns whether two values are equal in Python, where 10.0 equals 10 and true equals 1. */
function isEqual(left: Value, right: Value): boolean {
  const [one, other] = [exactNumber(left), exactNumber(right)];
  if (one !== undefined && other !== undefined) return compareNumbers(one, other) === 0;
  return typeof left === typeof right && pythonText(left) === pythonText(right);
}

function exactNumber(value: Value): ReturnType<typeof decimal> {
  if (typeof value === "boolean") return decimal(value ? "1" : "0");
  return isNumber(value) ? decimal(plainText(value)) : undefined;
}

const concatenate: Operator = (operands) => {
  const pieces = Array.from({ length: operands.count }, (_, index) => operand(operands, index));
  return concatenated(pieces);
};

function onText(change: (text: string, ...more: string[]) => Value): Operator {
  return (operands) => {
    const all = Array.from({ length: operands.count }, (_, index) => operand(operands, index));
    const [value, ...more] = all.map((one) => pythonText(knownValue(one)));
    return valueMeaning(change(value ?? "", ...more));
  };
}

/** Trims a text. Does not change a value that only a run has: users do not put spaces around a setting. */
const trim: Operator = (operands) => {
  const meaning = operand(operands, 0);
  return meaning.kind === "value" ? valueMeaning(pythonText(meaning.value).trim()) : meaning;
};

/** Returns the operand unchanged: a configuration writes numbers and texts alike. */
const unchanged: Operator = (operands) => {
  const meaning = first(operands);
  return meaning.kind === "place" ? resolvePlace(meaning, operands.scope) : meaning;
};

const plus: Operator = (operands) => {
  const left = operand(operands, 0);
  const right = operand(operands, 1);
  if (left.kind === "time" || right.kind === "time") return shifted(left, right, "+");
  if (left.kind === "value" && right.kind === "value") {
    if (isNumber(left.value) && isNumber(right.value))
      return valueMeaning(doubleOf(left.value) + doubleOf(right.value));
    if (Array.isArray(left.value) && Array.isArray(right.value)) return valueMeaning([...left.value, ...right.value]);
  }
  const isText = [left, right].some((one) => one.kind === "value" && typeof one.value === "string");
  if (!isText && [left, right].some((one) => one.kind === "value"))
    throw new UnsupportedError("it adds to a value that only a run knows");
  return concatenated([left, right]);
};

/** Shifts a time by a duration, which the manifest's function `duration` returns as an ISO 8601 text. */
function shifted(left: Meaning, right: Meaning, sign: "+" | "-"): Meaning {
  if (left.kind !== "time") throw new UnsupportedError("it computes with times in a way that spile cannot");
  const duration = knownValue(right);
  if (typeof duration !== "string") throw new UnsupportedError("it computes with times in a way that spile cannot");
  return { ...left, seconds: movedSeconds(left.seconds, relativeTime(duration, sign)) };
}

export function movedSeconds(seconds: Value, words: string): Value {
  const isNow = isObject(seconds) && seconds.function === "time";
  return { function: "strtotime", args: isNow ? [words] : [words, seconds] };
}

const minus: Operator = (operands) => {
  const left = operand(operands, 0);
  const right = operand(operands, 1);
  if (left.kind === "time") return shifted(left, right, "-");
  return valueMeaning(Number(knownValue(left)) - Number(knownValue(right)));
};

function arithmetic(compute: (left: number, right: number) => number): Operator {
  return (operands) => {
    const left = operand(operands, 0);
    const right = operand(operands, 1);
    // A time multiplied by 1000 is in milliseconds, as in the format %ms.
    if (left.kind === "time" && right.kind === "value" && compute(1, Number(String(right.value))) === 1000)
      return { ...left, format: "%ms" };
    return valueMeaning(compute(Number(knownValue(left)), Number(knownValue(right))));
  };
}

const now: Operator = () => ({ kind: "time", seconds: { function: "time" }, format: "%Y-%m-%d %H:%M:%S.%f+00:00" });
const today: Operator = () => ({
  kind: "time",
  seconds: { function: "strtotime", args: ["today"] },
  format: "%Y-%m-%d",
});

/** Converts a text or a number to a time. */
function moment(meaning: Meaning): Meaning & { readonly kind: "time" } {
  if (meaning.kind === "time") return meaning;
  const value = valueOrNull(meaning);
  if (value === null || value === "") throw new UnsupportedError("it formats a time that is missing");
  if (isNumber(value)) return { kind: "time", seconds: value, format: "%s" };
  return { kind: "time", seconds: secondsOfText(value), format: "%Y-%m-%d" };
}

const formatTime: Operator = (operands) => {
  const time = moment(operand(operands, 0));
  const format = pythonText(knownValue(operand(operands, 1)));
  return { ...time, format };
};

/** Creates the function `max` or `min`. Throws `UnsupportedError` for a value that only a run has. */
function extreme(better: (left: Value, right: Value) => boolean): Operator {
  return (operands) => {
    const values = Array.from({ length: operands.count }, (_, index) =>
      comparable(operands.meaningAt(index), operands.scope),
    );
    const list = values.length === 1 && Array.isArray(values[0]) ? (values[0] as readonly Value[]) : values;
    return valueMeaning(list.reduce((best, value) => (better(value, best) ? value : best)));
  };
}

const getMember: Operator = (operands) => {
  const of = first(operands);
  const key = operand(operands, 1);
  const fallback = operands.meaningAt(2);
  const found = member(of, key);
  if (found.kind === "absent") return fallback ?? found;
  if (found.kind !== "place") return found;
  return withFallback(found, fallback, operands.scope);
};

/** Returns the fallback for a setting that is not present, unless the fallback is an object. Returns any other place unchanged. */
function withFallback(
  place: Meaning & { readonly kind: "place" },
  fallback: Meaning | undefined,
  scope: ManifestScope,
): Meaning {
  const isSetting = place.root === "config" && place.path.length > 0;
  if (!isSetting || fallback === undefined || scope.settings.isPresent(place.path)) return place;
  if (fallback.kind === "value" && isObject(fallback.value)) return place;
  return fallback;
}

const defaultValue: Operator = (operands) => {
  const meaning = first(operands);
  if (meaning.kind === "absent") return operands.meaningAt(1) ?? meaning;
  return meaning.kind === "place" ? withFallback(meaning, operands.meaningAt(1), operands.scope) : meaning;
};

const joinBySeparator: Operator = (operands) => join(operand(operands, 0), operands.meaningAt(1), operands);
const joinList: Operator = (operands) => join(operand(operands, 1), operands.meaningAt(0), operands);

/** Joins a list. In a run, a setting's list is one text with commas, so it is already joined. */
function join(separator: Meaning, list: Meaning | undefined, operands: Operands): Meaning {
  const glue = pythonText(knownValue(separator));
  if (list?.kind === "place" && list.root === "config" && operands.scope.settings.isList(list.path)) {
    if (glue !== ",")
      throw new UnsupportedError(`it joins the list ${list.path.join(".")} with "${glue}" instead of ","`);
    return resolvePlace(list, operands.scope);
  }
  const values = knownValue(list === undefined ? undefined : resolvePlace(list, operands.scope));
  if (typeof values === "string") return valueMeaning(values);
  if (!Array.isArray(values)) throw new UnsupportedError("it joins a value that is not a list");
  return valueMeaning(values.map(pythonText).join(glue));
}

function phpFunction(name: string): Operator {
  return (operands) => ({
    kind: "run",
    expression: { function: name, args: [valueOrNull(operand(operands, 0))] },
  });
}

const isNone: Operator = (operands) => {
  const meaning = first(operands);
  return valueMeaning(!truth(meaning, operands.scope));
};

/** Operators, filters (`| x`), methods (`.x`), tests (`is x`) and functions. */
export const operators: Readonly<Record<string, Operator>> = {
  "~": concatenate,
  "+": plus,
  "-": minus,
  "*": arithmetic((left, right) => left * right),
  "/": arithmetic((left, right) => left / right),
  "//": arithmetic((left, right) => Math.floor(left / right)),
  "%": arithmetic((left, right) => left % right),
  "==": comparison(isEqual),
  "!=": comparison((left, right) => !isEqual(left, right)),
  "<": comparison(isLess),
  ">": comparison((left, right) => isLess(right, left)),
  "<=": comparison((left, right) => !isLess(right, left)),
  ">=": comparison((left, right) => !isLess(left, right)),
  not: (operands) => valueMeaning(!truth(first(operands), operands.scope)),
  and: (operands) =>
    truth(first(operands), operands.scope) ? (operands.meaningAt(1) ?? first(operands)) : first(operands),
  or: (operands) => {
    const left = first(operands);
    // The token is missing only for the first page, and a run sends no token for that page. So the fallback is not needed.
    if (left.kind === "place" && left.root === "next_page_token") return left;
    return truth(left, operands.scope) ? left : (operands.meaningAt(1) ?? left);
  },
  if: (operands) => {
    const test = first(operands);
    const isTrue = truth(test, operands.scope);
    return operands.meaningAt(isTrue ? 1 : 2) ?? valueMeaning("");
  },
  in: (operands) => {
    const container = operands.meaningAt(1);
    const item = knownValue(operand(operands, 0));
    const name = pythonText(item);
    const { settings } = operands.scope;
    if (container?.kind === "place" && container.root === "config") {
      const path = [...container.path, name];
      if (settings.isPresent(path)) return valueMeaning(true);
      if (container.path.length === 0 || settings.hasMembers(container.path)) {
        settings.decide(path);
        return valueMeaning(false);
      }
    }
    const value = comparable(container, operands.scope);
    if (value === null) return valueMeaning(false);
    if (Array.isArray(value)) return valueMeaning(value.some((one) => isEqual(one, item) || pythonText(one) === name));
    return valueMeaning(isObject(value) ? Object.hasOwn(value, name) : pythonText(value).includes(name));
  },
  "is none": isNone,
  "is undefined": isNone,
  "is defined": (operands) => valueMeaning(truth(first(operands), operands.scope)),
  "is string": () => valueMeaning(true),
  "[:]": (operands) => {
    const value = knownValue(operand(operands, 0));
    const edge = (index: number): number | undefined => {
      const bound = knownValue(operands.meaningAt(index));
      return bound === null ? undefined : Number(bound);
    };
    return valueMeaning(
      Array.isArray(value) ? value.slice(edge(1), edge(2)) : pythonText(value).slice(edge(1), edge(2)),
    );
  },
  ".get": getMember,
  ".strip": trim,
  ".rstrip": trim,
  ".lstrip": trim,
  ".lower": onText((value) => value.toLowerCase()),
  ".upper": onText((value) => value.toUpperCase()),
  ".replace": onText((value, from = "", to = "") => value.replaceAll(from, to)),
  ".split": onText((value, separator) => value.split(separator ?? /\s+/)),
  ".join": joinBySeparator,
  ".strftime": formatTime,
  ".isoformat": (operands) => ({ ...moment(operand(operands, 0)), format: "%Y-%m-%dT%H:%M:%S+00:00" }),
  ".format": (operands) => {
    const pieces = pythonText(knownValue(first(operands))).split("{}");
    const filled = pieces.flatMap((piece, index) =>
      index === 0 ? [valueMeaning(piece)] : [operand(operands, index), valueMeaning(piece)],
    );
    return concatenated(filled);
  },
  "| join": joinList,
  "| lower": onText((value) => value.toLowerCase()),
  "| upper": onText((value) => value.toUpperCase()),
  "| trim": trim,
  "| string": unchanged,
  "| int": unchanged,
  "| float": unchanged,
  "| list": unchanged,
  "| safe": unchanged,
  "| tojson": (operands) => {
    const meaning = operand(operands, 0);
    return meaning.kind === "value" ? valueMeaning(JSON.stringify(meaning.value)) : meaning;
  },
  "| default": defaultValue,
  "| length": (operands) => {
    const value = knownValue(operand(operands, 0));
    return valueMeaning(
      Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : pythonText(value).length,
    );
  },
  "| base64encode": phpFunction("base64_encode"),
  "| urlencode": phpFunction("rawurlencode"),
  "| hash": (operands) => {
    const algorithm = pythonText(knownValue(operand(operands, 1)));
    const value = valueOrNull(operand(operands, 0));
    return { kind: "run", expression: { function: "hash", args: [algorithm === "None" ? "md5" : algorithm, value] } };
  },
  now_utc: now,
  today_utc: today,
  now_local: now,
  day_delta: (operands) => {
    const days = Number(knownValue(operand(operands, 0)));
    const format = operands.meaningAt(1) ?? valueMeaning("%Y-%m-%dT%H:%M:%S.%f%z");
    const words = `${days < 0 ? "-" : "+"}${Math.abs(days)} days`;
    return { kind: "time", seconds: { function: "strtotime", args: [words] }, format: pythonText(knownValue(format)) };
  },
  duration: (operands) => {
    const duration = pythonText(knownValue(operand(operands, 0)));
    durationSeconds(duration);
    return valueMeaning(duration);
  },
  timestamp: (operands) => ({ ...moment(operand(operands, 0)), format: "%s" }),
  str_to_datetime: (operands) => ({ ...moment(operand(operands, 0)), format: "%Y-%m-%dT%H:%M:%SZ" }),
  format_datetime: formatTime,
  max: extreme((left, right) => isLess(right, left)),
  min: extreme((left, right) => isLess(left, right)),
};
