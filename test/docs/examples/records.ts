import { json, text } from "../../helpers/api.ts";
import { zipOf } from "../../helpers/zip.ts";
import { decoded, type Examples, ids, withBody } from "../example.ts";

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

/** Examples of docs/records.md. */
export const examples: Examples = {
  "data-field": {
    answers: {
      "/users": () => ({ data: [{ items: [{ id: 1 }] }], other: [{ id: 9 }] }),
      "/status": () => ({ up: true, nodes: [] }),
      "/orders": () => ({ "v1.orders": { items: [{ id: 2 }] } }),
    },
    requests: ["GET /users", "GET /status", "GET /orders"],
    lines: ['{"id":1}', '{"up":true,"nodes":[]}', '{"id":2}'],
  },
  maps: {
    answers: {
      "/pages": () => text('{"query": {"pages": {"15580374": {"title": "Main Page"}, "-1": {"title": "Nowhere"}}}}'),
      "/prices": () => text('{"EUR": 25.10, "USD": 23.00}'),
      "/people": () => ({
        data: {
          people: {
            edges: [
              { cursor: "x1", node: { id: 1 } },
              { cursor: "x2", node: { id: 2 } },
            ],
          },
        },
      }),
    },
    requests: ["GET /pages", "GET /prices", "GET /people"],
    lines: [
      '{"title":"Main Page","page":"15580374"}',
      '{"title":"Nowhere","page":"-1"}',
      '{"data":25.10,"currency":"EUR"}',
      '{"data":23.00,"currency":"USD"}',
      '{"id":1}',
      '{"id":2}',
    ],
  },
  "unwritten-parents": {
    answers: { "/users": () => users.slice(0, 1), "*": () => [{ id: 8 }] },
    args: ["--job", "notes"],
    requests: ["GET /users", "GET /users/1/notes"],
    lines: ['{"id":8,"parent_id":1}'],
  },
  "lists-in-lists": {
    answers: {
      "/orders": () => ({
        orders: [
          { id: 1, items: [{ sku: "a" }, { sku: "b" }] },
          { id: 2, items: [] },
        ],
      }),
      "/table": () => ({ rows: [[{ cell: 1 }, { cell: 2 }], [{ cell: 3 }]] }),
    },
    requests: ["GET /orders", "GET /table"],
    lines: ['{"sku":"a"}', '{"sku":"b"}', "1", "2", "3"],
  },
  "csv-export": {
    answers: {
      "/rates": () => text("from the bank\n#today\ncurrency;rate\nEUR;25.10\n"),
      "/cities": () => text("1\tBrno\n2\tVancouver\n"),
      "/export": () =>
        text(
          zipOf([
            { name: "readme.txt", data: Buffer.from("hello") },
            { name: "a.csv", data: Buffer.from("id\n007\n") },
            // The table in each member of the zip may begin with a byte order mark.
            { name: "b.csv", data: Buffer.from("\ufeffid\n008\n") },
          ]),
        ),
      "/events": () => text('{"at":1}\n{"at":2}\n'),
    },
    requests: ["GET /rates", "GET /cities", "GET /export", "GET /events"],
    lines: [
      '{"currency":"EUR","rate":"25.10"}',
      '{"id":"1","name":"Brno"}',
      '{"id":"2","name":"Vancouver"}',
      '{"id":"007"}',
      '{"id":"008"}',
      '{"at":1}',
      '{"at":2}',
    ],
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
  batches: {
    answers: {
      "/users": () => [{ id: 1 }, { id: 2 }, { id: 3 }],
      "/orders": ({ params }) => [{ of: params.get("user_ids") }],
      "/notes/search": () => [],
      "/tags/read": () => [],
    },
    shown: withBody,
    requests: [
      "GET /users",
      "GET /orders?user_ids=1,2",
      "GET /orders?user_ids=3",
      'POST /notes/search {"filter":{"ids":"1;2;3"}}',
      'POST /tags/read {"inputs":[{"id":1},{"id":2},{"id":3}]}',
    ],
    lines: [...ids(1, 2, 3), '{"of":"1,2"}', '{"of":"3"}'],
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
