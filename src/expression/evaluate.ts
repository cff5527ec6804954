import { SpileError } from "../core/errors.ts";
import { readsElements, sourceKey, sourceOf, sourceText } from "../core/runs/response-source.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { beginningOf, printable } from "../core/text/printable.ts";
import { parsePath, valueAt } from "../core/values/path.ts";
import { isObject, scalarText, type Value } from "../core/values/value.ts";
import { arityFault, functionOf } from "./functions.ts";
import { decode, FunctionFault, MissingPart, type PhpOperand } from "./php/operand.ts";
import { argumentsOf, nameOf, type Shape, shapeOf, timeNames } from "./shape.ts";

export { isExpression } from "./shape.ts";

/** The names and values that expressions may refer to. */
export interface Context {
  /** `config` without `jobs`, flattened with dots. */
  readonly settings: ReadonlyMap<string, Value>;
  /** Start of this run, and of the previous run (0 if there was none), in Unix seconds. */
  readonly time: { readonly currentStart: number; readonly previousStart: number };
  /** Receives the results of functions with secret arguments, so that they are masked. */
  readonly secrets: Secrets;
  /** The extra contexts by name (`query`, `response`, ...): the document in which an expression's path is looked up. */
  readonly contexts?: Readonly<Record<string, Value>>;
  /**
   * Present time for the functions `time`, `date` and `strtotime`, in Unix seconds. By default it is
   * `currentStart`, so that all jobs of a run ask for the same days even past midnight. Signatures, which servers check
   * against their clocks, are evaluated with the time of the attempt.
   */
  readonly now?: number;
  /**
   * True if sample texts replace settings that have no value. A function that does not find the part that it looks for then
   * returns "1" instead of failing.
   */
  readonly hasStandIns?: boolean;
}

/** Extra contexts whose values are all secret: credentials, and answers to logins. */
const secretContexts = ["response", "authorization", "consumer", "user"];

/** Extra contexts whose values do not come from an answer. If a function cannot work with one, the configuration is wrong. */
const internalContexts = ["window", "incremental"];

/** Maximum length of a function's result, in characters or bytes. A secret result is kept for masking, so its limit is lower. */
const maxLengths = { open: 64 * 2 ** 20, secret: 4 * 2 ** 20 };

interface Traced {
  readonly operand: PhpOperand;
  readonly secret: boolean;
  /** True if the value comes from an extra context other than `window` and `incremental`. */
  readonly external: boolean;
}

/**
 * Replaces every expression in `value`, at any depth, by its result (contract C-4.2). Plain data stays unchanged. Throws
 * SpileError: `configuration` for an expression that cannot be evaluated; `data` if the cause is an external value, a text
 * without the part that a function looks for, or a path of an extra context at which there is no value.
 */
export function evaluate(value: Value, context: Context): Value {
  return trace(value, context, false).operand as Value;
}

/** Evaluates a value among the arguments of a function, as `evaluate` does. The result may be raw bytes. */
export function evaluateArgument(value: Value, context: Context): PhpOperand {
  return trace(value, context, true).operand;
}

function trace(value: Value, context: Context, argument: boolean): Traced {
  const shape = shapeOf(value, Object.keys(context.contexts ?? {}));
  if (shape !== undefined) return traceExpression(shape, context, argument);
  if (Array.isArray(value)) {
    const items = value.map((item: Value) => trace(item, context, argument));
    return { ...origin(items), operand: items.map(({ operand }) => operand) };
  }
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, trace(item, context, argument)] as const);
    const operand = Object.fromEntries(entries.map(([key, item]) => [key, item.operand]));
    return { ...origin(entries.map(([, item]) => item)), operand };
  }
  return { operand: value, secret: argument && isSecret(value, context.secrets), external: false };
}

function origin(parts: readonly Traced[]): Pick<Traced, "secret" | "external"> {
  return { secret: parts.some(({ secret }) => secret), external: parts.some(({ external }) => external) };
}

function isSecret(value: Value, secrets: Secrets): boolean {
  if (Array.isArray(value)) return value.some((item: Value) => isSecret(item, secrets));
  if (isObject(value)) return Object.values(value).some((item) => isSecret(item, secrets));
  return typeof value !== "boolean" && secrets.holds(scalarText(value) ?? "");
}

function traceExpression(shape: Shape, context: Context, argument: boolean): Traced {
  if (shape.kind === "function") return call(shape, context, argument);
  if (shape.kind === "step") return lookUpStep(shape, context);
  if (shape.kind === "context") return lookUp(shape.context, shape.path, context, argument);
  const name = nameOf(shape.name);
  if (shape.kind === "time") {
    const time = timeNames.find((timeName) => timeName === name);
    if (time === undefined) throw configuration(`{"time": ...} must be one of ${timeNames.join(", ")}`);
    return { operand: context.time[time], secret: false, external: false };
  }
  const value = name === undefined ? undefined : context.settings.get(name);
  // A setting that is null counts as missing, as in Generic Extractor.
  if (name === undefined || value === undefined || value === null) {
    throw configuration(`there is no setting ${JSON.stringify(shape.name)} in "config"`);
  }
  const hasSecretName = name.split(".").some((part) => part.startsWith("#"));
  return { operand: value, secret: hasSecretName || isSecret(value, context.secrets), external: false };
}

function lookUp(key: string, pathShape: Value, context: Context, argument: boolean): Traced {
  const document = context.contexts?.[key] ?? null;
  const path = nameOf(pathShape);
  if (path === undefined) throw configuration(`{"${key}": ...} must name a path`);
  // A root key may itself contain dots ("filter.name" among query parameters).
  const plain = isObject(document) && Object.hasOwn(document, path) ? document[path] : undefined;
  const value = valueAt(document, parsePath(path)) ?? plain;
  if (key === "incremental" && value === null) return firstIncrement(argument);
  if (value === undefined || value === null)
    throw new SpileError("data", `the expression {"${key}": "${path}"} finds no value`);
  const secret = secretContexts.includes(key) || isSecret(value, context.secrets);
  return { operand: value, secret, external: !internalContexts.includes(key) };
}

/**
 * Looks up a value of a step. The context `step` has an object for each step, with the value of each source that expressions
 * name.
 */
function lookUpStep(shape: Shape & { kind: "step" }, { contexts, secrets }: Context): Traced {
  const { step, isOptional } = shape;
  const source = sourceOf(shape.source);
  const found = valueAt(contexts?.step ?? null, [step, sourceKey(source)]);
  const isOfElements = readsElements(source);
  const value = isOptional ? withoutEmpty(found ?? null, isOfElements) : (found ?? null);
  const missingText = isOptional ? undefined : missingIn(found, isOfElements, sourceText(source));
  if (missingText !== undefined) {
    throw new SpileError("data", `the answer to step ${JSON.stringify(step)} has ${missingText}`);
  }
  return { operand: value, secret: isSecret(value, secrets), external: true };
}

/** Returns the end of a message about a missing value; undefined if none is missing. */
function missingIn(value: Value | undefined, isOfElements: boolean, where: string): string | undefined {
  if (value === undefined) return `nothing ${where}`;
  if (value === null) return `null ${where}`;
  if (!isOfElements || !Array.isArray(value)) return undefined;
  const index = value.indexOf(null);
  return index < 0 ? undefined : `nothing ${where}, in element ${index + 1} of ${value.length}`;
}

/** Returns an optional value: "" becomes null. If the source reads elements, those that are null or "" are dropped. */
function withoutEmpty(value: Value, isOfElements: boolean): Value {
  if (isOfElements && Array.isArray(value)) return value.filter((one: Value) => one !== null && one !== "");
  return value === "" ? null : value;
}

/**
 * Returns the value of an increment without `initial` on the first run: null, so that its parameter is left out. Throws
 * SpileError in the arguments of a function.
 */
function firstIncrement(argument: boolean): Traced {
  if (!argument) return { operand: null, secret: false, external: false };
  throw configuration(
    '{"incremental": "from"} has no value on the first run, but the function needs one: set "initial"',
  );
}

function call(shape: Shape & { kind: "function" }, context: Context, argument: boolean): Traced {
  const name = nameOf(shape.name) ?? "";
  const found = functionOf(name);
  if (found === undefined) throw configuration(`there is no function ${JSON.stringify(shape.name)}`);
  const args = argumentsOf(shape.args)?.map(([, value]) => trace(value, context, true));
  if (args === undefined) throw configuration(`"args" of function "${name}" must be a list`);
  const arity = arityFault(name, found, args.length);
  if (arity !== undefined) throw configuration(arity);
  const { external } = origin(args);
  try {
    const result = withinLimit(
      found.call(
        args.map(({ operand }) => operand),
        context.now ?? context.time.currentStart,
      ),
      origin(args).secret ? maxLengths.secret : maxLengths.open,
    );
    const operand = argument || !Buffer.isBuffer(result) ? result : decode(result);
    // `ifempty` returns an argument unchanged. The result is then a secret only if this argument is one.
    const sources = args.filter((candidate) => candidate.operand === operand);
    const { secret } = found.time === true ? { secret: false } : origin(sources.length > 0 ? sources : args);
    if (secret && !Buffer.isBuffer(operand))
      context.secrets.add(scalarText(operand as Value) ?? "", context.now !== undefined);
    return { operand, secret, external };
  } catch (fault) {
    if (!(fault instanceof FunctionFault)) throw fault;
    if (fault instanceof MissingPart && context.hasStandIns === true) return { ...origin(args), operand: "1" };
    const subject = fault.subject === undefined ? "" : `${quoted(fault.subject, origin(args).secret, context)} `;
    const kind = external || fault instanceof MissingPart ? "data" : "configuration";
    throw new SpileError(kind, `function "${name}": ${subject}${fault.message}`);
  }
}

/** Returns a result of a function. Throws FunctionFault if it is too long: functions around it could exhaust the memory. */
function withinLimit(result: PhpOperand, maximumLength: number): PhpOperand {
  const length = typeof result === "string" || Buffer.isBuffer(result) ? result.length : 0;
  if (length > maximumLength) throw new FunctionFault(`gives more than ${maximumLength} characters`);
  return result;
}

function quoted(text: string, secret: boolean, { secrets }: Context): string {
  return secret ? "***" : `"${beginningOf(printable(secrets.mask(text)), 100)}"`;
}

function configuration(message: string): SpileError {
  return new SpileError("configuration", message);
}
