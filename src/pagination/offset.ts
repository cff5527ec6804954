import { pointer } from "../core/path.ts";
import { type Request, withParameters } from "../core/request.ts";
import type { OffsetPagination } from "../generated/configuration.ts";
import type { Paginator } from "./paginator.ts";
import type { PagingMethod } from "./paging-method.ts";
import { longPage, ownInteger, ownPageSize, pageSize, probing, type Stride, sameName, shortPage } from "./size.ts";

type OffsetPosition = Stride & {
  readonly offset: number;
  readonly start: number;
};

/** Pages by a page size and a number of records to skip (contract C-6.2). */
export const offset = {
  create,
  places: () => [],
  check: ({ limitParam, offsetParam = "offset" }, at) => sameName(limitParam, offsetParam, pointer(at, "offsetParam")),
  ownIntegers: ({ limitParam, offsetParam = "offset", offsetFromJob = false }) => [
    ownPageSize(limitParam),
    ...(offsetFromJob ? [{ name: offsetParam, minimum: 0, what: "first offset" }] : []),
  ],
} satisfies PagingMethod<OffsetPagination>;

function create(pagination: OffsetPagination): Paginator<OffsetPosition> {
  const { limitParam = "limit", offsetParam = "offset", firstPageParams = true, offsetFromJob = false } = pagination;
  const sends = (position: OffsetPosition) => firstPageParams || !position.first;
  return {
    recordsTell: true,
    start(parameters) {
      const start = offsetFromJob ? (ownInteger(parameters, offsetParam, 0) ?? 0) : 0;
      return { ...pageSize(parameters, limitParam, pagination.limit), offset: start, start };
    },
    request(base: Request, position) {
      if (!sends(position)) return base;
      return withParameters(base, [
        { name: limitParam, value: position.size },
        { name: offsetParam, value: position.offset },
      ]);
    },
    // A probe changes what counts as a full page, not the page that follows it.
    asks: ({ size, offset, first }) => [size, offset, first],
    next(position, summary) {
      const following = { ...position, first: false, offset: position.offset + summary.records };
      const end = shortPage(summary, position, limitParam, sends(position));
      if (end === undefined) {
        return { next: following, warning: longPage(summary, position, sends(position), "going on after what came") };
      }
      const probe = summary.records > 0 && !position.probed;
      return { end, probe: probe ? { ...following, ...probing(summary.records) } : undefined };
    },
    ahead(position) {
      const records = position.stride ?? 0;
      return { next: { ...position, first: false, offset: position.offset + records }, records };
    },
    skipped: ({ start, size }) => ({ records: start, pages: size === null ? 0 : Math.floor(start / size) }),
    size: (position) => (sends(position) || position.own ? position.size : null),
    describe(parameters) {
      const { size, start } = this.start(parameters);
      const from = start > 0 ? `, from ${start}` : "";
      return `offset paging, ${size} a page (${limitParam}, ${offsetParam})${from}, until a short page`;
    },
  };
}
