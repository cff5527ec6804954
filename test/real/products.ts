import type { Product } from "./product.ts";
import { exploredProducts } from "./products/explored.ts";
import { expressPouchDb } from "./products/express-pouchdb.ts";
import { graphqlYoga } from "./products/graphql-yoga.ts";
import { jsonServer, jsonServer1 } from "./products/json-server.ts";
import { jsonApiServer } from "./products/jsonapi-server.ts";
import { parseServer } from "./products/parse-server.ts";

/** Small ones first. */
export const products: readonly Product[] = [
  jsonServer,
  jsonServer1,
  graphqlYoga,
  jsonApiServer,
  expressPouchDb,
  parseServer,
  ...exploredProducts,
];
