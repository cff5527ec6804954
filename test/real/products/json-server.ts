import { type Job, listOf, type Product, pageSize } from "../product.ts";

const held = (base: string): Promise<unknown[]> => listOf(new Request(`${base}/trees`));

/** Answers with bare lists; only headers report more. */
export const jsonServer: Product = {
  name: "json-server",
  packages: ["json-server@0.17.4"],
  script: "json-server.mjs",
  ready: "/trees?_limit=1",
  jobs: [
    job("offset", { method: "offset", limit: pageSize, limitParam: "_limit", offsetParam: "_start" }),
    job("pagenum", { method: "pagenum", limit: pageSize, limitParam: "_limit", pageParam: "_page" }),
    job("link header", { method: "link" }, { _page: 1, _limit: pageSize }),
  ],
  explored: [
    {
      init: (base) => [`${base}/trees?_page=1&_limit=20`],
      get: (base) => [`${base}/trees?_page=1&_limit=${pageSize}`, "--paging", "link"],
      held,
    },
    {
      init: (base) => ["curl", `${base}/trees?_start=0&_limit=50`],
      get: (base) => [
        ...[`${base}/trees`, "--paging", "offset", "--limit", `${pageSize}`],
        ...["--limit-param", "_limit", "--offset-param", "_start"],
      ],
      held,
    },
  ],
};

/** The next version answers with pages `{"first", "next", "data"}`, in which "next" is a number. */
export const jsonServer1: Product = {
  name: "json-server 1",
  packages: ["json-server@1.0.0-beta.3"],
  script: "json-server-1.mjs",
  ready: "/trees?_page=1&_per_page=1",
  jobs: [
    job("pagenum", { method: "pagenum", limit: pageSize, limitParam: "_per_page", pageParam: "_page" }, {}, "data"),
    job(
      "number of the next page in the body",
      { method: "response.param", responseParam: "next", queryParam: "_page", includeParams: true },
      { _page: 1, _per_page: pageSize },
      "data",
    ),
  ],
  explored: [
    {
      init: (base) => [`${base}/trees?_page=1&_per_page=50`],
      get: (base) => [
        ...[`${base}/trees?_per_page=${pageSize}&_page=1`, "--records", "data", "--paging", "response.param"],
        ...["--next", "next", "--token-param", "_page"],
      ],
      held,
    },
    { init: (base) => [`${base}/trees`], get: (base) => [`${base}/trees`], held },
  ],
};

function job(tried: string, pagination: object, params: object = {}, dataField?: string): Job {
  return {
    tried,
    configuration: (baseUrl) => ({
      api: { baseUrl, pagination },
      config: { jobs: [{ endpoint: "trees", params, ...(dataField === undefined ? {} : { dataField }) }] },
    }),
    held,
  };
}
