import { type Job, life, listOf, type Product, pageSize, postOf } from "../product.ts";

const rows = (base: string): Promise<unknown[]> =>
  listOf(new Request(`${base}/trees/_all_docs?include_docs=true`), "rows");
const documents = (base: string): Promise<unknown[]> =>
  listOf(postOf(`${base}/trees/_find`, { selector: {}, limit: 1_000_000 }), "docs");
const changes = (base: string): Promise<unknown[]> => listOf(new Request(`${base}/trees/_changes`), "results");

const asJson = ["-H", "content-type: application/json"];
const offset = { method: "offset", limit: pageSize, offsetParam: "skip" };

/** CouchDB's API. Both databases have the same documents in the same revisions. */
export const expressPouchDb: Product = {
  name: "express-pouchdb",
  packages: ["express-pouchdb@4.2.0", "pouchdb-node@9.0.0", "express@4.22.1"],
  script: "express-pouchdb.mjs",
  ready: "/trees/_all_docs?limit=1",
  jobs: [
    job("offset", offset, { endpoint: "trees/_all_docs", params: { include_docs: true }, dataField: "rows" }, rows),
    job(
      "offset in a body",
      offset,
      { endpoint: "trees/_find", method: "POST", params: { selector: {} }, dataField: "docs" },
      documents,
    ),
    job(
      "sequence in the body",
      { method: "response.param", responseParam: "last_seq", queryParam: "since", includeParams: true },
      { endpoint: "trees/_changes", params: { limit: pageSize }, dataField: "results" },
      changes,
    ),
    {
      ...job(
        `offset, with a cookie good for ${life} s`,
        offset,
        { endpoint: "own/_all_docs", params: { include_docs: true }, dataField: "rows" },
        rows,
        {
          type: "login",
          loginRequest: {
            endpoint: "_session",
            method: "POST",
            params: { name: "ada", password: { attr: "#password" } },
          },
        },
      ),
      login: true,
    },
  ],
  explored: [
    {
      init: (base) => [`${base}/trees/_all_docs?include_docs=true&limit=50`],
      get: (base) => [
        ...[`${base}/trees/_all_docs`, "--json-param", "include_docs=true", "--records", "rows"],
        ...["--paging", "offset", "--limit", `${pageSize}`, "--offset-param", "skip"],
      ],
      held: rows,
    },
    {
      init: (base) => ["curl", `${base}/trees/_changes?limit=50`],
      get: (base) => [
        ...[`${base}/trees/_changes`, "-p", `limit=${pageSize}`, "--records", "results"],
        ...["--paging", "response.param", "--next", "last_seq", "--token-param", "since"],
      ],
      held: changes,
    },
    {
      init: (base) => ["curl", `${base}/trees/_find`, ...asJson, "-d", '{"selector":{},"limit":50}'],
      get: (base) => [
        ...[`${base}/trees/_find`, "--data", '{"selector":{}}', "--records", "docs"],
        ...["--paging", "offset", "--limit", `${pageSize}`, "--offset-param", "skip"],
      ],
      held: documents,
    },
  ],
};

function job(tried: string, pagination: object, one: object, held: Job["held"], authentication?: object): Job {
  return {
    tried,
    configuration: (baseUrl) => ({
      api: { baseUrl, pagination, ...(authentication === undefined ? {} : { authentication }) },
      config: { "#password": "lovelace", jobs: [one] },
    }),
    held,
  };
}
