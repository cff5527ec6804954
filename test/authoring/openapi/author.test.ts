import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "jsonc-parser";
import { json, startApi } from "../../helpers/api.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";
import { people } from "../explore/fake-api.ts";

const answer = (schema: unknown, headers = {}) => ({
  "200": { description: "ok", headers, content: { "application/json": { schema } } },
});
const query = (name: string, schema: object = { type: "integer" }, required = false) => ({
  name,
  in: "query",
  required,
  schema,
});
const list = { type: "array", items: { $ref: "#/components/schemas/User" } };
const schemas = {
  User: {
    type: "object",
    properties: { id: { type: "integer" }, friends: { type: "array", items: { $ref: "#/components/schemas/User" } } },
  },
};

/** Runs `init --openapi` on a description. `configuration` is undefined if the command fails. */
async function init(description: unknown, ...words: string[]) {
  await using folder = await temporaryFolder();
  const file = await folder.write("openapi.json", description);
  const { code, stdout, stderr } = await spileHere(["init", "--openapi", file, ...words]);
  return { code, stderr, stdout, configuration: code === 0 ? parse(stdout) : undefined };
}

test("lists become jobs, with their data field, name, paging and required parameters", async () => {
  const { configuration, stderr, code, stdout } = await init({
    openapi: "3.1.0",
    info: { title: "x", version: "1" },
    servers: [{ url: "https://{region}.example.com/v2", variables: { region: { default: "eu" } } }],
    components: { schemas, securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
    security: [{ key: [] }],
    paths: {
      "/users": {
        parameters: [query("limit", { type: "integer", maximum: 50 }), query("offset")],
        get: { responses: answer({ type: "object", properties: { data: list, total: { type: "integer" } } }) },
        post: { responses: answer(list) },
      },
      "/orders": {
        get: {
          parameters: [
            query("cursor", { type: "string" }),
            query("status", { type: "string", enum: ["open", "done"] }, true),
            query("shop", { type: "string" }, true),
          ],
          responses: answer({
            allOf: [
              { type: "object", properties: { items: list } },
              { properties: { meta: { type: "object", properties: { next_cursor: { type: ["string", "null"] } } } } },
            ],
          }),
        },
      },
      "/tags": { get: { responses: answer({ type: ["array", "null"], items: { type: "string" } }) } },
      "/me": { get: { responses: answer({ $ref: "#/components/schemas/User" }) } },
      "/users/{id}/orders": { get: { responses: answer(list) } },
    },
  });
  assert.equal(code, 0, stderr);
  assert.deepEqual(configuration, {
    api: {
      baseUrl: "https://eu.example.com/v2/",
      pagination: {
        method: "multiple",
        scrollers: {
          offset: { method: "offset", limit: 50, probeEnd: true },
          "response-param": {
            method: "response.param",
            responseParam: "meta.next_cursor",
            queryParam: "cursor",
            includeParams: true,
          },
        },
      },
      http: { defaultOptions: { headers: { "X-Key": { attr: "#apiKey" } } } },
    },
    config: {
      "#apiKey": { env: "EXAMPLE_API_KEY" },
      status: "open",
      shop: { env: "EXAMPLE_SHOP" },
      jobs: [
        {
          endpoint: "users",
          dataField: "data",
          dataType: "users",
          scroller: "offset",
          children: [
            {
              endpoint: "users/{id}/orders",
              placeholders: { id: "id" },
              dataField: ".",
              dataType: "users-orders",
            },
          ],
        },
        {
          endpoint: "orders",
          params: { status: { attr: "status" }, shop: { attr: "shop" } },
          dataField: "items",
          dataType: "orders",
          scroller: "response-param",
        },
        { endpoint: "tags", dataField: ".", dataType: "tags" },
      ],
    },
  });
  assert.match(stdout, /\/\/ Not proven/);
  assert.match(stderr, /^export EXAMPLE_API_KEY='\*\*\*'$/m);
});

const fromSettings = (...args: unknown[]) => ({ function: "concat", args });
const listOf = (...fields: string[]) => ({
  type: "array",
  items: { type: "object", properties: Object.fromEntries(fields.map((name) => [name, { type: "string" }])) },
});

test("a list whose path has placeholders becomes a child of the list that supplies the values, or reads the values from settings", async () => {
  const get = (schema: object, ...parameters: object[]) => ({ get: { parameters, responses: answer(schema) } });
  const { configuration, stderr, code } = await init({
    openapi: "3.0.3",
    servers: [{ url: "https://api.example.com" }],
    paths: {
      "/orgs/{org}/repos/{repo_name}/issues": get(
        listOf("number"),
        query("per_page", { type: "integer", default: 30 }),
      ),
      "/orgs/{org}/repos": get(listOf("name", "id"), query("page")),
      "/orgs": get(listOf("org", "url")),
      "/orgs/{name}/repos/{repo}/issues/{nr}/notes": get(listOf("id")),
      "/orgs/{org}/repos/{repo}/issues/{nr}/notes/{id}/likes": get(listOf("id")),
      "/companies": get({ type: "object", properties: { items: listOf("companyId") } }),
      "/companies/{companyId}/offices": get(listOf("id")),
      "/cities/{city}/streets": get(listOf("id"), { name: "city", in: "path", required: true, example: "Bern" }),
      "/orgs/x-{org}/y": get(listOf("id")),
    },
  });
  assert.equal(code, 0, stderr);
  const jobs = (list: readonly { endpoint: unknown; children?: readonly { endpoint: unknown }[] }[] = []): unknown[] =>
    list.map(({ endpoint, children }) => [endpoint, ...jobs(children)]);
  assert.deepEqual(jobs(configuration?.config.jobs), [
    ["orgs", ["orgs/{org}/repos", ["orgs/{2:org}/repos/{repo_name}/issues"]]],
    [
      fromSettings("orgs/", { attr: "org_name" }, "/repos/", { attr: "repo" }, "/issues/", { attr: "nr" }, "/notes"),
      [
        fromSettings(
          "orgs/",
          { attr: "org_name" },
          "/repos/",
          { attr: "repo" },
          "/issues/",
          { attr: "nr" },
          "/notes/{id}/likes",
        ),
      ],
    ],
    ["companies", ["companies/{companyId}/offices"]],
    [fromSettings("cities/", { attr: "city" }, "/streets")],
    [fromSettings("orgs/x-", { attr: "org" }, "/y")],
  ]);
  const [orgs, , companies] = configuration?.config.jobs ?? [];
  assert.deepEqual(orgs.children[0].children, [
    {
      endpoint: "orgs/{2:org}/repos/{repo_name}/issues",
      placeholders: { "2:org": "org", repo_name: "name" },
      dataField: ".",
      dataType: "issues",
      scroller: "none",
    },
  ]);
  assert.deepEqual(companies.children[0].placeholders, { companyId: "companyId" });
  assert.deepEqual(configuration?.config.city, "Bern");
  assert.deepEqual(configuration?.config.nr, { env: "EXAMPLE_NR" });
  assert.match(stderr, /^export EXAMPLE_NR='\*\*\*'$/m);
  assert.deepEqual(configuration?.api.pagination.scrollers.none, { method: "none", fullPage: 30 });
  const notes = stderr.split("\n").filter((line) => line.startsWith("note  /"));
  const from = "takes the values of its path from settings";
  assert.deepEqual(notes, [
    `note  /orgs/{name}/repos/{repo}/issues/{nr}/notes ${from}: no field of the records of /orgs/{org}/repos/{repo_name}/issues contains its {nr}`,
    `note  /cities/{city}/streets ${from}: no list at /cities contains its {city}`,
    `note  /orgs/x-{org}/y ${from}: its parameter is only a part of a path segment`,
  ]);
});

test("--explore requests a child for the first record only, and the configuration reads all children", async () => {
  const posts = people(14);
  await using api = await startApi({
    "/users": () => [{ id: "a/1" }, { id: "b" }],
    "/users/a%2F1/posts": ({ params }) => posts.slice(Number(params.get("offset") ?? 0)).slice(0, 10),
    "/users/a/1/posts": ({ params }) => posts.slice(Number(params.get("offset") ?? 0)).slice(0, 10),
    "/users/b/posts": () => [],
  });
  const description = {
    openapi: "3.0.3",
    servers: [{ url: api.url }],
    paths: {
      "/users": { get: { responses: answer(listOf("id")) } },
      "/users/{userId}/posts": { get: { parameters: [query("offset")], responses: answer(listOf("id")) } },
    },
  };
  await using folder = await temporaryFolder();
  const file = await folder.write("openapi.json", description);
  const { code, stdout, stderr } = await spileHere(["init", "--openapi", file, "--explore"]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /found users\/\{userId\}\/posts: offset paging by "offset"/);
  assert.ok(!api.log.some(({ path }) => path.startsWith("/users/b/")), api.targets().join(" "));
  const run = await spileHere([await folder.write("written.json", stdout), "--strict", "--job", "users"]);
  assert.equal(run.code, 0, run.stderr + stdout);
  assert.equal(run.stdout.split("\n").length - 1, 2 + posts.length, run.stdout);
});

test("credentials of each scheme become settings, and an authentication, a header or a cookie", async () => {
  const rows: [object, string[], object][] = [
    [{ type: "http", scheme: "basic" }, [], { authentication: { type: "basic" } }],
    [
      { type: "http", scheme: "Bearer" },
      [],
      {
        http: {
          defaultOptions: { headers: { Authorization: { function: "concat", args: ["Bearer ", { attr: "#token" }] } } },
        },
      },
    ],
    [
      { type: "apiKey", in: "query", name: "key" },
      [],
      { authentication: { type: "query", query: { key: { attr: "#apiKey" } } } },
    ],
    [
      { type: "apiKey", in: "cookie", name: "sid" },
      [],
      {
        http: { defaultOptions: { headers: { Cookie: { function: "concat", args: ["sid=", { attr: "#apiKey" }] } } } },
      },
    ],
    [
      { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/token", scopes: {} } } },
      ["read", "list"],
      {
        authentication: {
          type: "login",
          loginRequest: {
            endpoint: "https://api.example.com/token",
            method: "FORM",
            params: {
              grant_type: "client_credentials",
              client_id: { attr: "clientId" },
              client_secret: { attr: "#clientSecret" },
              scope: "read list",
            },
          },
          apiRequest: {
            headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "access_token" }] } },
          },
          expires: { response: "expires_in", relative: true },
        },
      },
    ],
  ];
  for (const [scheme, scopes, expected] of rows) {
    const { configuration, stderr } = await init({
      openapi: "3.0.3",
      servers: [{ url: "https://api.example.com/v1" }],
      components: { securitySchemes: { it: scheme } },
      security: [{ it: scopes }],
      paths: { "/users": { get: { responses: answer({ type: "array", items: {} }) } } },
    });
    assert.deepEqual(configuration?.api, { baseUrl: "https://api.example.com/v1/", ...expected }, stderr);
  }
});

test("each job has the credentials of its operation, and a child job names them if its parent has different ones", async () => {
  const items = { responses: answer(list) };
  const token = { type: "http", scheme: "bearer" };
  const client = { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/token", scopes: {} } } };
  const initWithSecurity = (securitySchemes: object, paths: object) =>
    init({
      openapi: "3.0.3",
      servers: [{ url: "https://api.example.com" }],
      components: { schemas, securitySchemes },
      security: [{ user: [] }],
      paths,
    });
  const withId = { parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }] };
  const admin = { ...items, security: [{ "admin-key": [] }] };
  const { configuration, stderr, code } = await initWithSecurity(
    {
      user: client,
      "admin-key": { type: "http", scheme: "basic" },
      key: { type: "apiKey", in: "header", name: "X-Key" },
    },
    {
      "/users": { get: items },
      "/teams": { get: admin },
      "/teams/{id}/members": { ...withId, get: admin },
      "/teams/{id}/projects": { ...withId, get: items },
      "/logs": { get: { ...items, security: [{ key: [] }] } },
      "/open": { get: { ...items, security: [] } },
      "/both": { get: { ...items, security: [{ key: [] }, { user: [] }] } },
    },
  );
  assert.equal(code, 0, stderr);
  const { api, config } = configuration;
  assert.equal(api.authentication.type, "login");
  assert.deepEqual(api.authentications, {
    "admin-key": { type: "basic", username: { attr: "adminKeyUsername" }, password: { attr: "#adminKeyPassword" } },
    user: api.authentication,
  });
  const requestParts = ({ endpoint, authentication, headers, children = [] }: Record<string, unknown>): unknown[] => [
    endpoint,
    authentication,
    headers,
    ...(children as Record<string, unknown>[]).map(requestParts),
  ];
  const key = { "X-Key": { attr: "#keyApiKey" } };
  assert.deepEqual(config.jobs.map(requestParts), [
    ["users", undefined, undefined],
    [
      "teams",
      "admin-key",
      undefined,
      ["teams/{id}/members", "admin-key", undefined],
      ["teams/{id}/projects", "user", undefined],
    ],
    ["logs", false, key],
    ["open", undefined, undefined],
    ["both", undefined, undefined],
  ]);
  assert.deepEqual(config["#keyApiKey"], { env: "EXAMPLE_KEY_API_KEY" });
  assert.deepEqual(config["#adminKeyPassword"], { env: "EXAMPLE_ADMIN_KEY_PASSWORD" });
  assert.match(stderr, /EXAMPLE_ADMIN_KEY_PASSWORD/);
  const plain = await initWithSecurity(
    { user: token, key: { type: "apiKey", in: "query", name: "k" } },
    { "/users": { get: items }, "/logs": { get: { ...items, security: [{ key: [] }] } } },
  );
  assert.equal(plain.code, 0, plain.stderr);
  assert.deepEqual(plain.configuration.api.authentications, {
    key: { type: "query", query: { k: { attr: "#keyApiKey" } } },
  });
  assert.deepEqual(plain.configuration.config.jobs.map(requestParts), [
    ["users", undefined, undefined],
    ["logs", "key", undefined],
  ]);
});

test("a description may be YAML, may refer to other files, may have circular references, and may be limited by --only", async () => {
  await using folder = await temporaryFolder();
  // The reference has escapes of JSON pointers, which belong to the file name, and percent-encoding, which is decoded.
  await folder.write("user ~1~0.yaml", "type: object\nproperties:\n  id: { type: integer }\n  boss: { $ref: '#' }\n");
  const file = await folder.write(
    "openapi.yaml",
    `openapi: 3.0.0
servers: [{ url: https://api.example.com }]
paths:
  /users:
    get:
      parameters: [{ name: page, in: query, schema: { type: integer, minimum: 0 } }]
      responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: user%20~1~0.yaml } } } } } }
  /other:
    get:
      responses: { "200": { content: { application/json: { schema: { type: array, items: { type: string } } } } } }
`,
  );
  const { code, stdout, stderr } = await spileHere(["init", "--openapi", file, "--only", "/us*"]);
  assert.equal(code, 0, stderr);
  const { api, config } = parse(stdout);
  assert.deepEqual(api.pagination, { method: "pagenum", firstPage: 0 });
  assert.deepEqual(config.jobs, [{ endpoint: "users", dataField: ".", dataType: "users" }]);
});

test("--explore keeps a paging only if a request has confirmed it", async () => {
  const all = people(23);
  await using api = await startApi({
    "/users": ({ params, headers }) => {
      if (headers["x-key"] !== "k3y") return json({}, { status: 401 });
      const from = Number(params.get("offset") ?? 0);
      return { data: all.slice(from, from + 10), total: 23 };
    },
    "/tags": ({ headers }) => (headers["x-key"] === "k3y" ? ["a", "b"] : json({}, { status: 401 })),
  });
  const description = {
    openapi: "3.0.3",
    servers: [{ url: api.url }],
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
    security: [{ key: [] }],
    paths: {
      "/users": {
        get: {
          parameters: [query("limit", { type: "integer", maximum: 500 }), query("offset")],
          responses: answer({ type: "object", properties: { data: { type: "array", items: {} } } }),
        },
      },
      "/tags": {
        get: { parameters: [query("page")], responses: answer({ type: "array", items: { type: "string" } }) },
      },
    },
  };
  await using folder = await temporaryFolder();
  const file = await folder.write("openapi.json", description);
  const env = { API_KEY: "k3y" };
  const { code, stdout, stderr } = await spileHere(["init", "--openapi", file, "--explore"], { env });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /found users: offset paging by "offset"/);
  assert.match(stderr, /note {2}tags: no paging was found/);
  const configuration = await folder.write("written.json", stdout);
  const run = await spileHere([configuration, "--job", "users", "--strict"], { env });
  assert.equal(run.code, 0, run.stderr + stdout);
  assert.equal(run.stdout, all.map((user) => `${JSON.stringify(user)}\n`).join(""));
});

test("a file is refused if it is not a description or describes no list", async () => {
  for (const [description, pattern] of [
    [{ swagger: "2.0", paths: {} }, /not an OpenAPI description of version 3.0 or 3.1: it is of Swagger 2.0/],
    [{ a: 1 }, /has no openapi: 3.x/],
    [{ openapi: "3.0.0", paths: {} }, /has no GET that returns a list/],
    [
      { openapi: "3.0.0", paths: { "/a": { get: { responses: answer({ $ref: "#/nowhere" }) } } } },
      /cannot read the OpenAPI description/,
    ],
    ["{", /cannot read the OpenAPI description/],
  ] as const) {
    const { code, stderr } = await init(description);
    assert.equal(code, 64, stderr);
    assert.match(stderr, pattern);
  }
});

test("a description of more than 16 MiB is read", async () => {
  const get = { description: "x".repeat(17 * 2 ** 20), responses: answer(list) };
  const { code, stderr } = await init({ openapi: "3.0.0", components: { schemas }, paths: { "/users": { get } } });
  assert.equal(code, 0, stderr);
});

/** Runs `init --openapi` on a description of one list at these servers. `more`: members of the operation. */
async function initAtServers(servers: unknown, more: object = {}, ...words: string[]) {
  const get = { responses: answer({ type: "array", items: { type: "string" } }), ...more };
  return init({ openapi: "3.0.3", servers, paths: { "/tags": { get } } }, ...words);
}

test("a server's variables get their defaults or first values; without a value or a host, the address is https://api.invalid, with a note", async () => {
  const variable = (name: string, value: object) => [
    { url: `https://{${name}}.example.com/v1`, variables: { [name]: value } },
  ];
  for (const [servers, baseUrl, note] of [
    [variable("region", {}), "https://api.invalid/v1/", /has no value for \{region\}: put the API's address into/],
    [variable("x", { default: "" }), "https://api.invalid/v1/", /has no value for \{x\}/],
    [variable("r", { enum: ["eu", "us"] }), "https://eu.example.com/v1/", undefined],
    [[{ url: "/v3" }], "https://api.invalid/v3/", /names no host \(server \/v3\)/],
    [
      [{ url: "https://h.example.com/{api-version}/", variables: { "api-version": { default: "v9" } } }],
      "https://h.example.com/v9/",
      undefined,
    ],
    [
      [{ url: "https://h.example.com/{base}", variables: { base: { default: "" } } }],
      "https://h.example.com/",
      undefined,
    ],
  ] as const) {
    const { configuration, stderr } = await initAtServers(servers);
    assert.equal(configuration?.api.baseUrl, baseUrl, stderr);
    if (note === undefined) assert.doesNotMatch(stderr, /^note/m);
    else assert.match(stderr, note);
  }
});

test("the query of a server is sent with each request, and the servers of a path take precedence", async () => {
  const { configuration } = await initAtServers([{ url: "https://h.example.com/v1?tenant=7" }]);
  assert.equal(configuration?.api.baseUrl, "https://h.example.com/v1/");
  assert.deepEqual(configuration?.config.jobs[0].params, { tenant: "7" });
  const elsewhere = await initAtServers([{ url: "https://h.example.com/v1" }], {
    servers: [{ url: "https://files.example.com/v2" }],
  });
  assert.equal(elsewhere.configuration?.api.baseUrl, "https://h.example.com/v1/");
  assert.equal(elsewhere.configuration?.config.jobs[0].endpoint, "https://files.example.com/v2/tags");
  assert.match(elsewhere.stderr, /\/tags is at https:\/\/files\.example\.com, which gets the credentials, too/);
});

test("a reference that nothing needs is not followed, and addresses are not fetched", async () => {
  const schema = { type: "array", items: { $ref: "https://h.example.com/user.json" } };
  const { code, configuration, stderr } = await init({
    openapi: "3.1.0",
    servers: [{ url: "https://h.example.com" }],
    components: { schemas: { Lost: { $ref: "#/nowhere" }, Far: { $ref: "https://h.example.com/far.yaml#/x" } } },
    paths: { "/users": { get: { responses: answer(schema) } } },
  });
  assert.equal(code, 0, stderr);
  assert.equal(configuration?.config.jobs[0].endpoint, "users");
});

test("aliases of aliases, and references that multiply, are read in little time", { timeout: 60_000 }, async () => {
  await using folder = await temporaryFolder();
  const levels = Array.from({ length: 9 }, (_, level) => {
    const inner = Array.from(
      { length: 9 },
      (_, index) => `p${index}: ${level === 0 ? "{ type: string }" : `*l${level - 1}`}`,
    );
    return `  l${level}: &l${level} { type: object, properties: { ${inner.join(", ")} } }`;
  });
  const yaml = `openapi: 3.0.0
servers: [{ url: https://api.example.com }]
x-levels:
${levels.join("\n")}
paths:
  /users:
    get: { responses: { "200": { content: { application/json: { schema: *l8 } } } } }
  /tags:
    get: { responses: { "200": { content: { application/json: { schema: { type: array, items: *l8 } } } } } }
`;
  const aliases = await spileHere(["init", "--openapi", await folder.write("bomb.yaml", yaml)]);
  assert.equal(aliases.code, 0, aliases.stderr);
  assert.match(aliases.stdout, /"endpoint": "tags"/);
  const nested = (kind: "allOf" | "properties") =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => {
        const next = { $ref: `#/components/schemas/${kind}${level + 1}` };
        const inner = kind === "allOf" ? [next, next, next, next] : { a: next, b: next, c: next, d: next };
        return [`${kind}${level}`, level === 29 ? { type: "string" } : { [kind]: inner }];
      }),
    );
  const { code, stderr } = await init({
    openapi: "3.0.0",
    servers: [{ url: "https://api.example.com" }],
    components: { schemas: { ...nested("allOf"), ...nested("properties") } },
    paths: Object.fromEntries(
      ["allOf0", "properties0"].map((name) => {
        const items = { $ref: `#/components/schemas/${name}` };
        const data = { type: "object", properties: { data: { type: "array", items }, more: items } };
        return [`/${name}`, { get: { responses: answer(data) } }];
      }),
    ),
  });
  assert.equal(code, 0, stderr);
});

test("the source of the next address gets another delimiter if a name in it contains a dot", async () => {
  const fields = { value: list, "@odata.nextLink": { type: "string" } };
  const { configuration } = await init({
    openapi: "3.0.0",
    servers: [{ url: "https://api.example.com" }],
    components: { schemas },
    paths: { "/users": { get: { responses: answer({ type: "object", properties: fields }) } } },
  });
  assert.deepEqual(configuration.api.pagination.urlKey, { path: "@odata.nextLink", delimiter: "/" });
});
