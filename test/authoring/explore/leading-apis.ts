import { json, redirect, text } from "../../helpers/api.ts";
import { type FakeApi, number, p23, p40, part, people } from "./fake-api.ts";

/** APIs whose answers say where the next page begins. */
export const leadingApis: readonly FakeApi[] = [
  {
    name: "a list of changes with a sequence number that stays the same at the end",
    handler: () => (request) => {
      const since = number(request, "since", 0);
      const results = p23.slice(since, since + number(request, "limit", 50));
      return { results, last_seq: since + results.length };
    },
    request: "/changes?limit=10",
    method: "response.param",
    all: p23,
  },
  {
    name: "a Link header",
    handler: (url) => (request) => {
      const page = number(request, "page", 1);
      const more =
        page * 10 < 23
          ? { link: `<${url()}/users?page=${page + 1}&per_page=10>; rel="next", <${url()}/users?page=1>; rel="first"` }
          : {};
      return json(p23.slice((page - 1) * 10, page * 10), { headers: more });
    },
    request: "/users?per_page=10",
    method: "link",
    all: p23,
  },
  {
    name: "an absolute address of the next page",
    handler: (url) => (request) => {
      const { from, size, items } = part(p23, request, ["offset", "limit"]);
      return { next: from + size < 23 ? `${url()}/users?offset=${from + size}&limit=${size}` : null, results: items };
    },
    request: "/users?limit=10",
    method: "response.url",
    all: p23,
  },
  {
    name: "a relative address in links (JSON:API)",
    handler: () => (request) => {
      const page = number(request, "page[number]", 1);
      const more = page * 10 < 23 ? { next: `/users?page%5Bnumber%5D=${page + 1}` } : {};
      return { links: { self: "x", ...more }, data: p23.slice((page - 1) * 10, page * 10), included: [{ id: 1 }] };
    },
    request: "/users",
    method: "response.url",
    all: p23,
  },
  {
    name: "a next address without the filter of the request",
    handler: () => (request) => {
      const all = p40.filter(({ id }) => request.params.get("odd") !== "1" || id % 2 === 1);
      const page = number(request, "page", 1);
      return {
        next: page * 10 < all.length ? `/users?page=${page + 1}` : null,
        data: all.slice((page - 1) * 10, page * 10),
      };
    },
    request: "/users?odd=1",
    method: "response.url",
    all: p40.filter(({ id }) => id % 2 === 1),
  },
  {
    name: "OData",
    handler: (url) => (request) => {
      const skip = number(request, "$skip", 0);
      const more = skip + 10 < 23 ? { "@odata.nextLink": `${url()}/users?$skip=${skip + 10}` } : {};
      return { "@odata.context": "x", value: p23.slice(skip, skip + 10), ...more };
    },
    request: "/users",
    method: "response.url",
    all: p23,
  },
  {
    name: "a cursor in the body",
    handler: () => (request) => {
      const from = number(request, "cursor", 0);
      return { data: p23.slice(from, from + 10), meta: { next_cursor: from + 10 < 23 ? `${from + 10}` : null } };
    },
    request: "/users?active=1",
    method: "response.param",
    all: p23,
  },
  {
    name: "nextPageToken and pageToken (Google)",
    handler: () => (request) => {
      const from = Number(Buffer.from(request.params.get("pageToken") ?? "", "base64url").toString() || 0);
      const token = Buffer.from(String(from + 10)).toString("base64url");
      return { kind: "users", users: p23.slice(from, from + 10), ...(from + 10 < 23 ? { nextPageToken: token } : {}) };
    },
    request: "/users",
    method: "response.param",
    all: p23,
  },
  {
    name: "the number of the next page",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return { next_page: page < 3 ? page + 1 : null, items: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users",
    method: "response.param",
    all: p23,
  },
  {
    name: "the greatest id so far, in ascending order (since_id)",
    handler: () => (request) => {
      const since = number(request, "since_id", 0);
      return p23.filter(({ id }) => id > since).slice(0, 10);
    },
    request: "/users?since_id=0",
    method: "cursor",
    all: p23,
  },
  {
    name: "the number of the record at which to continue",
    handler: () => (request) => {
      const from = number(request, "offset", 0);
      return { users: p23.slice(from, from + 10), next_offset: from + 10 < 23 ? from + 10 : null };
    },
    request: "/users",
    method: "response.param",
    all: p23,
  },
  {
    name: "the next page's number in a header (GitLab)",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const headers = { "X-Next-Page": page < 3 ? `${page + 1}` : "", "X-Total": "23", "X-Total-Pages": "3" };
      return json(p23.slice((page - 1) * 10, page * 10), { headers });
    },
    request: "/users?per_page=10",
    method: "response.param",
    all: p23,
  },
  {
    name: "a cursor that is present until an empty page",
    handler: () => (request) => {
      const from = number(request, "cursor", 0);
      const items = p23.slice(from, from + 10);
      return { items, cursor: items.length === 0 ? null : `${from + items.length}` };
    },
    request: "/users",
    method: "response.param",
    all: p23,
  },
  {
    name: "a cursor that is also on the last page, and a single page",
    handler: () => (request) => {
      const from = number(request, "cursor", 0);
      return { items: people(7).slice(from, from + 10), next_cursor: `${Math.min(from + 10, 7)}` };
    },
    request: "/users",
    method: "response.param",
    all: people(7),
    says: /cursor=7 gave no records: 7 records are all there are now/,
  },
  {
    name: "two parameters for the next page",
    handler: () => (request) => {
      const from = number(request, "from_id", 0);
      const items = p23.slice(from, from + 10);
      const next = from + 10 < 23 ? { next: `/users?from_id=${from + 10}&shard=a` } : {};
      return request.params.get("shard") === "a" || from === 0 ? { items, ...next } : json({}, { status: 400 });
    },
    request: "/users",
    method: "response.url",
    all: p23,
  },
  {
    name: "a longer list beside the records, and a next address with another path (a forum)",
    handler: () => (request) => {
      if (request.path !== "/latest.json") return json({}, { status: 404 });
      const page = number(request, "page", 0);
      const more = page < 2 ? { more_topics_url: `/latest?no_definitions=true&page=${page + 1}` } : {};
      const topics = p23.slice(page * 10, page * 10 + 10);
      return { users: [{ id: 1 }, { id: 2 }], topic_list: { ...more, topics } };
    },
    request: "/latest.json",
    method: "response.url",
    all: p23,
    says: /latest\?no_definitions=true&page=1 was answered with 404/,
  },
  {
    name: "ranges in headers (Heroku)",
    handler: () => (request) => {
      const after = /id \](\d+)/.exec(request.headers.range ?? "")?.[1];
      const from = after === undefined ? 0 : p23.findIndex(({ id }) => `${id}` === after) + 1;
      const items = p23.slice(from, from + 10);
      const next = { "Next-Range": `id ]${items.at(-1)?.id}..; max=10` };
      return from + 10 < 23 ? json(items, { status: 206, headers: next }) : json(items);
    },
    request: "/users -H 'Range: id ..; max=10'",
    method: "response.param",
    all: p23,
    says: /GET \/users with Range: id \]1063\.\.; max=10 gave/,
  },
  {
    name: "newest records first, a flag, and the id of the last record (a chat)",
    handler: () => (request) => {
      const newest = [...p23].reverse();
      const messages = newest.filter(({ id }) => id < number(request, "before", 10_000)).slice(0, 10);
      return { messages, has_more: messages.at(-1)?.id !== 1000 };
    },
    request: "/rooms/1/history",
    method: "response.param",
    all: [...p23].reverse(),
  },
  {
    name: "a map of records by their ids, and a next page (MediaWiki)",
    handler: () => (request) => {
      const from = number(request, "gapcontinue", 0);
      const next = from + 10 < 23 ? { continue: { gapcontinue: `${from + 10}`, continue: "||" } } : {};
      const pages = p23.slice(from, from + 10).map(({ id, name }) => [id, { pageid: id, title: name }]);
      return { batchcomplete: "", ...next, query: { pages: Object.fromEntries(pages) } };
    },
    request: "/w/api.php?action=query&generator=allpages&format=json",
    method: "response.param",
    all: p23.map(({ id, name }) => ({ pageid: id, title: name })),
    says: /10 records: the members of "query.pages"$/m,
  },
  {
    name: "a token for a parameter named like page[size], and a refusal of other parameters",
    handler: () => (request) => {
      const known = ["page[cursor]", "page[size]"];
      if ([...request.params.keys()].some((name) => !known.includes(name))) return json({}, { status: 422 });
      const from = number(request, "page[cursor]", 0);
      return { data: p23.slice(from, from + 10), meta: { page: { next: from + 10 < 23 ? `${from + 10}` : null } } };
    },
    request: "/users?page[size]=10",
    method: "response.param",
    all: p23,
  },
  {
    name: "a number of each record, after which lines are requested (after_seq)",
    handler: () => (request) => {
      const rows = p23.map(({ name }, index) => ({ seq: index + 1, event: name }));
      const lines = rows.filter(({ seq }) => seq > number(request, "after_seq", 0)).slice(0, 10);
      const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      return text(body, { headers: { "content-type": "application/x-ndjson" } });
    },
    request: "/events?after_seq=0",
    method: "cursor",
    all: p23.map(({ name }, index) => ({ seq: index + 1, event: name })),
  },
  {
    name: "an API key in the address that next addresses omit",
    handler: () => (request) => {
      if (request.params.get("api_key") !== "s3cret") return json({}, { status: 403 });
      const page = number(request, "page", 1);
      return { next: page * 10 < 23 ? `/users?page=${page + 1}` : null, data: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users?api_key=s3cret",
    method: "response.url",
    all: p23,
  },
  {
    name: "the id of the last record and a flag (Stripe)",
    handler: () => (request) => {
      if (request.headers.authorization !== `Basic ${Buffer.from("sk_test_1:").toString("base64")}`)
        return json({}, { status: 401 });
      const from = p23.findIndex(({ id }) => `${id}` === request.params.get("starting_after")) + 1;
      return { object: "list", data: p23.slice(from, from + 10), has_more: from + 10 < 23, url: "/v1/users" };
    },
    request: "/v1/users?limit=10 -u sk_test_1:",
    method: "response.param",
    all: p23,
  },
  {
    name: "a token in a header",
    handler: () => (request) => {
      const from = number(request, "cursor", 0);
      return json(p23.slice(from, from + 10), { headers: from + 10 < 23 ? { "X-Next-Cursor": `${from + 10}` } : {} });
    },
    request: "/users?active=1",
    method: "response.param",
    all: p23,
  },
  {
    name: "an object with the parameters of the next request (MediaWiki)",
    handler: () => (request) => {
      const from = number(request, "apcontinue", 0);
      const next = from + 10 < 23 ? { continue: { apcontinue: `${from + 10}`, continue: "-||" } } : {};
      return { batchcomplete: "", ...next, query: { allpages: p23.slice(from, from + 10) } };
    },
    request: "/w/api.php?action=query&list=allpages&format=json",
    method: "response.param",
    all: p23,
  },
  {
    name: "a relative address in a link after a redirect (HAL)",
    handler: () => (request) => {
      if (request.path === "/v2/users")
        return redirect(`/v2/users/${request.query === "" ? "" : `?${request.query}`}`, 308);
      const page = number(request, "p", 0);
      const next = page < 2 ? { next: { href: `./?p=${page + 1}` } } : {};
      return {
        _links: { self: { href: "users/" }, ...next },
        _embedded: { users: p23.slice(page * 10, page * 10 + 10) },
        page: { totalElements: 23 },
      };
    },
    request: "/v2/users?lang=de",
    method: "response.url",
    all: p23,
    says: /redirects to http:.*\/v2\/users\/:/,
  },
  {
    name: "a next address with a wrong path, whose query is right",
    handler: () => (request) => {
      if (request.path !== "/v2/users/") return json({}, { status: 404 });
      const page = number(request, "p", 0);
      const next = page < 2 ? { next: { href: `users/?p=${page + 1}` } } : {};
      return { _links: next, items: p23.slice(page * 10, page * 10 + 10) };
    },
    request: "/v2/users/?lang=de",
    method: "response.url",
    all: p23,
    says: /users\/users\/\?.* was answered with 404/,
  },
];
