import { life, listOf, type Product, pageSize, postOf } from "../product.ts";

const fields = "id name number price tags place { city at { lat lon } } note active";
const query = (field: string, first: number): string =>
  `query($after: String) { ${field}(first: ${first}, after: $after) { nodes { ${fields} } pageInfo { endCursor hasNextPage } } }`;
const held = (base: string): Promise<unknown[]> =>
  listOf(postOf(`${base}/graphql`, { query: query("trees", 1_000_000) }), "data", "trees", "nodes");

function configuration(baseUrl: string, field: string): Record<string, unknown> {
  return {
    api: {
      baseUrl,
      pagination: {
        method: "response.param",
        responseParam: `data.${field}.pageInfo.endCursor`,
        queryParam: { path: "variables.after" },
        includeParams: true,
        nextPageFlag: { field: { path: `data.${field}.pageInfo.hasNextPage` }, stopOn: false },
      },
      ...(field === "ownTrees" ? { authentication } : {}),
    },
    config: {
      "#password": "lovelace",
      jobs: [
        {
          endpoint: "graphql",
          method: "POST",
          dataField: `data.${field}.nodes`,
          params: { query: query(field, pageSize), variables: { after: null } },
        },
      ],
    },
  };
}

const authentication = {
  type: "login",
  loginRequest: {
    endpoint: "graphql",
    method: "POST",
    params: {
      query: 'mutation($password: String!) { login(user: "ada", password: $password) { token expiresIn } }',
      variables: { password: { attr: "#password" } },
    },
  },
  apiRequest: {
    headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "data.login.token" }] } },
  },
};

/** Cursors in bodies; status 401 reports an expired session. */
export const graphqlYoga: Product = {
  name: "graphql-yoga",
  packages: ["graphql-yoga@5.24.1", "graphql@16.13.2"],
  script: "graphql-yoga.mjs",
  ready: "/graphql?query={__typename}",
  jobs: [
    { tried: "cursor in a GraphQL body", configuration: (base) => configuration(base, "trees"), held },
    {
      tried: `the same, with a login good for ${life} s`,
      configuration: (base) => configuration(base, "ownTrees"),
      held,
      login: true,
    },
  ],
  explored: [
    {
      init: (base) => [
        ...["curl", `${base}/graphql`, "-H", "Content-Type: application/json", "-d"],
        JSON.stringify({ query: query("trees", 50), variables: { after: null } }),
      ],
      get: (base) => [
        ...[
          `${base}/graphql`,
          "--data",
          JSON.stringify({ query: query("trees", pageSize), variables: { after: null } }),
        ],
        ...["--records", "data.trees.nodes", "--paging", "response.param"],
        ...["--next", "data.trees.pageInfo.endCursor", "--token-param", "path:variables.after"],
      ],
      held,
    },
  ],
};
