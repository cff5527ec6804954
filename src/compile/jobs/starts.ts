import { SpileError } from "../../core/errors.ts";
import { type ValueObject, valueText } from "../../core/values/value.ts";
import type { Column } from "../../extract/records.ts";
import { contextOf } from "../../steps/answer.ts";
import type { Step } from "../../steps/step.ts";
import type { Lineage, Start, StepsStart, Substitution } from "../plan.ts";
import { substitute } from "./endpoint.ts";
import type { Increment } from "./increment.ts";
import type { Contexts, JobParts } from "./job-parts.ts";
import { combinations, type Placeholder } from "./placeholders.ts";
import type { Window, Windows } from "./windows.ts";

/** The parts that all runs of a job share. */
export interface RunParts {
  /** Evaluates the job's expressions with these contexts. */
  partsIn(contexts: Contexts): JobParts;
  /** True if all runs of the job have the same parts, because these do not depend on the contexts. */
  readonly isSame: boolean;
  /** Returns the windows of the job for the increment in these contexts; undefined if the job has none. */
  windows(contexts: Contexts): Windows | undefined;
  readonly steps: readonly Step[] | undefined;
  readonly placeholders: readonly Placeholder[];
  /** Returns the columns of user data with these contexts. */
  userData(contexts: Contexts | undefined, placeholder: Contexts | undefined): readonly Column[];
  /** Returns the increment of a child job for the parent with these values. */
  incrementOf(substitutions: readonly Substitution[]): Increment | undefined;
}

/**
 * Yields the beginnings of the runs of a job under the given parents (`JobPlan.runs`). All plans share this function: V8 gives each
 * generator function a prototype and a shape of its own.
 */
export function* startsOf(parts: RunParts, { parents, inherited }: Lineage): Generator<Start | StepsStart> {
  const { steps, placeholders } = parts;
  for (const combination of combinations(placeholders, parents)) {
    const substitutions = merge(inherited, combination);
    const placeholder = parents.length > 0 ? placeholderContext(substitutions) : {};
    const increment = parts.incrementOf(substitutions);
    const incremental = increment === undefined ? {} : { incremental: { from: increment.from } };
    for (const window of parts.windows(incremental) ?? [undefined]) {
      const place = { substitutions, placeholder, window, increment, incremental };
      if (steps !== undefined) yield stepsStart(steps, parts, place);
      else yield* startsAt(evaluatedAt(parts, place), parts, place);
    }
  }
}

/** A combination of placeholders and a window. */
interface RunPlace {
  readonly substitutions: readonly Substitution[];
  readonly placeholder: Contexts;
  readonly window: Window | undefined;
  readonly increment: Increment | undefined;
  /** The value of `{"incremental": ...}`, if the parent decides it. */
  readonly incremental: Contexts;
}

/** Returns the beginning of runs whose parts are known only after their steps were answered. */
function stepsStart(steps: readonly Step[], parts: RunParts, place: RunPlace): StepsStart {
  const { window, substitutions, increment, incremental } = place;
  const contexts = { ...place.placeholder, ...incremental, ...windowContext(window) };
  return {
    name: window?.name,
    increment,
    window: window && { ...window, endpoint: 0 },
    steps,
    run: { contexts, fill: (endpoint) => substitute(endpoint, substitutions) },
    follow(answers) {
      const step = { step: contextOf(answers) };
      const stepParts = evaluatedAt(parts, place, step);
      return { count: stepParts.endpoints.length, [Symbol.iterator]: () => startsAt(stepParts, parts, place, step) };
    },
  };
}

function evaluatedAt({ partsIn }: RunParts, place: RunPlace, answers?: Contexts): JobParts {
  const { placeholder, incremental, window } = place;
  return withDataErrors(() => partsIn({ ...placeholder, ...incremental, ...windowContext(window), ...answers }));
}

/** Yields the beginnings of the runs at one place, one for each endpoint. */
function* startsAt(
  { endpoints, isFromAnswers, parameters, request }: JobParts,
  { isSame, userData, placeholders }: RunParts,
  { substitutions, window, increment, incremental, placeholder }: RunPlace,
  answers?: Contexts,
): Generator<Start> {
  // With a batch, one request asks for several parents, so it is unknown to which of them a record belongs.
  const isJoint = placeholders.some(({ batch }) => batch !== undefined);
  const hasNoContexts = window === undefined && answers === undefined && increment === undefined;
  const context = hasNoContexts ? undefined : { ...incremental, ...windowContext(window), ...answers };
  const jobColumns = userData(context, placeholder);
  const columns = isJoint ? jobColumns : columnsOf(substitutions, jobColumns);
  for (const [index, { text, name }] of endpoints.entries()) {
    const endpoint = substitute(text, substitutions);
    const builtRequest = isSame && endpoint === text ? request(endpoint) : withDataErrors(() => request(endpoint));
    const place = window && { ...window, endpoint: index };
    const start = { request: builtRequest, isFromAnswers, parameters, substitutions, columns, increment };
    yield { name: runName(window, name), window: place, ...start };
  }
}

function windowContext(window: Window | undefined): Contexts | undefined {
  return window && { window: edgesOf(window) };
}

/** Returns the value of `{"window": ...}`. */
export function edgesOf({ from, to }: Window): ValueObject {
  return { from, to };
}

/** Returns the value of `{"placeholder": ...}`. */
function placeholderContext(substitutions: readonly Substitution[]): Contexts {
  return { placeholder: Object.fromEntries(substitutions.map(({ name, value }) => [name, value])) };
}

/** Returns the name of a run among those of its job. */
function runName(window: Window | undefined, endpoint: string | undefined): string | undefined {
  if (window === undefined || endpoint === undefined) return window?.name ?? endpoint;
  return `${window.name}, ${endpoint}`;
}

/** Converts a configuration error to a data error, since values from a record or an answer have caused it. */
function withDataErrors<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof SpileError) || error.kind !== "configuration") throw error;
    throw new SpileError("data", error.message, { cause: error });
  }
}

/** Merges placeholders. A placeholder of the job itself replaces an inherited one of the same name. */
function merge(inherited: readonly Substitution[], added: readonly Substitution[]): readonly Substitution[] {
  return [...new Map([...inherited, ...added].map((substitution) => [substitution.name, substitution])).values()];
}

/**
 * Returns the columns of the records of a run. If two placeholders have the same path, the later one makes the column, as in
 * Generic Extractor.
 */
function columnsOf(substitutions: readonly Substitution[], userData: readonly Column[]): readonly Column[] {
  const parents = new Map(
    substitutions.flatMap(({ path, value }) => (path === undefined ? [] : [[parentColumn(path), value] as const])),
  );
  return [...[...parents].map(([name, value]) => ({ name, json: valueText(value) })), ...userData];
}

/** Returns the name of a parent's column. A value that the parent inherited from its own parent keeps its name. */
function parentColumn(path: string): string {
  return path.startsWith("parent_") ? path : `parent_${path}`;
}
