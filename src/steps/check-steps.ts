import { checkScheme } from "../config/address-scheme.ts";
import { durationFaults, durationOf } from "../config/duration.ts";
import type { Fault } from "../core/errors.ts";
import { nearest } from "../core/text/nearest.ts";
import { pointerTo } from "../core/values/path.ts";
import type { Value } from "../core/values/value.ts";
import { type ExpressionPlace, placeAt } from "../expression/place.ts";
import { stepReferences } from "../expression/step-references.ts";
import type { Step } from "../generated/configuration.ts";
import { checkCondition, checkRuleSource } from "../http/exchange/check-responses.ts";

/** The place of steps, and the values that read them. */
export interface StepCheckOptions {
  /** The pointer of `steps`. */
  readonly pointer: string;
  /** Values outside the steps that may read their answers, with the pointers of these values. */
  readonly readers: readonly (readonly [value: Value | undefined, pointer: string])[];
  /** True for the steps of a login. The state does not store their answers. */
  readonly login: boolean;
}

/**
 * Returns the places of the expressions in steps. All of them may read steps and `contexts`; those in parameters and headers may
 * also read `more`.
 */
export function stepPlaces(
  steps: readonly Step[] | undefined,
  pointer: string,
  contexts: readonly string[] = [],
  more: readonly string[] = [],
): readonly ExpressionPlace[] {
  const stepContexts = [...contexts, "step"];
  const all = [...more, ...stepContexts];
  return (steps ?? []).flatMap((step, index) => {
    const stepPointer = pointerTo(pointer, index);
    const { endpoint } = step;
    return [
      ...placeAt(
        pointerTo(stepPointer, "endpoint"),
        typeof endpoint === "string" ? undefined : endpoint,
        stepContexts,
        "expression",
      ),
      ...placeAt(pointerTo(stepPointer, "params"), step.params, all),
      ...placeAt(pointerTo(stepPointer, "headers"), step.headers, all, "headers"),
    ];
  });
}

/** Returns the faults of steps, and of the values that read them, that the schema cannot find. */
export function stepFaults(steps: readonly Step[] | undefined, { pointer, readers, login }: StepCheckOptions): Fault[] {
  if (steps === undefined) return [];
  // The schema has reported a missing name.
  const namesIn = (some: readonly Partial<Step>[]): readonly string[] => some.flatMap(({ name }) => name ?? []);
  const names = namesIn(steps);
  return [
    ...steps.flatMap((step, index) => [
      ...fieldFaults(step, pointerTo(pointer, index), login),
      ...(namesIn(steps.slice(0, index)).includes(step.name) ? [duplicateName(step, pointerTo(pointer, index))] : []),
      ...referenceFaults(step as unknown as Value, pointerTo(pointer, index), namesIn(steps.slice(0, index)), names),
    ]),
    ...readers.flatMap(([value, here]) => referenceFaults(value, here, names, names)),
  ];
}

function fieldFaults(step: Step, pointer: string, login: boolean): Fault[] {
  const faults: Fault[] = [];
  const fault = (field: string, message: string): void =>
    void faults.push({ pointer: pointerTo(pointer, field), message });
  const { endpoint, until, failWhen, message, every, timeout, reuse, accept } = step;
  if (typeof endpoint === "string") faults.push(...checkScheme(endpoint, pointerTo(pointer, "endpoint")));
  for (const [name, when] of Object.entries({ until, failWhen })) {
    if (when !== undefined) faults.push(...checkCondition(when, pointerTo(pointer, name)));
  }
  for (const [name, time] of Object.entries({ every, timeout, reuse })) {
    faults.push(...durationFaults(time, pointerTo(pointer, name)));
    if (time !== undefined && until === undefined && name !== "reuse") fault(name, 'is only allowed with "until"');
  }
  if (accept !== undefined && until === undefined) fault("accept", 'is only allowed with "until"');
  if (every !== undefined && durationOf(every) === 0) fault("every", "must be more than 0");
  if (message !== undefined && failWhen === undefined) fault("message", 'is only allowed with "failWhen"');
  faults.push(...checkRuleSource(message, pointerTo(pointer, "message")));
  if (login && reuse !== undefined)
    fault("reuse", 'the answers to a login are secrets, which the state does not store: leave "reuse" out');
  return faults;
}

function duplicateName({ name }: Step, pointer: string): Fault {
  return { pointer: pointerTo(pointer, "name"), message: `an earlier step has the name ${JSON.stringify(name)}, too` };
}

/** Returns the faults of expressions that read a step that is not in `before`, or that name no value of its answer. */
function referenceFaults(
  value: Value | undefined,
  pointer: string,
  before: readonly string[],
  all: readonly string[],
): Fault[] {
  return stepReferences(value, pointer).flatMap(({ pointer: here, step, source }): Fault[] => {
    const name = JSON.stringify(step);
    const fault = (message: string, suggestion?: string): Fault[] => [{ pointer: here, message, suggestion }];
    if (source === undefined) {
      return all.includes(step)
        ? fault(`to read step ${name}, write {"step": ${name}, "path": "a.b"}, or "header" instead of "path"`)
        : [];
    }
    if (before.includes(step)) return [];
    if (all.includes(step)) return fault(`step ${name} comes later: only the answers to earlier steps can be read`);
    const meant = nearest(step, before);
    const hint = meant === undefined ? "" : `, did you mean ${JSON.stringify(meant)}?`;
    return fault(`there is no step ${name}${hint}`, meant);
  });
}
