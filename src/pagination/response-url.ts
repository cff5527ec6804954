import { readSource, sourceOf, sourceText } from "../core/runs/response-source.ts";
import { pointerTo } from "../core/values/path.ts";
import type { ResponseUrlPagination } from "../generated/configuration.ts";
import { checkFollowed, checkSource, dottedKey } from "./check-fields.ts";
import { type AddressMethod, type AddressPosition, followAddress } from "./followed-address.ts";
import type { Paginator } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";
import type { CheckFindings, PagingMethod } from "./paging-method.ts";
import { tokenOf } from "./token.ts";

/** Follows the address of the next page in each response (contract C-6.20). */
export const responseUrl = {
  create: (pagination: ResponseUrlPagination, options: PaginatorOptions): Paginator<AddressPosition> =>
    followAddress(addressAt(pagination), options),
  places: () => [],
  check: checkUrlKey,
  checkJob: checkFollowed,
} satisfies PagingMethod<ResponseUrlPagination>;

export function addressAt(pagination: Omit<ResponseUrlPagination, "method">): AddressMethod {
  const { urlKey = "next_page", delimiter, paramIsQuery = false, includeParams = false } = pagination;
  const source = sourceOf(urlKey, delimiter);
  const where = sourceText(source);
  return {
    sources: [source],
    read: (summary) => tokenOf(readSource(source, summary)),
    where,
    isQuery: paramIsQuery,
    includeParams,
    words: `the ${paramIsQuery ? "query" : "address"} ${where} of each response, until it is empty`,
  };
}

export function checkUrlKey(
  { urlKey, delimiter = "." }: Omit<ResponseUrlPagination, "method">,
  pointer: string,
): CheckFindings {
  const fieldPointer = pointerTo(pointer, "urlKey");
  const remedy = '; with "delimiter": "/" it is one name';
  return {
    faults: checkSource(urlKey, fieldPointer),
    warnings: delimiter === "." ? dottedKey(urlKey, fieldPointer, remedy) : [],
  };
}
