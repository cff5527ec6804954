import { pointer } from "../../core/path.ts";
import type { Scroller } from "../../generated/configuration.ts";
import { checkSource, dottedKey } from "../check-fields.ts";
import { type Found, nothingFound } from "../paging-method.ts";

/** Stop rules that contradict themselves. */
export function checkStops(
  stops: Pick<Exclude<Scroller, { method: "none" }>, "limitStop" | "nextPageFlag">,
  at: string,
): Found {
  const { limitStop, nextPageFlag } = stops;
  const flagAt = pointer(at, "nextPageFlag", "field");
  const flag = checkSource(nextPageFlag?.field, flagAt, false);
  if (limitStop === undefined) return flag.length === 0 ? nothingFound : { faults: flag, warnings: [] };
  const here = pointer(at, "limitStop");
  const both = (limitStop.field === undefined) === (limitStop.count === undefined);
  const message = 'needs one of "field" and "count", and not both';
  const field = pointer(here, "field");
  return {
    faults: [...flag, ...(both ? [{ pointer: here, message }] : checkSource(limitStop.field, field, false))],
    warnings: dottedKey(limitStop.field, field),
  };
}
