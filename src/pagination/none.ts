import { counted } from "../core/text/counted.ts";
import { integer } from "../core/values/value.ts";
import type { NonePagination } from "../generated/configuration.ts";
import type { Paginator, Reason } from "./paginator.ts";
import { nothingFound, type PagingMethod } from "./paging-method.ts";

const end: Reason = {
  kind: "complete",
  text: "one page, no paging is configured",
  textIfMore: "the API has more pages; no paging is configured",
};

/**
 * Sends one request for each job. The response is still searched for evidence of more records (contract C-6.13), and the end
 * after a full page is doubted (C-6.26).
 */
export const none = {
  create,
  places: () => [],
  check: () => nothingFound,
  checkJob: () => nothingFound,
} satisfies PagingMethod<NonePagination>;

function create({ fullPage }: NonePagination): Paginator<null> {
  const full = integer(fullPage, 1);
  return {
    requestsNamePage: false,
    start: () => null,
    request: (base) => base,
    next(_, { records, single }) {
      // A single object is not a page of a list, so it cannot be full.
      return { end: full === undefined || records < full || single ? end : doubtful(records, full) };
    },
    describe: () =>
      full === undefined
        ? "no paging"
        : `no paging, one page, suspect if the page has at least ${counted(full, "record")}`,
  };
}

function doubtful(records: number, full: number): Reason {
  const doubt = `the page has ${counted(records, "record")}, and with ${full} or more it may not be the only one ("fullPage"); configure how the API pages, or remove "fullPage" if these are all records`;
  return { ...end, doubt };
}
