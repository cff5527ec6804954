import { pointerTo } from "../../core/values/path.ts";
import type { Scroller } from "../../generated/configuration.ts";
import { checkSource, dottedKey } from "../check-fields.ts";
import type { CheckFindings } from "../paging-method.ts";

/** Returns the faults of a scroller's stop rules that the schema cannot find, and warnings about their fields. */
export function checkStops(
  stops: Pick<Exclude<Scroller, { method: "none" }>, "limitStop" | "nextPageFlag" | "pageCount">,
  pointer: string,
): CheckFindings {
  const { limitStop, nextPageFlag, pageCount } = stops;
  const flagAt = pointerTo(pointer, "nextPageFlag", "field");
  const countAt = pointerTo(pointer, "pageCount");
  const others = {
    faults: [...checkSource(nextPageFlag?.field, flagAt, false), ...checkSource(pageCount, countAt, false)],
    warnings: dottedKey(pageCount, countAt),
  };
  if (limitStop === undefined) return others;
  const fieldPointer = pointerTo(pointer, "limitStop");
  const isBothOrNeither = (limitStop.field === undefined) === (limitStop.count === undefined);
  const message = 'needs either "field" or "count", not both';
  const field = pointerTo(fieldPointer, "field");
  return {
    faults: [
      ...others.faults,
      ...(isBothOrNeither ? [{ pointer: fieldPointer, message }] : checkSource(limitStop.field, field, false)),
    ],
    warnings: [...others.warnings, ...dottedKey(limitStop.field, field)],
  };
}
