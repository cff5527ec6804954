import { itemPageSize, pageSize } from "./dataset.ts";

/** Returns a configuration that logs in with tokens that expire, and pages through the endless orders and the items of some of them. */
export function configuration(url: string): unknown {
  return {
    api: {
      baseUrl: url,
      authentication: {
        type: "login",
        loginRequest: { endpoint: "login", method: "POST", params: { user: "soak", password: { attr: "#password" } } },
        apiRequest: { headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "token" }] } } },
        expires: { response: "expires_in", relative: true },
      },
      pagination: {
        method: "multiple",
        scrollers: {
          default: { method: "offset", limit: pageSize },
          items: { method: "offset", limit: itemPageSize },
        },
      },
    },
    config: {
      "#password": "drip-drip-drip",
      jobs: [
        {
          endpoint: "orders",
          dataField: "data.list",
          children: [
            {
              endpoint: "orders/{id}/items",
              scroller: "items",
              dataField: "data.list",
              placeholders: { id: "id" },
              recursionFilter: "items>0",
            },
          ],
        },
      ],
    },
  };
}
