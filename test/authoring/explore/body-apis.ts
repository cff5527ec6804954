import { type FakeApi, number, p23, p40, part } from "./fake-api.ts";

/** APIs that page by the JSON body of a POST, including GraphQL. */
export const bodyApis: readonly FakeApi[] = [
  {
    name: "a token in an object of the body, where the request has no page size",
    handler: () => (request) => {
      const from = Number(JSON.parse(request.body).pagination?.starting_after?.slice(1) ?? 0);
      const next = from + 15 < 40 ? { starting_after: `k${from + 15}` } : null;
      return { data: p40.slice(from, from + 15), pages: { next } };
    },
    request: `/search -d '{}' -H 'content-type: application/json'`,
    method: "response.param",
    all: p40,
  },
  {
    name: "a POST with page numbers and a page size in its query",
    handler: () => (request) => {
      const size = number(request, "page_size", 10);
      const page = number(request, "page", 1);
      return { q: JSON.parse(request.body).q, items: p23.slice((page - 1) * size, page * size), total_items: 23 };
    },
    request: `/search?page_size=10 -d '{"q":"x"}' -H 'content-type: application/json'`,
    method: "pagenum",
    all: p23,
  },
  {
    name: "a POST with an offset in its query",
    handler: () => (request) => part(p23, request, ["skip", "limit"]).items,
    request: `/search?skip=0&limit=10 -d '{}' -H 'content-type: application/json'`,
    method: "offset",
    all: p23,
  },
  {
    name: "a POST with a token in its query, and no page size",
    handler: () => (request) => {
      const from = number(request, "cursor", 0);
      return {
        rows: p40.slice(from, from + 15),
        next_cursor: from + 15 < 40 ? `c${from + 15}`.replace("c", "") : null,
      };
    },
    request: `/search -d '{"q":"x"}' -H 'content-type: application/json'`,
    method: "response.param",
    all: p40,
  },
  {
    name: "page numbers in an inner object of a JSON body",
    handler:
      () =>
      ({ body }) => {
        const { page, size } = JSON.parse(body).paging;
        return { result: { rows: p23.slice(page * size, (page + 1) * size) }, paging: { page, size, total: 23 } };
      },
    request: `/search -H 'content-type: application/json' -d '{"paging":{"page":0,"size":10},"q":"x"}'`,
    method: "pagenum",
    all: p23,
  },
  {
    name: "a total that is an object, and another total for shards (Elasticsearch)",
    handler:
      () =>
      ({ body }) => {
        const { from = 0, size = 10 } = JSON.parse(body);
        const hits = p23.slice(from, from + size);
        return { _shards: { total: 1, failed: 0 }, hits: { total: { value: 23, relation: "eq" }, hits } };
      },
    request: `/logs/_search -H 'content-type: application/json' -d '{"size":10,"query":{"match_all":{}}}'`,
    method: "offset",
    all: p23,
    says: /found "hits\.total" counts 23 records/,
  },
  {
    name: "page numbers, and pages smaller than the requested size",
    handler:
      () =>
      ({ body }) => {
        const { page = 1 } = JSON.parse(body);
        return { rows: p40.slice((page - 1) * 15, page * 15) };
      },
    request: `/search -H 'content-type: application/json' -d '{"size":100,"page":1}'`,
    method: "pagenum",
    all: p40,
    says: /note\s+the request asks for 100 a page by "size", but the API gives 15: pages have 15 records/,
  },
  {
    name: "GraphQL with nodes, and no variables yet",
    handler:
      () =>
      ({ body }) => {
        const from = Number(JSON.parse(body).variables?.after ?? 0);
        const pageInfo = { endCursor: String(Math.min(from + 10, 23)), hasNextPage: from + 10 < 23 };
        return { data: { users: { nodes: p23.slice(from, from + 10), totalCount: 23, pageInfo } } };
      },
    request: `/graphql -H 'content-type: application/json' -d '{"query":"query($after: String) { users(first: 10, after: $after) { nodes { id name } totalCount pageInfo { endCursor hasNextPage } } }"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "the sort value of the last record in a body (search_after)",
    handler:
      () =>
      ({ body }) => {
        const { after = 0, size = 10 } = JSON.parse(body);
        return { hits: p23.filter(({ id }) => id > after).slice(0, size), has_more: after < 1080 };
      },
    request: `/search -H 'content-type: application/json' -d '{"size":10,"after":0}'`,
    method: "cursor",
    all: p23,
  },
  {
    name: "a token that is an object",
    handler:
      () =>
      ({ body }) => {
        const from = JSON.parse(body).ExclusiveStartKey?.nr ?? 0;
        const next = from + 10 < 23 ? { LastEvaluatedKey: { nr: from + 10 } } : {};
        return { Items: p23.slice(from, from + 10), Count: 10, ...next };
      },
    request: `/ -H 'content-type: application/x-amz-json-1.0' -d '{"TableName":"users"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "a token that is an object of objects (DynamoDB)",
    handler:
      () =>
      ({ body }) => {
        const from = Number(JSON.parse(body).ExclusiveStartKey?.nr.N ?? 0);
        const next = from + 10 < 23 ? { LastEvaluatedKey: { nr: { N: String(from + 10) } } } : {};
        return { Items: p23.slice(from, from + 10), Count: 10, ...next };
      },
    request: `/ -H 'content-type: application/x-amz-json-1.0' -d '{"TableName":"users"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "GraphQL whose query has no cursor until init adds one",
    handler:
      () =>
      ({ body }) => {
        const { query, variables } = JSON.parse(body);
        const from = /\(\$after: String\).*after: \$after/.test(query) ? Number(variables?.after ?? 0) : 0;
        const pageInfo = { endCursor: String(Math.min(from + 10, 23)), hasNextPage: from + 10 < 23 };
        return { data: { users: { nodes: p23.slice(from, from + 10), pageInfo } } };
      },
    request: `/graphql -H 'content-type: application/json' -d '{"query":"{ users(first: 10) { nodes { id name } pageInfo { endCursor hasNextPage } } }"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "a cursor in a JSON body",
    handler:
      () =>
      ({ body }) => {
        const { cursor = 0, filter } = JSON.parse(body);
        const all = filter === "few" ? p23 : p40;
        return { results: all.slice(cursor, cursor + 10), next_cursor: cursor + 10 < all.length ? cursor + 10 : null };
      },
    request: `/search -H 'content-type: application/json' -d '{"filter":"few"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "GraphQL with edges and a cursor in its variables",
    handler:
      () =>
      ({ body }) => {
        const { after } = JSON.parse(body).variables;
        const from = Number(String(after ?? "c0").slice(1));
        const edges = p23.slice(from, from + 10).map((node) => ({ cursor: "x", node }));
        return {
          data: {
            users: { edges, pageInfo: { endCursor: `c${Math.min(from + 10, 23)}`, hasNextPage: from + 10 < 23 } },
          },
        };
      },
    request: `/graphql -H 'content-type: application/json' -d '{"query":"query($after: String) { users(first: 10, after: $after) { edges { cursor node { id name } } pageInfo { endCursor hasNextPage } } }","variables":{"x":1}}'`,
    method: "response.param",
    all: p23,
    says: /10 records: the "node" of each element of "data.users.edges"/,
  },
];
