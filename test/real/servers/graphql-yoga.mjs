import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { GraphQLError } from "graphql";
import { createSchema, createYoga } from "graphql-yoga";
import { life, port, recordAt, records } from "./dataset.mjs";

const trees = Array.from({ length: records }, (_, index) => ({ id: `tree-${index}`, ...recordAt(index) }));
const sessions = new Map();

const schema = createSchema({
  typeDefs: `
    type At { lat: Float! lon: Float! }
    type Place { city: String! at: At! }
    type Tree { id: ID! name: String! number: Int! price: Float! tags: [String!]! place: Place! note: String active: Boolean! }
    type Edge { cursor: String! node: Tree! }
    type PageInfo { endCursor: String hasNextPage: Boolean! }
    type Trees { nodes: [Tree!]! edges: [Edge!]! pageInfo: PageInfo! totalCount: Int! }
    type Session { token: String! expiresIn: Int! }
    type Query { trees(first: Int!, after: String): Trees! ownTrees(first: Int!, after: String): Trees! }
    type Mutation { login(user: String!, password: String!): Session! }
  `,
  resolvers: {
    Query: {
      trees: (_, page) => connection(page),
      ownTrees: (_, page, { request }) => {
        const token = (request.headers.get("authorization") ?? "").replace("Bearer ", "");
        if (!((sessions.get(token) ?? 0) > Date.now())) {
          throw new GraphQLError("your session has expired", {
            extensions: { code: "UNAUTHENTICATED", http: { status: 401 } },
          });
        }
        return connection(page);
      },
    },
    Mutation: {
      login: (_, { user, password }) => {
        if (user !== "ada" || password !== "lovelace") throw new GraphQLError("no");
        const token = randomUUID();
        sessions.set(token, Date.now() + life * 1000);
        return { token, expiresIn: life };
      },
    },
  },
});

function connection({ first, after }) {
  const from = after ? Number(Buffer.from(after, "base64")) + 1 : 0;
  const edges = trees
    .slice(from, from + first)
    .map((node, at) => ({ node, cursor: Buffer.from(`${from + at}`).toString("base64") }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: { endCursor: edges.at(-1)?.cursor, hasNextPage: from + first < trees.length },
    totalCount: trees.length,
  };
}

createServer(createYoga({ schema, logging: false })).listen(port, "127.0.0.1");
