import assert from "node:assert/strict";
import { test } from "node:test";
import type { Request } from "../../src/core/requests/request.ts";
import { splitAddress } from "../../src/core/requests/request.ts";
import { filledPageSize, meaningOf } from "../../src/knowledge/parameters.ts";

const meanings = {
  size: "limit Limit PageSize _limit count hitsPerPage items_per_page length max maxResults numberOfItemsByPage page-size per per-page perPage ps size take top $top $limit first rows batchSize max_results number_of_results sysparm_limit X-Pagination-Page-Size select results records items limite registros_por_pagina",
  offset:
    "offset skip $skip start startAt start_index from first_result resultOffset page_offset sysparm_offset start_position startRow pageStart debut",
  page: "page page_number pageNo pageIndex p pg paged currentPage X-Page skippages pagina",
  token:
    "cursor next_cursor after starting_after pageToken next_token continuationToken marker bookmark since_id max_id start_id scroll_id endCursor",
  undefined:
    "id name query total status state sort order rate_limit time_limit image_width user_id filter fields search from_date since_date key sort_key max_price min_size_kb top_id index index_name record_type de item_position Content-Type",
};

for (const [meaning, names] of Object.entries(meanings)) {
  for (const name of names.split(" ")) {
    test(`the parameter ${name} means ${meaning}`, () => {
      assert.equal(String(meaningOf([name])), meaning);
    });
  }
}

test("the names along the path to a value decide its meaning", () => {
  const rows: readonly [string, string][] = [
    ["page.size", "size"],
    ["filter.limit", "size"],
    ["pagination.per_page", "size"],
    ["variables.first", "size"],
    ["page.number", "page"],
    ["page.after", "token"],
    ["variables.after", "token"],
    ["filter.offset", "offset"],
  ];
  for (const [path, meaning] of rows) assert.equal(meaningOf(path.split(".")), meaning, path);
});

function get(address: string, headers: Readonly<Record<string, string>> = {}): Request {
  const map = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [name, value] as const]));
  return { method: "GET", ...splitAddress(new URL(address, "http://api.test/")), body: undefined, headers: map };
}

test("the page size of a request is found in its query, its headers and its body", () => {
  const found = (request: Request, records: number) => filledPageSize({ request, records });
  assert.deepEqual(found(get("items?limit=50"), 50), { size: 50, place: { path: ["limit"] } });
  assert.deepEqual(found(get("items?page%5Bsize%5D=20"), 20), { size: 20, place: { path: ["page", "size"] } });
  const header = get("items", { "X-Page-Size": "30", "Content-Length": "7", "Max-Forwards": "9" });
  assert.deepEqual(found(header, 30), { size: 30, place: { header: "X-Page-Size" } });
  for (const records of [7, 9]) assert.equal(found(header, records), undefined);
  const body = [{ name: "pagination", value: { per_page: 7 } }];
  assert.equal(found({ ...get("items"), method: "POST", body }, 7)?.size, 7);
  const rows: readonly (readonly [address: string, records: number])[] = [
    ["items", 0],
    ["items?limit=1", 1],
    ["items?limit=all", 0],
    ["items?limit=-1", 1],
    ["items?page=3", 3],
    ["items?id=100", 100],
  ];
  for (const [address, records] of rows) assert.equal(found(get(address), records), undefined, address);
});

test("exactly as many records as requested are a sign of more, unless the request lists as many ids", () => {
  const asked = (address: string, records: number): number | undefined =>
    filledPageSize({ request: get(address, { "Accept-Encoding": "gzip, deflate, br" }), records })?.size;
  assert.equal(asked("items?limit=3", 3), 3);
  assert.equal(asked("items?limit=3", 2), undefined);
  assert.equal(asked("items?limit=3&ids=1,2,3", 3), undefined);
  assert.equal(asked("items?limit=3&id=1&id=2&id=3", 3), undefined);
  assert.equal(asked("items?limit=3&fields=a,b", 3), 3);
});
