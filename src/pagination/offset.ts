import { placeName, placeOf, withValues } from "../core/requests/request-place.ts";
import { pointerTo } from "../core/values/path.ts";
import type { Job, OffsetPagination } from "../generated/configuration.ts";
import {
  checkDistinct,
  checkOwnInteger,
  checkOwnSize,
  checkPlace,
  checkSizePlace,
  overwrittenInEndpoint,
  overwrittenSize,
  overwrittenWarnings,
} from "./check-fields.ts";
import type { Paginator, Reason } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";
import type { CheckFindings, PagingMethod } from "./paging-method.ts";
import {
  afterPage,
  longPage,
  ownInteger,
  probeState,
  type SizeState,
  sentSize,
  shortPage,
  sizePlace,
  sizeValue,
  startState,
} from "./size.ts";

type OffsetPosition = SizeState & {
  readonly offset: number;
  readonly start: number;
};

/** Pages by a page size and a number of records to skip (contract C-6.2). */
export const offset = { create, places: () => [], check, checkJob } satisfies PagingMethod<OffsetPagination>;

function create(pagination: OffsetPagination, { remedies }: PaginatorOptions): Paginator<OffsetPosition> {
  const { firstPageParams = true, offsetFromJob = false } = pagination;
  const { limit } = pagination;
  const limitPlace = sizePlace(pagination);
  const offsetPlace = placeOf(pagination.offsetParam ?? "offset");
  const isPaged = (position: OffsetPosition) => firstPageParams || !position.first;
  return {
    requestsNamePage: true,
    start(parameters) {
      const start = offsetFromJob ? (ownInteger(parameters, offsetPlace, 0) ?? 0) : 0;
      return { offset: start, start, ...startState(parameters, limitPlace, limit) };
    },
    request(base, position) {
      const pageRequest = withValues(base, [
        ...sizeValue(limitPlace, position),
        { place: offsetPlace, value: position.offset },
      ]);
      return isPaged(position) ? pageRequest : base;
    },
    // Leaves out `stride` and `probed`, in which a probe differs from a guess of the same page.
    requestKey: ({ size, offset, first }) => [size, offset, first],
    next(position, summary, progress) {
      if (position.probed && summary.overlaps === true) return { end: overlapping(progress.pages) };
      const following = { ...position, ...afterPage(summary, position), offset: position.offset + summary.records };
      const end = shortPage(summary, position, { limitPlace, remedies, isPaged: isPaged(position) });
      if (end === undefined) {
        return {
          next: following,
          warning: longPage(summary, position, isPaged(position), "continuing after the records that came"),
        };
      }
      const probe = summary.records > 0 && !position.probed;
      return { end, probe: probe ? { ...following, ...probeState(summary.records) } : undefined };
    },
    ahead(position) {
      const records = position.stride;
      // Without a stride, the next offset depends on the number of records that come.
      if (records === null) return undefined;
      return { next: { ...position, first: false, offset: position.offset + records }, records };
    },
    skipped: ({ start, size }) => ({ records: start, pages: size === null ? 0 : Math.ceil(start / size) }),
    size: (position) => sentSize(limitPlace, position, isPaged(position)),
    describe(parameters) {
      const { size, start } = this.start(parameters);
      const from = start > 0 ? `, from ${start}` : "";
      const names = [limitPlace, offsetPlace].flatMap((place) => (place === undefined ? [] : [placeName(place)]));
      return size === null
        ? `offset paging by the number of records that came (${placeName(offsetPlace)})${from}, until an empty page`
        : `offset paging, ${size} a page (${names.join(", ")})${from}, until a short page`;
    },
  };
}

/**
 * Returns the reason to end at a probe that begins with a record of an earlier page. The API cuts the list into pages before it
 * filters them, so a short page need not be the last.
 */
function overlapping(page: number): Reason {
  const text = `page ${page}, requested after a short page, begins with a record that already came`;
  const remedy = 'the API filters its pages after cutting them: remove "probeEnd" and page by number or token';
  return { kind: "suspect", text, remedy, repeated: "earlier" };
}

function check({ limitParam = "limit", offsetParam = "offset" }: OffsetPagination, pointer: string): CheckFindings {
  const faults = [
    ...checkSizePlace(limitParam, pointerTo(pointer, "limitParam")),
    ...checkPlace(offsetParam, pointerTo(pointer, "offsetParam")),
  ];
  return {
    faults: faults.length > 0 ? faults : checkDistinct(offsetParam, limitParam, pointerTo(pointer, "offsetParam")),
    warnings: [],
  };
}

function checkJob(pagination: OffsetPagination, job: Job, pointer: string): CheckFindings {
  const { offsetParam = "offset", offsetFromJob, firstPageParams = true } = pagination;
  const faults = [
    ...checkOwnSize(pagination, job, pointer),
    ...(offsetFromJob === true ? checkOwnInteger(job, offsetParam, 0, "first offset", pointer) : []),
  ];
  if (!firstPageParams || faults.length > 0) return { faults, warnings: [] };
  const first = { first: 0, remedy: '"offsetFromJob": true in the pagination makes the job begin at this value' };
  const warnings = [
    ...(offsetFromJob === true
      ? overwrittenInEndpoint(job, offsetParam, 0, "first offset", pointer)
      : overwrittenWarnings(job, offsetParam, first, pointer)),
    ...overwrittenSize(pagination, job, pointer),
  ];
  return { faults, warnings };
}
