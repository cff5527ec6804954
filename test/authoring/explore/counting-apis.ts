import { json, text } from "../../helpers/api.ts";
import { type FakeApi, number, type Person, p23, p40, part, people } from "./fake-api.ts";

/** APIs whose clients count records or pages. */
export const countingApis: readonly FakeApi[] = [
  {
    name: "page numbers, with records in the lists of several elements",
    handler: () => (request) => {
      const records = p23.slice((number(request, "page", 1) - 1) * 10, number(request, "page", 1) * 10);
      const halves = [records.slice(0, 6), records.slice(6)].filter(({ length }) => length > 0);
      return { data: halves.map((rules) => ({ rules })) };
    },
    request: "/rules?limit=10",
    method: "pagenum",
    all: p23,
    says: /found 2 lists of records: the elements of "data"/,
  },
  {
    name: "offset and limit in the address, and a total beside the records",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return { total: 23, items };
    },
    request: "/users?limit=5&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "pages smaller than the requested size",
    handler: () => (request) => {
      const { items } = part(p40, request, ["offset", "limit"], 10, 10);
      return { meta: { total: 40 }, data: items };
    },
    request: "/users?limit=100",
    method: "offset",
    all: p40,
    says: /limit=10 gave the last record of the first page, then 9 other records/,
  },
  {
    name: "an offset without a total, in a list at the root",
    handler: () => (request) => part(p23, request, ["offset", "limit"]).items,
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "skip and top without any sign of more",
    handler: () => (request) => part(p23, request, ["skip", "top"]).items,
    request: "/users?top=10&skip=0",
    method: "offset",
    all: p23,
  },
  {
    name: "an offset that neither the request nor the answer names",
    handler: () => (request) => part(p23, request, ["offset", "limit"]).items,
    request: "/users",
    method: "offset",
    all: p23,
  },
  {
    name: "an index that begins at 1 (SCIM)",
    handler: () => (request) => {
      const from = number(request, "startIndex", 1);
      const count = number(request, "count", 10);
      return {
        totalResults: 23,
        startIndex: from,
        itemsPerPage: count,
        Resources: p23.slice(from - 1, from - 1 + count),
      };
    },
    request: "/Users",
    method: "offset",
    all: p23,
  },
  {
    name: "page numbers from 1 that the answer contains",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return { page, total_pages: 3, users: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users",
    method: "pagenum",
    all: p23,
  },
  {
    name: "page numbers from 0 that the answer contains (Spring)",
    handler: () => (request) => {
      const page = number(request, "page", 0);
      const size = number(request, "size", 10);
      return {
        content: p40.slice(page * size, (page + 1) * size),
        number: page,
        totalElements: 40,
        last: (page + 1) * size >= 40,
      };
    },
    request: "/users?size=10",
    method: "pagenum",
    all: p40,
  },
  {
    name: "page numbers from 0 that neither the request nor the answer names",
    handler: () => (request) => p23.slice(number(request, "page", 0) * 10, (number(request, "page", 0) + 1) * 10),
    request: "/users",
    method: "pagenum",
    all: p23,
    says: /count from 0/,
  },
  {
    name: "a later page number in the address",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const size = number(request, "per_page", 10);
      return { data: p40.slice((page - 1) * size, page * size) };
    },
    request: "/users?page=3&per_page=10",
    method: "pagenum",
    all: p40,
    says: /"page" was 3/,
  },
  {
    name: "a status 404 beyond the last page",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const items = p40.slice((page - 1) * 10, page * 10);
      return items.length === 0 ? json({ detail: "Invalid page." }, { status: 404 }) : { count: 40, results: items };
    },
    request: "/users?page=1",
    method: "pagenum",
    all: p40,
    says: /answered with 404: the total ends the paging/,
  },
  {
    name: "a last page that is repeated for ever",
    handler: () => (request) => {
      const page = Math.min(number(request, "page", 1), 3);
      return { page, pages: 3, items: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users?page=1&limit=10",
    method: "pagenum",
    all: p23,
  },
  {
    name: "a next link whose place in its list changes (FHIR)",
    handler: (url) => (request) => {
      const page = number(request, "page", 1);
      const link = (relation: string, at: number) => ({ relation, url: `${url()}/users?page=${at}` });
      const links = [
        link("self", page),
        ...(page > 1 ? [link("previous", page - 1)] : []),
        ...(page < 3 ? [link("next", page + 1)] : []),
      ];
      return { total: 23, link: links, entry: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users",
    method: "response.url",
    all: p23,
  },
  {
    name: "an offset under an unusual name",
    handler: () => (request) => part(p23, request, ["startAt", "maxResults"]).items,
    request: "/users",
    method: "offset",
    all: p23,
  },
  {
    name: "a page number under an unusual name",
    handler: () => (request) => p23.slice((number(request, "p", 1) - 1) * 10, number(request, "p", 1) * 10),
    request: "/users",
    method: "pagenum",
    all: p23,
  },
  {
    name: "an offset, and exactly as many records as requested: a request beyond them shows the end",
    handler: () => (request) => part(people(10), request, ["offset", "limit"]).items,
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: people(10),
    says: /offset=10 gave no records: 10 records are all there are now/,
  },
  {
    name: "an offset that the answer does not mention, and exactly as many records as requested",
    handler: () => (request) => part(people(10), request, ["skip", "limit"]).items,
    request: "/users?limit=10",
    method: "offset",
    all: people(10),
    says: /skip=9&limit=10 gave the last record of the first page and no more: 10 records are all/,
  },
  {
    name: "page numbers, and a first page that is not full: the configuration reads later records, too",
    handler: () => (request) =>
      people(7).slice((number(request, "page", 1) - 1) * 100, number(request, "page", 1) * 100),
    request: "/users?per_page=100&page=1",
    method: "pagenum",
    all: people(7),
    says: /page=2 gave no records: 7 records are all there are now/,
  },
  {
    name: "a status 400 for unknown parameters",
    handler: () => (request) =>
      [...request.params.keys()].every((name) => ["limit", "skip"].includes(name))
        ? part(p23, request, ["skip", "limit"]).items
        : json({ error: "unknown parameter" }, { status: 400 }),
    request: "/users?limit=10",
    method: "offset",
    all: p23,
  },
  {
    name: "page numbers with per_page, and pages smaller than requested",
    handler: () => (request) => {
      const [page, size] = [number(request, "page", 1), Math.min(number(request, "per_page", 10), 15)];
      return { data: p40.slice((page - 1) * size, page * size) };
    },
    request: "/users?per_page=100",
    method: "pagenum",
    all: p40,
  },
  {
    name: "page numbers with limit, and pages smaller than requested",
    handler: () => (request) => {
      const [page, size] = [number(request, "page", 1), Math.min(number(request, "limit", 10), 15)];
      return { data: p40.slice((page - 1) * size, page * size) };
    },
    request: "/users?limit=100",
    method: "pagenum",
    all: p40,
  },
  {
    name: "a total that is far too low",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return { total: 12, items };
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "a list of the figures and the records (World Bank)",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return [{ page, pages: 3, per_page: "10", total: 23 }, p23.slice((page - 1) * 10, page * 10)];
    },
    request: "/v2/country?format=json",
    method: "pagenum",
    all: p23,
  },
  {
    name: "a flag and offsets under unusual names (ArcGIS)",
    handler: () => (request) => {
      const { from, size, items } = part(p23, request, ["resultOffset", "resultRecordCount"]);
      return {
        fields: [{ name: "id" }],
        ...(from + size < 23 ? { exceededTransferLimit: true } : {}),
        features: items,
      };
    },
    request: "/query?where=1%3D1&f=json",
    method: "offset",
    all: p23,
  },
  {
    name: "a next address that is a template (HAL), and page numbers from 0",
    handler: () => (request) => {
      const page = number(request, "page", 0);
      return {
        _embedded: { orders: p23.slice(page * 10, page * 10 + 10) },
        _links: { next: { href: "/orders{?page,size}", templated: true } },
        page: { size: 10, totalElements: 23, totalPages: 3, number: page },
      };
    },
    request: "/orders",
    method: "pagenum",
    all: p23,
    says: /count from 0/,
  },
  {
    name: "a total that is far too high",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return { total: 1000, items };
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: undefined,
  },
  {
    name: "a total that counts only the page",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return { total: items.length, items };
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "a rate limit in headers",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return json(
        { total: 23, items },
        {
          headers: {
            "X-RateLimit-Limit": "60",
            "X-RateLimit-Remaining": "40",
            "RateLimit-Policy": '"default";q=600;w=60',
          },
        },
      );
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
    says: /a rate limit: X-RateLimit-Limit: 60/,
  },
  {
    name: "totals in headers, and 400 beyond the last page (WordPress)",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const headers = { "X-WP-Total": "23", "X-WP-TotalPages": "3" };
      return page > 3
        ? json({ code: "rest_post_invalid_page_number" }, { status: 400 })
        : json(p23.slice((page - 1) * 10, page * 10), { headers });
    },
    request: "/wp-json/wp/v2/posts",
    method: "pagenum",
    all: p23,
  },
  {
    name: "CSV by offset",
    handler: () => (request) => {
      const rows = part(p23, request, ["offset", "limit"]).items as readonly Person[];
      const lines = rows.map(({ id, name }) => `${id};${name}\n`);
      return text(`id;name\n${lines.join("")}`, { headers: { "content-type": "text/csv" } });
    },
    request: "/users.csv?limit=10&offset=0",
    method: "offset",
    all: p23.map(({ id, name }) => ({ id: `${id}`, name })),
    says: /10 records: the answer is CSV with ";" between its fields/,
  },
  {
    name: "lines of JSON that are declared as text, and a page number",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const lines = p23.slice((page - 1) * 10, page * 10).map((person) => `${JSON.stringify(person)}\n`);
      return text(lines.join(""), { headers: { "content-type": "text/plain" } });
    },
    request: "/users",
    method: "pagenum",
    all: p23,
    says: /10 records, one a line/,
  },
];
