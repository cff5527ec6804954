import type { NonePagination } from "../generated/configuration.ts";
import type { Paginator, Reason } from "./paginator.ts";
import { nothingFound, type PagingMethod } from "./paging-method.ts";

const end: Reason = {
  kind: "complete",
  text: "one page, no paging is configured",
  doubted: "the API has more pages; no paging is configured",
};

/** One request a job. Its response is still searched for evidence of more (contract C-6.13). */
export const none = {
  create,
  places: () => [],
  check: () => nothingFound,
  checkJob: () => nothingFound,
} satisfies PagingMethod<NonePagination>;

function create(): Paginator<null> {
  return {
    recordsTell: false,
    start: () => null,
    request: (base) => base,
    next: () => ({ end }),
    describe: () => "no paging",
  };
}
