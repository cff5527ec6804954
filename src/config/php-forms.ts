import type { Fault } from "../core/errors.ts";
import { isEmpty } from "../core/values/emptiness.ts";
import { isNumber, type Value } from "../core/values/value.ts";
import { type MemberPlace, rewrite, typesOf } from "./schema.ts";

export interface PhpForms {
  readonly document: Value;
  readonly warnings: readonly Fault[];
}

/**
 * Reads a document as PHP does, before it is checked (contract C-2.4). A known field that is not required and holds null or ""
 * counts as absent. A scalar in place of a boolean counts as true or false by PHP's rules. A `forceStop` that is not an
 * object has no effect, with a warning.
 */
export function readAsPhp(document: Value): PhpForms {
  const warnings: Fault[] = [];
  const enter = (value: Value, place: MemberPlace): Value | undefined => {
    if (isAbsent(value, place)) return undefined;
    if (isIdleStop(value, place)) {
      warnings.push({
        pointer: place.pointer,
        message: 'has no effect: it is not an object with "pages", "time" or "volume"',
      });
      return undefined;
    }
    const isFlag = typesOf(place.schema)[0] === "boolean";
    return isFlag && (typeof value === "string" || isNumber(value)) ? !isEmpty(value) : value;
  };
  return { document: rewrite(document, { enter }), warnings };
}

/**
 * Returns whether a field counts as absent because it is null or "". A member that may have any value, such as a setting, keeps
 * both.
 */
function isAbsent(value: Value, { written, member }: MemberPlace): boolean {
  if (member === undefined || member.objectSchema.required?.includes(member.name) || (value !== null && value !== ""))
    return false;
  return (
    written.$ref !== undefined ||
    written.type !== undefined ||
    written.enum !== undefined ||
    written.oneOf !== undefined
  );
}

function isIdleStop(value: Value, { member }: MemberPlace): boolean {
  const isStop = member?.name === "forceStop" && Object.hasOwn(member.objectSchema.properties ?? {}, member.name);
  return isStop && typeof value !== "object";
}
