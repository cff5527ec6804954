import { json } from "../../helpers/api.ts";
import { type FakeApi, number, p23, p40, part, people } from "./fake-api.ts";

const asJson = "-H 'content-type: application/json'";
const p20 = people(20);

/** The kinds of paging that well-known public APIs have. */
export const publicApis: readonly FakeApi[] = [
  {
    name: "a cursor that begins with * (Crossref, OpenAlex)",
    handler: () => (request) => {
      const cursor = request.params.get("cursor");
      if (cursor === null) return { message: { items: p23.slice(0, 10) } };
      const from = cursor === "*" ? 0 : Number(cursor);
      return { message: { "next-cursor": `${Math.min(from + 10, 23)}`, items: p23.slice(from, from + 10) } };
    },
    request: "/works?cursor=*&rows=10",
    method: "response.param",
    all: p23,
  },
  {
    name: "a mark that stays the same at the end (Solr's cursorMark)",
    handler: () => (request) => {
      const mark = request.params.get("cursorMark") ?? "*";
      const from = mark === "*" ? 0 : Number(mark);
      const docs = p23.slice(from, from + 10);
      return { response: { numFound: 23, docs }, nextCursorMark: docs.length === 0 ? mark : `${from + docs.length}` };
    },
    request: "/select?q=*&rows=10&cursorMark=*",
    method: "response.param",
    all: p23,
  },
  {
    name: "start and rows, numFound (Solr)",
    handler: () => (request) => {
      const { from, items } = part(p23, request, ["start", "rows"]);
      return { responseHeader: { status: 0 }, response: { numFound: 23, start: from, docs: items } };
    },
    request: "/select?q=x&rows=10",
    method: "offset",
    all: p23,
  },
  {
    name: "a cursor that begins with -1 and ends with 0",
    handler: () => (request) => {
      const from = Math.max(0, number(request, "cursor", -1));
      const next = from + 10 < 23 ? from + 10 : 0;
      return { users: p23.slice(from, from + 10), next_cursor: next, next_cursor_str: `${next}`, previous_cursor: 0 };
    },
    request: "/followers/list.json?cursor=-1",
    method: "response.param",
    all: p23,
  },
  {
    name: "names with a dollar (Socrata)",
    handler: () => (request) => part(p23, request, ["$offset", "$limit"]).items,
    request: "/resource/abcd.json?$limit=10",
    method: "offset",
    all: p23,
  },
  {
    name: "a continuation token in a header of the answer, sent as a parameter (Azure DevOps)",
    handler: () => (request) => {
      const from = number(request, "continuationToken", 0);
      const more = from + 10 < 23 ? { "x-ms-continuationtoken": `${from + 10}` } : {};
      return json({ count: 10, value: p23.slice(from, from + 10) }, { headers: more });
    },
    request: "/_apis/projects?api-version=7.1",
    method: "response.param",
    all: p23,
  },
  {
    name: "a continuation token in a header of the answer, sent in a header (Cosmos DB)",
    handler: () => (request) => {
      const from = Number(request.headers["x-ms-continuation"] ?? 0);
      const more = from + 10 < 23 ? { "x-ms-continuation": `${from + 10}` } : {};
      return json({ _count: 10, Documents: p23.slice(from, from + 10) }, { headers: more });
    },
    request: "/dbs/a/colls/b/docs",
    method: "response.param",
    all: p23,
  },
  {
    name: "a header with a prefix of the vendor (an exchange's CB-AFTER)",
    handler: () => (request) => {
      const from = number(request, "after", 0);
      const items = p23.slice(from, from + 10);
      return json(items, {
        headers: items.length === 0 ? {} : { "CB-BEFORE": `${from}`, "CB-AFTER": `${from + items.length}` },
      });
    },
    request: "/products/BTC-USD/trades?limit=10",
    method: "response.param",
    all: p23,
  },
  {
    name: "an address that is also on the last page, and a flag (incremental exports of a help desk)",
    handler: (url) => (request) => {
      const from = number(request, "cursor", 0);
      const at = Math.min(from + 10, 23);
      const tickets = p23.slice(from, at);
      return {
        tickets,
        after_url: `${url()}/incremental/tickets?cursor=${at}`,
        after_cursor: `${at}`,
        end_of_stream: at >= 23,
      };
    },
    request: "/incremental/tickets?start_time=0",
    method: "response.url",
    all: p23,
  },
  {
    name: "a token in an object called next (Intercom)",
    handler: () => (request) => {
      const from = number(request, "starting_after", 0);
      const next = from + 10 < 23 ? { page: from / 10 + 2, starting_after: `${from + 10}` } : null;
      return {
        type: "list",
        data: p23.slice(from, from + 10),
        total_count: 23,
        pages: { type: "pages", page: from / 10 + 1, per_page: 10, total_pages: 3, next },
      };
    },
    request: "/contacts",
    method: "response.param",
    all: p23,
  },
  {
    name: "start_cursor in a body, next_cursor and has_more (Notion)",
    handler: () => (request) => {
      const { start_cursor = "0", page_size = 100 } = JSON.parse(request.body);
      const at = Number(start_cursor) + page_size;
      return {
        object: "list",
        results: p23.slice(Number(start_cursor), at),
        next_cursor: at < 23 ? `${at}` : null,
        has_more: at < 23,
      };
    },
    request: `/v1/search ${asJson} -d '{"page_size":10}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "a page and a flag in info (Zoho)",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const info = { per_page: 10, count: 10, page, more_records: page < 3 };
      return page > 3
        ? json({ code: "NO_CONTENT" }, { status: 400 })
        : { data: p23.slice(page * 10 - 10, page * 10), info };
    },
    request: "/crm/v2/Leads",
    method: "pagenum",
    all: p23,
  },
  {
    name: "next_start beside start and limit (Pipedrive)",
    handler: () => (request) => {
      const { from, size, items } = part(p23, request, ["start", "limit"]);
      const more = from + size < 23;
      return {
        success: true,
        data: items,
        additional_data: {
          pagination: {
            start: from,
            limit: size,
            more_items_in_collection: more,
            ...(more ? { next_start: from + size } : {}),
          },
        },
      };
    },
    request: "/v1/deals",
    method: "response.param",
    all: p23,
  },
  {
    name: "pages from 0, nbPages, and no page beyond (Algolia)",
    handler: () => (request) => {
      const page = number(request, "page", 0);
      return { hits: p23.slice(page * 10, page * 10 + 10), nbHits: 23, page, nbPages: 3, hitsPerPage: 10 };
    },
    request: "/1/indexes/people?query=a",
    method: "pagenum",
    all: p23,
  },
  {
    name: "a total as text, with pages and perpage in an object beside the list (Flickr)",
    handler: () => (request) => {
      const page = Math.min(number(request, "page", 1), 3);
      return {
        photos: { page, pages: 3, perpage: 10, total: "23", photo: p23.slice(page * 10 - 10, page * 10) },
        stat: "ok",
      };
    },
    request: "/services/rest?method=search&format=json",
    method: "pagenum",
    all: p23,
  },
  {
    name: "endOfRecords, and a count of all (GBIF)",
    handler: () => (request) => {
      const { from, size, items } = part(p23, request, ["offset", "limit"]);
      return { offset: from, limit: size, endOfRecords: from + size >= 23, count: 23, results: items };
    },
    request: "/v1/occurrence/search",
    method: "offset",
    all: p23,
  },
  {
    name: "a page size in the answer and a full page, without other signs",
    handler: () => (request) => {
      const from = number(request, "bizarre", 0);
      return { limit: 37, results: people(95).slice(from, from + 37) };
    },
    request: "/users",
    method: "none",
    all: undefined,
    says: /37/,
  },
  {
    name: "a page size in the answer and a page that is not full",
    handler: () => () => ({ limit: 50, results: people(37) }),
    request: "/users",
    method: undefined,
    all: people(37),
  },
  {
    name: "a next page at another endpoint (Dropbox)",
    handler: () => (request) => {
      if (request.path === "/2/list_folder/continue") return { entries: p23.slice(10), cursor: "c2", has_more: false };
      return "cursor" in JSON.parse(request.body)
        ? json({ error: "unknown field" }, { status: 400 })
        : { entries: p23.slice(0, 10), cursor: "c1", has_more: true };
    },
    request: `/2/list_folder ${asJson} -d '{"path":""}'`,
    method: "none",
    all: undefined,
    says: /the API has more \("cursor" is set\)/,
  },
  {
    name: "an empty cursor at the end (Slack)",
    handler: () => (request) => {
      const from = Number((request.params.get("cursor") ?? "dXNlcjo=0").slice(8));
      return {
        ok: true,
        members: p20.slice(from, from + 10),
        response_metadata: { next_cursor: from + 10 < 20 ? `dXNlcjo=${from + 10}` : "" },
      };
    },
    request: "/api/users.list?limit=10",
    method: "response.param",
    all: p20,
  },
  {
    name: "a token and records in data, each record wrapped (Reddit)",
    handler: () => (request) => {
      const from = Number((request.params.get("after") ?? "t3_0").slice(3));
      const children = p23.slice(from, from + 10).map((data) => ({ kind: "t3", data }));
      return {
        kind: "Listing",
        data: { after: from + 10 < 23 ? `t3_${from + 10}` : null, before: null, dist: 10, children },
      };
    },
    request: "/r/all/new.json?limit=10",
    method: "response.param",
    all: p23.map((data) => ({ kind: "t3", data })),
  },
  {
    name: "a number called next that is the next page number (json-server)",
    handler: () => (request) => {
      const [page, size] = [number(request, "_page", 1), number(request, "_per_page", 10)];
      const next = page * size < 23 ? page + 1 : null;
      return {
        first: 1,
        prev: null,
        next,
        last: 3,
        pages: 3,
        items: 23,
        data: p23.slice((page - 1) * size, page * size),
      };
    },
    request: "/trees?_page=1&_per_page=10",
    method: "response.param",
    all: p23,
  },
  {
    name: "a next address without a host, and pages from 0 (Twilio)",
    handler: () => (request) => {
      const page = number(request, "Page", 0);
      const next = page < 3 ? `/2010-04-01/Messages.json?PageSize=10&Page=${page + 1}` : null;
      return { page, page_size: 10, next_page_uri: next, uri: "/x", messages: p40.slice(page * 10, page * 10 + 10) };
    },
    request: "/2010-04-01/Messages.json",
    method: "response.url",
    all: p40,
  },
];
