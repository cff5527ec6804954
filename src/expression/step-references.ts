import { type SourceInResponse, sourceOf } from "../core/runs/response-source.ts";
import { pointerTo } from "../core/values/path.ts";
import { isNumber, isObject, type Value } from "../core/values/value.ts";
import { shapeOf } from "./shape.ts";

/** An expression that reads the answer to a step, or an object that seems to be meant as one. */
export interface StepReference {
  /** JSON pointer of the expression. */
  readonly pointer: string;
  readonly step: string;
  /** Source in the answer; undefined if the object is not a valid expression. */
  readonly source: SourceInResponse | undefined;
}

/** Returns whether a value contains, at any depth, a valid expression that reads the answer to a step. */
export function readsSteps(value: Value | undefined): boolean {
  return stepReferences(value).some(({ source }) => source !== undefined);
}

const stepKeys = new Set(["step", "path", "delimiter", "header", "where", "value", "optional"]);

/** Returns the expressions in `value`, at any depth, that read steps or seem to. `pointer`: the pointer of `value`. */
export function stepReferences(value: Value | undefined, pointer = ""): readonly StepReference[] {
  if (value === undefined || value === null || typeof value !== "object" || isNumber(value)) return [];
  const shape = shapeOf(value, ["step"]);
  if (shape?.kind === "step") return [{ pointer, step: shape.step, source: sourceOf(shape.source) }];
  const inside = Object.entries(value).flatMap(([key, inner]) => stepReferences(inner, pointerTo(pointer, key)));
  const hasStepKeys = isObject(value) && Object.keys(value).every((key) => stepKeys.has(key));
  if (!hasStepKeys || typeof value.step !== "string") return inside;
  return [{ pointer, step: value.step, source: undefined }, ...inside];
}
