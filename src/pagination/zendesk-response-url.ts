import type { ZendeskResponseUrlPagination } from "../generated/configuration.ts";
import { type AddressPosition, followAddress } from "./followed-address.ts";
import type { Paginator } from "./paginator.ts";
import type { PaginatorOptions } from "./paginator-options.ts";
import { nothingFound, type PagingMethod } from "./paging-method.ts";
import { addressAt, checkUrlKey } from "./response-url.ts";

/**
 * Minimum age of the start time in the next address, in seconds, as in Generic Extractor. Zendesk's incremental exports always give
 * a next address, but refuse a request whose start is more recent.
 */
const minAgeSeconds = 360;

/** Pages like `response.url`, but ends when the start time in the next address is less than six minutes ago. */
export const zendeskResponseUrl = {
  create,
  places: () => [],
  check: checkUrlKey,
  checkJob: () => nothingFound,
} satisfies PagingMethod<ZendeskResponseUrlPagination>;

function create(pagination: ZendeskResponseUrlPagination, options: PaginatorOptions): Paginator<AddressPosition> {
  return followAddress({ ...addressAt(pagination), stop }, options);
}

function stop(address: string, now: number): string | undefined {
  const query = URL.canParse(address) ? new URL(address).search : address.replace(/^[^=&?]*\?/, "");
  const startTime = new URLSearchParams(query).get("start_time");
  if (startTime === null || !/^[0-9]+$/.test(startTime) || Number(startTime) <= now / 1000 - minAgeSeconds)
    return undefined;
  return `ended because the next address starts at ${startTime}, less than 6 minutes ago`;
}
