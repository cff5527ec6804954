import { listOf, type Product, pageSize } from "../product.ts";

const held = (base: string): Promise<unknown[]> =>
  listOf(new Request(`${base}/trees?page[offset]=0&page[limit]=1000000`), "data");

/** The form of JSON:API that its authors intended. */
export const jsonApiServer: Product = {
  name: "jsonapi-server",
  packages: ["jsonapi-server@4.2.0"],
  script: "jsonapi-server.mjs",
  ready: "/trees?page[limit]=1",
  jobs: [
    {
      tried: "response.url",
      configuration: (baseUrl) => ({
        api: { baseUrl, pagination: { method: "response.url", urlKey: "links.next" } },
        config: { jobs: [{ endpoint: "trees", dataField: "data", params: { page: { limit: pageSize } } }] },
      }),
      held,
    },
    {
      tried: "offset in page[offset]",
      configuration: (baseUrl) => ({
        api: {
          baseUrl,
          pagination: {
            method: "offset",
            limit: pageSize,
            limitParam: { path: "page.limit" },
            offsetParam: { path: "page.offset" },
          },
        },
        config: { jobs: [{ endpoint: "trees", dataField: "data" }] },
      }),
      held,
    },
  ],
  explored: [
    {
      init: (base) => [`${base}/trees`],
      get: (base) => [`${base}/trees`, "--records", "data", "--paging", "response.url", "--next", "links.next"],
      held,
    },
  ],
};
