import { json } from "../../helpers/api.ts";
import { type FakeApi, number, p23, p40, part, people } from "./fake-api.ts";

const p20 = people(20);

/** CouchDB's `_find`: a bookmark with every page. `last` returns the bookmark of a page without documents. */
const find =
  (all: readonly unknown[], last: (sent: string) => string) =>
  () =>
  ({ body }: { readonly body: string }) => {
    const { bookmark = "nil", limit = 25 } = JSON.parse(body);
    const from = bookmark === "nil" ? 0 : Number(bookmark.slice(1));
    const docs = all.slice(from, from + limit);
    return { docs, bookmark: docs.length === 0 ? last(bookmark) : `g${from + docs.length}` };
  };

const asJson = "-H 'content-type: application/json'";

/** APIs that behave as the documentation of real ones says. */
export const documentedApis: readonly FakeApi[] = [
  {
    name: "a bookmark that stays the same after the last document (CouchDB's _find)",
    handler: find(p23, (sent) => sent),
    request: `/trees/_find ${asJson} -d '{"selector":{},"limit":10}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "a bookmark that is nil after the last document, where nil also requests the first page",
    handler: find(p20, () => "nil"),
    request: `/trees/_find ${asJson} -d '{"selector":{},"limit":10}'`,
    method: "response.param",
    all: p20,
  },
  {
    name: "a bookmark, pages of a size that nobody requested, and more pages than exploring may request",
    handler: find(people(160), () => "nil"),
    request: `/trees/_find ${asJson} -d '{"selector":{}}'`,
    method: "response.param",
    all: people(160),
  },
  {
    name: "a bookmark on a single page",
    handler: find(people(7), (sent) => sent),
    request: `/trees/_find ${asJson} -d '{"selector":{},"limit":25}'`,
    method: "response.param",
    all: people(7),
  },
  {
    name: "a cursor that starts over after the last record",
    handler: () => (request) => {
      const from = number(request, "cursor", 0) % 30;
      return { items: p23.slice(from, from + 10), cursor: `${from + 10}` };
    },
    request: "/items",
    method: "response.param",
    all: p23,
    ends: "suspect",
    says: /page 4 repeats earlier records, and a run ends there: 23 records in all/i,
  },
  {
    name: "ids of the first and the last record of the page, and a flag (an AI provider)",
    handler: () => (request) => {
      const from = p23.findIndex(({ id }) => `${id}` === request.params.get("after_id")) + 1;
      const data = p23.slice(from, from + 10);
      return { data, has_more: from + 10 < 23, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    },
    request: "/v1/models",
    method: "response.param",
    all: p23,
  },
  {
    name: "a token that is present only if the request has a page size",
    handler: () => (request) => {
      const from = number(request, "pageToken", 0);
      const size = number(request, "pageSize", 0);
      const items = p40.slice(from, from + (size === 0 ? 25 : size));
      return { items, ...(size > 0 && from + size < 40 ? { nextPageToken: `${from + size}` } : {}) };
    },
    request: "/v1/projects",
    method: "none",
    all: undefined,
    says: /25 is a size that pages often have/,
  },
  {
    name: "a relative address deep in the answer",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const links = page < 3 ? { next: `?page=${page + 1}&lang=de` } : {};
      return { data: p23.slice(page * 10 - 10, page * 10), meta: { pagination: { total: "23", links } } };
    },
    request: "/articles?lang=de",
    method: "response.url",
    all: p23,
  },
  {
    name: "results and __next in d (OData 2)",
    handler: (url) => (request) => {
      const from = number(request, "$skiptoken", 0);
      const next = from + 10 < 23 ? { __next: `${url()}/People?$skiptoken=${from + 10}` } : {};
      return { d: { results: p23.slice(from, from + 10), ...next } };
    },
    request: "/People?$format=json",
    method: "response.url",
    all: p23,
  },
  {
    name: "the number of pages in a header",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const headers = { "X-Page": `${page}`, "X-Total-Pages": "3", "X-Per-Page": "10" };
      return json(p23.slice(page * 10 - 10, page * 10), { headers });
    },
    request: "/projects",
    method: "pagenum",
    all: p23,
  },
  {
    name: "Content-Range without a total, pages smaller than requested, limit and offset (PostgREST)",
    handler: () => (request) => {
      const { from, items } = part(p40, request, ["offset", "limit"], 7, 7);
      return json(items, { headers: { "Content-Range": `${from}-${from + items.length - 1}/*` } });
    },
    request: "/trees",
    method: "offset",
    all: p40,
  },
  {
    name: "a range of records in a header of the request",
    handler: () => (request) => {
      const [, from, to] = /^items=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const items = from === undefined ? p23 : p23.slice(Number(from), Number(to) + 1);
      return json(items, {
        status: from === undefined ? 200 : 206,
        headers: { "Content-Range": `items ${from ?? 0}-${to ?? 22}/23` },
      });
    },
    request: "/store -H 'Range: items=0-6'",
    method: "none",
    all: undefined,
    says: /Content-Range/,
  },
  {
    name: "a range of records in a header of the request, without a total",
    handler: () => (request) => {
      const [, from, to] = /^(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const items = from === undefined ? p23 : p23.slice(Number(from), Number(to) + 1);
      return json(items, { headers: { "Content-Range": `${from ?? 0}-${Number(from ?? 0) + items.length - 1}/*` } });
    },
    request: "/trees -H 'Range: 0-6'",
    method: "none",
    all: undefined,
    says: /Range/,
  },
  {
    name: "an offset that counts pages, in the request",
    handler: () => (request) => p40.slice(number(request, "offset", 0) * 7, number(request, "offset", 0) * 7 + 7),
    request: "/users?offset=0",
    method: "pagenum",
    all: p40,
  },
  {
    name: "a full last page, then a 404 that says that the page does not exist, and no total",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const refusal = json({ error: { message: `Page ${page} does not exist` } }, { status: 404 });
      return page > 2 ? refusal : { results: p20.slice(page * 10 - 10, page * 10) };
    },
    request: "/users?page=1",
    method: "pagenum",
    all: p20,
    says: /page=100001 was answered with 404: that ends the paging/,
  },
  {
    name: "a full last page, then a 404 without a clear meaning: all records come, then the run fails",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return page > 2
        ? json({ detail: "Not found." }, { status: 404 })
        : { results: p20.slice(page * 10 - 10, page * 10) };
    },
    request: "/users?page=1",
    method: "pagenum",
    all: undefined,
    ends: "failed",
    says: /404: a page with fewer than 10 records ends the paging; if the last page is full, the run fails with this answer/,
  },
  {
    name: "a 400 beyond the last record, and no total: a short page is the end",
    handler: () => (request) => {
      const { from, items } = part(p23, request, ["offset", "limit"]);
      return from >= 23 ? json({ message: "offset is invalid" }, { status: 400 }) : items;
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
    says: /offset=1000000&limit=10 was answered with 400: a short page ends the paging/,
  },
  {
    name: "a 416 beyond the last record, and no total",
    handler: () => (request) => {
      const { from, items } = part(p20, request, ["offset", "limit"]);
      return from >= 20 ? json({ message: "Requested range not satisfiable" }, { status: 416 }) : items;
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p20,
  },
  {
    name: "a total as text, and a 400 beyond the last page",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const items = p23.slice(page * 10 - 10, page * 10);
      return items.length === 0
        ? json({ error: "page" }, { status: 400 })
        : { "@total": "x", total_count: "23", items };
    },
    request: "/users?page=1",
    method: "pagenum",
    all: p23,
  },
  {
    name: "an address of the next page that has a cursor and refuses other parameters (a shop)",
    handler: (url) => (request) => {
      const from = number(request, "page_info", 0);
      if (from > 0 && request.params.has("status")) return json({ errors: "status: not allowed" }, { status: 400 });
      const next = { link: `<${url()}/orders.json?limit=10&page_info=${from + 10}>; rel="next"` };
      return json({ orders: p23.slice(from, from + 10) }, { headers: from + 10 < 23 ? next : {} });
    },
    request: "/orders.json?limit=10&status=any",
    method: "link",
    all: p23,
  },
  {
    name: "a token at paging.next.after (a CRM)",
    handler: () => (request) => {
      const from = number(request, "after", 0);
      const paging = from + 10 < 23 ? { paging: { next: { after: `${from + 10}`, link: `?after=${from + 10}` } } } : {};
      return { results: p23.slice(from, from + 10), ...paging };
    },
    request: "/crm/v3/objects/contacts?limit=10",
    method: "response.url",
    all: p23,
  },
  {
    name: "a token called continue in metadata (Kubernetes)",
    handler: () => (request) => {
      const from = number(request, "continue", 0);
      const size = number(request, "limit", 500);
      const more = from + size < 23;
      const rest = more ? { continue: `${from + size}`, remainingItemCount: 23 - from - size } : {};
      return { kind: "PodList", metadata: { resourceVersion: "1", ...rest }, items: p23.slice(from, from + size) };
    },
    request: "/api/v1/pods?limit=10",
    method: "response.param",
    all: p23,
  },
  {
    name: "names with a prefix of the vendor (ServiceNow)",
    handler: () => (request) => {
      const { items } = part(p23, request, ["sysparm_offset", "sysparm_limit"]);
      return json({ result: items }, { headers: { "X-Total-Count": "23" } });
    },
    request: "/api/now/table/incident?sysparm_limit=10",
    method: "offset",
    all: p23,
  },
  {
    name: "a token called next for a parameter called offset (Lever)",
    handler: () => (request) => {
      const from = Number((request.params.get("offset") ?? "t0").slice(1));
      const next = from + 10 < 23 ? { hasNext: true, next: `t${from + 10}` } : { hasNext: false };
      return { data: p23.slice(from, from + 10), ...next };
    },
    request: "/v1/opportunities",
    method: "response.param",
    all: p23,
  },
  {
    name: "hits with a total that is an object, from and size in the body (Elasticsearch)",
    handler: () => (request) => {
      const { from = 0, size = 10 } = JSON.parse(request.body);
      const hits = p23.slice(from, from + size).map((person) => ({ _id: `${person.id}`, _source: person }));
      return { took: 1, hits: { total: { value: 23, relation: "eq" }, hits } };
    },
    request: `/people/_search ${asJson} -d '{"size":10,"query":{"match_all":{}}}'`,
    method: "offset",
    all: p23.map((person) => ({ _id: `${person.id}`, _source: person })),
  },
  {
    name: "a scroll id for another endpoint",
    handler: () => (request) => {
      if (request.path !== "/people/_search") return json({}, { status: 400 });
      const hits = p23.slice(0, 7).map((person) => ({ _id: `${person.id}`, _source: person }));
      return { _scroll_id: "DnF1ZXJ5", hits: { hits } };
    },
    request: `/people/_search?scroll=1m ${asJson} -d '{"size":7}'`,
    method: "none",
    all: undefined,
  },
  {
    name: "a next link whose place in its list changes, and nothing to count (FHIR)",
    handler: (url) => (request) => {
      const at = Number((request.params.get("_getpages") ?? "p0").slice(1));
      const link = (relation: string, to: number) => ({ relation, url: `${url()}/Patient?_getpages=p${to}` });
      const links = [
        link("self", at),
        ...(at > 0 ? [link("previous", at - 1)] : []),
        ...(at < 2 ? [link("next", at + 1)] : []),
      ];
      return { link: links, entry: p23.slice(at * 10, at * 10 + 10) };
    },
    request: "/Patient",
    method: "response.url",
    all: p23,
  },
];
