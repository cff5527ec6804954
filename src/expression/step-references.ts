import { pointer } from "../core/path.ts";
import { type SourceInResponse, sourceOf } from "../core/response-source.ts";
import { isNumber, isObject, type Value } from "../core/value.ts";
import { shapeOf } from "./shape.ts";

/** An expression that reads what a step was answered. */
export interface StepReference {
  /** Where it stands. */
  readonly at: string;
  readonly step: string;
  /** Undefined where it does not say what it reads. */
  readonly source: SourceInResponse | undefined;
}

/** Does a value read what a step was answered? */
export function readsSteps(value: Value | undefined): boolean {
  return stepReferences(value).some(({ source }) => source !== undefined);
}

const members = new Set(["step", "path", "delimiter", "header"]);

/** The expressions at any depth of `value`, which stands at `at`, that read steps. */
export function stepReferences(value: Value | undefined, at = ""): readonly StepReference[] {
  if (value === undefined || value === null || typeof value !== "object" || isNumber(value)) return [];
  const shape = shapeOf(value, ["step"]);
  if (shape?.kind === "step") return [{ at, step: shape.step, source: sourceOf(shape.source) }];
  const inside = Object.entries(value).flatMap(([key, inner]) => stepReferences(inner, pointer(at, key)));
  const looksLikeOne = isObject(value) && Object.keys(value).every((key) => members.has(key));
  if (!looksLikeOne || typeof value.step !== "string") return inside;
  return [{ at, step: value.step, source: undefined }, ...inside];
}
