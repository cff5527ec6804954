import { placeName, placeOf, withValues } from "../core/requests/request-place.ts";
import { pointerTo } from "../core/values/path.ts";
import { integer } from "../core/values/value.ts";
import type { Job, PagenumPagination } from "../generated/configuration.ts";
import {
  checkDistinct,
  checkOwnSize,
  checkPlace,
  checkSizePlace,
  overwrittenSize,
  overwrittenWarnings,
} from "./check-fields.ts";
import type { Paginator } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";
import type { CheckFindings, PagingMethod } from "./paging-method.ts";
import {
  afterPage,
  longPage,
  probeState,
  type SizeState,
  sentSize,
  shortPage,
  sizePlace,
  sizeValue,
  startState,
} from "./size.ts";

type PagenumPosition = SizeState & {
  readonly page: number;
};

/** Pages by number. Without a page size, only an empty page ends the job (contract C-6.19). */
export const pagenum = { create, places: () => [], check, checkJob } satisfies PagingMethod<PagenumPagination>;

function create(pagination: PagenumPagination, { remedies }: PaginatorOptions): Paginator<PagenumPosition> {
  const { firstPageParams = true } = pagination;
  const { limit } = pagination;
  const limitPlace = sizePlace(pagination);
  const pagePlace = placeOf(pagination.pageParam ?? "page");
  const firstPage = integer(pagination.firstPage, Number.MIN_SAFE_INTEGER) ?? Number(pagination.firstPage ?? 1);
  const isPaged = (position: PagenumPosition) => firstPageParams || !position.first;
  return {
    requestsNamePage: true,
    start: (parameters) => ({ page: firstPage, ...startState(parameters, limitPlace, limit) }),
    request(base, position) {
      const pageRequest = withValues(base, [
        { place: pagePlace, value: position.page },
        ...sizeValue(limitPlace, position),
      ]);
      return isPaged(position) ? pageRequest : base;
    },
    // Without the stride: a probe and a guess of the same page differ only in that.
    requestKey: ({ size, page, first }) => [size, page, first],
    next(position, summary) {
      const following = { ...position, ...afterPage(summary, position), page: position.page + 1 };
      const end = shortPage(summary, position, { limitPlace, remedies, isPaged: isPaged(position) });
      if (end === undefined) {
        return { next: following, warning: longPage(summary, position, isPaged(position), "continuing page by page") };
      }
      const probe = summary.records > 0 && !position.probed;
      return { end, probe: probe ? { ...following, ...probeState(summary.records) } : undefined };
    },
    ahead(position) {
      if (limit === "unknown") return undefined;
      return { next: { ...position, first: false, page: position.page + 1 }, records: position.stride ?? 0 };
    },
    skipped({ size }) {
      const pages = Math.max(firstPage - 1, 0);
      return { records: pages * (size ?? 0), pages };
    },
    size: (position) => sentSize(limitPlace, position, isPaged(position)),
    describe(parameters) {
      const { size } = this.start(parameters);
      const names = [pagePlace, limitPlace].flatMap((place) => (place === undefined ? [] : [placeName(place)]));
      return size === null
        ? `page numbers from ${firstPage} (${placeName(pagePlace)}), until an empty page`
        : `page numbers from ${firstPage}, ${size} a page (${names.join(", ")}), until a short page`;
    },
  };
}

function check({ limitParam = "limit", pageParam = "page" }: PagenumPagination, pointer: string): CheckFindings {
  const faults = [
    ...checkSizePlace(limitParam, pointerTo(pointer, "limitParam")),
    ...checkPlace(pageParam, pointerTo(pointer, "pageParam")),
  ];
  return {
    faults: faults.length > 0 ? faults : checkDistinct(pageParam, limitParam, pointerTo(pointer, "pageParam")),
    warnings: [],
  };
}

function checkJob(pagination: PagenumPagination, job: Job, pointer: string): CheckFindings {
  const faults = checkOwnSize(pagination, job, pointer);
  const { firstPageParams = true, firstPage = 1, pageParam = "page" } = pagination;
  if (!firstPageParams || faults.length > 0) return { faults, warnings: [] };
  const first = { first: Number(firstPage), remedy: '"firstPage" in the pagination says where paging begins' };
  const warnings = [
    ...overwrittenWarnings(job, pageParam, first, pointer),
    ...overwrittenSize(pagination, job, pointer),
  ];
  return { faults, warnings };
}
