import type { LinkPagination } from "../generated/configuration.ts";
import { linkTarget } from "../knowledge/link-header.ts";
import { checkFollowed } from "./check-fields.ts";
import { type AddressPosition, followAddress } from "./followed-address.ts";
import type { Paginator } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";
import { nothingFound, type PagingMethod } from "./paging-method.ts";

/** Follows the response's `Link` header (RFC 8288). */
export const link = {
  create,
  places: () => [],
  check: () => nothingFound,
  checkJob: checkFollowed,
} satisfies PagingMethod<LinkPagination>;

function create(pagination: LinkPagination, options: PaginatorOptions): Paginator<AddressPosition> {
  const { rel = "next", includeParams = false } = pagination;
  const where = `of rel=${JSON.stringify(rel)} in the header Link`;
  return followAddress(
    {
      // If the job follows another relation than "next", a next link in the header remains evidence of more pages.
      sources: rel.toLowerCase() === "next" ? [{ header: "Link" }] : [],
      read(summary) {
        const text = linkTarget(summary.header("Link") ?? "", rel);
        return text === undefined ? undefined : { type: "string", text };
      },
      where,
      isQuery: false,
      includeParams,
      words: `the address ${where} of each response, until there is none`,
    },
    options,
  );
}
