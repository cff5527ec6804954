import { json, type Received } from "../../helpers/api.ts";
import { type FakeApi, number, p23, p40, people } from "./fake-api.ts";

const inPath = ({ path }: Received, missing: number): number => Number(/page\/([0-9]+)/.exec(path)?.[1] ?? missing);

const p100 = people(100);

/** Returns a page of ten, or the last one for any number beyond it. */
const clamped = (page: number): readonly unknown[] => p23.slice((Math.min(page, 3) - 1) * 10, Math.min(page, 3) * 10);

/** APIs that count pages in the path or from 0, state the number of pages, or have unusual parameters or page sizes. */
export const numberedApis: readonly FakeApi[] = [
  {
    name: "a page number in the path, and the number of pages",
    handler: () => (request) => {
      const page = inPath(request, 1);
      return { data: p23.slice((page - 1) * 10, page * 10), pages: 3 };
    },
    request: "/users/page/1",
    method: "pagenum",
    all: p23,
    says: /page numbers by \{page\} in the path: GET \/users\/page\/2 gave 10 other records/,
    writes: /"endpoint": "\{page\}"[\s\S]*"dataType": "users"/,
  },
  {
    name: "a later page number in the path before a suffix, and a 404 beyond the last page",
    handler: () => (request) => {
      const page = inPath(request, 1);
      return page > 3 ? json({ error: "no such thing" }, { status: 404 }) : p23.slice((page - 1) * 10, page * 10);
    },
    request: "/users/page/2.json?sort=name",
    method: "pagenum",
    all: p23,
    says: /the path names page 2: it is set to 1, where the list begins/,
    writes: /"limit": 10,\s+"limitParam": false[\s\S]*"endpoint": "\{page\}.json"/,
  },
  {
    name: "a page number in the path that counts from 0, followed by a slash",
    handler: () => (request) => {
      const page = inPath(request, 0);
      return p23.slice(page * 10, page * 10 + 10);
    },
    request: "/users/page/0/",
    method: "pagenum",
    all: p23,
    writes: /"endpoint": "\{page\}\/"/,
  },
  {
    name: "a page number 1 in the path, where pages count from 0",
    handler: () => (request) => {
      const page = inPath(request, 0);
      return p40.slice(page * 10, page * 10 + 10);
    },
    request: "/users/page/1",
    method: "pagenum",
    all: p40,
    says: /pages count from 0: \{page\} in the path = 0 gave 10 other records/,
    writes: /"firstPage": 0/,
  },
  {
    name: "a page number 1 in the query, where pages count from 0",
    handler: () => (request) => p40.slice(number(request, "page", 0) * 10, number(request, "page", 0) * 10 + 10),
    request: "/users?page=1",
    method: "pagenum",
    all: p40,
    says: /pages count from 0: "page" = 0 gave 10 other records/,
  },
  {
    name: "a number of pages, and the last page again for greater numbers",
    handler: () => (request) => ({ pages: 3, items: clamped(number(request, "page", 1)) }),
    request: "/users?page=1",
    method: "pagenum",
    all: p23,
    says: /the paging ends at the number of pages in "pages"/,
    writes: /"pageCount": "pages"/,
  },
  {
    name: "a number of pages in a header, and an error beyond the last one",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      if (page > 3) return json({ error: "out of range" }, { status: 400 });
      return json(p23.slice((page - 1) * 10, page * 10), { headers: { "X-Total-Pages": "3" } });
    },
    request: "/users?page=1",
    method: "pagenum",
    all: p23,
    writes: /"pageCount": \{\s*"header": "X-Total-Pages"\s*\}/i,
  },
  {
    name: "a field called pages that counts something else, and a 404 beyond the last page",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      if (page > 3) return json({ error: "no such page" }, { status: 404 });
      return { pages: 5, items: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users?page=1",
    method: "pagenum",
    all: p23,
    writes: /^(?![\s\S]*pageCount)/,
  },
  {
    name: "a number of pages that equals the page size: its last page has records",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      if (page > 10) return json({ error: "no such page" }, { status: 404 });
      return { pages: 10, items: p100.slice((page - 1) * 10, page * 10) };
    },
    request: "/users?page=1",
    method: "pagenum",
    all: p100,
    writes: /"pageCount": "pages"/,
  },
  {
    name: "a number of pages that is too small, which is not written",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return { last_page: 2, items: p40.slice((page - 1) * 10, page * 10) };
    },
    request: "/users?page=1",
    method: "pagenum",
    all: p40,
    says: /page 3 has records too, though the API says that there are 2 pages: its total is not trusted/,
  },
  {
    name: "an offset of a fixed page size, and a refusal of any other parameter",
    handler: () => (request) => {
      const strange = [...request.params.keys()].filter((name) => name !== "offset");
      if (strange.length > 0) return json({ error: "unknown parameter" }, { status: 400 });
      const from = number(request, "offset", 0);
      return { count: 23, results: p23.slice(from, from + 10) };
    },
    request: "/users?offset=0",
    method: "offset",
    all: p23,
    writes: /"limit": 10,\s+"limitParam": false/,
  },
  {
    name: "a parameter that takes another column than the id, as the refusal says",
    handler: () => (request) => {
      const since = request.params.get("since");
      if (since !== null) return json({ message: `since is wrong: ${since}` }, { status: 400 });
      return { attendees: p23.slice(0, 7) };
    },
    request: "/attendees",
    method: "none",
    all: undefined,
    says: /the API knows "since" but refuses its value 1042/,
  },
  ...["/users?$limit=10", "/users"].map(
    (request): FakeApi => ({
      name: `an offset in the answer that is the parameter without its prefix, where other parameters filter: ${request}`,
      handler: () => (received) => {
        const names = [...received.params.keys()].filter((name) => !/^\$(limit|skip)$/.test(name));
        if (names.some((name) => name.startsWith("$"))) return json({ name: "BadRequest" }, { status: 400 });
        const limit = number(received, "$limit", 10);
        const skip = number(received, "$skip", 0);
        const all = names.length > 0 ? [] : p23;
        return { total: all.length, limit, skip, data: all.slice(skip, skip + limit) };
      },
      request,
      method: "offset",
      all: p23,
      writes: /"limitParam": "\$limit",\s+"offsetParam": "\$skip"/,
    }),
  ),
];
