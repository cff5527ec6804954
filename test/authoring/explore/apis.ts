import { empty, type Handler, json, type Received, redirect, text } from "../../helpers/api.ts";

/** A fake API to be explored, and what must come out. */
export interface FakeApi {
  readonly name: string;
  /** Answers; `url` is the API's own address. */
  readonly handler: (url: () => string) => Handler;
  /** Behind the API's address: path and query, and perhaps curl's options. */
  readonly request: string;
  /** The paging written; `none` where a run must doubt a full page, undefined where one request is all. */
  readonly method: string | undefined;
  /** All records, as lines; undefined where what comes out cannot extract them all and must say so. */
  readonly all: readonly unknown[] | undefined;
  /** How a run ends that does not give `all`; suspect where not given. */
  readonly ends?: "complete" | "suspect" | "failed";
  /** What the findings must say. */
  readonly says?: RegExp;
}

interface Person {
  readonly id: number;
  readonly name: string;
}

export const people = (count: number): Person[] =>
  Array.from({ length: count }, (_, index) => ({ id: 1000 + index * 7, name: `person ${(index * 7919) % 1009}` }));

const number = ({ params }: Received, name: string, missing: number): number => Number(params.get(name) ?? missing);

/** The part of a list that an offset and a limit ask for; `most`: the largest page. */
function part(
  all: readonly unknown[],
  request: Received,
  names: readonly [offset: string, limit: string],
  usual = 10,
  most = 1000,
) {
  const from = number(request, names[0], 0);
  const size = Math.min(number(request, names[1], usual), most);
  return { from, size, items: all.slice(from, from + size) };
}

const p23 = people(23);
const p40 = people(40);

export const apis: readonly FakeApi[] = [
  {
    name: "offset and limit in the address, a total beside the records",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return { total: 23, items };
    },
    request: "/users?limit=5&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "a page size capped below what is asked",
    handler: () => (request) => {
      const { items } = part(p40, request, ["offset", "limit"], 10, 10);
      return { meta: { total: 40 }, data: items };
    },
    request: "/users?limit=100",
    method: "offset",
    all: p40,
    says: /limit=10 gave the last record of the first page, then 9 other records/,
  },
  {
    name: "offset without a total, a bare list",
    handler: () => (request) => part(p23, request, ["offset", "limit"]).items,
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "skip and top, in a guess",
    handler: () => (request) => part(p23, request, ["skip", "top"]).items,
    request: "/users?top=10&skip=0",
    method: "offset",
    all: p23,
  },
  {
    name: "an offset that nothing speaks of",
    handler: () => (request) => part(p23, request, ["offset", "limit"]).items,
    request: "/users",
    method: "offset",
    all: p23,
  },
  {
    name: "SCIM: an index that begins at 1",
    handler: () => (request) => {
      const from = number(request, "startIndex", 1);
      const count = number(request, "count", 10);
      return {
        totalResults: 23,
        startIndex: from,
        itemsPerPage: count,
        Resources: p23.slice(from - 1, from - 1 + count),
      };
    },
    request: "/Users",
    method: "offset",
    all: p23,
  },
  {
    name: "page numbers from 1, told in the answer",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return { page, total_pages: 3, users: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users",
    method: "pagenum",
    all: p23,
  },
  {
    name: "page numbers from 0, told in the answer (Spring)",
    handler: () => (request) => {
      const page = number(request, "page", 0);
      const size = number(request, "size", 10);
      return {
        content: p40.slice(page * size, (page + 1) * size),
        number: page,
        totalElements: 40,
        last: (page + 1) * size >= 40,
      };
    },
    request: "/users?size=10",
    method: "pagenum",
    all: p40,
  },
  {
    name: "page numbers from 0 that nothing speaks of",
    handler: () => (request) => p23.slice(number(request, "page", 0) * 10, (number(request, "page", 0) + 1) * 10),
    request: "/users",
    method: "pagenum",
    all: p23,
    says: /count from 0/,
  },
  {
    name: "a page number of the middle in the address",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const size = number(request, "per_page", 10);
      return { data: p40.slice((page - 1) * size, page * size) };
    },
    request: "/users?page=3&per_page=10",
    method: "pagenum",
    all: p40,
    says: /"page" was 3/,
  },
  {
    name: "an API that answers 404 beyond its last page",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const items = p40.slice((page - 1) * 10, page * 10);
      return items.length === 0 ? json({ detail: "Invalid page." }, { status: 404 }) : { count: 40, results: items };
    },
    request: "/users?page=1",
    method: "pagenum",
    all: p40,
    says: /answered with 404: the total ends the paging/,
  },
  {
    name: "an API that repeats its last page for ever",
    handler: () => (request) => {
      const page = Math.min(number(request, "page", 1), 3);
      return { page, pages: 3, items: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users?page=1&limit=10",
    method: "pagenum",
    all: p23,
  },
  {
    name: "a list of changes with a sequence number, which stays the same at the end",
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
    name: "an address that forgets the filter",
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
    name: "links in a list that grows on the second page (FHIR): their place moves",
    handler: (url) => (request) => {
      const page = number(request, "page", 1);
      const link = (relation: string, at: number) => ({ relation, url: `${url()}/users?page=${at}` });
      const links = [
        link("self", page),
        ...(page > 1 ? [link("previous", page - 1)] : []),
        ...(page < 3 ? [link("next", page + 1)] : []),
      ];
      return { total: 23, link: links, entry: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users",
    method: "pagenum",
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
    name: "a number of the next page",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return { next_page: page < 3 ? page + 1 : null, items: p23.slice((page - 1) * 10, page * 10) };
    },
    request: "/users",
    method: "response.param",
    all: p23,
  },
  {
    name: "a token with another name than any known: the API has more, and no way is found",
    handler: () => (request) => {
      const from = number(request, "wiggle", 0);
      return { data: p23.slice(from, from + 10), has_more: from + 10 < 23, wobble: from + 10 };
    },
    request: "/users",
    method: "none",
    all: undefined,
    says: /the API has more \("has_more" is true\), but no way/,
  },
  {
    name: "an offset of an unusual name",
    handler: () => (request) => part(p23, request, ["startAt", "maxResults"]).items,
    request: "/users",
    method: "offset",
    all: p23,
  },
  {
    name: "a page number of an unusual name",
    handler: () => (request) => p23.slice((number(request, "p", 1) - 1) * 10, number(request, "p", 1) * 10),
    request: "/users",
    method: "pagenum",
    all: p23,
  },
  {
    name: "exactly as many records as asked for, and an offset: the end is shown",
    handler: () => (request) => part(people(10), request, ["offset", "limit"]).items,
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: people(10),
    says: /offset=10 gave no records: 10 records are all there are now/,
  },
  {
    name: "exactly as many records as asked for, and an offset that nothing speaks of",
    handler: () => (request) => part(people(10), request, ["skip", "limit"]).items,
    request: "/users?limit=10",
    method: "offset",
    all: people(10),
    says: /skip=9&limit=10 gave the last record of the first page and no more: 10 records are all/,
  },
  {
    name: "a short page of an API that counts pages: it goes on when there is more",
    handler: () => (request) =>
      people(7).slice((number(request, "page", 1) - 1) * 100, number(request, "page", 1) * 100),
    request: "/users?per_page=100&page=1",
    method: "pagenum",
    all: people(7),
    says: /page=2 gave no records: 7 records are all there are now/,
  },
  {
    name: "exactly as many records as asked for, and no way on: the run doubts them",
    handler: () => () => people(10),
    request: "/users?limit=10",
    method: "none",
    all: undefined,
    says: /no paging was found.*as many as "limit" asks for/,
  },
  {
    name: "more records than asked for with a limit, and no way on: a larger page takes them all",
    handler: () => (request) => p23.slice(0, number(request, "limit", 10)),
    request: "/users?limit=10",
    method: "none",
    all: p23,
    says: /limit=10000 gave 23 records: all there are, in one page/,
  },
  {
    name: "the same, but no page is larger than 20",
    handler: () => (request) => p23.slice(0, Math.min(20, number(request, "limit", 10))),
    request: "/users?limit=10",
    method: "none",
    all: undefined,
    says: /limit=11 gave 11 records: there are more/,
  },
  {
    name: "the same, with a total that counts the page",
    handler: () => (request) => {
      const items = p23.slice(0, Math.min(20, number(request, "per_page", 10)));
      return { total: items.length, items };
    },
    request: "/users?per_page=10",
    method: "none",
    all: undefined,
    says: /per_page=11 gave 11 records: there are more/,
  },
  {
    name: "a round number of records, and nothing asked for: the run doubts them",
    handler: () => () => ({ items: people(25) }),
    request: "/users",
    method: "none",
    all: undefined,
    says: /25 is a size that pages often have/,
  },
  {
    name: "a round number of records, and a total that says that this is all",
    handler: () => () => ({ total: 25, items: people(25) }),
    request: "/users",
    method: undefined,
    all: people(25),
    says: /the API tells that this is all/,
  },
  {
    name: "fewer records than asked for, and no way on: a full page will be doubted",
    handler: () => () => people(7),
    request: "/users?limit=50",
    method: "none",
    all: people(7),
  },
  {
    name: "an API that answers 400 to parameters that it does not know",
    handler: () => (request) =>
      [...request.params.keys()].every((name) => ["limit", "skip"].includes(name))
        ? part(p23, request, ["skip", "limit"]).items
        : json({ error: "unknown parameter" }, { status: 400 }),
    request: "/users?limit=10",
    method: "offset",
    all: p23,
  },
  {
    name: "an API that filters by any parameter",
    handler: () => (request) => (request.query === "" ? people(10) : []),
    request: "/users",
    method: "none",
    all: undefined,
  },
  {
    name: "the greatest id so far (since_id), ascending",
    handler: () => (request) => {
      const since = number(request, "since_id", 0);
      return p23.filter(({ id }) => id > since).slice(0, 10);
    },
    request: "/users?since_id=0",
    method: "cursor",
    all: p23,
  },
  {
    name: "GraphQL with nodes, and no variables yet",
    handler:
      () =>
      ({ body }) => {
        const from = Number(JSON.parse(body).variables?.after ?? 0);
        const pageInfo = { endCursor: String(Math.min(from + 10, 23)), hasNextPage: from + 10 < 23 };
        return { data: { users: { nodes: p23.slice(from, from + 10), totalCount: 23, pageInfo } } };
      },
    request: `/graphql -H 'content-type: application/json' -d '{"query":"query($after: String) { users(first: 10, after: $after) { nodes { id name } totalCount pageInfo { endCursor hasNextPage } } }"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "a number of records to go on with",
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
    name: "page numbers, and pages smaller than asked for",
    handler: () => (request) => {
      const [page, size] = [number(request, "page", 1), Math.min(number(request, "per_page", 10), 15)];
      return { data: p40.slice((page - 1) * size, page * size) };
    },
    request: "/users?per_page=100",
    method: "pagenum",
    all: p40,
  },
  {
    name: "the same by limit",
    handler: () => (request) => {
      const [page, size] = [number(request, "page", 1), Math.min(number(request, "limit", 10), 15)];
      return { data: p40.slice((page - 1) * size, page * size) };
    },
    request: "/users?limit=100",
    method: "pagenum",
    all: p40,
  },
  {
    name: "a total that is far too low",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return { total: 12, items };
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "a cursor that is there until an empty page",
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
    name: "a cursor that is there on the last page too, and one page only",
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
    name: "search_after in a body: the sort value of the last record",
    handler:
      () =>
      ({ body }) => {
        const { after = 0, size = 10 } = JSON.parse(body);
        return { hits: p23.filter(({ id }) => id > after).slice(0, size), has_more: after < 1080 };
      },
    request: `/search -H 'content-type: application/json' -d '{"size":10,"after":0}'`,
    method: "cursor",
    all: p23,
  },
  {
    name: "a page number in a header of the request: nothing that can be guessed",
    handler: () => (request) => {
      const page = Number(request.headers["x-page"] ?? 1);
      return json(p23.slice((page - 1) * 10, page * 10), { headers: { "X-Total-Count": "23" } });
    },
    request: "/users",
    method: "none",
    all: undefined,
    says: /the API has more \(the header X-Total-Count is 23\)/,
  },
  {
    name: "a page number in the path: nothing that can be guessed",
    handler: () => (request) => {
      const page = Number(/\/page\/([0-9]+)$/.exec(request.path)?.[1] ?? 1);
      return { data: p23.slice((page - 1) * 10, page * 10), pages: 3 };
    },
    request: "/users/page/1",
    method: "none",
    all: undefined,
    says: /the API has more \("pages" is 3\)/,
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
    name: "a longer list beside a short one, and an address whose path is another (a forum)",
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
    name: "a token that is an object (DynamoDB)",
    handler:
      () =>
      ({ body }) => {
        const from = JSON.parse(body).ExclusiveStartKey?.nr ?? 0;
        const next = from + 10 < 23 ? { LastEvaluatedKey: { nr: from + 10 } } : {};
        return { Items: p23.slice(from, from + 10), Count: 10, ...next };
      },
    request: `/ -H 'content-type: application/x-amz-json-1.0' -d '{"TableName":"users"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "a list of what is told and of the records (World Bank)",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return [{ page, pages: 3, per_page: "10", total: 23 }, p23.slice((page - 1) * 10, page * 10)];
    },
    request: "/v2/country?format=json",
    method: "pagenum",
    all: p23,
  },
  {
    name: "a flag of another name, and offsets of another name (ArcGIS)",
    handler: () => (request) => {
      const { from, size, items } = part(p23, request, ["resultOffset", "resultRecordCount"]);
      return {
        fields: [{ name: "id" }],
        ...(from + size < 23 ? { exceededTransferLimit: true } : {}),
        features: items,
      };
    },
    request: "/query?where=1%3D1&f=json",
    method: "offset",
    all: p23,
  },
  {
    name: "GraphQL whose query takes no cursor: it is given one",
    handler:
      () =>
      ({ body }) => {
        const { query, variables } = JSON.parse(body);
        const from = /\(\$after: String\).*after: \$after/.test(query) ? Number(variables?.after ?? 0) : 0;
        const pageInfo = { endCursor: String(Math.min(from + 10, 23)), hasNextPage: from + 10 < 23 };
        return { data: { users: { nodes: p23.slice(from, from + 10), pageInfo } } };
      },
    request: `/graphql -H 'content-type: application/json' -d '{"query":"{ users(first: 10) { nodes { id name } pageInfo { endCursor hasNextPage } } }"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "the newest first, a flag, and the id of the last record (a chat)",
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
    name: "pages that never end: the same kind of records for any number",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      return Array.from({ length: 10 }, (_, index) => ({ id: page * 10 + index }));
    },
    request: "/numbers",
    method: "none",
    all: undefined,
    says: /so it would never end/,
  },
  {
    name: "a map of objects under their ids, and a next page (MediaWiki)",
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
    name: "a map at the root whose keys stand nowhere else (Firebase)",
    handler: () => () => Object.fromEntries(people(7).map(({ id, name }) => [`-Nx${id}`, { name }])),
    request: "/users.json",
    method: undefined,
    all: people(7).map(({ id, name }) => ({ name, key: `-Nx${id}` })),
    says: /7 records: the members of the answer, their keys in the column "key"/,
  },
  {
    name: "one record with inner objects that are alike",
    handler: () => () => ({ home: { street: "a", city: "b" }, work: { street: "c", city: "d" } }),
    request: "/addresses",
    method: undefined,
    all: [{ home: { street: "a", city: "b" }, work: { street: "c", city: "d" } }],
    says: /one record/,
  },
  {
    name: "a next address that is a template (HAL), page numbers from 0",
    handler: () => (request) => {
      const page = number(request, "page", 0);
      return {
        _embedded: { orders: p23.slice(page * 10, page * 10 + 10) },
        _links: { next: { href: "/orders{?page,size}", templated: true } },
        page: { size: 10, totalElements: 23, totalPages: 3, number: page },
      };
    },
    request: "/orders",
    method: "pagenum",
    all: p23,
    says: /count from 0/,
  },
  {
    name: "a token for a parameter in the manner of page[size], and no other parameter allowed",
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
    name: "lines behind a number that each has (after_seq)",
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
    name: "no paging at all",
    handler: () => () => people(7),
    request: "/users",
    method: undefined,
    all: people(7),
    says: /no paging was found: the answer has 7 records/,
  },
  {
    name: "no paging, and a clock in each record",
    handler: () => {
      let clock = 0;
      return () => {
        clock += 1;
        return people(7).map((person) => ({ ...person, seen_at: clock + person.id }));
      };
    },
    request: "/users?limit=7",
    method: "none",
    all: undefined,
    ends: "complete",
    says: /limit=8 gave 7 records, fewer than asked for/,
  },
  {
    name: "no paging, and ids made anew with each answer",
    handler: () => {
      let clock = 0;
      return () => {
        clock += 1;
        return people(7).map(({ id, name }) => ({ id: `${id}-${clock}`, name }));
      };
    },
    request: "/users",
    method: undefined,
    all: undefined,
    ends: "complete",
    says: /holds the same records \(by "name"\)/,
  },
  {
    name: "records at random",
    handler: () => {
      let turn = 0;
      return () => {
        turn += 1;
        return Array.from({ length: 10 }, (_, index) => ({ id: turn * 1000 + index, name: `${turn}-${index}` }));
      };
    },
    request: "/random",
    method: "none",
    all: undefined,
  },
  {
    name: "a total that is far too high",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return { total: 1000, items };
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: undefined,
  },
  {
    name: "a total that only counts the page",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return { total: items.length, items };
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
  },
  {
    name: "an offset that counts pages",
    handler: () => (request) => {
      const page = number(request, "offset", 0);
      return p40.slice(page * 10, page * 10 + 10);
    },
    request: "/users",
    method: "none",
    all: undefined,
  },
  {
    name: "an empty list",
    handler: () => () => ({ items: [], total: 0 }),
    request: "/users",
    method: "none",
    all: [],
    says: /the list is empty/,
  },
  {
    name: "no content",
    handler: () => () => empty(),
    request: "/users",
    method: "none",
    all: [],
    says: /\(204\) is empty/,
  },
  {
    name: "one record only",
    handler: () => () => ({ id: 1, name: "only", tags: { a: 1 } }),
    request: "/me",
    method: undefined,
    all: [{ id: 1, name: "only", tags: { a: 1 } }],
    says: /one record/,
  },
  {
    name: "a list of one record",
    handler: () => () => ({ items: [{ id: 1 }], next: null, total: 1 }),
    request: "/users",
    method: undefined,
    all: [{ id: 1 }],
  },
  {
    name: "HTML instead of data",
    handler: () => () => text("<!doctype html><title>Welcome</title>", { headers: { "content-type": "text/html" } }),
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /HTML, a page for people/,
  },
  {
    name: "a login wall",
    handler:
      () =>
      ({ headers }) =>
        headers.authorization === "Bearer good" ? people(3) : json({ error: "unauthorized" }, { status: 401 }),
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /answered 401/,
  },
  {
    name: "a server error",
    handler: () => () => json({ error: "broken" }, { status: 500 }),
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /500/,
  },
  {
    name: "a rate limit told in headers",
    handler: () => (request) => {
      const { items } = part(p23, request, ["offset", "limit"]);
      return json(
        { total: 23, items },
        {
          headers: {
            "X-RateLimit-Limit": "60",
            "X-RateLimit-Remaining": "40",
            "RateLimit-Policy": '"default";q=600;w=60',
          },
        },
      );
    },
    request: "/users?limit=10&offset=0",
    method: "offset",
    all: p23,
    says: /a rate limit: X-RateLimit-Limit: 60/,
  },
  {
    name: "a rate limit that is used up",
    handler: () => () => json({ error: "slow down" }, { status: 429, headers: { "Retry-After": "3600" } }),
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /429/,
  },
  {
    name: "a rate limit used up by exploring",
    handler: () => {
      let count = 0;
      return (request) => {
        count += 1;
        return count > 2 ? json({}, { status: 429 }) : { items: part(p23, request, ["offset", "limit"]).items };
      };
    },
    request: "/users",
    method: "none",
    all: undefined,
    ends: "failed",
    says: /answered with 429/,
  },
  {
    name: "an error in an answer of 200",
    handler: () => () => ({ errors: [{ message: "no such field" }], data: { users: [] } }),
    request: "/users",
    method: "none",
    all: undefined,
    says: /no such field/,
  },
  {
    name: "a cursor in a JSON body",
    handler:
      () =>
      ({ body }) => {
        const { cursor = 0, filter } = JSON.parse(body);
        const all = filter === "few" ? p23 : p40;
        return { results: all.slice(cursor, cursor + 10), next_cursor: cursor + 10 < all.length ? cursor + 10 : null };
      },
    request: `/search -H 'content-type: application/json' -d '{"filter":"few"}'`,
    method: "response.param",
    all: p23,
  },
  {
    name: "an API key in the address that next addresses do not repeat",
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
    name: "GraphQL with edges and a cursor in its variables",
    handler:
      () =>
      ({ body }) => {
        const { after } = JSON.parse(body).variables;
        const from = Number(String(after ?? "c0").slice(1));
        const edges = p23.slice(from, from + 10).map((node) => ({ cursor: "x", node }));
        return {
          data: {
            users: { edges, pageInfo: { endCursor: `c${Math.min(from + 10, 23)}`, hasNextPage: from + 10 < 23 } },
          },
        };
      },
    request: `/graphql -H 'content-type: application/json' -d '{"query":"query($after: String) { users(first: 10, after: $after) { edges { cursor node { id name } } pageInfo { endCursor hasNextPage } } }","variables":{"x":1}}'`,
    method: "response.param",
    all: p23,
    says: /10 records: the "node" of each element of "data.users.edges"/,
  },
  {
    name: "pages in an inner object of a JSON body",
    handler:
      () =>
      ({ body }) => {
        const { page, size } = JSON.parse(body).paging;
        return { result: { rows: p23.slice(page * size, (page + 1) * size) }, paging: { page, size, total: 23 } };
      },
    request: `/search -H 'content-type: application/json' -d '{"paging":{"page":0,"size":10},"q":"x"}'`,
    method: "pagenum",
    all: p23,
  },
  {
    name: "parameters of the next request, whatever they are (MediaWiki)",
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
    name: "totals in headers, and 400 beyond the last page (WordPress)",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const headers = { "X-WP-Total": "23", "X-WP-TotalPages": "3" };
      return page > 3
        ? json({ code: "rest_post_invalid_page_number" }, { status: 400 })
        : json(p23.slice((page - 1) * 10, page * 10), { headers });
    },
    request: "/wp-json/wp/v2/posts",
    method: "pagenum",
    all: p23,
  },
  {
    name: "a relative address in a link, behind a redirect (HAL)",
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
    says: /leads on to http:.*\/v2\/users\/:/,
  },
  {
    name: "an address relative to something else: its query leads on",
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
  {
    name: "CSV",
    handler: () => () => text("id,name\n1,Ada\n2,Bo\n", { headers: { "content-type": "text/csv" } }),
    request: "/users.csv",
    method: undefined,
    all: [
      { id: "1", name: "Ada" },
      { id: "2", name: "Bo" },
    ],
    says: /the answer is CSV/,
  },
  {
    name: "CSV by offset",
    handler: () => (request) => {
      const rows = part(p23, request, ["offset", "limit"]).items as readonly Person[];
      const lines = rows.map(({ id, name }) => `${id};${name}\n`);
      return text(`id;name\n${lines.join("")}`, { headers: { "content-type": "text/csv" } });
    },
    request: "/users.csv?limit=10&offset=0",
    method: "offset",
    all: p23.map(({ id, name }) => ({ id: `${id}`, name })),
    says: /10 records: the answer is CSV with ";" between its fields/,
  },
  {
    name: "lines of JSON that are called text, and a page number",
    handler: () => (request) => {
      const page = number(request, "page", 1);
      const lines = p23.slice((page - 1) * 10, page * 10).map((person) => `${JSON.stringify(person)}\n`);
      return text(lines.join(""), { headers: { "content-type": "text/plain" } });
    },
    request: "/users",
    method: "pagenum",
    all: p23,
    says: /10 records, one a line/,
  },
];
