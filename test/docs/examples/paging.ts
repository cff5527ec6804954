import { json, text } from "../../helpers/api.ts";
import { type Examples, ids, paged, withBody } from "../example.ts";

/** Examples of docs/paging.md. */
export const examples: Examples = {
  offset: {
    answers: paged(3),
    requests: ["GET /users?limit=2&offset=0", "GET /users?limit=2&offset=2"],
    lines: ids(1, 2, 3),
  },
  "offset-fields": {
    answers: paged(5, "count", "skip"),
    requests: ["GET /users?skip=1&count=3", "GET /users?skip=4&count=3"],
    lines: ids(2, 3, 4, 5),
  },
  pagenum: {
    answers: paged(3, "per_page", "page"),
    requests: ["GET /users?page=1&per_page=2", "GET /users?page=2&per_page=2"],
    lines: ids(1, 2, 3),
  },
  "response.url": {
    answers: ({ params }) =>
      params.has("after") ? { links: {}, data: [{ id: 2 }] } : { links: { next: "/users?after=1" }, data: [{ id: 1 }] },
    requests: ["GET /users", "GET /users?after=1"],
    lines: ids(1, 2),
  },
  "links-by-relation": {
    answers: ({ params }) => ({
      links: [
        { rel: "self", href: "/users" },
        ...(params.has("after") ? [] : [{ rel: "next", href: "/users?after=1" }]),
      ],
      data: [{ id: params.has("after") ? 2 : 1 }],
    }),
    requests: ["GET /users", "GET /users?after=1"],
    lines: ids(1, 2),
  },
  "response.url-fields": {
    answers: ({ params }) =>
      params.has("$skip") ? { value: [{ id: 2 }] } : { "@odata.nextLink": "users?$skip=1", value: [{ id: 1 }] },
    requests: ["GET /users?status=active", /^GET \/users\?(?=.*\$skip=1)(?=.*status=active)/],
    lines: ids(1, 2),
  },
  "response.param": {
    answers: ({ params }) =>
      params.has("cursor") ? { meta: {}, data: [{ id: 2 }] } : { meta: { cursor: "c/2" }, data: [{ id: 1 }] },
    requests: ["GET /users", "GET /users/next?cursor=c%2F2"],
    lines: ids(1, 2),
  },
  "response.param-members": {
    answers: ({ params }) =>
      params.has("apcontinue")
        ? { query: { allpages: [{ id: 2 }] } }
        : { continue: { apcontinue: "B", continue: "-||" }, query: { allpages: [{ id: 1 }] } },
    requests: [
      "GET /api.php?action=query&list=allpages",
      "GET /api.php?action=query&list=allpages&apcontinue=B&continue=-%7C%7C",
    ],
    lines: ids(1, 2),
    says: /complete/,
  },
  bookmark: {
    answers: ({ body }) => {
      const { bookmark = "nil", limit } = JSON.parse(body);
      const from = bookmark === "nil" ? 0 : Number(bookmark.slice(1));
      const docs = [1, 2, 3].slice(from, from + limit).map((id) => ({ id }));
      return { docs, bookmark: docs.length === 0 ? "nil" : `g${from + docs.length}` };
    },
    shown: withBody,
    requests: [
      'POST /trees/_find {"selector":{},"limit":2}',
      'POST /trees/_find {"selector":{},"limit":2,"bookmark":"g2"}',
      'POST /trees/_find {"selector":{},"limit":2,"bookmark":"g3"}',
    ],
    lines: ids(1, 2, 3),
    says: /complete/,
  },
  "path-pages": {
    answers: ({ path }) => (path.endsWith("/1") ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }]),
    requests: ["GET /users/page/1", "GET /users/page/2"],
    lines: ids(1, 2, 3),
  },
  link: {
    answers: ({ params }) =>
      params.has("after")
        ? json([{ id: 2 }], { headers: { Link: '</users>; rel="first"' } })
        : json([{ id: 1 }], { headers: { Link: '</users?after=1&per_page=2>; rel="next", </users>; rel="first"' } }),
    requests: ["GET /users?per_page=2", "GET /users?after=1&per_page=2"],
    lines: ids(1, 2),
    says: /complete/,
  },
  place: {
    answers: ({ params }) => (params.get("page[number]") === "1" ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }]),
    requests: [
      /^GET \/users\?page%5Bnumber%5D=1&page%5Bsize%5D=2$/,
      /^GET \/users\?page%5Bnumber%5D=2&page%5Bsize%5D=2$/,
    ],
    lines: ids(1, 2, 3),
  },
  "size-not-sent": {
    answers: ({ path, params }) => {
      const start = Number(params.get("offset"));
      return [{ id: 1 }, { id: 2 }, { id: 3 }].slice(start, start + (path === "/users" ? 2 : 1));
    },
    requests: [0, 2]
      .map((offset) => `GET /users?offset=${offset}`)
      .concat([0, 1, 2, 3].map((offset) => `GET /orders?offset=${offset}`)),
    lines: ids(1, 2, 3, 1, 2, 3),
  },
  "place-query": {
    answers: ({ params }) => (params.get("page") === "1" ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }]),
    shown: withBody,
    requests: [
      'POST /search?totals=true&page=1&page_size=2 {"status":["paid"]}',
      'POST /search?totals=true&page=2&page_size=2 {"status":["paid"]}',
    ],
    lines: ids(1, 2, 3),
  },
  graphql: {
    answers: ({ body }) => {
      const { after } = JSON.parse(body).variables;
      const pageInfo = { endCursor: after === null ? "c1" : "c2", hasNextPage: after === null };
      return { data: { users: { nodes: [{ id: after === null ? 1 : 2 }], pageInfo } } };
    },
    requests: ["POST /graphql", "POST /graphql"],
    lines: ids(1, 2),
    says: /complete/,
  },
  "last-record": {
    answers: ({ params }) =>
      params.get("starting_after") === "2"
        ? { has_more: false, data: [{ id: 3 }] }
        : { has_more: true, data: [{ id: 1 }, { id: 2 }] },
    requests: ["GET /users?limit=2", "GET /users?limit=2&starting_after=2"],
    lines: ids(1, 2, 3),
    says: /complete/,
  },
  "limit-stop-header": {
    answers: ({ params }) => json([{ id: Number(params.get("page")) }], { headers: { "X-WP-Total": "2" } }),
    requests: ["GET /users?page=1", "GET /users?page=2"],
    lines: ids(1, 2),
    says: /complete/,
  },
  cursor: {
    answers: ({ params }) => text(params.has("min_id") ? "[]" : '[{"id":1},{"id":9007199254740993}]'),
    requests: ["GET /users", "GET /users?min_id=9007199254740994"],
    lines: ids(1, "9007199254740993"),
  },
  none: {
    answers: () => [{ id: 1 }, { id: 2 }],
    requests: ["GET /users"],
    lines: ids(1, 2),
  },
  multiple: {
    answers: { "/users": paged(2), "/orders": paged(3, "limit", "page") },
    requests: [
      "GET /users?limit=2&offset=0",
      "GET /users?limit=2&offset=2",
      "GET /orders?page=1&limit=2",
      "GET /orders?page=2&limit=2",
    ],
    lines: ids(1, 2, 1, 2, 3),
  },
  "next-page-flag": {
    answers: ({ params }) => ({ hasMore: params.get("page") === "1", data: [{ id: Number(params.get("page")) }] }),
    requests: ["GET /users?page=1", "GET /users?page=2"],
    lines: ids(1, 2),
    says: /complete/,
  },
  "force-stop": {
    answers: paged(9),
    requests: ["GET /users?limit=2&offset=0", "GET /users?limit=2&offset=2"],
    lines: ids(1, 2, 3, 4),
    says: /users limited: 4 records, 2 pages/,
  },
  "page-count": {
    answers: ({ params }) => ({ meta: { pages: 2 }, data: [{ id: Number(params.get("page")) }] }),
    requests: ["GET /users?page=1", "GET /users?page=2"],
    lines: ids(1, 2),
    says: /complete/,
  },
  "limit-stop": {
    answers: ({ params }) => ({ meta: { total: 2 }, data: [{ id: Number(params.get("page")) }] }),
    requests: ["GET /users?page=1", "GET /users?page=2"],
    lines: ids(1, 2),
    says: /complete/,
  },
  evidence: {
    answers: () => ({ total: 7, data: [{ id: 1 }] }),
    args: ["--strict"],
    requests: ["GET /users?limit=2&offset=0"],
    lines: ids(1),
    says: /complete/,
  },
};
