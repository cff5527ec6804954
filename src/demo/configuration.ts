import { datasets } from "./datasets.ts";

/** The only user of the demo API. */
export const demoUser = { user: "sugarmaker", password: "drip-drip-drip" };

/** Returns a configuration that fetches everything from the demo API at `baseUrl`. */
export function demoConfiguration(baseUrl: string): unknown {
  return {
    api: {
      baseUrl,
      authentication: {
        type: "login",
        loginRequest: {
          endpoint: "login",
          method: "POST",
          params: { user: { attr: "user" }, password: { attr: "#password" } },
        },
        apiRequest: {
          headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "session.token" }] } },
        },
        expires: { response: "session.expires_in", relative: true },
      },
      pagination: { method: "offset", limit: 100 },
    },
    config: {
      user: demoUser.user,
      "#password": demoUser.password,
      jobs: [...datasets].map(([name, { dataField }]) => ({
        endpoint: name,
        dataType: name,
        dataField: dataField.join("."),
      })),
    },
  };
}
