import { pointer } from "../core/path.ts";
import { type Parameter, withParameters } from "../core/request.ts";
import { integer } from "../core/value.ts";
import type { PagenumPagination } from "../generated/configuration.ts";
import type { Paginator } from "./paginator.ts";
import type { PagingMethod } from "./paging-method.ts";
import { longPage, ownPageSize, pageSize, probing, type Stride, sameName, shortPage } from "./size.ts";

type PagenumPosition = Stride & {
  readonly page: number;
};

/** Pages by number; without a page size only an empty page ends it (contract C-6.19). */
export const pagenum = {
  create,
  places: () => [],
  check: ({ limitParam, pageParam = "page" }, at) => sameName(limitParam, pageParam, pointer(at, "pageParam")),
  ownIntegers: ({ limitParam }) => [ownPageSize(limitParam)],
} satisfies PagingMethod<PagenumPagination>;

function create(pagination: PagenumPagination): Paginator<PagenumPosition> {
  const { limitParam = "limit", pageParam = "page", firstPageParams = true } = pagination;
  const firstPage = integer(pagination.firstPage, Number.MIN_SAFE_INTEGER) ?? Number(pagination.firstPage ?? 1);
  const sends = (position: PagenumPosition) => firstPageParams || !position.first;
  return {
    recordsTell: true,
    start: (parameters) => ({ ...pageSize(parameters, limitParam, pagination.limit), page: firstPage }),
    request(base, position) {
      if (!sends(position)) return base;
      const size: Parameter[] = position.size === null ? [] : [{ name: limitParam, value: position.size }];
      return withParameters(base, [{ name: pageParam, value: position.page }, ...size]);
    },
    // A probe changes what counts as a full page, not the page that follows it.
    asks: ({ size, page, first }) => [size, page, first],
    next(position, summary) {
      const following = { ...position, first: false, page: position.page + 1 };
      const end = shortPage(summary, position, limitParam, sends(position));
      if (end === undefined) {
        return { next: following, warning: longPage(summary, position, sends(position), "going on page by page") };
      }
      const probe = summary.records > 0 && !position.probed;
      return { end, probe: probe ? { ...following, ...probing(summary.records) } : undefined };
    },
    ahead: (position) => ({
      next: { ...position, first: false, page: position.page + 1 },
      records: position.stride ?? 0,
    }),
    skipped({ size }) {
      const pages = Math.max(firstPage - 1, 0);
      return { records: pages * (size ?? 0), pages };
    },
    size: (position) => (sends(position) || position.own ? position.size : null),
    describe(parameters) {
      const { size } = this.start(parameters);
      return size === null
        ? `page numbers from ${firstPage} (${pageParam}), until an empty page`
        : `page numbers from ${firstPage}, ${size} a page (${pageParam}, ${limitParam}), until a short page`;
    },
  };
}
