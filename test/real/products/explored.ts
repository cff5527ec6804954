import { type Explored, listOf, type Product, postOf } from "../product.ts";

/*
 * Products with which only `init` is tried: the configuration that it writes for an address fetches every record, and the first
 * page alone is suspect.
 */

type Held = Explored["held"];

/** Returns every record at a path of the product; `path`: the place of the list in the response. */
const all =
  (target: string, ...path: readonly string[]): Held =>
  (base) =>
    listOf(new Request(base + target), ...path);

/** Returns every record in the response to a body that is posted to a path. */
const answered =
  (target: string, body: object, ...path: readonly string[]): Held =>
  (base) =>
    listOf(postOf(base + target, body), ...path);

/** Returns an address to explore; `records` is the place of its records, for the first page alone. */
function explored(target: string, held: Held, records?: string): Explored {
  return {
    init: (base) => [base + target],
    alone: (base) => [base + target, ...(records === undefined ? [] : ["--records", records])],
    held,
  };
}

/** Returns an address to explore by posting a body. */
function posted(target: string, body: object, held: Held, records?: string): Explored {
  const data = JSON.stringify(body);
  return {
    init: (base) => ["curl", base + target, "-H", "content-type: application/json", "-d", data],
    alone: (base) => [base + target, "--data", data, ...(records === undefined ? [] : ["--records", records])],
    held,
  };
}

function server(script: string, ready: string): Pick<Product, "name" | "script" | "ready" | "jobs"> {
  return { name: script.replace(/(-server)?\.\w+$/, ""), script, ready, jobs: [] };
}

const graphql = {
  query:
    "query($page: Int, $perPage: Int) { allTrees(page: $page, perPage: $perPage) { id name number price active } }",
  variables: { page: 0, perPage: 50 },
};
const everyTree = all("/all");
const token = "a-token-of-this-test-alone";
const asService = ["-H", `Authorization: token ${token}`];
const jsonApi = ["-H", "Accept: application/vnd.api+json"];
const spatial = all("/collections/trees/items?f=json&limit=100000", "features");
const rows = all("/forest/trees.json?_shape=objects&_size=max", "rows");
const stored = "/v1/buckets/forest/collections/trees/records";

export const exploredProducts: readonly Product[] = [
  {
    ...server("feathers.mjs", "/trees?$limit=1"),
    packages: ["@feathersjs/feathers@5.0.50", "@feathersjs/koa@5.0.50", "@feathersjs/memory@5.0.50"],
    explored: [explored("/trees?$limit=40", everyTree, "data"), explored("/trees", everyTree, "data")],
  },
  {
    ...server("hapi-pagination.mjs", "/trees?limit=1"),
    packages: ["hapi-pagination@4.0.0", "@hapi/hapi@19.2.0"],
    explored: [
      explored("/trees?limit=40", everyTree, "results"),
      explored("/trees?limit=40&page=1", everyTree, "results"),
    ],
  },
  {
    ...server("moleculer.mjs", "/trees?pageSize=1"),
    packages: ["moleculer@0.14.36", "moleculer-db@0.8.29", "moleculer-web@0.10.8"],
    explored: [explored("/trees?pageSize=40", everyTree, "rows"), explored("/trees", everyTree, "rows")],
  },
  {
    ...server("json-graphql-server.mjs", "/all"),
    packages: ["json-graphql-server@3.3.2", "express@4.22.3"],
    explored: [posted("/graphql", graphql, everyTree, "data.allTrees")],
  },
  {
    ...server("simple-odata-server.mjs", "/trees?$top=1"),
    packages: ["simple-odata-server@1.2.2", "simple-odata-server-nedb@1.0.0", "@seald-io/nedb@4.1.2"],
    explored: [
      explored("/trees?$top=40&$count=true", all("/trees", "value"), "value"),
      explored("/trees?$top=40", all("/trees", "value"), "value"),
    ],
  },
  {
    ...server("fortune.mjs", "/ready"),
    packages: ["fortune@5.5.19", "fortune-http@1.2.28", "fortune-json-api@2.3.1"],
    explored: [
      {
        init: (base) => ["curl", "-g", `${base}/trees?page[limit]=40`, ...jsonApi],
        alone: (base) => [`${base}/trees?page[limit]=40`, ...jsonApi, "--records", "data"],
        held: (base) =>
          listOf(
            new Request(`${base}/trees?page[limit]=100000`, { headers: { Accept: "application/vnd.api+json" } }),
            "data",
          ),
      },
    ],
  },
  {
    ...server("verdaccio.mjs", "/-/v1/search?text=tree&size=1"),
    packages: ["verdaccio@6.8.0"],
    // The total counts only the page, so a page with as many records as requested seems to be complete.
    explored: [
      {
        init: (base) => [`${base}/-/v1/search?text=tree&size=40`],
        held: all("/-/v1/search?text=tree&size=100000", "objects"),
      },
    ],
  },
  {
    ...server("datasette-server.py", "/forest/trees.json?_size=1"),
    packages: ["datasette==0.65.5"],
    explored: [
      explored("/forest/trees.json?_shape=objects&_size=50", rows, "rows"),
      explored("/forest/trees.json?_shape=array&_size=50", rows),
    ],
  },
  {
    ...server("django-rest-framework.py", "/numbers/?page_size=1"),
    packages: ["djangorestframework==3.18.3", "django==5.2.19"],
    explored: [
      explored("/numbers/?page_size=40", all("/all/"), "results"),
      explored("/offsets/?limit=40", all("/all/"), "results"),
      explored("/cursors/", all("/all/"), "results"),
    ],
  },
  {
    ...server("fastapi-pagination.py", "/numbers?size=1"),
    packages: ["fastapi-pagination==0.16.1", "fastapi==0.165.0", "uvicorn==0.54.0"],
    explored: [
      explored("/numbers?size=40", everyTree, "items"),
      explored("/offsets?limit=40", everyTree, "items"),
      explored("/offsets", everyTree, "items"),
    ],
  },
  {
    ...server("kinto-server.py", "/v1/"),
    packages: ["kinto==26.5.0"],
    explored: [explored(`${stored}?_limit=50`, all(stored, "data"), "data")],
  },
  {
    ...server("pygeoapi-server.py", "/?f=json"),
    packages: ["pygeoapi==0.21.0"],
    explored: [
      explored("/collections/trees/items?f=json&limit=50", spatial, "features"),
      explored("/collections/trees/items?f=json", spatial, "features"),
    ],
  },
  {
    ...server("buildbot-server.py", "/api/v2/builders?limit=1"),
    packages: ["buildbot==4.3.0", "buildbot-www==4.3.0"],
    records: 330,
    explored: [explored("/api/v2/builders?limit=50", all("/api/v2/builders", "builders"), "builders")],
  },
  {
    ...server("prefect-server.py", "/api/flows/name/ready"),
    packages: ["prefect==3.9.1"],
    records: 330,
    explored: [
      posted("/api/flows/filter", { limit: 40 }, answered("/api/flows/filter", {})),
      posted("/api/flows/paginate", { limit: 40 }, answered("/api/flows/filter", {}), "results"),
    ],
  },
  {
    ...server("jupyterhub-server.py", "/hub/api/"),
    packages: ["jupyterhub==6.1.1"],
    records: 330,
    explored: [
      {
        init: (base) => ["curl", `${base}/hub/api/users?limit=50`, ...asService],
        alone: (base) => [`${base}/hub/api/users?limit=50`, ...asService],
        held: (base) =>
          listOf(new Request(`${base}/hub/api/users?limit=100000`, { headers: { Authorization: `token ${token}` } })),
        credential: token,
      },
    ],
  },
  {
    ...server("wagtail-server.py", "/api/pages/?limit=1"),
    packages: ["wagtail==8.0.1"],
    records: 130,
    explored: [
      explored("/api/pages/?limit=20", all("/api/pages/?limit=100000", "items"), "items"),
      explored("/api/pages/", all("/api/pages/?limit=100000", "items"), "items"),
    ],
  },
];
