import type { ValueObject } from "../../core/values/value.ts";
import { evaluate, parsed } from "./evaluate.ts";
import type { Expression } from "./jinja.ts";
import { listOf } from "./manifest.ts";
import type { ManifestScope } from "./scope.ts";
import { Unsayable } from "./unsayable.ts";

/** Returns the path of a field in the records as they come: a field that the manifest adds is read where it is made of. */
export function sourceOfField(field: string, stream: ValueObject, scope: ManifestScope): readonly string[] {
  const added = listOf(stream.transformations).flatMap(({ type, fields }) =>
    type === "AddFields" ? listOf(fields) : [],
  );
  const found = added.find(({ path }) => Array.isArray(path) && path.length === 1 && path[0] === field);
  const template = found?.value;
  if (typeof template !== "string") return [field];
  const inner = recordPlace(parsed(template), scope);
  return inner ?? [field];
}

/** Returns the first place in the record that an expression reads. */
function recordPlace(expression: Expression, scope: ManifestScope): readonly string[] | undefined {
  if (expression.kind === "member") {
    try {
      const meaning = evaluate(expression, scope);
      return meaning.kind === "place" && meaning.root === "record" ? meaning.path : undefined;
    } catch (error) {
      if (error instanceof Unsayable) return undefined;
      throw error;
    }
  }
  if (expression.kind !== "call") return undefined;
  if (expression.operator === ".get") {
    const [of, key] = expression.operands;
    return of === undefined || key === undefined ? undefined : recordPlace({ kind: "member", of, key }, scope);
  }
  return expression.operands.map((one) => recordPlace(one, scope)).find((one) => one !== undefined);
}
