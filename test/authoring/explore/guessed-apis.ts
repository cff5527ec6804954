import { isObject, type Value } from "../../../src/core/values/value.ts";
import { json, type Received } from "../../helpers/api.ts";
import { type FakeApi, number, p23, part, people } from "./fake-api.ts";

const p17 = people(17);

/** Returns seven records from an index on, and the token of the next page if there is one. */
function tokenPage(from: number, field: string): object {
  const items = p17.slice(from, from + 7);
  return from + 7 < p17.length ? { items, [field]: token(from + 7) } : { items };
}

const token = (from: number): string => Buffer.from(`after:${from}`).toString("base64url");
const startOf = (text: string | null): number =>
  text === null ? 0 : Number(Buffer.from(text, "base64url").toString().slice("after:".length));

const tokens = (field: string, parameter: string, request: string): FakeApi => ({
  name: `a token at "${field}" that is sent as "${parameter}"`,
  handler: () => (received) => tokenPage(startOf(received.params.get(parameter)), field),
  request,
  method: "response.param",
  all: p17,
});

const offsets = (request: string, names: readonly [string, string], method: string): FakeApi => ({
  name: `${names.join(" and ")}, where the request has only the size`,
  handler: () => (received) => part(p23, received, names, 7).items,
  request,
  method,
  all: p23,
});

function bodyOf({ body }: Received): Value {
  return JSON.parse(body);
}

const withCursor = p17.map((one, index) => (index === 6 || index === 13 ? { ...one, cursor: token(index + 1) } : one));
const withTicket = p17.map(({ id, ...rest }) => ({ id, ticket: `t-${900 - id}`, ...rest }));

/** Returns the index after the record with this id; 0 without an id. */
const indexAfter = (id: string | null): number => (id === null ? 0 : p17.findIndex((one) => String(one.id) === id) + 1);

/** APIs whose answers do not say, or not in the usual way, how to request the next page, so that `init` must guess a part of it. */
export const guessedApis: readonly FakeApi[] = [
  {
    name: "$skip that neither the request nor the answer names (OData)",
    handler: () => (request) => part(p23, request, ["$skip", "$top"]).items,
    request: "/users",
    method: "offset",
    all: p23,
  },
  tokens("next_page", "cursor", "/users?size=7"),
  tokens("next", "from", "/users?limit=7"),
  tokens("next_id", "start_id", "/users?count=7"),
  tokens("last", "start", "/users"),
  tokens("token", "page-token", "/users?max-records=7"),
  tokens("pageCursor", "pageCursor", "/users"),
  tokens("next_stream_position", "stream_position", "/users?limit=7"),
  tokens("next_page_token", "page-token", "/users"),
  tokens("next_page_token", "pagetoken", "/users"),
  tokens("last_item_id", "start_after_item_id", "/users?limit=7"),
  tokens("min_id", "max_id", "/users?limit=7"),
  tokens("next", "until", "/users?limit=7"),
  offsets("/users?$$LIMIT=7", ["$$FIRST", "$$LIMIT"], "offset"),
  offsets("/users?limit=7", ["index", "limit"], "offset"),
  offsets("/users?rowLimit=7", ["startRow", "rowLimit"], "offset"),
  {
    name: "a token that is sent beside the page size in an object of the body",
    handler: () => (request) => {
      const body = bodyOf(request);
      const paging = isObject(body) && isObject(body.page) ? body.page : {};
      const from = startOf(typeof paging.cursor === "string" ? paging.cursor : null);
      return {
        data: p17.slice(from, from + 7),
        meta: { page: from + 7 < p17.length ? { after: token(from + 7) } : {} },
      };
    },
    request: `/search -H 'content-type: application/json' -d '{"page":{"limit":7}}'`,
    method: "response.param",
    all: p17,
  },
  {
    name: "a token in an object called next_page",
    handler: () => (request) => {
      const from = startOf(request.params.get("offset"));
      const next = from + 7 < p17.length ? { offset: token(from + 7) } : null;
      return { data: p17.slice(from, from + 7), next_page: next };
    },
    request: "/users?limit=7",
    method: "response.param",
    all: p17,
  },
  {
    name: "an offset that counts pages, beside a total",
    handler: () => (request) => {
      const page = number(request, "_offset", 0);
      return { users: p17.slice(page * 7, page * 7 + 7), totalItems: 17, limit: 7, offset: page };
    },
    request: "/users?_limit=7",
    method: "pagenum",
    all: p17,
  },
  {
    name: "a field named like the number of pages that counts the page's records",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const users = p17.slice(page * 7 - 7, page * 7);
      return { users, count: 17, page, page_count: users.length, skip: page * 7 - 7 };
    },
    request: "/users?page_size=7",
    method: "pagenum",
    all: p17,
  },
  {
    name: "a cursor that only the last record of a page has",
    handler: () => (request) => {
      const from = startOf(request.params.get("cursor"));
      return withCursor.slice(from, from + 7);
    },
    request: "/users?page_size=7",
    method: "response.param",
    all: withCursor,
  },
  {
    name: "another column of the last record, while its id is refused",
    handler: () => (request) => {
      const since = request.params.get("since");
      const from = since === null ? 0 : withTicket.findIndex(({ ticket }) => ticket === since) + 1;
      if (since !== null && from === 0) return json({ message: `since is wrong: ${since}` }, { status: 400 });
      return { data: withTicket.slice(from, from + 7) };
    },
    request: "/users?limit=7",
    method: "response.param",
    all: withTicket,
  },
  offsets("/users?$limit=7", ["$skip", "$limit"], "offset"),
  offsets("/users?max=7", ["first", "max"], "offset"),
  offsets("/users?filter[limit]=7 -g", ["filter[offset]", "filter[limit]"], "offset"),
  offsets("/users?LIMIT=7", ["OFFSET", "LIMIT"], "offset"),
  {
    name: "pageNumber from 0, where the request has only pageSize",
    handler: () => (request) =>
      p17.slice(number(request, "pageNumber", 0) * 7, number(request, "pageNumber", 0) * 7 + 7),
    request: "/users?pageSize=7",
    method: "pagenum",
    all: p17,
    says: /pages count from 0/,
  },
  {
    name: "two pages, numbered from 0, with a total",
    handler: () => (request) => {
      const page = number(request, "page", 0);
      return { total: 13, items: p17.slice(0, 13).slice(page * 7, page * 7 + 7) };
    },
    request: "/users?per_page=7",
    method: "pagenum",
    all: p17.slice(0, 13),
  },
  {
    name: "a parameter called start that counts pages",
    handler: () => (request) => p17.slice(number(request, "start", 0) * 7, number(request, "start", 0) * 7 + 7),
    request: "/users?limit=7",
    method: "pagenum",
    all: p17,
  },
  {
    name: "page numbers from 0 under an unknown name",
    handler: () => (request) => p17.slice(number(request, "slice", 0) * 7, number(request, "slice", 0) * 7 + 7),
    request: "/users?slice=0&limit=7",
    method: "pagenum",
    all: p17,
  },
  {
    name: "a page number beside the page size in a body",
    handler: () => (request) => {
      const body = bodyOf(request);
      const paging = isObject(body) && isObject(body.pagination) ? body.pagination : {};
      const page = Number(paging.page ?? 1);
      return { items: p17.slice(page * 7 - 7, page * 7) };
    },
    request: `/search -H 'content-type: application/json' -d '{"pagination":{"per_page":7}}'`,
    method: "pagenum",
    all: p17,
  },
  {
    name: "the id of the last record as a parameter that nothing suggests",
    handler: () => (request) => {
      const from = indexAfter(request.params.get("page[after]"));
      return { data: p17.slice(from, from + 7) };
    },
    request: "/users?page[size]=7 -g",
    method: "response.param",
    all: p17,
  },
  {
    name: "the id of the last record, which the next page repeats",
    handler: () => (request) => {
      const since = Number(request.params.get("since_id") ?? 0);
      return p17.filter(({ id }) => id >= since).slice(0, 7);
    },
    request: "/users?limit=7",
    method: "cursor",
    all: p17,
  },
  {
    name: "a next address under an unusual name",
    handler: (url) => (request) => {
      const from = startOf(request.params.get("cursor"));
      const next = from + 7 < p17.length ? `${url()}/users?cursor=${token(from + 7)}` : null;
      return { audits: p17.slice(from, from + 7), self: `${url()}/users?cursor=x`, older_url: next };
    },
    request: "/users",
    method: "response.url",
    all: p17,
  },
  {
    name: "a refusal that names unknown parameters (Wagtail)",
    handler: () => (request) => {
      const unknown = [...request.params.keys()].filter((name) => name !== "offset" && name !== "limit");
      const message = `query parameter is not an operation or a recognised field: ${unknown.join(", ")}`;
      return unknown.length > 0
        ? json({ message }, { status: 400 })
        : { items: part(p23, request, ["offset", "limit"], 7).items };
    },
    request: "/users",
    method: "offset",
    all: p23,
  },
  {
    name: "a refusal that names only the first unknown parameter",
    handler: () => (request) => {
      const unknown = [...request.params.keys()].find((name) => name !== "offset" && name !== "limit");
      return unknown !== undefined
        ? json({ message: `unknown parameter: ${unknown}` }, { status: 400 })
        : part(p23, request, ["offset", "limit"], 7).items;
    },
    request: "/users",
    method: "offset",
    all: p23,
  },
  {
    name: "a refusal of unknown parameters without their names: each guess is sent alone",
    handler: () => (request) => {
      const unknown = [...request.params.keys()].filter((name) => name !== "offset" && name !== "limit");
      return unknown.length > 0
        ? json({ message: "Bad Request" }, { status: 400 })
        : part(p23, request, ["offset", "limit"], 7).items;
    },
    request: "/users",
    method: "offset",
    all: p23,
  },
  ...["limit=10", "limit=10&offset=0", "lang=de"].map(
    (query): FakeApi => ({
      name: `pages from which the API removes records (${query})`,
      handler: () => (request) =>
        part(people(60), request, ["offset", "limit"]).items.filter((_, index) => index !== 4),
      request: `/users?${query}`,
      method: "none",
      all: undefined,
    }),
  ),
  ...["take=7&skip=0", "take=7"].map(
    (query): FakeApi => ({
      name: `records in groups, where the parameters count records (${query})`,
      handler: () => (request) => {
        const { items } = part(p17, request, ["skip", "take"], 7);
        const groups = [0, 3, 6].map((from) => ({ types: items.slice(from, from + 3) }));
        return { data: { groups: groups.filter(({ types }) => types.length > 0) } };
      },
      request: `/types?${query}`,
      method: "none",
      all: undefined,
    }),
  ),
  {
    name: "links by relation, whose places in their list change (FHIR, OGC, STAC)",
    handler: (url) => (request) => {
      const from = number(request, "from", 0);
      const link = (rel: string, to: number): object => ({ rel, href: `${url()}/items?from=${to}` });
      const links = [link("self", from), ...(from > 0 ? [link("prev", from - 7)] : []), link("next", from + 7)];
      return { features: p23.slice(from, from + 7), links: from + 7 < p23.length ? links : links.slice(0, -1) };
    },
    request: "/items",
    method: "response.url",
    all: p23,
    says: /whose rel is next/,
  },
  {
    name: "a next address on every page, and a total (CKAN)",
    handler: (url) => (request) => {
      const from = number(request, "offset", 0);
      const _links = { next: `${url()}/action?offset=${from + 10}` };
      return { result: { total: 23, records: p23.slice(from, from + 10), _links } };
    },
    request: "/action",
    method: "response.url",
    all: p23,
    requests: 14,
  },
  {
    name: "the address of the next page in a header (Kinto)",
    handler: (url) => (request) => {
      const from = startOf(request.params.get("_token"));
      const headers = from + 7 < 17 ? { "Next-Page": `${url()}/records?_token=${token(from + 7)}` } : undefined;
      return json({ data: p17.slice(from, from + 7) }, headers === undefined ? {} : { headers });
    },
    request: "/records",
    method: "response.url",
    all: p17,
  },
  ...Object.entries({
    "X-Pages": ["3", /the header X-Pages is 3/],
    Total: ["23", /the header Total counts 23 records/],
    "X-Pagination": ['{"TotalCount": 23}', /"TotalCount" of the header X-Pagination counts 23 records/],
  } as const).map(
    ([name, [value, says]]): FakeApi => ({
      name: `the header ${name} as evidence of more, without a way to the next page`,
      handler: () => () => json(p23.slice(0, 10), { headers: { [name]: value } }),
      request: "/users",
      method: "none",
      all: undefined,
      says,
    }),
  ),
  {
    name: "GraphQL whose cursor has its own type (PostGraphile)",
    handler: () => (request) => {
      const body = bodyOf(request);
      const { query = "", variables = {} } = isObject(body) ? body : {};
      if (String(query).includes("$after: String")) {
        const message = 'Variable "$after" of type "String" used in position expecting type "Cursor".';
        return json({ errors: [{ message }] }, { status: 400 });
      }
      const after = isObject(variables) && String(query).includes("$after: Cursor") ? variables.after : undefined;
      const from = startOf(typeof after === "string" ? after : null);
      const pageInfo = { hasNextPage: from + 7 < 17, endCursor: token(from + 7) };
      return { data: { allTrees: { nodes: p17.slice(from, from + 7), pageInfo } } };
    },
    request: `/graphql -H 'content-type: application/json' -d '{"query":"{ allTrees(first: 7) { nodes { id name } pageInfo { hasNextPage endCursor } } }"}'`,
    method: "response.param",
    all: p17,
  },
];
