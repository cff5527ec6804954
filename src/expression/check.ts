import { type Fault, SpileError } from "../core/errors.ts";
import { Secrets } from "../core/secrets/redact.ts";
import { nearest } from "../core/text/nearest.ts";
import { shortText } from "../core/text/printable.ts";
import { pointerTo } from "../core/values/path.ts";
import { isObject, type Value, valueText } from "../core/values/value.ts";
import { evaluate, evaluateArgument } from "./evaluate.ts";
import { arityFault, functionOf, functions } from "./functions.ts";
import { canRunPatterns, patternFault } from "./pattern.ts";
import { argumentsOf, isSource, nameOf, type Shape, shapeOf, timeNames } from "./shape.ts";

/** The names and values that an expression may refer to at its place. */
export interface Scope {
  /** The settings, or only their names. With values, calls that read no extra context are evaluated as a test. */
  readonly settings: ReadonlyMap<string, Value> | ReadonlySet<string>;
  /** Names of the extra contexts: `response`, `query`, ... */
  readonly contexts: readonly string[];
}

/**
 * Returns the faults of every expression in `value`, which is at the JSON pointer `pointer` (contract C-2.2, C-4.3): unknown
 * functions, settings and times, wrong numbers of arguments, invalid patterns, and calls whose constant arguments are wrong (a
 * "strtotime" of something that is not a date).
 */
export function checkExpressions(value: Value, pointer: string, scope: Scope): Fault[] {
  return check(value, pointer, scope, false).faults;
}

/** Evaluates a value before the run. Undefined if it reads an extra context or has a fault, or if only names of settings are known. */
export function constantOf(value: Value, { settings, contexts }: Scope): Value | undefined {
  if (!("get" in settings) || !check(value, "", { settings, contexts }, false).isConstant) return undefined;
  return evaluate(value, { settings, time: someTime, secrets: new Secrets() });
}

interface Checked {
  readonly faults: Fault[];
  /** True if the value can be evaluated now: it has no fault, and reads no extra context and no setting whose value is unknown. */
  readonly isConstant: boolean;
}

const sound = (isConstant = true): Checked => ({ faults: [], isConstant });
const faulty = (pointer: string, message: string, suggestion?: string): Checked => ({
  faults: [{ pointer, message, suggestion }],
  isConstant: false,
});

/** Checks a value. `isArgument`: true inside the arguments of a call, where a result may be raw bytes. */
function check(value: Value, pointer: string, scope: Scope, isArgument: boolean): Checked {
  const shape = shapeOf(value, scope.contexts);
  if (shape?.kind === "function") return checkCall(value, shape, pointer, scope, isArgument);
  if (shape?.kind === "attr") return checkSetting(shape.name, pointerTo(pointer, "attr"), scope);
  if (shape?.kind === "time") return checkTime(shape.name, pointerTo(pointer, "time"));
  if (shape?.kind === "step") return sound(false);
  if (shape?.kind === "context") {
    const path = nameOf(shape.path);
    const place = pointerTo(pointer, shape.context);
    if (shape.context === "response" && isSource(shape.path)) return sound(false);
    if (path === undefined) return faulty(place, `found ${shortText(valueText(shape.path))}; a path must be a text`);
    const names = Object.hasOwn(namesIn, shape.context) ? namesIn[shape.context] : undefined;
    if (names === undefined || names.includes(path)) return sound(false);
    return faulty(place, `found ${shortText(valueText(shape.path))}; it must be one of ${names.join(", ")}`);
  }
  if (Array.isArray(value))
    return mergeChecks(value.map((item: Value, index) => check(item, pointerTo(pointer, index), scope, isArgument)));
  if (!isObject(value)) return sound();
  return mergeChecks(
    Object.entries(value).map(([key, item]) => check(item, pointerTo(pointer, key), scope, isArgument)),
  );
}

function mergeChecks(parts: readonly Checked[]): Checked {
  return { faults: parts.flatMap(({ faults }) => faults), isConstant: parts.every(({ isConstant }) => isConstant) };
}

function checkCall(
  value: Value,
  shape: Shape & { kind: "function" },
  pointer: string,
  scope: Scope,
  isArgument: boolean,
): Checked {
  const name = nameOf(shape.name);
  const found = name === undefined ? undefined : functionOf(name);
  const place = pointerTo(pointer, "function");
  if (name === undefined)
    return faulty(place, `found ${shortText(valueText(shape.name))}; the name of a function must be a text`);
  const args = argumentsOf(shape.args);
  if (args === undefined)
    return faulty(
      pointerTo(pointer, "args"),
      `found ${shortText(valueText(shape.args ?? null))}; arguments must be a list`,
    );
  const checked = mergeChecks(args.map(([key, item]) => check(item, pointerTo(pointer, "args", key), scope, true)));
  if (found === undefined) {
    const choices = `the functions are ${Object.keys(functions).join(", ")}`;
    const meant = nearest(name, Object.keys(functions));
    const { faults } = faulty(
      place,
      `unknown function ${JSON.stringify(name)}${suggestionText(meant)}; ${choices}`,
      meant,
    );
    return { faults: [...faults, ...checked.faults], isConstant: false };
  }
  const arity = arityFault(name, found, args.length);
  if (arity !== undefined) return { faults: [{ pointer, message: arity }, ...checked.faults], isConstant: false };
  const { pattern: index } = found;
  const pattern = index === undefined ? undefined : args[index];
  if (pattern !== undefined && !checked.isConstant)
    return { ...checked, faults: [...checked.faults, ...patternFaults(pattern, pointer, scope)] };
  if (pattern !== undefined && !canRunPatterns()) return sound(false);
  return checked.isConstant ? tryOut(value, pointer, scope, isArgument) : checked;
}

/** Checks the pattern in a call that cannot be evaluated yet. A pattern that is itself unknown has no fault. */
function patternFaults([key, value]: readonly [string | number, Value], pointer: string, scope: Scope): Fault[] {
  const argumentPointer = pointerTo(pointer, "args", key);
  const constant = check(value, argumentPointer, scope, true).isConstant ? constantOf(value, scope) : undefined;
  const message = typeof constant === "string" ? patternFault(constant) : undefined;
  return message === undefined ? [] : [{ pointer: argumentPointer, message: `the pattern ${message}` }];
}

/** Contexts with a fixed list of names. */
const namesIn: Readonly<Record<string, readonly string[]>> = {
  window: ["from", "to"],
  incremental: ["from"],
};

/** Arbitrary times: whether a call works does not depend on them. */
const someTime = { currentStart: 1_500_000_000, previousStart: 1_400_000_000 };

function tryOut(value: Value, pointer: string, { settings }: Scope, isArgument: boolean): Checked {
  try {
    const run = isArgument ? evaluateArgument : evaluate;
    run(value, {
      settings: "get" in settings ? settings : new Map(),
      time: someTime,
      secrets: new Secrets(),
    });
    return sound();
  } catch (error) {
    if (!(error instanceof SpileError)) throw error;
    // A data fault concerns a text among the arguments. It may come from a setting, which an option or an iteration may still replace.
    if (error.kind === "data") return sound(false);
    return { faults: [{ pointer, message: error.message }], isConstant: false };
  }
}

function checkSetting(value: Value, pointer: string, { settings }: Scope): Checked {
  const name = nameOf(value);
  if (name === undefined)
    return faulty(pointer, `found ${shortText(valueText(value))}; the name of a setting must be a text`);
  if (!settings.has(name)) {
    const meant = nearest(name, settings.keys());
    return faulty(
      pointer,
      `unknown setting ${JSON.stringify(name)}${suggestionText(meant)}; "config" has no such name`,
      meant,
    );
  }
  if (!("get" in settings)) return sound(false);
  return settings.get(name) === null
    ? faulty(pointer, `the setting ${JSON.stringify(name)} is null, but it needs a value`)
    : sound();
}

function checkTime(value: Value, pointer: string): Checked {
  if (timeNames.some((name) => name === value)) return sound();
  return faulty(pointer, `found ${shortText(valueText(value))}; a time must be one of ${timeNames.join(", ")}`);
}

function suggestionText(name: string | undefined): string {
  return name === undefined ? "" : `, did you mean ${JSON.stringify(name)}?`;
}
