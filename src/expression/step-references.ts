import { type SourceInResponse, sourceOf } from "../core/runs/response-source.ts";
import { pointerTo } from "../core/values/path.ts";
import { isNumber, isObject, type Value } from "../core/values/value.ts";
import { shapeOf } from "./shape.ts";

/** An expression that reads the answer to a step. */
export interface StepReference {
  /** JSON pointer of the expression. */
  readonly pointer: string;
  readonly step: string;
  /** Source in the answer; undefined if the expression does not name it. */
  readonly source: SourceInResponse | undefined;
}

/** Returns whether a value reads the answer to a step. */
export function readsSteps(value: Value | undefined): boolean {
  return stepReferences(value).some(({ source }) => source !== undefined);
}

const members = new Set(["step", "path", "delimiter", "header", "where", "value", "optional"]);

/** Returns the expressions in `value`, at any depth, that read steps. `pointer`: the pointer of `value`. */
export function stepReferences(value: Value | undefined, pointer = ""): readonly StepReference[] {
  if (value === undefined || value === null || typeof value !== "object" || isNumber(value)) return [];
  const shape = shapeOf(value, ["step"]);
  if (shape?.kind === "step") return [{ pointer, step: shape.step, source: sourceOf(shape.source) }];
  const inside = Object.entries(value).flatMap(([key, inner]) => stepReferences(inner, pointerTo(pointer, key)));
  const looksLikeOne = isObject(value) && Object.keys(value).every((key) => members.has(key));
  if (!looksLikeOne || typeof value.step !== "string") return inside;
  return [{ pointer, step: value.step, source: undefined }, ...inside];
}
