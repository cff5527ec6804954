import { durationOf } from "../config/duration.ts";
import { SpileError } from "../core/errors.ts";
import type { Parameter, Request } from "../core/requests/request.ts";
import { type SourceInResponse, sourceKey, sourceOf } from "../core/runs/response-source.ts";
import { pointerTo } from "../core/values/path.ts";
import { isNumber, isObject, type Value, type ValueObject } from "../core/values/value.ts";
import { readsSteps, stepReferences } from "../expression/step-references.ts";
import type { Step as ConfiguredStep, ResponseCondition } from "../generated/configuration.ts";
import { compileRule, type ResponseRule } from "../http/exchange/response-rules.ts";
import { isCredential } from "../knowledge/credentials.ts";

/** A compiled step (contract C-18). Times are in milliseconds. */
export interface Step {
  readonly name: string;
  /** Matches the answer that the step waits for; undefined if the first answer counts. */
  readonly until: ResponseRule | undefined;
  /** The value that `until` examines besides the status. */
  readonly subject: SourceInResponse | undefined;
  readonly failWhen: ResponseRule | undefined;
  /** Matches error statuses after which the step keeps waiting, such as 404 for an export that does not exist yet. */
  readonly pending: ResponseRule | undefined;
  /** First wait between two requests. Later waits may be longer (`paceOf`). */
  readonly every: number;
  /** Maximum time of all requests and waits of the step. */
  readonly timeout: number;
  /** Time for which later runs may use an answer that is in the state; 0 if they may not. */
  readonly reuse: number;
  /** True if the answer need not be JSON, since only its status or a header counts. */
  readonly anyBody: boolean;
  readonly wantedValues: readonly WantedValue[];
  /** Returns the request, with its expressions evaluated. Throws SpileError `data` if an earlier answer lacks a value. */
  request(run: StepRun): StepRequest;
  /**
   * The address, if the configuration contains it as a whole; else undefined. Its origin is then trusted, like the origin of a
   * job's address (contract C-5.8).
   */
  readonly address: string | undefined;
}

/** A value that is read from a step's answer. */
export interface WantedValue {
  readonly source: SourceInResponse;
  /** True if it is sent where credentials are sent, or has the name of a credential. */
  readonly secret: boolean;
}

/** Values that the requests of steps need in one run of their job. */
export interface StepRun {
  /** The documents of the extra contexts. */
  readonly contexts: Readonly<Record<string, Value>>;
  /** Fills the placeholders of a child's endpoint. */
  fill(endpoint: string): string;
}

export interface StepRequest {
  readonly request: Request;
  /** True if the address came from an answer. It then gets credentials only if its origin is trusted. */
  readonly isFromAnswer: boolean;
}

export interface StepOptions {
  /** The pointer of `steps`. */
  readonly pointer: string;
  evaluate(value: Value, contexts: Readonly<Record<string, Value>>): Value;
  build(parts: StepParts): Request;
  /**
   * Values outside the steps, with expressions that may read the steps' answers. Each is in an object under the name of its field:
   * `{"headers": ...}`.
   */
  readonly readers: readonly Value[];
  readonly retryHeader: string | undefined;
}

/** The parts of a step's request, with evaluated expressions. */
export interface StepParts {
  readonly method: string | undefined;
  readonly endpoint: string;
  readonly params: readonly Parameter[];
  readonly headers: ValueObject;
}

const second = 1000;

export function compileSteps(steps: readonly ConfiguredStep[], options: StepOptions): readonly Step[] {
  return steps.map((step, index) => {
    const stepPointer = pointerTo(options.pointer, index);
    const rule = (field: StepCondition, when: ResponseCondition | undefined): ResponseRule | undefined =>
      when === undefined ? undefined : stepRule(step, when, field, pointerTo(stepPointer, field), options.retryHeader);
    const { until, failWhen, accept } = step;
    return {
      name: step.name,
      until: rule("until", until),
      subject: until?.path === undefined && until?.header === undefined ? undefined : sourceOf(until),
      failWhen: rule("failWhen", failWhen),
      pending: rule("accept", accept === undefined ? undefined : { status: accept }),
      every: durationOf(step.every ?? 5) ?? 5 * second,
      timeout: durationOf(step.timeout ?? 3600) ?? 3600 * second,
      reuse: durationOf(step.reuse ?? 0) ?? 0,
      anyBody: until !== undefined && until.path === undefined,
      wantedValues: wantedOf(step.name, [...options.readers, ...(steps.slice(index + 1) as unknown as Value[])]),
      address: addressIn(step.endpoint),
      request: (run) => requestOf(step, run, options),
    };
  });
}

function addressIn(endpoint: ConfiguredStep["endpoint"]): string | undefined {
  const isAddress = typeof endpoint === "string" && /^https?:\/\//i.test(endpoint) && !endpoint.includes("{");
  return isAddress && URL.canParse(endpoint) ? endpoint : undefined;
}

/** A field of a step that judges its answers. */
type StepCondition = "until" | "failWhen" | "accept";

/**
 * Compiles a condition of a step to a rule. A condition without `status` matches only statuses from 200 to 299: errors are retried
 * or refused.
 */
function stepRule(
  { message }: ConfiguredStep,
  when: ResponseCondition,
  field: StepCondition,
  pointer: string,
  retryHeader: string | undefined,
): ResponseRule {
  const then = field === "failWhen" ? "fail" : "end";
  const failureMessage = then === "fail" && message !== undefined ? { message } : {};
  const rule = compileRule({ when, then, ...failureMessage }, pointer, retryHeader ?? "Retry-After");
  if (when.status !== undefined) return rule;
  const mayMatch = (status: number): boolean => status >= 200 && status < 300;
  return { ...rule, mayMatch, matches: (response) => mayMatch(response.status) && rule.matches(response) };
}

function wantedOf(name: string, readers: readonly Value[]): readonly WantedValue[] {
  const found = new Map<string, WantedValue>();
  for (const { pointer, step, source } of readers.flatMap((reader) => stepReferences(reader))) {
    if (step !== name || source === undefined) continue;
    const key = sourceKey(source);
    const secret = found.get(key)?.secret === true || namesOf(pointer, source).some(isCredential);
    found.set(key, { source, secret });
  }
  return [...found.values()];
}

/**
 * Returns the names that may mark a value as a credential: the name of the header or parameter in which it is sent
 * (`Authorization` for `/headers/Authorization/args/1`), and the name of the header or field of the answer from which it comes.
 */
function namesOf(pointer: string, source: SourceInResponse): readonly string[] {
  const [, field = "", name = ""] = pointer.split("/");
  const sentNames = field === "headers" || field === "params" ? [name] : [];
  if ("header" in source) return [...sentNames, source.header];
  return "path" in source ? [...sentNames, ...source.path.slice(-1)] : sentNames;
}

function requestOf(step: ConfiguredStep, run: StepRun, { evaluate, build }: StepOptions): StepRequest {
  const evaluateIn = (value: Value): Value => evaluate(value, run.contexts);
  const isFromAnswer = readsSteps(step.endpoint);
  const entries = (values: ValueObject | undefined): [string, Value][] =>
    Object.entries(values ?? {}).map(([name, value]) => [name, evaluateIn(value)]);
  const endpoint = typeof step.endpoint === "string" ? step.endpoint : addressOf(evaluateIn(step.endpoint), step);
  const request = build({
    method: step.method,
    endpoint: run.fill(endpoint),
    params: entries(step.params).map(([name, value]) => ({ name, value })),
    headers: Object.fromEntries(entries(step.headers)),
  });
  return { request, isFromAnswer };
}

function addressOf(value: Value, { name }: ConfiguredStep): string {
  const text = isNumber(value) ? value.toString() : value;
  if (typeof text === "string" && text !== "") return text;
  const found =
    text === "" ? "an empty text" : Array.isArray(text) ? "a list" : isObject(text) ? "an object" : String(text);
  throw new SpileError(
    "data",
    `the endpoint of step ${JSON.stringify(name)} evaluates to ${found}; it must be an address or a path`,
  );
}
