import { type Job, life, listOf, type Product, pageSize } from "../product.ts";

const application = { "X-Parse-Application-Id": "spile" };
const path = "/parse/classes/Tree";
const held = (base: string): Promise<unknown[]> =>
  listOf(
    new Request(`${base}${path}?limit=1000000`, { headers: { ...application, "X-Parse-Master-Key": "master" } }),
    "results",
  );

/**
 * Runs on PGlite, a PostgreSQL in a package. Status 400 with a code reports an expired session, so a rule repeats the login.
 * Without an order the database returns rows in any order, and without a condition `count` is only an estimate.
 */
export const parseServer: Product = {
  name: "parse-server",
  packages: [
    "parse-server@9.10.0",
    "@electric-sql/pglite@0.5.14",
    "@electric-sql/pglite-socket@0.2.17",
    "express@5.2.1",
  ],
  npmOptions: ["--legacy-peer-deps"],
  script: "parse-server.mjs",
  ready: "/ready",
  records: 1000,
  jobs: [
    job(
      `offset, with a session good for ${life} s`,
      { method: "offset", limit: pageSize / 4, offsetParam: "skip" },
      {},
    ),
    job(
      "the same, with the total in the answer",
      {
        method: "offset",
        limit: pageSize / 4,
        offsetParam: "skip",
        limitStop: { field: "count" },
      },
      { count: 1, where: '{"number":{"$gte":0}}' },
    ),
  ],
  explored: [],
};

function job(tried: string, pagination: object, params: object): Job {
  return {
    tried,
    configuration: (baseUrl) => ({
      api: {
        baseUrl: `${baseUrl}/parse/`,
        http: {
          headers: application,
          responses: JSON.parse('[{ "when": { "status": 400, "path": "code", "is": [209] }, "then": "login" }]'),
        },
        pagination,
        authentication: {
          type: "login",
          loginRequest: {
            endpoint: "login",
            method: "POST",
            headers: application,
            params: { username: "ada", password: { attr: "#password" } },
          },
          apiRequest: { headers: { "X-Parse-Session-Token": "sessionToken" } },
        },
      },
      config: {
        "#password": "lovelace",
        jobs: [{ endpoint: "classes/Tree", dataField: "results", params: { order: "number", ...params } }],
      },
    }),
    held,
    login: true,
  };
}
