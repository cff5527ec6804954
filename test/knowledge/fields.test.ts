import assert from "node:assert/strict";
import { test } from "node:test";
import { parseValue, valueText } from "../../src/core/values/value.ts";
import { DocumentReader } from "../../src/extract/document.ts";
import type { ExchangeFacts } from "../../src/knowledge/exchange-facts.ts";
import { moreOf, signalPlaceName, signalsOf } from "../../src/knowledge/signals.ts";

/*
 * Each rule about evidence of more records, both when it applies and when it does not. A row has the members beside the 3 records
 * of `items` (or of the given data field), and the place that reports more; undefined if none does.
 */

interface Row {
  readonly beside: object;
  readonly says?: string | undefined;
  readonly dataField?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const before = "http://api.test/items?page=2";
for (const { beside, speaks } of [
  { beside: { before_url: before }, speaks: true },
  { beside: { before_url: before, next_url: null }, speaks: false },
  { beside: { before_url: before, after_url: null }, speaks: false },
  { beside: { before_url: "http://api.test/other?page=2" }, speaks: false },
]) {
  test(`a full page with ${JSON.stringify(beside)} ${speaks ? "is a sign of more" : "is no sign of more"}`, () => {
    const full = { ...facts({ beside }), records: 50 };
    assert.equal(moreOf(full).length, speaks ? 1 : 0);
  });
}

const records = [{ id: 1 }, { id: 2 }, { id: 3 }];

function facts({ beside, dataField = "items", headers = {} }: Row): ExchangeFacts {
  const path = dataField.split(".");
  const whole = placed(beside, path);
  const reader = new DocumentReader({ dataField: path, watch: [], evidence: true, lines: () => undefined });
  reader.write(Buffer.from(valueText(parseValue(JSON.stringify(whole)))));
  const { evidence } = reader.end();
  const header = (name: string): string | undefined =>
    Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return {
    url: "http://api.test/items",
    evidence,
    dataPath: path,
    records: 3,
    headerNames: Object.keys(headers),
    header,
  };
}

function placed(beside: object, [name = "", ...rest]: readonly string[]): object {
  if (rest.length === 0) return { ...beside, [name]: records };
  const inner = (beside as Record<string, object>)[name] ?? {};
  return { ...beside, [name]: placed(inner, rest) };
}

/** Returns the places that report more than the 3 records that came. */
function placesOf(row: Row): string[] {
  const exchange = facts(row);
  const figures = signalsOf(exchange).figures.filter(({ kind, text }) => BigInt(text) > (kind === "pages" ? 1n : 3n));
  return [...figures, ...moreOf(exchange)].map(({ origin }) => signalPlaceName(origin));
}

const address = "https://api.test/items?page=2";
const token = "b2Zmc2V0";

const groups: Readonly<Record<string, readonly Row[]>> = {
  "a flag of more": [
    { beside: { has_more: true }, says: "has_more" },
    { beside: { hasMoreResults: "true" }, says: "hasMoreResults" },
    { beside: { HasMoreShards: true }, dataField: "Shards", says: "HasMoreShards" },
    { beside: { HasMoreStreams: true }, dataField: "StreamNames", says: "HasMoreStreams" },
    { beside: { HasMoreShards: false, NextToken: token }, dataField: "Shards" },
    { beside: { has_more_details: true } },
    { beside: { "@Microsoft.Dynamics.CRM.morerecords": true }, says: "@Microsoft.Dynamics.CRM.morerecords" },
    { beside: { "@Microsoft.Dynamics.CRM.morerecords": false } },
    { beside: { has_more: 1 }, says: "has_more" },
    { beside: { have_next_page: true }, says: "have_next_page" },
    { beside: { isMoreAvailable: true }, says: "isMoreAvailable" },
    { beside: { more: 1 } },
    { beside: { has_more: 2 } },
    { beside: { has_more_than_one_owner: true } },
    { beside: { no_more: false }, says: "no_more" },
    { beside: { noMoreResults: true } },
    { beside: { not_truncated: false }, says: "not_truncated" },
    { beside: { truncated: true }, says: "truncated" },
    { beside: { results_truncated: true }, says: "results_truncated" },
    { beside: { properties: { exceededTransferLimit: true } }, says: "properties.exceededTransferLimit" },
    { beside: { properties: { has_more: true } } },
    { beside: { rate_limit_exceeded: true } },
  ],
  "a flag of the end": [
    { beside: { is_last: false }, says: "is_last" },
    { beside: { isDone: 0 }, says: "isDone" },
    { beside: { end_of_list: false }, says: "end_of_list" },
    { beside: { done: false } },
    { beside: { done: false, nextRecordsUrl: "/q/2" }, says: "done" },
    { beside: { done: false, iterator: token }, says: "done" },
    { beside: { done: true, iterator: token } },
    { beside: { last_page: false }, says: "last_page" },
    { beside: { last_page: true } },
    { beside: { last_page: false, next_page: false } },
    { beside: { done: false, queryLocator: token }, says: "done" },
    { beside: { completed: false } },
    { beside: { finished: false, owner: "x" } },
    { beside: { has_more: false, links: { next: address } } },
    { beside: { truncated: false, next: token }, says: "next" },
  ],
  "a next address": [
    { beside: { next: address }, says: "next" },
    { beside: { next: "?page=2" }, says: "next" },
    { beside: { _pagination: { total: 3, next: { url: address } } }, says: "_pagination.next.url" },
    { beside: { after_url: address }, says: "after_url" },
    { beside: { navigation: { nextPage: { uri: address } } }, says: "navigation.nextPage.uri" },
    { beside: { before_url: "http://api.test/items?page=2" } },
    { beside: { before_url: address } },
    { beside: { before_url: "http://api.test/items" } },
    { beside: { before_url: "http://api.test/other?page=2" } },
    { beside: { before: address } },
    { beside: { before_url: address, after_url: null } },
    { beside: { hypermedia: { pagination: { next_page: address } } }, says: "hypermedia.pagination.next_page" },
    { beside: { more_items_url: "/more" }, says: "more_items_url" },
    { beside: { list: { more_topics_url: "/more" } }, dataField: "list.topics", says: "list.more_topics_url" },
    { beside: { more_info_url: address } },
    { beside: { next_steps: "/docs" } },
    { beside: { next_billing_date: "2026-01-01" } },
    { beside: { next: "http://api.test/items" } },
    { beside: { next: "call us" } },
    { beside: { nextSyncToken: token } },
    { beside: { nextSyncToken: token, cursor: token } },
    { beside: { "@odata.deltaLink": address } },
    { beside: { next_batch: token } },
    { beside: { link: [{ relation: "next", url: address }] }, says: "link" },
    { beside: { links: [{ rel: ["self", "next"], href: address }] }, says: "links" },
    { beside: { links: [{ rel: "prev", href: address }] } },
    { beside: { _links: { more: { params: { cursor: token } } } }, says: "_links.more.params.cursor" },
  ],
  "a next token": [
    { beside: { next_token: token }, says: "next_token" },
    { beside: { next_stream_position: token } },
    { beside: { cursor_next: token }, says: "cursor_next" },
    { beside: { next_id: 17 }, says: "next_id" },
    { beside: { next_id: 0 } },
    { beside: { iterator: token }, says: "iterator" },
    { beside: { pageCursor: token }, says: "pageCursor" },
    { beside: { cursor: token }, says: "cursor" },
    { beside: { cursorId: token }, says: "cursorId" },
    { beside: { pagination: { cursor: token } }, says: "pagination.cursor" },
    { beside: { pagination_meta: { after: token } }, says: "pagination_meta.after" },
    { beside: { data: { after: token } }, dataField: "data.children", says: "data.after" },
    { beside: { data: { after: token, before: null } }, dataField: "data.children", says: "data.after" },
    { beside: { paging: { cursors: { after: token, before: "x" } } } },
    { beside: { page_info: { endCursor: token, startCursor: "x" } } },
    { beside: { page_info: { endCursor: token } }, says: "page_info.endCursor" },
    { beside: { owner: { cursor: token } } },
    { beside: { scroll_id: token } },
    { beside: { bookmark: "nil" } },
    { beside: { meta: { offset: 20 } } },
    { beside: { offset: token }, says: "offset" },
    { beside: { offset: "+01:00" } },
    { beside: { next: null, cursor: token } },
    { beside: { calls: { cursor: token } } },
    { beside: { records: { cursor: token } }, says: "records.cursor" },
    { beside: { dns_records: { cursor: token, total: 40 } } },
    { beside: { paging: { next: { page: 2, limit: 50 } } }, says: "paging.next" },
    { beside: { paging: { next: { page: 0, limit: 50 } } } },
    { beside: { paging: { next: { cursor: null, limit: 50 } } } },
    { beside: { paging: { next: { token: "", limit: 50 } } } },
    { beside: { LastEvaluatedKey: { page: 0, id: 7 } }, says: "LastEvaluatedKey" },
    { beside: { LastEvaluatedKey: { size: 7 } }, says: "LastEvaluatedKey" },
    { beside: { next_page: "-1" } },
    { beside: { next_payment: token } },
  ],
  "a total": [
    { beside: { _pagination: { offset: 0, limit: 3, total: 330 } }, says: "_pagination.total" },
    { beside: { pagination: { totalAvailable: "25" } }, says: "pagination.totalAvailable" },
    { beside: { total: { count: 25 } }, says: "total" },
    { beside: { total: "1,234" }, says: "total" },
    { beside: { total: "1, 2" } },
    { beside: { total_things: 25 }, dataField: "things", says: "total_things" },
    { beside: { thing_count: 25 }, dataField: "things", says: "thing_count" },
    { beside: { total_things: 25 } },
    { beside: { numberMatched: 25, numberReturned: 3 }, says: "numberMatched" },
    { beside: { found: 25 }, says: "found" },
    { beside: { _allItemsMeta: { count: 25 } }, says: "_allItemsMeta.count" },
    { beside: { total_price: 99 } },
    { beside: { total_tax: 99, total_amount: 99, total_time: 99 } },
    { beside: { total_pages_limit: 99 } },
    { beside: { page_number: 9 } },
    { beside: { rate_limit: { hits: 400, total: 5000, limit: 5000 } } },
    { beside: { usage: { total: 5000 } } },
    { beside: { rate_limit_info: { total: 5000 } } },
    { beside: { _shards: { total: 5 } } },
    { beside: { facets: { total: 99 }, aggregations: { count: 99 } } },
    { beside: { owner: { total: 99 } } },
    { beside: { limit: 10, count: 10 } },
    { beside: { total_de_registros: 25 }, says: "total_de_registros" },
    { beside: { header: { total: 25 } } },
    { beside: { page_count: 3, count: 3, skip: 0 } },
    { beside: { page_count: 3, count: 30 }, says: "page_count" },
  ],
  "a number of pages": [
    { beside: { paging: { count_pages: 3 } }, says: "paging.count_pages" },
    { beside: { totalPage: 2 }, says: "totalPage" },
    { beside: { last_page: 2 }, says: "last_page" },
    { beside: { total_de_paginas: 2 }, says: "total_de_paginas" },
    { beside: { totalDePáginas: 2 }, says: "totalDePáginas" },
    { beside: { próxima_página: "?p=2" }, says: "próxima_página" },
    { beside: { page: 2, page_num: 2 } },
    { beside: { total_pages: 1 } },
  ],
  "a header": [
    { beside: {}, headers: { "Next-Page": address }, says: "the header Next-Page" },
    { beside: {}, headers: { "Total-Records": "330" }, says: "the header Total-Records" },
    { beside: {}, headers: { "Total-Objects": "330" }, says: "the header Total-Objects" },
    { beside: {}, headers: { "X-Next-Row-Number": "8" }, says: "the header X-Next-Row-Number" },
    { beside: {}, headers: { "X-Next-Row-Number": "-1" } },
    { beside: {}, headers: { "X-Has-More": "true" }, says: "the header X-Has-More" },
    { beside: {}, headers: { "X-Acme-Total-Time": "330" } },
    { beside: {}, headers: { "X-Total-Count": "95, 95" }, says: "the header X-Total-Count" },
    { beside: {}, headers: { "X-Total-Count": "95, 40" } },
    { beside: {}, headers: { "X-Next-Cursor": "null" } },
    { beside: {}, headers: { "X-Next-Cursor": "None" } },
    { beside: {}, headers: { "X-RateLimit-Limit": "5000", "Retry-After": "5", "Content-Length": "99", Age: "9" } },
    { beside: {}, headers: { "CB-AFTER": "9", "CB-BEFORE": "1" } },
  ],
};

for (const [group, rows] of Object.entries(groups)) {
  for (const row of rows) {
    const { beside, headers, says } = row;
    test(`${group}: ${JSON.stringify(headers ?? beside)} ${says === undefined ? "is no sign of more" : "is a sign of more"}`, () => {
      const expected = says === undefined ? [] : [says.startsWith("the header") ? says : `"${says}"`];
      assert.deepEqual(placesOf(row).slice(0, 1), expected);
    });
  }
}
