import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pagination } from "../../src/generated/configuration.ts";
import { createScroll } from "../../src/pagination/index.ts";
import { type Api, answers, build, crawl, followed, listApi, rows, summarize } from "./crawl.ts";
import { type RequestRow, testRequests } from "./tables.ts";

/* Tests of paging values at places in the request, from sources in the response. */

const withHeaders =
  (...headers: Record<string, string>[]): Api =>
  (_query, _request, page) => ({ body: JSON.stringify(rows(1, page)), headers: headers[page - 1] ?? {} });

const table: RequestRow[] = [
  {
    title: "parameters of paging may be members of an object",
    pagination: {
      method: "offset",
      limit: 2,
      limitParam: { path: "page.size" },
      offsetParam: { path: "page.start" },
    },
    api: answers("[1,2]", "[3]"),
    options: { params: { q: 1 } },
    requests: [0, 2].map((start) => `items?q=1&page=${encodeURIComponent(`{"size":2,"start":${start}}`)}`),
  },
  {
    title: "the offset may be deep in the body of a POST, where the job's page size is used and other members stay",
    pagination: {
      method: "offset",
      limit: 5,
      limitParam: { path: "paging/page.size", delimiter: "/" },
      offsetParam: { path: "paging/from", delimiter: "/" },
      offsetFromJob: true,
    },
    api: answers("[1,2]", "[3]"),
    options: { method: "POST", params: { paging: { "page.size": 2, sort: "id", from: "4" }, q: null } },
    requests: [
      'items POST {"paging":{"page.size":2,"sort":"id","from":4},"q":null}',
      'items POST {"paging":{"page.size":2,"sort":"id","from":6},"q":null}',
    ],
  },
  {
    title: "a page number may be in an element of a list",
    pagination: {
      method: "pagenum",
      limit: 2,
      pageParam: { path: "params.1.page" },
      limitParam: { path: "params.1.size" },
    },
    api: answers("[1,2]", "[3]"),
    options: { method: "POST", params: { params: ["token", null] } },
    requests: [
      'items POST {"params":["token",{"page":1,"size":2}]}',
      'items POST {"params":["token",{"page":2,"size":2}]}',
    ],
  },
  {
    title: "the page number replaces a bracketed parameter of its name in the endpoint's query, and no other",
    pagination: { method: "pagenum", pageParam: { path: "page.number" } },
    api: answers("[1]", "[]"),
    options: { endpoint: "items?page%5Bsize%5D=9&page[number]=7&a=1" },
    requests: [1, 2].map((number) => `items?page%5Bsize%5D=9&page=${encodeURIComponent(`{"number":${number}}`)}&a=1`),
  },
  {
    title: "a cursor may be a GraphQL variable",
    pagination: {
      method: "response.param",
      responseParam: { path: "data.users.pageInfo.endCursor" },
      queryParam: { path: "variables.after" },
      includeParams: true,
      nextPageFlag: { field: { path: "data.users.pageInfo.hasNextPage" }, stopOn: false },
    },
    api: (_query, _request, page) =>
      JSON.stringify({
        data: { users: { nodes: rows(2, page * 2), pageInfo: { endCursor: `c${page}`, hasNextPage: page < 3 } } },
      }),
    options: { method: "POST", params: { query: "{}", variables: { first: 2 } }, dataField: "data.users.nodes" },
    requests: [
      'items POST {"query":"{}","variables":{"first":2}}',
      'items POST {"query":"{}","variables":{"first":2,"after":"c1"}}',
      'items POST {"query":"{}","variables":{"first":2,"after":"c2"}}',
    ],
  },
  {
    title: "a token may come from a header",
    pagination: { method: "response.param", responseParam: { header: "x-next" }, queryParam: "c" },
    api: withHeaders({ "X-Next": " a b " }, { "X-Next": "2" }, { "X-Next": "" }),
    requests: ["items", "items?c=a%20b", "items?c=2"],
  },
  ...["null", "nil", "None", "undefined"].map(
    (word): RequestRow => ({
      title: `a token from a header is missing if it is the word ${word}`,
      pagination: { method: "response.param", responseParam: { header: "X-Next" }, queryParam: "c" },
      api: withHeaders({ "X-Next": "2" }, { "X-Next": word }),
      requests: ["items", "items?c=2"],
    }),
  ),
  {
    title: "an address may come from a header",
    pagination: { method: "response.url", urlKey: { header: "X-Next" } },
    api: withHeaders({ "X-Next": "?page=2" }, {}),
    requests: ["items", "items?page=2"],
  },
  {
    title: "the last record's value is sent as written",
    pagination: {
      method: "response.param",
      responseParam: { lastRecord: "key.id" },
      queryParam: "starting_after",
      includeParams: true,
    },
    api: answers('[{"key":{"id":1}},{"key":{"id":13911860366432393}}]', '[{"key":{"id":"x"}}]', "[]"),
    options: { params: { limit: 2 } },
    requests: ["items?limit=2", "items?limit=2&starting_after=13911860366432393", "items?limit=2&starting_after=x"],
  },
  {
    title: "without a queryParam the members of an object are sent (MediaWiki)",
    pagination: { method: "response.param", responseParam: "continue", includeParams: true },
    api: answers(
      '{"items":[1],"continue":{"cmcontinue":"page|1","continue":"-||"}}',
      '{"items":[2],"continue":{"rvcontinue":"2|3","continue":"||"}}',
      '{"items":[3]}',
    ),
    options: { params: { action: "query" } },
    requests: [
      "items?action=query",
      "items?action=query&cmcontinue=page%7C1&continue=-%7C%7C",
      "items?action=query&rvcontinue=2%7C3&continue=%7C%7C",
    ],
  },
  {
    title: "the header Link is followed",
    pagination: { method: "link" },
    api: withHeaders(
      { Link: '<?page=0>; rel=prev, <?page=2>; rel="next"' },
      { link: "</v1/items?page=3>;rel=next" },
      {},
    ),
    options: { params: { q: "x" } },
    requests: ["items?q=x", "items?page=2", "items?page=3"],
  },
  {
    title: "another relation of the header Link is followed, with the job's parameters",
    pagination: { method: "link", rel: "more", includeParams: true },
    api: withHeaders({ Link: "<?page=2>; rel=more, <?page=9>; rel=next" }, { Link: "<?page=1>; rel=prev" }),
    options: { params: { q: "x" } },
    requests: ["items?q=x", "items?page=2&q=x"],
  },
  {
    title: "a total in a header ends the job without another request",
    pagination: { method: "pagenum", limit: 2, limitStop: { field: { header: "X-WP-Total" } } },
    api: (_query, _request, page) => ({ body: JSON.stringify(rows(2, page)), headers: { "X-WP-Total": "4" } }),
    requests: ["items?page=1&limit=2", "items?page=2&limit=2"],
  },
  ...["false", "No", "0"].map(
    (no): RequestRow => ({
      title: `a flag in a header is false for ${no}`,
      pagination: { method: "pagenum", nextPageFlag: { field: { header: "X-More" }, stopOn: false } },
      api: withHeaders({ "X-More": "yes" }, { "X-More": no }),
      requests: ["items?page=1", "items?page=2"],
    }),
  ),
  {
    title: "Zendesk's export ends at a time less than six minutes ago",
    pagination: { method: "zendesk.response.url" },
    api: (_query, _request, page) =>
      JSON.stringify({ items: rows(1, page), next_page: `?start_time=${page < 3 ? 600 + page : 641}` }),
    requests: ["items", "items?start_time=601", "items?start_time=602"],
  },
];

testRequests(table);

test("a cursor may be a header, and replaces a header of the same name", () => {
  const scroll = createScroll({ method: "cursor", idKey: "id", param: { header: "X-After" } });
  const base = build({ method: "GET", endpoint: "items", params: [], headers: [["x-after", "old"]] });
  const { summary } = summarize(scroll, '[{"id":13911860366432393}]', "http://api.test/");
  const { next } = scroll.advance(scroll.start([], 0), summary, 0);
  assert.deepEqual([...scroll.request(base, next ?? null).headers.values()], [["X-After", "13911860366432393"]]);
  assert.deepEqual([...scroll.request(base, scroll.start([], 0)).headers.values()], [["x-after", "old"]]);
});

test("a value that a header cannot have is a data error, and is not sent", () => {
  for (const value of ["a\nb", "\u0416", ["a"]]) {
    const api = answers(JSON.stringify({ items: [1], next: value }));
    const pagination: Pagination = { method: "response.param", responseParam: "next", queryParam: { header: "X-C" } };
    const { error, requests } = crawl(pagination, api);
    assert.equal(requests.length, 1);
    assert.equal((error as { kind?: string } | undefined)?.kind, "data");
    assert.match(String(error?.message), /not allowed in the header X-C/);
  }
});

test("if a value on a parameter's path is not an object, this is a configuration error before the first request", () => {
  const placed: Pagination[] = [
    { method: "offset", limit: 2, firstPageParams: false, offsetParam: { path: "a.b.c" } },
    { method: "pagenum", pageParam: { path: "a.b.c" } },
    { method: "cursor", idKey: "id", param: { path: "a.b.c" } },
    { method: "response.param", responseParam: "n", queryParam: { path: "a.b.c" }, includeParams: true },
  ];
  for (const pagination of placed) {
    for (const a of [{ b: 1 }, { b: "x" }, { b: [1] }, { b: false }]) {
      const { error, requests } = crawl(pagination, answers("[]"), { method: "POST", params: { a } });
      assert.equal((error as { kind?: string } | undefined)?.kind, "configuration", JSON.stringify(a));
      assert.match(String(error?.message), /"a\[b\]" in the parameters is not an object, but "a\[b\]\[c\]" needs one/);
      assert.equal(requests.length, 0);
    }
    for (const a of [undefined, null, {}, { b: null }, { b: {} }, { b: [] }]) {
      const { error } = crawl(pagination, answers("[]"), { method: "POST", params: a === undefined ? {} : { a } });
      assert.equal(error, undefined);
    }
  }
});

test("without a queryParam, a value of `responseParam` that is not an object is a data error", () => {
  const { error } = crawl({ method: "response.param", responseParam: "next" }, followed("x"));
  assert.match(String(error?.message), /"next" is not an object: .*"queryParam"$/);
});

test("fields beside `scrollers` apply to scrollers that lack them", () => {
  const shared = { forceStop: { pages: 2 }, nextPageFlag: { field: "more", stopOn: false, ifNotSet: true } } as const;
  const pagination = (own: object): Pagination => ({
    method: "multiple",
    default: "a",
    scrollers: { a: { method: "offset", limit: 2, ...own }, none: { method: "none" } },
    ...shared,
  });
  const endless = listApi(rows(99));
  assert.equal(crawl(pagination({}), endless).requests.length, 2);
  assert.equal(crawl(pagination({ forceStop: { pages: 5 } }), endless).requests.length, 5);
  assert.equal(
    crawl(pagination({ forceStop: { pages: 5 } }), listApi(rows(99), 2, { more: false })).requests.length,
    1,
  );
  assert.equal(crawl(pagination({}), endless, { scroller: "none" }).verdict?.kind, "complete");
});

test("evidence is not used if the pagination, the scroller or the job turns it off", () => {
  const api = listApi(rows(9), 3, { total: 9, error: "x" });
  const off: [Pagination | undefined, object][] = [
    [{ method: "none", evidence: false }, {}],
    [undefined, { evidence: false }],
    [{ method: "multiple", evidence: false, scrollers: { default: { method: "offset", limit: 5 } } }, {}],
    [{ method: "multiple", evidence: false, scrollers: { a: { method: "none" } } }, {}],
    [{ method: "multiple", scrollers: { default: { method: "offset", limit: 5, evidence: false } } }, {}],
    [{ method: "offset", limit: 5 }, { evidence: false }],
  ];
  for (const [pagination, options] of off) {
    assert.equal(crawl(pagination, api, { params: { limit: 3 }, ...options }).verdict?.kind, "complete");
  }
  const on: Pagination = {
    method: "multiple",
    evidence: false,
    scrollers: { default: { method: "none", evidence: true } },
  };
  assert.equal(crawl(on, api, { params: { limit: 3 } }).verdict?.kind, "suspect");
  const failed = answers('{"items":[],"error":"x"}');
  assert.equal(crawl({ method: "none", evidence: false }, failed).verdict?.kind, "complete");
  assert.equal(crawl(undefined, failed).verdict?.kind, "suspect");
});

test("a next address is found by its relation at any index of a list, also under the names that FHIR uses", () => {
  const pages =
    (rel: string, url: string): Api =>
    (query) => {
      const at = Number(query.get("at") ?? 0);
      const links = [{ [rel]: "self", [url]: `?at=${at}` }];
      if (at > 0) links.push({ [rel]: "previous", [url]: `?at=${at - 1}` });
      if (at < 2) links.push({ [rel]: "next", [url]: `?at=${at + 1}` });
      return JSON.stringify({ links, items: rows(1, at + 1) });
    };
  for (const [rel, url] of [
    ["rel", "href"],
    ["relation", "url"],
  ] as const) {
    const urlKey = { path: "links", where: { [rel]: "next" }, value: url };
    const { requests, verdict } = crawl({ method: "response.url", urlKey }, pages(rel, url), { dataField: "items" });
    assert.deepEqual(requests, ["items", "items?at=1", "items?at=2"]);
    assert.equal(verdict?.kind, "complete", verdict?.reason);
    for (const wrong of [
      { ...urlKey, where: { [rel]: "nxt" } },
      { ...urlKey, value: "target" },
    ]) {
      const misread = crawl({ method: "response.url", urlKey: wrong }, pages(rel, url), { dataField: "items" }).verdict;
      assert.equal(misread?.kind, "suspect", JSON.stringify(wrong));
    }
    const unpaged = crawl(undefined, pages(rel, url), { dataField: "items" }).verdict;
    const remedy = `"pagination": {"method": "response.url", "urlKey": ${JSON.stringify(urlKey)}} would follow it`;
    assert.equal(
      unpaged?.reason,
      `the API has more pages; no paging is configured ("links" has rel "next"); ${remedy}`,
    );
    const options = crawl(undefined, pages(rel, url), { dataField: "items", remedies: "options" }).verdict;
    assert.ok(
      options?.reason.endsWith(`--paging response.url --next 'links[${rel}=next].${url}' would follow it`),
      options?.reason,
    );
  }
});

test("a flag and a total can be read from the element of a list that another member selects", () => {
  const api: Api = (query) => {
    const page = Number(query.get("page"));
    const facts = [
      { name: "total", is: 3 },
      { name: "more", is: page < 3 },
    ];
    return JSON.stringify({ facts, items: rows(1, page) });
  };
  const field = (name: string) => ({ path: "facts", where: { name }, value: "is" });
  const flagged = crawl({ method: "pagenum", nextPageFlag: { field: field("more"), stopOn: false } }, api, {
    dataField: "items",
  });
  assert.deepEqual([flagged.requests.length, flagged.verdict?.kind], [3, "complete"]);
  const counted = crawl({ method: "pagenum", limitStop: { field: field("total") } }, api, { dataField: "items" });
  assert.deepEqual([counted.requests.length, counted.verdict?.kind], [3, "complete"]);
});
