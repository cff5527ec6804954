import { type SourceInResponse, sourceOf } from "../core/runs/response-source.ts";
import { pointerTo } from "../core/values/path.ts";
import { isNumber, isObject, type Value } from "../core/values/value.ts";
import { shapeOf } from "./shape.ts";

/** An expression that reads the answer to a step. */
export interface StepReference {
  /** JSON pointer of the expression. */
  readonly pointer: string;
  readonly step: string;
  /** Undefined if it does not say what it reads. */
  readonly source: SourceInResponse | undefined;
}

/** Whether a value reads the answer to a step. */
export function readsSteps(value: Value | undefined): boolean {
  return stepReferences(value).some(({ source }) => source !== undefined);
}

const members = new Set(["step", "path", "delimiter", "header", "where", "value", "optional"]);

/** Returns the expressions at any depth of `value` that read steps. `pointer` is the place of `value`. */
export function stepReferences(value: Value | undefined, pointer = ""): readonly StepReference[] {
  if (value === undefined || value === null || typeof value !== "object" || isNumber(value)) return [];
  const shape = shapeOf(value, ["step"]);
  if (shape?.kind === "step") return [{ pointer, step: shape.step, source: sourceOf(shape.source) }];
  const inside = Object.entries(value).flatMap(([key, inner]) => stepReferences(inner, pointerTo(pointer, key)));
  const looksLikeOne = isObject(value) && Object.keys(value).every((key) => members.has(key));
  if (!looksLikeOne || typeof value.step !== "string") return inside;
  return [{ pointer, step: value.step, source: undefined }, ...inside];
}
