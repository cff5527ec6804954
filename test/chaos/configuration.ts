import type { Dataset } from "./dataset.ts";
import type { Scenario } from "./scenario.ts";

/** The configuration of a scenario, for the API at `url`. */
export function configurationOf(scenario: Scenario, url: string): unknown {
  const { method, size, limitStop, probeEnd, login, datasets, stalls } = scenario;
  return {
    api: {
      baseUrl: url,
      pagination: {
        method,
        limit: size,
        probeEnd,
        ...(limitStop
          ? { limitStop: { field: datasets.some(({ shape }) => shape === "items") ? "total" : "data.total" } }
          : {}),
      },
      ...(stalls ? { http: { idleTimeout: 0.15, requestTimeout: 0.2 } } : {}),
      ...(login === undefined
        ? {}
        : {
            authentication: {
              type: "login",
              loginRequest: { endpoint: "login" },
              apiRequest: { headers: { "X-ApiToken": "token" } },
              ...(login.expires === undefined ? {} : { expires: login.expires }),
            },
          }),
    },
    config: {
      jobs: datasets.map((dataset) => jobOf(dataset.endpoint, dataset)),
    },
  };
}

function jobOf(endpoint: string, { shape, size, children }: Pick<Dataset, "shape" | "size" | "children">): object {
  return {
    endpoint,
    ...(shape === "data.items" ? { dataField: shape } : {}),
    ...(size === undefined ? {} : { params: { limit: size } }),
    children: children.map((child) => ({
      ...jobOf(`${child.name}/{id}`, child),
      placeholders: { id: "id" },
      ...(child.filtered ? { recursionFilter: "id!~%3" } : {}),
    })),
  };
}
