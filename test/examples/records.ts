import { json, text } from "../helpers/api.ts";
import { decoded, type Example, ids, paged } from "./example.ts";

/** Examples of README's section "Paging", and of "Verdicts". */
export const pagingExamples: Readonly<Record<string, Example>> = {
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
  cursor: {
    answers: ({ params }) => text(params.has("min_id") ? "[]" : '[{"id":1},{"id":9007199254740993}]'),
    requests: ["GET /users", "GET /users?min_id=9007199254740994"],
    lines: ids(1, "9007199254740993"),
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

const users = [
  { id: 1, active: true },
  { id: 2, active: true },
  { id: 3, active: false },
];

const person = {
  id: 7,
  address: { city: "Brno" },
  tags: ["a", 1.5],
  contacts: [
    { email: "x@example.com", tags: [] },
    { email: "y@example.com", tags: ["b"] },
  ],
};

/** Examples of the section "Records". */
export const recordExamples: Readonly<Record<string, Example>> = {
  "data-field": {
    answers: {
      "/users": () => ({ data: [{ items: [{ id: 1 }] }], other: [{ id: 9 }] }),
      "/status": () => ({ up: true, nodes: [] }),
      "/orders": () => ({ "v1.orders": { items: [{ id: 2 }] } }),
    },
    requests: ["GET /users", "GET /status", "GET /orders"],
    lines: ['{"id":1}', '{"up":true,"nodes":[]}', '{"id":2}'],
  },
  children: {
    answers: {
      "/users": () => users,
      "/users/2/orders": () => [{ number: "a/1" }],
      "/users/2/orders/a%2F1": () => json({ total: 3 }),
    },
    requests: ["GET /users", "GET /users/2/orders", "GET /users/2/orders/a%2F1"],
    lines: [
      ...users.map((user) => JSON.stringify(user)),
      '{"number":"a/1","parent_id":2}',
      '{"total":3,"parent_id":2,"parent_number":"a%2F1"}',
    ],
  },
  "user-data": {
    answers: () => [{ id: 1, source: "api" }],
    requests: ["GET /users"],
    lines: ['{"id":1,"source":"api","source_u0":"crm","account":345}'],
  },
  "response-filter": {
    answers: () => [person],
    requests: ["GET /users"],
    lines: [
      JSON.stringify({
        ...person,
        address: '{"city":"Brno"}',
        contacts: [
          { email: "x@example.com", tags: [] },
          { email: "y@example.com", tags: '["b"]' },
        ],
      }),
    ],
  },
  mappings: {
    answers: () => [person],
    args: ["--tag"],
    shown: decoded,
    requests: ["GET /users"],
    lines: [
      '{"dataType":"users","record":{"user_id":7,"city":"Brno","tags":"[\\"a\\",1.5]","origin":"crm"}}',
      '{"dataType":"contacts","record":{"email":"x@example.com","users_pkey":7}}',
      '{"dataType":"contacts","record":{"email":"y@example.com","users_pkey":7}}',
    ],
  },
};
