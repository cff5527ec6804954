import { json } from "../../helpers/api.ts";
import { bodyOf, type FakeApi, many, origin, refused, tooMany, two, usedUp, withHeaders } from "./fake-api.ts";

const issues = many(5, (number) => ({ number, title: `issue ${number}` }));
const customers = many(5, (number) => ({ id: `cus_${number}`, object: "customer" }));
const events = many(5, (number) => ({ id: `evt_${number}`, object: "event", created: 1_700_000_000 - number }));
const users = many(5, (number) => ({ id: `U${number}`, name: `user-${number}` }));
const contacts = many(5, (number) => ({ id: `${number}`, properties: { email: `${number}@example.com` } }));
const invoices = many(150, (number) => ({ id: `INV2-${number}`, status: "PAID" }));
const pages = many(5, (number) => ({ object: "page", id: `page-${number}` }));

const hasCompany = ({ id }: { readonly id: string }): boolean => id !== contacts[1]?.id;
const orders = many(5, (number) => ({
  id: `order-${number}`,
  created_at: `2024-01-0${number < 3 ? 1 : 3}T00:00:00.000Z`,
}));

/** APIs with addresses in a header, with cursors in a body or a query, or with page numbers in a query. */
export const rest: Readonly<Record<string, FakeApi>> = {
  GitHub: {
    env: { GITHUB_TOKEN: "ghp_secret" },
    records: issues,
    requests: 3,
    answer: withHeaders({ authorization: "Bearer ghp_secret", "x-github-api-version": "2022-11-28" }, (request) => {
      if (request.params.get("per_page") !== "100" || request.params.get("state") !== "all") return refused("params");
      const number = Number(request.params.get("page") ?? 1);
      const { page, next } = two(issues, (number - 1) * 2);
      const address = (to: number): string =>
        `<${origin(request)}/repositories/1/issues?state=all&per_page=100&page=${to}>`;
      const relations = [
        ...(number > 1 ? [`${address(number - 1)}; rel="prev"`] : []),
        ...(next === undefined ? [] : [`${address(number + 1)}; rel="next"`, `${address(3)}; rel="last"`]),
      ];
      return json(page, { headers: { Link: relations.join(", "), "x-ratelimit-remaining": "4999" } });
    }),
    limited: [
      { answer: () => json({ message: "API rate limit exceeded" }, { status: 403, headers: usedUp() }), seconds: 1 },
    ],
    failures: {
      "a token without rights": {
        answer: () =>
          json({ message: "Resource not accessible" }, { status: 403, headers: { "x-ratelimit-remaining": "4998" } }),
        code: 69,
        says: /403/,
      },
    },
  },
  "GitHub, lists of each repository": {
    env: { GITHUB_TOKEN: "ghp_secret" },
    records: [
      ...[1, 2, 3].map((number) => ({ number, parent_full_name: "octokit/core" })),
      { sha: "c0ffee", parent_full_name: "octokit/core" },
      { login: "ada", parent_full_name: "octokit/core" },
    ],
    requests: 8,
    answer: withHeaders({ authorization: "Bearer ghp_secret" }, (request) => {
      const { path, params } = request;
      if (params.get("per_page") !== "100") return refused("params");
      const [, , owner, name, list] = path.split("/");
      if (list === undefined) return [{ full_name: "octokit/core" }, { full_name: "octokit/empty" }];
      if (name === "core" && list === "contributors") return [{ login: "ada" }];
      if (name === "core" && list === "commits") return [{ sha: "c0ffee" }];
      if (name === "empty" && list === "commits") return refused("Git Repository is empty.", 409);
      if (name === "empty" && list === "issues") return refused("Issues are disabled for this repo", 410);
      if (name === "empty") return refused("The history or contributor list is too large to list", 403);
      const { page, next } = two([1, 2, 3], params.has("page") ? 2 : 0);
      const link = `<${origin(request)}/repos/${owner}/${name}/issues?state=all&per_page=100&page=2>; rel="next"`;
      const issues = page.map((number) => ({ number }));
      return json(issues, next === undefined ? {} : { headers: { Link: link } });
    }),
    limited: [
      { answer: () => json({ message: "API rate limit exceeded" }, { status: 403, headers: usedUp() }), seconds: 1 },
    ],
    failures: {
      "a token without rights": {
        answer: () => json({ message: "Resource not accessible" }, { status: 403 }),
        code: 69,
        says: /403/,
      },
    },
  },
  "GitHub, changes of each repository": {
    env: { GITHUB_TOKEN: "ghp_secret" },
    records: [1, 2, 3].map((number) => ({
      number,
      updated_at: "2024-05-01T00:00:00Z",
      parent_full_name: "octokit/core",
    })),
    requests: 4,
    answer: withHeaders({ authorization: "Bearer ghp_secret" }, (request) => {
      const { path, params } = request;
      if (params.get("per_page") !== "100") return refused("params");
      if (path === "/orgs/octokit/repos") return [{ full_name: "octokit/core" }, { full_name: "octokit/empty" }];
      if (params.get("since") !== "2024-01-01T00:00:00Z" || params.get("sort") !== "updated") return refused("params");
      // With the oldest first, an issue that changes moves all issues after it to other pages.
      if (params.get("direction") !== "desc") return refused("direction");
      if (path === "/repos/octokit/empty/issues") return refused("Issues are disabled for this repo", 410);
      const { page, next } = two([1, 2, 3], params.has("page") ? 2 : 0);
      const link = `<${origin(request)}${path}?${new URLSearchParams([...params, ["page", "2"]])}>; rel="next"`;
      const issues = page.map((number) => ({ number, updated_at: "2024-05-01T00:00:00Z" }));
      return json(issues, next === undefined ? {} : { headers: { Link: link } });
    }),
    limited: [
      { answer: () => json({ message: "API rate limit exceeded" }, { status: 403, headers: usedUp() }), seconds: 1 },
    ],
  },
  "Stripe, events": {
    env: { STRIPE_KEY: "sk_secret" },
    records: events,
    requests: 3,
    answer: withHeaders({ authorization: "Bearer sk_secret" }, ({ params }) => {
      if (params.get("limit") !== "100") return refused("limit");
      const after = params.get("starting_after");
      const at = after === null ? 0 : events.findIndex(({ id }) => id === after) + 1;
      const { page, next } = two(events, at);
      return { object: "list", url: "/v1/events", has_more: next !== undefined, data: page };
    }),
    limited: [tooMany({ error: { code: "rate_limit", type: "invalid_request_error" } }, {})],
  },
  Stripe: {
    env: { STRIPE_KEY: "sk_secret" },
    records: customers,
    requests: 3,
    answer: withHeaders({ authorization: "Bearer sk_secret" }, ({ params }) => {
      if (params.get("limit") !== "100") return refused("limit");
      const after = params.get("starting_after");
      const at = after === null ? 0 : customers.findIndex(({ id }) => id === after) + 1;
      const { page, next } = two(customers, at);
      return { object: "list", url: "/v1/customers", has_more: next !== undefined, data: page };
    }),
    limited: [tooMany({ error: { code: "rate_limit", type: "invalid_request_error" } }, {})],
  },
  Slack: {
    env: { SLACK_TOKEN: "xoxb-secret" },
    records: users,
    requests: 3,
    answer: withHeaders({ authorization: "Bearer xoxb-secret" }, ({ params }) => {
      if (params.get("limit") !== "200") return { ok: false, error: "invalid_limit" };
      const { page, next } = two(users, Number((params.get("cursor") ?? "c0=").slice(1, -1)));
      return { ok: true, members: page, response_metadata: { next_cursor: next === undefined ? "" : `c${next}=` } };
    }),
    limited: [tooMany({ ok: false, error: "ratelimited" })],
    failures: {
      "an error in a 200": {
        answer: () => json({ ok: false, error: "invalid_cursor" }),
        code: 69,
        says: /invalid_cursor/,
      },
      "a token that was revoked": {
        answer: () => json({ ok: false, error: "token_revoked" }),
        code: 77,
        says: /token_revoked/,
      },
    },
  },
  "Shopify, REST": {
    env: { SHOPIFY_TOKEN: "shpat_secret" },
    records: customers,
    requests: 3,
    answer: withHeaders({ "x-shopify-access-token": "shpat_secret" }, (request) => {
      const { params } = request;
      if (params.get("limit") !== "250" || [...params].length > 2) return refused("page_info goes with limit alone");
      const { page, next } = two(customers, Number(params.get("page_info") ?? 0));
      const address = `${origin(request)}${request.path}?limit=250&page_info=${next}`;
      return json({ customers: page }, next === undefined ? {} : { headers: { Link: `<${address}>; rel="next"` } });
    }),
    limited: [tooMany({ errors: "Exceeded 2 calls per second for api client." }, { "Retry-After": "1.0" })],
  },
  "Shopify, transactions of each order": {
    env: { SHOPIFY_TOKEN: "shpat_secret" },
    records: [{ id: 7, kind: "sale", parent_id: 1 }],
    requests: 4,
    answer: withHeaders({ "x-shopify-access-token": "shpat_secret" }, ({ path, params }) => {
      if (path.endsWith("/orders.json"))
        return params.get("status") === "any" ? { orders: [{ id: 1 }, { id: 2 }, { id: 3 }] } : refused("status");
      if (path.endsWith("/orders/1/transactions.json")) return { transactions: [{ id: 7, kind: "sale" }] };
      if (path.endsWith("/orders/2/transactions.json")) return { transactions: [] };
      return json(
        { errors: "[API] This action requires merchant approval for read_all_orders scope." },
        { status: 403 },
      );
    }),
    limited: [tooMany({ errors: "Exceeded 2 calls per second for api client." }, { "Retry-After": "1.0" })],
    failures: {
      "another 403": { answer: () => json({ errors: "Forbidden" }, { status: 403 }), code: 69, says: /403/ },
    },
  },
  HubSpot: {
    env: { HUBSPOT_TOKEN: "pat-secret" },
    records: contacts,
    requests: 3,
    answer: withHeaders({ authorization: "Bearer pat-secret" }, (request) => {
      const { params } = request;
      if (params.get("limit") !== "100" || params.get("properties") !== "email,firstname,lastname")
        return refused("params");
      const { page, next } = two(contacts, Number(params.get("after") ?? 0));
      const link = `${origin(request)}${request.path}?after=${next}`;
      return { results: page, ...(next === undefined ? {} : { paging: { next: { after: `${next}`, link } } }) };
    }),
    limited: [tooMany({ status: "error", errorType: "RATE_LIMIT", policyName: "TEN_SECONDLY_ROLLING" }, {})],
  },
  "HubSpot, associations": {
    env: { HUBSPOT_TOKEN: "pat-secret" },
    records: contacts.filter(hasCompany).map(({ id }) => ({ from: { id }, to: [{ toObjectId: `c-${id}` }] })),
    // Three pages of contacts, and one request for the associations of each page.
    requests: 6,
    answer: withHeaders({ authorization: "Bearer pat-secret" }, (request) => {
      const { path, params } = request;
      if (path === "/crm/v3/objects/contacts") {
        const { page, next } = two(contacts, Number(params.get("after") ?? 0));
        return { results: page, ...(next === undefined ? {} : { paging: { next: { after: `${next}` } } }) };
      }
      const { inputs } = bodyOf(request);
      if (path !== "/crm/v4/associations/contacts/companies/batch/read" || !Array.isArray(inputs))
        return refused("inputs");
      const results = inputs.filter(hasCompany).map(({ id }) => ({ from: { id }, to: [{ toObjectId: `c-${id}` }] }));
      const alone = inputs.filter((input) => !hasCompany(input));
      if (alone.length === 0) return { status: "COMPLETE", results };
      const subCategory = "crm.associations.NO_ASSOCIATIONS_FOUND";
      const errors = alone.map(({ id }) => ({ subCategory, message: `No company is associated with contact ${id}.` }));
      return json({ status: "COMPLETE", results, numErrors: errors.length, errors }, { status: 207 });
    }),
    limited: [tooMany({ status: "error", errorType: "RATE_LIMIT", policyName: "TEN_SECONDLY_ROLLING" }, {})],
    failures: {
      "another error in a 207": {
        answer: () => json({ results: [], errors: [{ category: "INTERNAL", message: "timed out" }] }, { status: 207 }),
        code: 1,
        says: /suspect.*timed out.*; if such an answer is not a failure, "evidence": false in the job accepts it/,
      },
    },
  },
  "HubSpot, search": {
    env: { HUBSPOT_TOKEN: "pat-secret" },
    records: contacts,
    requests: 4,
    answer: withHeaders({ authorization: "Bearer pat-secret" }, (request) => {
      const { limit, after = "0", filterGroups } = bodyOf(request);
      if (request.path !== "/crm/v3/objects/contacts/search" || limit !== 200) return refused("limit");
      const filters = JSON.stringify(filterGroups);
      const isJanuary =
        filters.includes('"GTE","value":"1704067200000"') && filters.includes('"LT","value":"1706745600000"');
      const isFebruary =
        filters.includes('"GTE","value":"1706745600000"') && filters.includes('"LT","value":"1709251200000"');
      if (isFebruary) return { total: 0, results: [] };
      if (!isJanuary) return refused("filterGroups");
      const { page, next } = two(contacts, Number(after));
      const paging = next === undefined ? {} : { paging: { next: { after: `${next}` } } };
      return { total: contacts.length, results: page, ...paging };
    }),
    limited: [tooMany({ status: "error", errorType: "RATE_LIMIT", policyName: "SECONDLY" }, {})],
    failures: {
      "a search past its limit": {
        answer: () => json({ status: "error", message: "past the limit" }, { status: 400 }),
        code: 69,
        says: /400 Bad Request \(2 of 5 records came; if the API pages no further than this, "windows"/,
      },
    },
  },
  Notion: {
    env: { NOTION_TOKEN: "ntn_secret" },
    records: pages,
    requests: 3,
    answer: withHeaders({ authorization: "Bearer ntn_secret", "notion-version": "2025-09-03" }, (request) => {
      const { page_size, start_cursor = "p0" } = bodyOf(request);
      if (request.method !== "POST" || page_size !== 100 || typeof start_cursor !== "string") return refused("body");
      const { page, next } = two(pages, Number(start_cursor.slice(1)));
      const next_cursor = next === undefined ? null : `p${next}`;
      return { object: "list", results: page, next_cursor, has_more: next !== undefined };
    }),
    limited: [tooMany({ object: "error", status: 429, code: "rate_limited" })],
  },
  "Jira Cloud": {
    env: { JIRA_USER: "me@example.com", JIRA_API_TOKEN: "jira-secret" },
    records: issues,
    requests: 3,
    answer: withHeaders({ authorization: `Basic ${btoa("me@example.com:jira-secret")}` }, ({ params }) => {
      if (params.get("maxResults") !== "100" || !params.has("jql")) return refused("params");
      const { page, next } = two(issues, Number((params.get("nextPageToken") ?? "t0").slice(1)));
      return { issues: page, isLast: next === undefined, ...(next === undefined ? {} : { nextPageToken: `t${next}` }) };
    }),
    limited: [tooMany({ errorMessages: ["Rate limit exceeded."] })],
  },
  Square: {
    env: { SQUARE_TOKEN: "sq-secret" },
    records: orders,
    requests: 4,
    answer: withHeaders({ authorization: "Bearer sq-secret", "square-version": "2025-01-23" }, (request) => {
      const { limit, query, cursor = "c0" } = bodyOf(request);
      const day = /"created_at":\{"start_at":"(2024-01-0[123])T00:00:00\.000Z","end_at":"\1T23:59:59\.999Z"\}/;
      const [, date] = day.exec(JSON.stringify(query)) ?? [];
      if (request.method !== "POST" || limit !== 500 || date === undefined) return refused("query");
      const ofDay = orders.filter(({ created_at }) => created_at.startsWith(date));
      if (ofDay.length === 0) return {};
      const { page, next } = two(ofDay, Number(String(cursor).slice(1)));
      return { orders: page, ...(next === undefined ? {} : { cursor: `c${next}` }) };
    }),
    limited: [tooMany({ errors: [{ category: "RATE_LIMIT_ERROR", code: "RATE_LIMITED" }] }, {})],
  },
  PayPal: {
    env: { PAYPAL_CLIENT_ID: "client", PAYPAL_CLIENT_SECRET: "client-secret" },
    records: invoices,
    requests: 2,
    login: "/v1/oauth2/token",
    answer: (request) => {
      if (request.path === "/v1/oauth2/token") {
        const isGood = request.headers.authorization === `Basic ${btoa("client:client-secret")}`;
        return isGood && request.body === "grant_type=client_credentials"
          ? { access_token: "A21-secret", token_type: "Bearer", expires_in: 32400 }
          : refused("invalid_client", 401);
      }
      return withHeaders({ authorization: "Bearer A21-secret" }, ({ method, params, body }) => {
        const [size, number] = [Number(params.get("page_size")), Number(params.get("page"))];
        if (method !== "POST" || body !== '{"status":["PAID","PARTIALLY_PAID"]}' || size !== 100)
          return refused("INVALID_REQUEST");
        const total = params.get("total_required") === "true" ? { total_items: invoices.length, total_pages: 2 } : {};
        return { ...total, items: invoices.slice((number - 1) * size, number * size), links: [] };
      })(request);
    },
    limited: [tooMany({ name: "RATE_LIMIT_REACHED" })],
    failures: {
      "invoices that are not shown": {
        answer: () => json({ total_items: 150, total_pages: 2, items: invoices.slice(100, 120) }),
        code: 1,
        says: /invoices suspect.*150/,
      },
    },
  },
};
