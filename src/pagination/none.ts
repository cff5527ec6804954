import type { NonePagination } from "../generated/configuration.ts";
import type { Paginator, Reason } from "./paginator.ts";

const end: Reason = {
  kind: "complete",
  text: "one page, no paging is configured",
  doubted: "the API has more pages; no paging is configured",
};

/** One request a job. Its response is still searched for evidence of more (contract C-6.13). */
export function none(_pagination: NonePagination): Paginator<null> {
  return {
    recordsTell: false,
    start: () => null,
    request: (base) => base,
    next: () => ({ end }),
    describe: () => "no paging",
  };
}
