import { SpileError } from "../core/errors.ts";
import { placeName, placeOf, withValues } from "../core/requests/request-place.ts";
import { add, compare, decimal, decimalText, isZero } from "../core/values/decimal.ts";
import { parsePath, pointerTo } from "../core/values/path.ts";
import { exactNumber } from "../core/values/value.ts";
import type { CursorPagination } from "../generated/configuration.ts";
import { checkPlace } from "./check-fields.ts";
import type { Paginator } from "./paginator.ts";
import { type CheckFindings, nothingFound, type PagingMethod } from "./paging-method.ts";
import { repeats } from "./scroll-progress.ts";
import { printableToken } from "./token.ts";

type CursorPosition = {
  /** Greatest id (with `reverse`, the smallest) of all pages so far, as the API wrote it; null before the first page. */
  readonly extreme: string | null;
};

/** Requests the records after the greatest id so far, or before the smallest one. Ids of any size are exact (contract C-6.22). */
export const cursor = {
  create,
  places: () => [],
  check,
  checkJob: () => nothingFound,
} satisfies PagingMethod<CursorPagination>;

const zero = { negative: false, digits: "0", exponent: 0n };

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function create(pagination: CursorPagination): Paginator<CursorPosition> {
  const { idKey, reverse = false } = pagination;
  const place = placeOf(pagination.param);
  const param = placeName(place);
  const increment = decimal(String(pagination.increment ?? 0)) ?? zero;
  const isFurther = (text: string, than: string): boolean => {
    const [a, b] = [decimal(text), decimal(than)];
    if (a === undefined || b === undefined) return false;
    return reverse ? compare(a, b) < 0 : compare(a, b) > 0;
  };
  const sentText = (extreme: string): string => {
    const number = decimal(extreme);
    return isZero(increment) || number === undefined ? extreme : decimalText(add(number, increment));
  };
  return {
    recordKey: parsePath(idKey),
    requestsNamePage: true,
    start: () => ({ extreme: null }),
    request(base, { extreme }) {
      const pageRequest = withValues(base, [{ place, value: extreme === null ? 0 : exactNumber(sentText(extreme)) }]);
      return extreme === null ? base : pageRequest;
    },
    next(position, summary, progress) {
      if (summary.records === 0) return { end: { kind: "complete", text: "ended with an empty page" } };
      const found = reverse ? summary.extremes?.minimum : summary.extremes?.maximum;
      if (found === undefined || decimal(found) === undefined) {
        return { fail: new SpileError("data", `the records have no number at "${idKey}", which the cursor needs`) };
      }
      if (!jsonNumber.test(found)) {
        const text = `a record has ${JSON.stringify(printableToken(found))} at "${idKey}"; the cursor needs a JSON number`;
        return { fail: new SpileError("data", text) };
      }
      const { extreme } = position;
      if (extreme === null || isFurther(found, extreme)) return { next: { extreme: found } };
      const text = `the cursor does not move beyond ${param}=${sentText(extreme)}`;
      const remedy = `set "increment": ${reverse ? -1 : 1} if the API's answer begins with the record of the requested id`;
      const repeated = repeats(summary, progress);
      return {
        end: { kind: "suspect", text, ...(isZero(increment) ? { remedy } : {}), ...(repeated ? { repeated } : {}) },
      };
    },
    describe: () =>
      `cursor paging by the ${reverse ? "smallest" : "greatest"} "${idKey}" (${param}), until an empty page`,
  };
}

function check({ param }: CursorPagination, pointer: string): CheckFindings {
  return { faults: checkPlace(param, pointerTo(pointer, "param")), warnings: [] };
}
