import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../src/generated/configuration.ts";
import { type Api, type CrawlOptions, crawl, rows } from "./crawl.ts";

interface CrawlRow {
  readonly title: string;
  readonly pagination?: Pagination | undefined;
  readonly api: Api;
  readonly options?: CrawlOptions;
}

/** A crawl and the doubt about its end; undefined if it is complete. */
export interface DoubtRow extends CrawlRow {
  readonly suspect: string | undefined;
}

/** A complete crawl and its requests. */
export interface RequestRow extends CrawlRow {
  readonly requests: readonly string[];
}

export const offset = (limit: number, more: object = {}): Pagination => ({ method: "offset", limit, ...more });

/** Creates an API that answers each request with the same page of records, with other fields beside them. */
export const page =
  (records: number, beside: object): Api =>
  () =>
    JSON.stringify({ items: rows(records), ...beside });

/** The reason of a job that ends with a page of 3 records although it requested 10. */
export const shortPageReason = "ended with a page of 3, fewer than the requested 10";
/** The remedy if the page is not the last one. */
export const cappedRemedy = 'if the API limits its pages to 3 records, set "limit": 3 or use --probe-end';

export function testDoubts(table: readonly DoubtRow[]): void {
  for (const { title, pagination, api, options, suspect } of table) {
    test(title, () => {
      const { verdict, error } = crawl(pagination, api, options);
      assert.equal(error, undefined);
      if (suspect === undefined) assert.equal(verdict?.kind, "complete", verdict?.reason);
      else assert.deepEqual([verdict?.kind, verdict?.reason], ["suspect", suspect]);
    });
  }
}

export function testRequests(table: readonly RequestRow[]): void {
  for (const { title, pagination, api, options, requests } of table) {
    test(title, () => {
      const result = crawl(pagination, api, options);
      assert.equal(result.error, undefined);
      assert.deepEqual(result.requests, requests);
      assert.equal(result.verdict?.kind, "complete");
    });
  }
}
