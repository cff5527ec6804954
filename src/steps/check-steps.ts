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
  /** Values outside the steps that read the answers of the steps, with their pointers. */
  readonly readers: readonly (readonly [value: Value | undefined, pointer: string])[];
  /** True for the steps of a login, whose answers no state keeps. */
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
  // Another check has reported a name that is missing or not a text.
  const namesIn = (some: readonly Partial<Step>[]): readonly string[] => some.flatMap(({ name }) => name ?? []);
  const names = namesIn(steps);
  return [
    ...steps.flatMap((step, index) => [
      ...ownFaults(step, pointerTo(pointer, index), login),
      ...(namesIn(steps.slice(0, index)).includes(step.name) ? [twice(step, pointerTo(pointer, index))] : []),
      ...referenceFaults(step as unknown as Value, pointerTo(pointer, index), namesIn(steps.slice(0, index)), names),
    ]),
    ...readers.flatMap(([value, here]) => referenceFaults(value, here, names, names)),
  ];
}

function ownFaults(step: Step, pointer: string, login: boolean): Fault[] {
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
    fault("reuse", "the answers to a login are secrets, which the state does not store");
  return faults;
}

function twice({ name }: Step, pointer: string): Fault {
  return { pointer: pointerTo(pointer, "name"), message: `there is another step ${JSON.stringify(name)} before it` };
}

/** Returns the faults of references to steps that are not among those `before`, and of references without a source. */
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
      return all.includes(step) ? fault(`step ${name} is read by {"step": ${name}, "path": "a.b"}, or "header"`) : [];
    }
    if (before.includes(step)) return [];
    if (all.includes(step)) return fault(`step ${name} comes later: only earlier ones have been answered`);
    const meant = nearest(step, before);
    const hint = meant === undefined ? "" : `, did you mean ${JSON.stringify(meant)}?`;
    return fault(`there is no step ${name}${hint}`, meant);
  });
}
