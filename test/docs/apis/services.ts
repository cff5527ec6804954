import { json, text } from "../../helpers/api.ts";
import { bodyOf, type FakeApi, many, origin, refused, tooMany, two, withHeaders } from "./fake-api.ts";

const accounts = many(5, (number) => ({
  attributes: { type: "Account" },
  Id: `001${number}`,
  Name: `account ${number}`,
}));
const people = many(5, (number) => ({ id: `${number}`, displayName: `person ${number}` }));
const hits = many(5, (number) => ({
  _id: `${number}`,
  _source: { order_id: `${number}` },
  sort: [1700000000000 + number, `${number}`],
}));
const members = many(5, (number) => ({ pageid: number, ns: 0, title: `Tree ${number}` }));
const posts = many(200, (id) => ({ id, slug: `post-${id}` }));
const events = many(5, (number) => ({ eventid: `900719925474099${number}`, name: `event ${number}` }));
const servers = many(5, (number) => ({ id: `server-${number}`, status: "ACTIVE" }));
const issues = many(150, (number) => ({ key: `TREES-${number}` }));

const documents = many(150, (number) => ({
  _id: `order-${String(number).padStart(3, "0")}`,
  _rev: `1-${number}`,
  number,
}));
const rowOf = ({ _id, _rev }: (typeof documents)[number]) => ({ id: _id, key: _id, value: { rev: _rev } });

/** Returns Elasticsearch's answer around these hits. */
function found(page: readonly unknown[]): object {
  const total = { value: hits.length, relation: "eq" };
  return { took: 1, timed_out: false, _shards: { total: 1, successful: 1, failed: 0 }, hits: { total, hits: page } };
}

const elastic = {
  env: { ELASTIC_API_KEY: "key-secret" },
  records: hits,
  requests: 4,
  limited: [tooMany({ error: { type: "es_rejected_execution_exception" }, status: 429 }, {})],
};

/** APIs with addresses in bodies, with searches, with counts, or with methods of their own. */
export const services: Readonly<Record<string, FakeApi>> = {
  Salesforce: {
    env: { SALESFORCE_CLIENT_ID: "client", SALESFORCE_CLIENT_SECRET: "client-secret" },
    records: accounts,
    requests: 3,
    login: "/services/oauth2/token",
    answer: (request) => {
      if (request.path === "/services/oauth2/token") {
        const form = new URLSearchParams(request.body);
        const good = form.get("grant_type") === "client_credentials" && form.get("client_secret") === "client-secret";
        return good ? { access_token: "00D-secret", token_type: "Bearer" } : refused("invalid_client");
      }
      return withHeaders({ authorization: "Bearer 00D-secret" }, ({ path, params }) => {
        const [, start] = /\/query\/01g-(\d+)$/.exec(path) ?? [];
        if (start === undefined && !params.get("q")?.startsWith("SELECT")) return refused("MALFORMED_QUERY");
        const { page, next } = two(accounts, Number(start ?? 0));
        const more = next === undefined ? {} : { nextRecordsUrl: `/services/data/v62.0/query/01g-${next}` };
        return { totalSize: accounts.length, done: next === undefined, ...more, records: page };
      })(request);
    },
    limited: [tooMany([{ errorCode: "REQUEST_LIMIT_EXCEEDED" }])],
    failures: {
      "the quota of the day": {
        answer: () =>
          json([{ message: "TotalRequests Limit exceeded.", errorCode: "REQUEST_LIMIT_EXCEEDED" }], { status: 403 }),
        code: 75,
        says: /TotalRequests Limit exceeded/,
      },
      "an address that is missing": {
        answer: () => json({ totalSize: accounts.length, done: false, records: [] }),
        code: 1,
        says: /accounts suspect.*totalSize/,
      },
    },
  },
  "Salesforce, Bulk API 2.0": {
    env: { SALESFORCE_CLIENT_ID: "client", SALESFORCE_CLIENT_SECRET: "client-secret" },
    records: accounts.map(({ Id, Name }) => ({ Id, Name })),
    // The query, two requests for its state, and three pages.
    requests: 6,
    login: "/services/oauth2/token",
    answer: bulkQuery(),
    limited: [tooMany([{ errorCode: "REQUEST_LIMIT_EXCEEDED" }])],
    failures: {
      "a query that has failed": {
        answer: () => json({ id: "750-7", state: "Failed", errorMessage: "no such column" }),
        code: 69,
        says: /step "state": GET \S+: answered 200: no such column/,
      },
    },
  },
  CouchDB: {
    env: { COUCHDB_USER: "reader", COUCHDB_PASSWORD: "couch-secret" },
    records: documents,
    requests: 2,
    answer: withHeaders(
      { authorization: `Basic ${Buffer.from("reader:couch-secret").toString("base64")}` },
      (request) => {
        const { params } = request;
        if (request.path !== "/orders/_all_docs" || params.get("include_docs") !== "true") return refused("params");
        const [skip, limit] = [Number(params.get("skip") ?? 0), Number(params.get("limit"))];
        const rows = documents.slice(skip, skip + limit).map((doc) => ({ ...rowOf(doc), doc }));
        return { total_rows: documents.length, offset: skip, rows };
      },
    ),
    limited: [tooMany({ error: "too_many_requests" })],
    failures: {
      "rows without their documents": {
        answer: () => json({ total_rows: documents.length, offset: 100, rows: documents.slice(100).map(rowOf) }),
        code: 65,
        says: /element 1 of "rows" has nothing at "doc"/,
      },
    },
  },
  OData: {
    env: { ENTRA_CLIENT_ID: "client", ENTRA_CLIENT_SECRET: "client-secret" },
    records: people,
    requests: 3,
    login: "/example.onmicrosoft.com/oauth2/v2.0/token",
    answer: (request) => {
      if (request.path.endsWith("/token")) {
        const good = new URLSearchParams(request.body).get("client_secret") === "client-secret";
        return good ? { access_token: "eyJ-secret", expires_in: 3599 } : refused("invalid_client");
      }
      return withHeaders({ authorization: "Bearer eyJ-secret" }, ({ params }) => {
        if (params.get("$top") !== "999" || params.get("$select") !== "id,displayName") return refused("params");
        const { page, next } = two(people, Number(params.get("$skiptoken") ?? 0));
        const address = `${origin(request)}/v1.0/users?$top=999&$select=id,displayName&$skiptoken=${next}`;
        return {
          "@odata.context": "users",
          ...(next === undefined ? {} : { "@odata.nextLink": address }),
          value: page,
        };
      })(request);
    },
    limited: [tooMany({ error: { code: "TooManyRequests" } })],
    failures: {
      "an error in a 200": {
        answer: () => json({ error: { code: "UnknownError", message: "broken" } }),
        code: 1,
        says: /users suspect.*UnknownError/,
      },
    },
  },
  "Elasticsearch, search_after": {
    ...elastic,
    answer: withHeaders({ authorization: "ApiKey key-secret" }, (request) => {
      const { size, sort, search_after: after } = bodyOf(request);
      if (request.params.get("allow_partial_search_results") !== "false" || size !== 1000) return refused("params");
      if (!Array.isArray(sort) || (after !== undefined && !Array.isArray(after))) return refused("sort");
      const last =
        after === undefined ? -1 : hits.findIndex((hit) => JSON.stringify(hit.sort) === JSON.stringify(after));
      return found(two(hits, last + 1).page);
    }),
    failures: {
      "an error in a 200": {
        answer: () => json({ error: { type: "search_phase_execution_exception" }, status: 200 }),
        code: 1,
        says: /orders suspect.*search_phase_execution_exception/,
      },
    },
  },
  "Elasticsearch, scroll": {
    ...elastic,
    answer: withHeaders({ authorization: "ApiKey key-secret" }, (request) => {
      if (request.path === "/orders/_search") {
        if (request.params.get("scroll") !== "1m" || bodyOf(request).size !== 1000) return refused("params");
        return { _scroll_id: "s2", ...found(two(hits, 0).page) };
      }
      const { scroll, scroll_id: id } = bodyOf(request);
      if (scroll !== "1m" || typeof id !== "string") return refused("scroll");
      const start = Number(id.slice(1));
      return { _scroll_id: `s${start + 2}`, ...found(two(hits, start).page) };
    }),
  },
  MediaWiki: {
    records: members,
    requests: 3,
    answer: withHeaders({ "user-agent": "example-export/1.0 (mail@example.com)" }, ({ params }) => {
      if (params.get("list") !== "categorymembers" || params.get("formatversion") !== "2") return refused("params");
      const cmcontinue = params.get("cmcontinue");
      if (cmcontinue !== null && params.get("continue") !== "-||") return { error: { code: "badcontinue" } };
      const { page, next } = two(members, Number(cmcontinue?.split("|")[1] ?? 0));
      const more =
        next === undefined ? { batchcomplete: true } : { continue: { cmcontinue: `page|${next}`, continue: "-||" } };
      return { ...more, query: { categorymembers: page } };
    }),
    limited: [
      tooMany({ error: { code: "ratelimited" } }),
      { answer: () => json({ error: { code: "maxlag", lag: 6 } }, { headers: { "Retry-After": "1" } }), seconds: 1 },
    ],
    failures: {
      "an error in a 200": {
        answer: () => json({ error: { code: "badcontinue", info: "Invalid continue param." } }),
        code: 69,
        says: /Invalid continue param/,
      },
    },
  },
  "MediaWiki, pages": {
    records: members,
    requests: 3,
    answer: withHeaders({ "user-agent": "example-export/1.0 (mail@example.com)" }, ({ params }) => {
      if (params.get("generator") !== "categorymembers" || params.has("formatversion")) return refused("params");
      const gcmcontinue = params.get("gcmcontinue");
      if (gcmcontinue !== null && params.get("continue") !== "gcmcontinue||") return { error: { code: "badcontinue" } };
      const { page, next } = two(members, Number(gcmcontinue?.split("|")[1] ?? 0));
      const more = { continue: { gcmcontinue: `page|${next}`, continue: "gcmcontinue||" } };
      const pages = Object.fromEntries(page.map((one) => [one.pageid, one]));
      return { batchcomplete: "", ...(next === undefined ? {} : more), query: { pages } };
    }),
    limited: [
      tooMany({ error: { code: "ratelimited" } }),
      { answer: () => json({ error: { code: "maxlag", lag: 6 } }, { headers: { "Retry-After": "1" } }), seconds: 1 },
    ],
    failures: {
      "an error in a 200": {
        answer: () => json({ error: { code: "badcontinue", info: "Invalid continue param." } }),
        code: 69,
        says: /Invalid continue param/,
      },
    },
  },
  WordPress: {
    records: posts,
    requests: 2,
    answer: ({ params }) => {
      const [size, number] = [Number(params.get("per_page")), Number(params.get("page"))];
      const total = Math.ceil(posts.length / size);
      if (number > total) return json({ code: "rest_post_invalid_page_number" }, { status: 400 });
      const headers = { "X-WP-Total": `${posts.length}`, "X-WP-TotalPages": `${total}` };
      return json(posts.slice((number - 1) * size, number * size), { headers });
    },
    limited: [tooMany({ code: "too_many_requests" })],
    failures: {
      "posts that are not shown": {
        answer: () => json(posts.slice(100, 150), { headers: { "X-WP-Total": "200", "X-WP-TotalPages": "2" } }),
        code: 1,
        says: /posts suspect.*200/,
      },
    },
  },
  Zabbix: {
    env: { ZABBIX_TOKEN: "zbx-secret" },
    records: events,
    requests: 4,
    answer: withHeaders({ authorization: "Bearer zbx-secret" }, (request) => {
      const { jsonrpc, method, id, params = {} } = bodyOf(request);
      if (jsonrpc !== "2.0" || method !== "event.get" || params.limit !== 1000 || params.output !== "extend")
        return refused("call");
      // The id is read from the text, since it is longer than a JavaScript number.
      const from = BigInt(/"eventid_from":"?(\d+)/.exec(request.body)?.[1] ?? 0);
      return { jsonrpc: "2.0", result: events.filter(({ eventid }) => BigInt(eventid) >= from).slice(0, 2), id };
    }),
    limited: [tooMany({})],
    failures: {
      "an error in a 200": {
        answer: () =>
          json({
            jsonrpc: "2.0",
            error: { code: -32602, message: "Invalid params.", data: "Session terminated" },
            id: 1,
          }),
        code: 69,
        says: /Session terminated/,
      },
    },
  },
  "Jira Data Center": {
    env: { JIRA_TOKEN: "jira-secret" },
    records: issues,
    requests: 2,
    answer: withHeaders({ authorization: "Bearer jira-secret" }, ({ params }) => {
      const [startAt, maxResults] = [Number(params.get("startAt")), Number(params.get("maxResults"))];
      if (!params.has("jql")) return refused("jql");
      return { startAt, maxResults, total: issues.length, issues: issues.slice(startAt, startAt + maxResults) };
    }),
    limited: [tooMany({}, { "Retry-After": "1", "X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "0" })],
    failures: {
      "a page that the server caps": {
        answer: () => json({ startAt: 100, maxResults: 20, total: issues.length, issues: issues.slice(100, 120) }),
        code: 1,
        says: /issues suspect.*"total" is 150/,
      },
    },
  },
  OpenStack: {
    env: { OS_USERNAME: "demo", OS_PASSWORD: "os-secret", OS_PROJECT_NAME: "trees" },
    records: servers,
    requests: 4,
    login: "/v3/auth/tokens",
    answer: (request) => {
      if (request.path === "/v3/auth/tokens") {
        const auth = JSON.stringify(bodyOf(request).auth);
        if (!auth.includes('"password":"os-secret"') || !auth.includes('"project":{"name":"trees"'))
          return refused(auth, 401);
        const token = { expires_at: "2999-01-01T00:00:00.000000Z", methods: ["password"] };
        return json({ token }, { status: 201, headers: { "X-Subject-Token": "gAAAA-secret" } });
      }
      return withHeaders({ "x-auth-token": "gAAAA-secret" }, ({ params }) => {
        if (params.get("limit") !== "1000") return refused("limit");
        const last = servers.findIndex(({ id }) => id === params.get("marker"));
        const { page, next } = two(servers, last + 1);
        const address = `${origin(request)}/v2.1/servers/detail?limit=1000&marker=${page.at(-1)?.id}`;
        return { servers: page, ...(next === undefined ? {} : { servers_links: [{ rel: "next", href: address }] }) };
      })(request);
    },
    limited: [tooMany({ overLimit: { code: 429, message: "This request was rate-limited." } })],
    failures: {
      "a limit that is too high": {
        answer: () => json({ overLimit: { code: 413, message: "too much" } }, { status: 413 }),
        code: 69,
        says: /413/,
      },
    },
  },
};

/** Returns an API of query jobs, with two rows a page. A job is done when its state is requested for the second time. */
function bulkQuery(): FakeApi["answer"] {
  const base = "/services/data/v62.0/jobs/query";
  const asked = new Map<string, number>();
  const authorized = withHeaders({ authorization: "Bearer 00D-secret" }, (request) => {
    const { method, path, params, headers } = request;
    if (method === "POST" && path === base) {
      const { operation, query } = bodyOf(request);
      if (operation !== "query" || !String(query).startsWith("SELECT")) return refused("MALFORMED_QUERY");
      const id = `750-${asked.size}`;
      asked.set(id, 0);
      return { id, operation, state: "UploadComplete" };
    }
    const [, id = "", results] = /\/query\/(750-\d+)(\/results)?$/.exec(path) ?? [];
    const count = (asked.get(id) ?? Number.NaN) + 1;
    if (Number.isNaN(count)) return refused("NOT_FOUND", 404);
    if (results === undefined) {
      asked.set(id, count);
      return { id, state: count > 1 ? "JobComplete" : "InProgress" };
    }
    if (count <= 2 || headers.accept !== "text/csv" || params.get("maxRecords") !== "50000") return refused("not so");
    const { page, next } = two(accounts, Number(params.get("locator") ?? 0));
    const rows = page.map(({ Id, Name }) => `"${Id}","${Name}"\n`);
    const more = { "Content-Type": "text/csv", "Sforce-Locator": next === undefined ? "null" : `${next}` };
    return text(`"Id","Name"\n${rows.join("")}`, { headers: more });
  });
  return (request) => {
    if (request.path !== "/services/oauth2/token") return authorized(request);
    const good = new URLSearchParams(request.body).get("client_secret") === "client-secret";
    return good ? { access_token: "00D-secret", token_type: "Bearer" } : refused("invalid_client");
  };
}
