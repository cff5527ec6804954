import { json } from "../../helpers/api.ts";
import { bodyOf, type FakeApi, many, refused, tooMany, two, usedUp, withHeaders } from "./fake-api.ts";

const products = many(5, (number) => ({ id: `gid://shopify/Product/${number}`, title: `product ${number}` }));
const issues = many(5, (number) => ({ number, title: `issue ${number}` }));

/** Returns two nodes of a connection, from a cursor on, with the next cursor and a flag. */
function connection(nodes: readonly unknown[], after: unknown): object {
  const { page, next } = two(nodes, Number(String(after ?? "Y0").slice(1)));
  // As in the specification, the last page has a cursor, too.
  const pageInfo = { hasNextPage: next !== undefined, endCursor: `Y${next ?? nodes.length}` };
  return { nodes: page, pageInfo };
}

/** Returns the connection with edges, each with its cursor. */
function edges(nodes: readonly unknown[], after: unknown): object {
  const start = Number(String(after ?? "Y0").slice(1));
  const { page, next } = two(nodes, start);
  const list = page.map((node, index) => ({ cursor: `Y${start + index + 1}`, node }));
  return { edges: list, pageInfo: { hasNextPage: next !== undefined } };
}

export const graphql: Readonly<Record<string, FakeApi>> = {
  "Shopify, GraphQL": {
    env: { SHOPIFY_TOKEN: "shpat_secret" },
    records: products,
    requests: 3,
    answer: withHeaders({ "x-shopify-access-token": "shpat_secret" }, (request) => {
      const { query, variables } = bodyOf(request);
      if (typeof query !== "string" || variables === undefined) return refused("query");
      return {
        data: { products: connection(products, variables.after) },
        extensions: { cost: { requestedQueryCost: 12 } },
      };
    }),
    limited: [
      tooMany({ errors: "Exceeded 2 calls per second for api client." }),
      { answer: () => json({ errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }] }), seconds: 0 },
    ],
    failures: {
      "an error in a 200": {
        answer: () => json({ errors: [{ message: "Internal error", extensions: { code: "INTERNAL_SERVER_ERROR" } }] }),
        code: 69,
        says: /Internal error/,
      },
    },
  },
  "GraphQL connections": {
    env: { GITHUB_TOKEN: "ghp_secret" },
    records: issues,
    requests: 3,
    answer: withHeaders({ authorization: "Bearer ghp_secret" }, (request) => {
      const { query, variables } = bodyOf(request);
      if (typeof query !== "string" || variables === undefined) return refused("query");
      return { data: { repository: { issues: connection(issues, variables.after) } } };
    }),
    limited: [
      {
        answer: () => json({ message: "secondary rate limit" }, { status: 403, headers: { "retry-after": "1" } }),
        seconds: 1,
      },
      {
        answer: () =>
          json({ data: null, errors: [{ type: "RATE_LIMITED", message: "limited" }] }, { headers: usedUp() }),
        seconds: 1,
      },
    ],
    failures: {
      "an error in a 200": {
        answer: () =>
          json({
            data: { repository: null },
            errors: [{ type: "NOT_FOUND", message: "Could not resolve to a Repository" }],
          }),
        code: 69,
        says: /Could not resolve to a Repository/,
      },
      "an error beside records": {
        answer: () =>
          json({
            data: { repository: { issues: connection(issues, "Y4") } },
            errors: [{ message: "Something went wrong" }],
          }),
        code: 69,
        says: /Something went wrong/,
      },
    },
  },
  "GraphQL edges": {
    env: { GITHUB_TOKEN: "ghp_secret" },
    records: issues,
    requests: 3,
    answer: withHeaders({ authorization: "Bearer ghp_secret" }, (request) => {
      const { query, variables } = bodyOf(request);
      if (typeof query !== "string" || variables === undefined) return refused("query");
      return { data: { repository: { issues: edges(issues, variables.after) } } };
    }),
    limited: [
      tooMany({ message: "secondary rate limit" }),
      {
        answer: () =>
          json({ data: null, errors: [{ type: "RATE_LIMITED", message: "limited" }] }, { headers: usedUp() }),
        seconds: 1,
      },
    ],
    failures: {
      "an error beside an edge without its node": {
        answer: () =>
          json({
            data: { repository: { issues: { edges: [null], pageInfo: { hasNextPage: true } } } },
            errors: [{ message: "Something went wrong" }],
          }),
        code: 69,
        says: /Something went wrong/,
      },
      "an edge without its node": {
        answer: () => json({ data: { repository: { issues: { edges: [null], pageInfo: { hasNextPage: true } } } } }),
        code: 65,
        says: /element 1 of "data.repository.issues.edges" has nothing at "node"/,
      },
    },
  },
};
